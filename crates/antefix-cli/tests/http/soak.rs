//! Everything at once, for as long as `ANTEFIX_TEST_SOAK` says in seconds; for a few without it.
//!
//! Two replicas on one PostgreSQL, and two servers on one file: turns of many conversations, saved templates, renewals, previews and
//! readers on both, and one of the two is killed again and again. Meanwhile the store fails: PostgreSQL is stopped for a while
//! and restarted without a word, somebody else holds the file's lock, a server may write no more, and a server stands still.
//! Then every epoch that was acknowledged is there with the same bytes, nothing but 503 and 507 was an error of the server's, and the
//! one that was there all the time has grown neither in memory nor in descriptors.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{project, replicas};
use antefix_testing::postgres::{self, Cluster, Database};
use antefix_testing::{Reply, Server};

const VARIABLE: &str = "ANTEFIX_TEST_SOAK";
/// How long it takes if nobody says so.
const SECONDS: u64 = 5;
/// How many conversations take turns.
const CONVERSATIONS: usize = 60;
/// How many epochs there are at least when all is over: enough to look for, also on a machine that does something else.
const LEAST: usize = 10;
/// How long a replica lives.
const LIFE: Duration = Duration::from_millis(900);
/// How much memory may be more at the end than after the first fifth: caches fill up, and then they are full.
const GROWTH: u64 = 48 * 1024 * 1024;

/// What was acknowledged: the prefix of an epoch of a conversation.
type Acknowledged = Mutex<BTreeMap<(String, u64), String>>;

struct Soak {
    /// Port and token of each replica.
    replicas: RwLock<Vec<(u16, String)>>,
    acknowledged: Acknowledged,
    asked: AtomicUsize,
    refused: AtomicUsize,
    lost: AtomicUsize,
    done: AtomicBool,
}

impl Soak {
    /// Asks one of the replicas. None if it was not there, or was killed in the middle of its answer.
    fn ask(&self, which: usize, method: &str, path: &str, body: &str) -> Option<Reply> {
        let (port, token) = self.replicas.read().unwrap()[which % 2].clone();
        let asked = || -> std::io::Result<Vec<u8>> {
            let mut stream = TcpStream::connect(("127.0.0.1", port))?;
            stream.set_read_timeout(Some(Duration::from_secs(30)))?;
            let length = body.len();
            let head =
                format!("{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {token}\r\n");
            let rest = format!(
                "content-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
            );
            stream.write_all(format!("{head}{rest}").as_bytes())?;
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).map(|_| bytes)
        };
        self.asked.fetch_add(1, Ordering::Relaxed);
        let reply = asked().ok().map(|bytes| Reply::parse(&bytes));
        let whole =
            |reply: &Reply| reply.header("content-length").is_some_and(|size| size == reply.body.len().to_string());
        let Some(reply) = reply.filter(whole) else {
            // Only one of the two is ever killed.
            assert_eq!(which % 2, 1, "the first replica did not answer {method} {path}");
            self.lost.fetch_add(1, Ordering::Relaxed);
            return None;
        };
        assert!(reply.status < 500 || matches!(reply.status, 503 | 507), "{method} {path}: {reply:?}");
        if matches!(reply.status, 503 | 507) {
            assert!(reply.status == 507 || reply.header("retry-after").is_some(), "{reply:?}");
            self.refused.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(reply).filter(|reply| reply.status < 500)
    }

    /// Writes down what a turn told. Whoever told something else of the same epoch before makes this fail.
    fn acknowledge(&self, turn: &Value) {
        let key = (turn["conversation"].as_str().unwrap().to_owned(), turn["epoch"]["number"].as_u64().unwrap());
        let prefix = turn["prefix"].as_str().unwrap();
        let mut acknowledged = self.acknowledged.lock().unwrap();
        let known = acknowledged.entry(key.clone()).or_insert_with(|| prefix.to_owned());
        assert_eq!(known, prefix, "{key:?}");
    }

