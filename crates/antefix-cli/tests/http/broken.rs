//! A machine that is out of something, and files that somebody takes away: a clear answer, and well again without a restart.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use antefix_testing::{Reply, Scratch, Server};

use crate::project;

const LEDGER: &str = "home/.local/share/antefix/ledger.db";

fn log(scratch: &Scratch) -> PathBuf {
    scratch.path(format!("{LEDGER}-wal"))
}

/// Sets a limit of a running process.
#[track_caller]
fn limit(server: &Server, what: &str) {
    let pid = server.process().to_string();
    assert!(Command::new("prlimit").args(["--pid", &pid, what]).status().unwrap().success());
}

#[test]
fn a_server_without_descriptors_says_so_and_recovers() {
    let scratch = project();
    let server = scratch.serve();
    server.post("/conversations/open/turns", "{}").ok();
    // These are accepted while there are descriptors.
    let mut accepted: Vec<_> = (0..8).map(|_| server.connect()).collect();
    let mut ask = |method: &str, path: &str| {
        let mut stream = accepted.pop().unwrap();
        let (host, token) = (server.host(), &server.token);
        let body = if method == "POST" { "{}" } else { "" };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        (Reply::parse(&bytes), stream)
    };
    std::thread::sleep(Duration::from_millis(300));
    let names = std::fs::read_dir(format!("/proc/{}/fd", server.process())).unwrap();
    let open: Vec<u64> = names.map(|name| name.unwrap().file_name().to_str().unwrap().parse().unwrap()).collect();
    // All numbers below the limit are in use.
    let first_free = (0..).find(|number| !open.contains(number)).unwrap();
    limit(&server, &format!("--nofile={first_free}:"));
    // Something to read that is not in memory.
    scratch.write("home/.config/antefix/settings.toml", "secrets = 'keep'\n");
    // A connection that ends gives a descriptor back: it stays until the end.
    let (refused, _first) = ask("POST", "/conversations/new/turns");
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.error().contains("out of file descriptors"), "{refused:?}");
    assert_eq!(refused.json()["type"], "urn:antefix:machine");
    assert_eq!(refused.header("retry-after"), Some("1"));
    // What is open goes on with what is stored.
    limit(&server, &format!("--nofile={}:", first_free - 8));
    ask("POST", "/conversations/open/turns").0.ok();
    ask("GET", "/conversations/open/system-prompt").0.ok();
    limit(&server, "--nofile=1024:");
    server.post("/conversations/new/turns", "{}").ok();
}

