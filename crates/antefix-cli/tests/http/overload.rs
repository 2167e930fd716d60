//! Many more clients than places.
//!
//! Bounds hold on a small machine that others use as well, with a program that was built for debugging, and with the clients on the
//! same processors; each is several times what was seen. `cargo xtask bench` measures.

use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::project;
use antefix_testing::{Need, Reply, Server};

/// Composing at once, and waiting for that: `--concurrency 1` and sixteen for each.
const PLACES: usize = 1 + 16;
/// The slowest of a hundred readers of a standing prompt, while all of that goes on.
const READ: Duration = Duration::from_millis(500);
/// How soon who cannot be served is told so.
const REFUSED: Duration = Duration::from_millis(1500);
/// What overload may cost in memory.
const MEMORY: u64 = 48 * 1024 * 1024;
/// What ten thousand connections that say nothing may cost: sixteen kilobytes each.
const IDLE_MEMORY: u64 = 160 * 1024 * 1024;

fn timed<T>(ask: impl FnOnce() -> T) -> (T, Duration) {
    let begun = Instant::now();
    (ask(), begun.elapsed())
}

/// The time that 99 of 100 stay below.
fn p99(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[(times.len() * 99).div_ceil(100) - 1]
}

fn reads(server: &Server, count: usize) -> Vec<Duration> {
    let read = |_| timed(|| server.get("/conversations/standing/system-prompt").ok()).1;
    (0..count).map(read).collect()
}

#[test]
fn ten_times_too_many_are_shed_and_readers_do_not_notice() {
    let scratch = project();
    let server = scratch.serve_with(&["--concurrency", "1", "--log", "none"]);
    server.post("/conversations/standing/turns", "{}").ok();
    let usual = p99(reads(&server, 200));
    let before = server.resident();
    let done = AtomicBool::new(false);
    let client = |client: usize| {
        let mut all = Vec::new();
        for number in 0.. {
            if done.load(Ordering::Relaxed) {
                break;
            }
            let id = format!("c{client}-{number}");
            let (reply, took) = timed(|| server.post(&format!("/conversations/{id}/turns"), "{}"));
            if reply.status == 503 {
                // A patient client would wait for a second, as it is told.
                std::thread::sleep(Duration::from_millis(100));
            }
            all.push((id, reply, took));
        }
        all
    };
    let (turns, read): (Vec<(String, Reply, Duration)>, Vec<Duration>) = std::thread::scope(|scope| {
        let client = &client;
        let clients: Vec<_> = (0..10 * PLACES).map(|number| scope.spawn(move || client(number))).collect();
        std::thread::sleep(Duration::from_millis(300));
        let begun = Instant::now();
        let mut read = Vec::new();
        while begun.elapsed() < Duration::from_secs(2) {
            read.extend(reads(&server, 10));
        }
        done.store(true, Ordering::Relaxed);
        (clients.into_iter().flat_map(|client| client.join().unwrap()).collect(), read)
    });
    let (served, shed): (Vec<_>, Vec<_>) = turns.iter().partition(|(_, reply, _)| reply.status == 200);
    assert!(shed.iter().all(|(_, reply, _)| reply.status == 503 && reply.header("retry-after") == Some("1")));
    let refused = p99(shed.iter().map(|(_, _, took)| *took).collect());
    let (busy, grown) = (p99(read), server.most_resident().saturating_sub(before));
    eprintln!(
        "{} turns served, {} refused (p99 {refused:?}); p99 of reading {usual:?}, under load {busy:?}; {} KB more memory",
        served.len(),
        shed.len(),
        grown / 1024
    );
    assert!(served.len() > PLACES && shed.len() > PLACES, "{} and {}", served.len(), shed.len());
    assert!(busy < READ, "{busy:?}, usually {usual:?}");
    assert!(refused < REFUSED, "{refused:?}");
    assert!(grown < MEMORY, "{grown} bytes more");
    // What was acknowledged is there, and everybody is served again.
    for (id, reply, _) in served {
        assert_eq!(server.get(&format!("/conversations/{id}")).ok().json()["epoch"], reply.json()["epoch"], "{id}");
    }
    for number in 0..20 {
        server.post(&format!("/conversations/after-{number}/turns"), "{}").ok();
    }
}

