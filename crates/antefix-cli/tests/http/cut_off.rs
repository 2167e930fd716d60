//! A replica that a broken network keeps from its database.
//!
//! 1. The replica has a network namespace of its own, and the database's end of a wire lies in another one: nothing of the
//!    machine's own network is touched. Clients come by a socket, which no network can cut.
//! 2. Making namespaces needs root. Where that is not allowed, `cargo xtask test` leaves the test out and reports it.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use postgres::config::Host;
use serde_json::json;

use crate::project;
use antefix_testing::postgres::{self as testing, Database};
use antefix_testing::{Need, Reply, Server};

/// How long a replica may try before it gives up: five seconds for a place to work, eight for a question to the database, and a
/// slow machine.
const BOUND: Duration = Duration::from_secs(14);
/// How soon it is well again.
const RECOVERY: Duration = Duration::from_secs(5);

/// A network namespace that ends with its keeper, which ends with us, however we end.
struct Namespace(Child);

impl Namespace {
    fn new() -> Namespace {
        let mut child = Command::new("unshare")
            .args(["--net", "sh", "-c", "ip link set lo up && echo ready && cat >/dev/null"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = [0; 6];
        child.stdout.take().unwrap().read_exact(&mut ready).expect("a network namespace can be made");
        Namespace(child)
    }

    fn id(&self) -> String {
        self.0.id().to_string()
    }

    /// Runs `ip` in it.
    fn ip(&self, words: &str) {
        let mut command = Command::new("nsenter");
        command.args(["--net", "--target", &self.id(), "--", "ip"]).args(words.split(' '));
        assert!(command.status().unwrap().success(), "ip {words}");
    }

    /// A port in it. A socket stays in the namespace that it was made in, so a thread that ends goes there for it.
    fn listen(&self, address: &'static str) -> TcpListener {
        let place = std::fs::File::open(format!("/proc/{}/ns/net", self.id())).unwrap();
        let listening = std::thread::spawn(move || {
            use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
            move_into_link_name_space(std::os::fd::AsFd::as_fd(&place), Some(LinkNameSpaceType::Network)).unwrap();
            TcpListener::bind(address).unwrap()
        });
        listening.join().unwrap()
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

/// Passes what comes in at a port on to the database, wherever that is.
fn pass_on(listener: TcpListener, database: &Database) {
    let config: postgres::Config = database.server_url().parse().unwrap();
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let host = config.get_hosts()[0].clone();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            match &host {
                Host::Unix(directory) => {
                    let server = UnixStream::connect(directory.join(format!(".s.PGSQL.{port}"))).unwrap();
                    let other = server.try_clone().unwrap();
                    join(client, server, other, |server| drop(server.shutdown(Shutdown::Both)));
                }
                Host::Tcp(name) => {
                    let server = TcpStream::connect((name.as_str(), port)).unwrap();
                    let other = server.try_clone().unwrap();
                    join(client, server, other, |server| drop(server.shutdown(Shutdown::Both)));
                }
            }
        }
    });
}

fn join<S: Read + Write + Send + 'static>(client: TcpStream, mut server: S, mut other: S, end: fn(&S)) {
    let (mut from, mut to) = (client.try_clone().unwrap(), client);
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut server);
        end(&server);
    });
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut other, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    });
}

/// The address of the same database at the other end of the wire.
fn over_the_wire(database: &Database) -> String {
    let config: postgres::Config = database.server_url().parse().unwrap();
    let user = config.get_user().unwrap_or("postgres");
    let password = config.get_password().map(|word| format!(":{}", String::from_utf8_lossy(word))).unwrap_or_default();
    let name = config.get_dbname().unwrap_or(user);
    format!(
        "postgres://{user}{password}@10.66.0.1:5432/{name}?sslmode=disable&connections=4&schema={}",
        database.schema
    )
}

fn timed(ask: impl FnOnce() -> Reply) -> (Reply, Duration) {
    let begun = Instant::now();
    (ask(), begun.elapsed())
}

#[track_caller]
fn comes_again_later(server: &Server, ask: impl FnOnce(&Server) -> Reply) {
    let (reply, took) = timed(|| ask(server));
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some("1")), "{reply:?} after {took:?}");
    assert!(took < BOUND, "{took:?}");
}