#[test]
fn a_limit_of_the_size_of_files_is_a_full_store_and_no_end_of_the_server() {
    let scratch = project();
    let server = scratch.serve();
    limit(&server, "--fsize=600000:");
    let save = |number: usize| {
        let template = format!("{number} ").repeat(3_000);
        server.put("/system-prompt", &format!(r#"{{"template":"{template}"}}"#))
    };
    let refused = (0..500).map(save).find(|reply| reply.status != 200).expect("it never got full");
    assert_eq!((refused.status, &refused.json()["type"]), (507, &serde_json::json!("urn:antefix:full")), "{refused:?}");
    server.get("/system-prompt").ok();
    limit(&server, "--fsize=unlimited:");
    save(502).ok();
}

#[test]
fn a_log_that_was_removed_under_two_servers_is_told_and_put_right_by_the_one_that_is_left() {
    let scratch = project();
    let (first, mut second) = (scratch.serve(), scratch.serve());
    for server in [&first, &second] {
        server.put("/system-prompt", r#"{"template":"before"}"#).ok();
    }
    std::fs::remove_file(log(&scratch)).unwrap();
    for server in [&first, &second] {
        let ready = server.bare_get("/readyz");
        assert_eq!((ready.status, &ready.json()["type"]), (503, &serde_json::json!("urn:antefix:displaced")));
        assert_eq!(ready.error(), "The files of the store were moved, removed, replaced or linked");
        let refused = server.put("/system-prompt", r#"{"template":"after"}"#);
        assert_eq!(refused.status, 503, "{refused:?}");
        assert!(refused.header("retry-after").is_some());
        assert_eq!(server.get("/system-prompt").ok().json()["template"], "before");
    }
    second.stop();
    assert_eq!(first.bare_get("/readyz").status, 200);
    first.put("/system-prompt", r#"{"template":"after"}"#).ok();
    // Killed, not stopped.
    drop(first);
    assert_eq!(scratch.serve().get("/system-prompt").ok().json()["template"], "after");
}

#[test]
fn a_file_that_was_renamed_away_is_told_until_it_is_back() {
    let scratch = project();
    let server = scratch.serve();
    server.put("/system-prompt", r#"{"template":"before"}"#).ok();
    let (path, aside) = (scratch.path(LEDGER), scratch.path("home/aside.db"));
    std::fs::rename(&path, &aside).unwrap();
    assert_eq!(server.bare_get("/readyz").status, 503);
    assert_eq!(server.put("/system-prompt", r#"{"template":"after"}"#).status, 503);
    assert_eq!(server.get("/system-prompt").ok().json()["template"], "before");
    std::fs::rename(&aside, &path).unwrap();
    assert_eq!(server.bare_get("/readyz").status, 200);
    server.put("/system-prompt", r#"{"template":"after"}"#).ok();
}

#[test]
fn turns_that_write_nothing_do_not_wait_for_somebody_who_writes() {
    let scratch = project();
    let server = scratch.serve();
    server.post("/conversations/c/turns", "{}").ok();
    let holder = rusqlite::Connection::open(scratch.path(LEDGER)).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = Instant::now();
    for _ in 0..5 {
        // Hours later, when it is to be noted that the conversation is in use.
        server.post("/conversations/c/turns", r#"{"now":"2100-01-01T00:00:00Z"}"#).ok();
        server.get("/conversations/c/system-prompt").ok();
    }
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    let refused = server.post("/conversations/new/turns", "{}");
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")), "{refused:?}");
    holder.execute_batch("ROLLBACK").unwrap();
    server.post("/conversations/new/turns", "{}").ok();
}

#[test]
fn open_conversations_go_on_while_many_wait_to_write() {
    let scratch = project();
    let server = scratch.serve();
    for number in 0..3 {
        server.post(&format!("/conversations/open{number}/turns"), "{}").ok();
    }
    let holder = rusqlite::Connection::open(scratch.path(LEDGER)).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        let server = &server;
        let opening: Vec<_> = (0..30)
            .map(|number| scope.spawn(move || server.post(&format!("/conversations/new{number}/turns"), "{}").status))
            .collect();
        std::thread::sleep(Duration::from_millis(500));
        for number in 0..9 {
            let begun = Instant::now();
            server.post(&format!("/conversations/open{}/turns", number % 3), "{}").ok();
            assert!(begun.elapsed() < Duration::from_secs(2), "turn {number}: {:?}", begun.elapsed());
        }
        // They still waited all that time.
        assert!(opening.iter().any(|client| !client.is_finished()));
        let statuses: Vec<u16> = opening.into_iter().map(|client| client.join().unwrap()).collect();
        assert!(statuses.iter().all(|status| *status == 503), "{statuses:?}");
    });
    holder.execute_batch("ROLLBACK").unwrap();
    server.post("/conversations/new/turns", "{}").ok();
}

#[test]
fn a_restored_copy_that_others_hold_is_told_in_time() {
    let scratch = project();
    drop(scratch.serve());
    let (path, copy) = (scratch.path(LEDGER), scratch.path("home/copy.db"));
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
    let holder = rusqlite::Connection::open(&copy).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let server = scratch.serve_with(&["--store", &format!("sqlite:{}", copy.display())]);
    std::thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| {
                let begun = Instant::now();
                let refused = server.get("/conversations");
                assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")), "{refused:?}");
                assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
            });
        }
        let begun = Instant::now();
        server.get("/healthz").ok();
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    });
    holder.execute_batch("ROLLBACK").unwrap();
    std::thread::sleep(Duration::from_millis(1_100));
    server.get("/conversations").ok();
}