    /// What a client of one kind does, over and over.
    fn client(&self, kind: usize) {
        for round in 0.. {
            if self.done.load(Ordering::Relaxed) {
                return;
            }
            let conversation = format!("/conversations/c{}", (round * 7 + kind * 13) % CONVERSATIONS);
            match kind {
                0 => {
                    let body = json!({"template": format!("template {round} at [system:time] in [prompt:cwd]")});
                    self.ask(round, "PUT", "/system-prompt", &body.to_string());
                    std::thread::sleep(Duration::from_millis(10));
                }
                1 => drop(self.ask(round, "POST", &format!("{conversation}/renewals"), "{}")),
                2 => drop(self.ask(round, "POST", "/system-prompt/preview", r#"{"template":"[file:AGENTS.md]"}"#)),
                3 => {
                    self.ask(round, "POST", &format!("{conversation}/messages"), r#"{"message":"go on"}"#);
                    self.ask(round, "GET", &format!("{conversation}/epochs"), "");
                }
                _ => {
                    let turn = self.ask(round, "POST", &format!("{conversation}/turns"), r#"{"target":"anthropic"}"#);
                    if let Some(turn) = turn.filter(|turn| turn.status == 200) {
                        self.acknowledge(&turn.json());
                    }
                }
            }
        }
    }
}

fn address(server: &Server) -> (u16, String) {
    (server.port, server.token.clone())
}

#[test]
fn nothing_that_was_acknowledged_is_lost_and_nothing_grows() {
    if postgres::is_left_out() {
        return;
    }
    let cluster = Cluster::start();
    let database = Database::at(&cluster.url());
    let scratch = project();
    let start = || replicas(&scratch, &database, 1).remove(0);
    let fault = |round: usize, _: &Server| match round % 4 {
        1 => cluster.script("read pid <cluster/postmaster.pid; kill -STOP $pid; sleep 1; kill -CONT $pid"),
        3 => cluster.restart(),
        _ => {}
    };
    soak("PostgreSQL", &start, &fault);
}

#[test]
fn nothing_that_was_acknowledged_in_a_file_is_lost_and_nothing_grows() {
    let scratch = project();
    let start = || scratch.serve_with(&["--log", "none"]);
    let run = |program: &str, args: &[&str]| assert!(Command::new(program).args(args).status().unwrap().success());
    let fault = |round: usize, server: &Server| {
        let pid = server.process().to_string();
        let while_it_lasts = || std::thread::sleep(Duration::from_millis(700));
        match round % 4 {
            1 => {
                let ledger = scratch.path("home/.local/share/antefix/ledger.db");
                let holder = rusqlite::Connection::open(ledger).unwrap();
                holder.busy_timeout(Duration::from_secs(10)).unwrap();
                holder.execute_batch("BEGIN IMMEDIATE").unwrap();
                while_it_lasts();
            }
            2 => {
                run("prlimit", &["--pid", &pid, "--fsize=1:"]);
                while_it_lasts();
                run("prlimit", &["--pid", &pid, "--fsize=unlimited:"]);
            }
            3 => {
                run("kill", &["-STOP", &pid]);
                while_it_lasts();
                run("kill", &["-CONT", &pid]);
            }
            _ => {}
        }
    };
    soak("a file", &start, &fault);
}

/// Lets clients work with two servers while one is killed again and again and faults happen to the store, or to the other one.
fn soak(store: &str, start: &dyn Fn() -> Server, fault: &dyn Fn(usize, &Server)) {
    let length = std::env::var(VARIABLE).map_or(SECONDS, |text| text.parse().expect("a number of seconds"));
    let length = Duration::from_secs(length);
    let mut servers = vec![start(), start()];
    let soak = Soak {
        replicas: RwLock::new(servers.iter().map(address).collect()),
        acknowledged: Mutex::default(),
        asked: AtomicUsize::new(0),
        refused: AtomicUsize::new(0),
        lost: AtomicUsize::new(0),
        done: AtomicBool::new(false),
    };
    let mut early = None;
    let mut kills = 0;
    std::thread::scope(|scope| {
        let soak = &soak;
        let clients: Vec<_> = (0..8).map(|kind| scope.spawn(move || soak.client(kind))).collect();
        let begun = Instant::now();
        while begun.elapsed() < length && !clients.iter().any(|client| client.is_finished()) {
            std::thread::sleep(LIFE);
            // Dropping kills, in the middle of whatever it does.
            drop(servers.pop());
            kills += 1;
            fault(kills, &servers[0]);
            servers.push(start());
            *soak.replicas.write().unwrap() = servers.iter().map(address).collect();
            if early.is_none() && begun.elapsed() > length / 5 {
                early = Some((servers[0].resident(), servers[0].descriptors()));
            }
        }
        soak.done.store(true, Ordering::Relaxed);
    });
    let (memory, descriptors) = early.unwrap();
    let (resident, open) = (servers[0].resident(), servers[0].descriptors());
    let acknowledged = soak.acknowledged.into_inner().unwrap();
    eprintln!(
        "{store}, {length:?}: {:?} requests, {:?} refused, {:?} lost in {kills} kills; {} epochs; memory {} to {} KB, descriptors {descriptors} to {open}",
        soak.asked,
        soak.refused,
        soak.lost,
        acknowledged.len(),
        memory / 1024,
        resident / 1024
    );
    assert!(acknowledged.len() >= LEAST && kills > 1, "{} epochs, {kills} kills", acknowledged.len());
    for ((conversation, number), prefix) in acknowledged {
        for server in &servers {
            let path = format!("/conversations/{conversation}/epochs/{number}");
            let kept = server.send_with("GET", &path, &[("accept", "text/plain")], "").ok();
            assert_eq!(kept.body, prefix, "{path}");
        }
    }
    assert!(resident < memory + GROWTH, "from {memory} to {resident} bytes");
    // The store's connections may all have come later; clients have left.
    assert!(open <= descriptors + 8, "from {descriptors} to {open} descriptors");
}