#[test]
fn a_replica_without_its_database_says_so_in_time_and_recovers_by_itself() {
    if testing::is_left_out() || Need::NAMESPACES.is_left_out() {
        return;
    }
    let database = Database::new();
    let (far, near) = (Namespace::new(), Namespace::new());
    far.ip(&format!("link add wire type veth peer name wire netns {}", near.id()));
    for (end, address) in [(&far, "10.66.0.1/24"), (&near, "10.66.0.2/24")] {
        end.ip(&format!("address add {address} dev wire"));
        end.ip("link set wire up");
    }
    pass_on(far.listen("10.66.0.1:5432"), &database);

    let scratch = project();
    let other = scratch.serve_with(&["--store", &database.url(""), "--no-link"]);
    let mut command = scratch.other_program("nsenter");
    command.args(["--net", "--target", &near.id(), "--"]).arg(scratch.program());
    command.args(["serve", "--listen", &format!("unix:{}", scratch.path("home/s").display())]);
    command.args(["--layout", "dispatch", "--store", &over_the_wire(&database)]);
    let cut = scratch.start_server(command);

    other.put("/system-prompt", r#"{"template":"before"}"#).ok();
    let before = cut.post("/conversations/c/turns", "{}").ok().json();
    assert_eq!(before["prefix"], "before");
    // All that it needs is in memory by now, except whether anybody has written meanwhile.
    cut.post("/conversations/c/turns", "{}").ok();
    assert_eq!(cut.get("/readyz").status, 200);

    // The cable is pulled: nothing comes back, and nothing says why.
    far.ip("link set wire down");
    std::thread::scope(|scope| {
        // All at once: who waits for the database must not wait for each other as well.
        scope.spawn(|| comes_again_later(&cut, |cut| cut.get("/readyz")));
        for _ in 0..12 {
            scope.spawn(|| comes_again_later(&cut, |cut| cut.post("/conversations/c/turns", "{}")));
        }
        scope.spawn(|| comes_again_later(&cut, |cut| cut.post("/conversations/new/turns", "{}")));
        scope.spawn(|| comes_again_later(&cut, |cut| cut.get("/conversations/c/system-prompt")));
        scope.spawn(|| comes_again_later(&cut, |cut| cut.put("/system-prompt", r#"{"template":"stale"}"#)));
        scope.spawn(|| comes_again_later(&cut, |cut| cut.get("/conversations/c/epochs/1")));
        // What needs no database does not wait for it.
        for path in ["/healthz", "/system-prompt/variables", "/layouts", "/models"] {
            let (reply, took) = timed(|| cut.get(path));
            assert!(reply.status == 200 && took < Duration::from_secs(2), "{path}: {} after {took:?}", reply.status);
        }
    });
    let (template, took) = timed(|| cut.get("/system-prompt"));
    assert_eq!(template.ok().json()["from"], "unreachable");
    assert!(took < BOUND, "{took:?}");
    let preview = cut.post("/system-prompt/preview", r#"{"template":"as ever"}"#).ok().json();
    assert_eq!(preview["prefix"]["text"], "as ever");
    // The other one goes on, and what it does is news to the one that was away.
    other.put("/system-prompt", r#"{"template":"meanwhile"}"#).ok();
    other.post("/conversations/c/renewals", "{}").ok();

    far.ip("link set wire up");
    let healed = Instant::now();
    while cut.get("/readyz").status != 200 {
        assert!(healed.elapsed() < RECOVERY, "{:?}", healed.elapsed());
        std::thread::sleep(Duration::from_millis(50));
    }
    let after = cut.post("/conversations/c/turns", "{}").ok().json();
    assert_eq!((&after["prefix"], &after["epoch"]["number"]), (&json!("meanwhile"), &json!(2)));
    // Nothing that was refused was done later.
    assert_eq!(cut.get("/system-prompt").ok().json()["template"], "meanwhile");
    let history = other.get("/system-prompt/history").ok().json();
    assert!(history["templates"].as_array().unwrap().len() == 2, "{history}");
    assert_eq!(other.get("/conversations/new").status, 404);
}