/// Raises the limit of our own descriptors. Answers how many connections that allows.
fn descriptors(wanted: u64) -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let enough = wanted + 1_000;
    if current.is_some_and(|current| current < enough) {
        let current = Some(maximum.map_or(enough, |maximum| enough.min(maximum)));
        setrlimit(Resource::Nofile, Rlimit { current, maximum }).unwrap();
    }
    getrlimit(Resource::Nofile).current.map_or(wanted, |current| wanted.min(current.saturating_sub(1_000)))
}

#[test]
fn ten_thousand_that_say_nothing_keep_nobody_out() {
    let count = descriptors(10_000);
    assert!(
        count == 10_000 || Need::DESCRIPTORS.is_left_out(),
        "the system grants descriptors for {count} connections"
    );
    let scratch = project();
    let server = scratch.serve_with(&["--log", "none"]);
    server.post("/conversations/standing/turns", "{}").ok();
    let before = server.resident();
    let idle: Vec<TcpStream> = (0..count).map(|_| server.connect()).collect();
    // Some of them began a request, and never end it.
    for mut stream in idle.iter().step_by(10) {
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost:").unwrap();
    }
    let slowest = p99(reads(&server, 100));
    server.post("/conversations/new/turns", "{}").ok();
    let grown = server.resident().saturating_sub(before);
    eprintln!("{count} idle connections: {} KB more memory, p99 of reading {slowest:?}", grown / 1024);
    assert!(server.descriptors() as u64 > count, "they are held, not refused");
    assert!(slowest < READ, "{slowest:?}");
    assert!(grown < IDLE_MEMORY, "{grown}");
    drop(idle);
    // What they held is free again.
    let begun = Instant::now();
    while server.descriptors() > 200 {
        assert!(begun.elapsed() < Duration::from_secs(10), "{} descriptors", server.descriptors());
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn those_who_do_not_read_keep_nobody_out() {
    let scratch = project();
    let server = scratch.serve_with(&["--log", "none"]);
    let large = serde_json::json!({"template": "0123456789abcde\n".repeat(60_000), "dialect": "plain"});
    server.put("/system-prompt", &large.to_string()).ok();
    server.post("/conversations/standing/turns", "{}").ok();
    let before = server.resident();
    let ask = format!(
        "GET /conversations/standing/system-prompt HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\naccept: text/plain\r\n\r\n",
        server.host(),
        server.token
    );
    // Each wants twenty times a megabyte, and reads nothing of it.
    let deaf: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(ask.repeat(20).as_bytes()).unwrap();
            stream
        })
        .collect();
    // Until the system's own buffers are full, they are served like all others.
    std::thread::sleep(Duration::from_millis(1500));
    let slowest = p99((0..50).map(|_| timed(|| server.get("/about").ok()).1).collect());
    let grown = server.resident().saturating_sub(before);
    eprintln!("{} deaf readers: {} KB more memory, p99 of asking {slowest:?}", deaf.len(), grown / 1024);
    assert!(slowest < READ, "{slowest:?}");
    // At most one answer is held for each, and not all that it asked for.
    assert!(grown < 150 * 1024 * 1024, "{grown}");
}

#[test]
fn a_server_with_few_descriptors_leaves_some_for_its_own_work() {
    let scratch = project();
    let mut command = scratch.other_program("prlimit");
    command.arg("--nofile=64:64").arg(scratch.program()).args(["serve", "--listen", "127.0.0.1:0"]);
    let mut server = scratch.start_server(command);
    // A quarter of them is its own: with all other connections taken, files are still read and written.
    let mut idle: Vec<TcpStream> = (0..40).map(|_| server.connect()).collect();
    for number in 0..5 {
        server.post(&format!("/conversations/c{number}/turns"), "{}").ok();
    }
    // More than fit wait in the system's line, and are not an error.
    idle.extend((0..100).map(|_| server.connect()));
    assert!(server.descriptors() <= 64, "{}", server.descriptors());
    drop(idle);
    server.post("/conversations/after/turns", "{}").ok();
    let (log, exit) = server.stop();
    assert!(exit == Some(0) && !log.contains("no connection") && !log.contains("\"status\":5"), "{log}");
}
