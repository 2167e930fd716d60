//! Several servers on one PostgreSQL. `ANTEFIX_TEST_POSTGRES` names one, else a throw-away cluster is made; `none` leaves these
//! tests out.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use crate::{Scratch, Server};

/// A PostgreSQL that ends with the test.
struct Database {
    /// Without our schema.
    base: String,
    schema: String,
    cluster: Option<Child>,
}

impl Database {
    /// None if these tests are left out.
    fn new() -> Option<Database> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let schema = format!("http_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        match std::env::var("ANTEFIX_TEST_POSTGRES") {
            Ok(none) if none == "none" => None,
            Ok(base) => Some(Database { base, schema, cluster: None }),
            Err(_) => Some(Database::start(schema)),
        }
    }

    fn url(&self) -> String {
        let joint = if self.base.contains('?') { '&' } else { '?' };
        format!("{}{joint}schema={}", self.base, self.schema)
    }

    fn start(schema: String) -> Database {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../antefix/tests/store/postgres/cluster.sh");
        let script = std::fs::read_to_string(script).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let is_root = std::fs::metadata("/proc/self").is_ok_and(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0);
        let mut command = Command::new(if is_root { "setpriv" } else { "env" });
        if is_root {
            command.args(["--reuid=postgres", "--regid=postgres", "--init-groups", "--"]);
        }
        command.args(["sh", "-c", &script, "cluster.sh"]).arg(programs()).arg(port.to_string());
        command.current_dir("/tmp").stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let directory = line.trim_end().strip_prefix("ready ").unwrap_or_else(|| panic!("PostgreSQL says {line:?}"));
        let base = format!("postgres://postgres@/postgres?host={directory}&port={port}");
        Database { base, schema, cluster: Some(child) }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Some(mut cluster) = self.cluster.take() {
            // The cluster ends with its input.
            drop(cluster.stdin.take());
            let _ = cluster.wait();
        } else if let Ok(mut client) = postgres::Client::connect(&self.base, postgres::NoTls) {
            let _ = client.batch_execute(&format!("DROP SCHEMA IF EXISTS {} CASCADE", self.schema));
        }
    }
}

fn programs() -> PathBuf {
    let versions =
        std::fs::read_dir("/usr/lib/postgresql").expect("PostgreSQL is installed, or ANTEFIX_TEST_POSTGRES is set");
    let version = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    versions.filter_map(|entry| Some(entry.ok()?.path())).max_by_key(version).unwrap().join("bin")
}

fn replicas(scratch: &Scratch, database: &Database, count: usize) -> Vec<Server> {
    (0..count).map(|_| scratch.serve_with(&["--store", &database.url(), "--no-link"])).collect()
}

#[test]
fn replicas_see_each_others_templates_and_epochs_at_once() {
    let Some(database) = Database::new() else { return };
    let scratch = Scratch::new();
    let servers = replicas(&scratch, &database, 2);
    let [one, other] = &servers[..] else { panic!() };
    assert_eq!(one.get("/about").ok().json()["store"], "postgres");
    for round in 0..20 {
        let saved = one.put("/system-prompt", &json!({"template": format!("round {round}")}).to_string()).ok();
        let seen = other.get("/system-prompt").ok();
        assert_eq!((seen.header("etag"), seen.json()), (saved.header("etag"), saved.json()));
        let path = format!("/conversations/c{round}/turns");
        let opened = other.post(&path, "{}").ok().json();
        assert_eq!(opened["prefix"], format!("round {round}"));
        let continued = one.post(&path, "{}").ok().json();
        assert_eq!((&continued["epoch"], &continued["began"]), (&opened["epoch"], &json!(false)));
        one.put("/system-prompt", r#"{"template":"renewed"}"#).ok();
        other.post(&format!("/conversations/c{round}/renewals"), "{}").ok();
        let standing = one.get(&format!("/conversations/c{round}/system-prompt")).ok().json();
        assert_eq!((&standing["prefix"], &standing["epoch"]["number"]), (&json!("renewed"), &json!(2)));
    }

    // A browser's cookie of one is known to the other, as they have one token.
    let link = one.post("/links", "").ok().json()["path"].as_str().unwrap().to_owned();
    let cookie = one.bare_get(&link).header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let (_, value) = cookie.split_once('=').unwrap();
    let theirs = format!("antefix_{}={value}", other.port);
    assert_eq!(other.bare("GET", "/about", &[("host", &other.host()), ("cookie", &theirs)], "").status, 200);
}

#[test]
fn of_racing_first_turns_on_four_replicas_one_wins_also_when_one_is_killed() {
    let Some(database) = Database::new() else { return };
    let scratch = Scratch::new();
    let mut servers = replicas(&scratch, &database, 4);
    servers[0].put("/system-prompt", r#"{"template":"[system:time]"}"#).ok();
    for round in 0..3 {
        let barrier = Barrier::new(32);
        let alive = &servers;
        let turn = |number: usize| {
            barrier.wait();
            alive[number % alive.len()].post(&format!("/conversations/r{round}/turns"), "{}").ok().json()
        };
        let answers: Vec<Value> = std::thread::scope(|scope| {
            let turn = &turn;
            let turns: Vec<_> = (0..32).map(|number| scope.spawn(move || turn(number))).collect();
            turns.into_iter().map(|turn| turn.join().unwrap()).collect()
        });
        assert!(answers.iter().all(|answer| answer["prefix"] == answers[0]["prefix"]));
        assert_eq!(answers.iter().filter(|answer| answer["began"] == true).count(), 1, "round {round}");
        // Dropping kills; the others go on.
        drop(servers.pop());
    }
    let tag = servers[0].get("/system-prompt").header("etag").unwrap().to_owned();
    servers.extend(replicas(&scratch, &database, 3));
    let barrier = Barrier::new(4);
    let mut saved: Vec<u16> = std::thread::scope(|scope| {
        let (servers, tag, barrier) = (&servers, &tag, &barrier);
        let save = move |number: usize| {
            barrier.wait();
            let body = json!({"template": format!("of {number}")}).to_string();
            servers[number].send_with("PUT", "/system-prompt", &[("if-match", tag)], &body).status
        };
        let saves: Vec<_> = (0..4).map(|number| scope.spawn(move || save(number))).collect();
        saves.into_iter().map(|save| save.join().unwrap()).collect()
    });
    saved.sort_unstable();
    assert_eq!(saved, [200, 412, 412, 412]);
}
