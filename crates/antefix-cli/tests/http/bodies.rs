//! Many large bodies at once.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use crate::project;
use antefix_testing::{Reply, Server};

/// How many bodies come at once.
const COUNT: usize = 150;
/// The bytes of each.
const SIZE: usize = 7_900_000;
/// What they may cost in memory, all together: the budgets of bodies (64 MiB) and of answers (256 MiB: each repeats its body), and what is
/// made of the eight bodies that have room. Without budgets it would be 1,280 MB for the bodies alone.
const MEMORY: u64 = 400 * 1024 * 1024;

/// Sends a turn with a body that all clients share.
fn turn(server: &Server, number: usize, body: &str) -> Reply {
    let mut stream = server.connect();
    stream.set_read_timeout(Some(Duration::from_secs(100))).unwrap();
    let head = format!(
        "POST /conversations/c{number}/turns HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        server.host(),
        server.token,
        body.len()
    );
    // A server that refuses early closes before all is sent.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    Reply::parse(&bytes)
}

#[test]
fn bodies_share_one_budget_and_others_are_served() {
    let scratch = project();
    let server = scratch.serve_with(&["--log", "none"]);
    server.post("/conversations/standing/turns", "{}").ok();
    let body = format!("{{\"override\":\"{}\"}}", "x".repeat(SIZE - 15));
    let before = server.resident();
    let (replies, slowest) = std::thread::scope(|scope| {
        let (server, body) = (&server, &body);
        let turns: Vec<_> = (0..COUNT).map(|number| scope.spawn(move || turn(server, number, body))).collect();
        let begun = Instant::now();
        let mut slowest = Duration::ZERO;
        while begun.elapsed() < Duration::from_secs(3) {
            let asked = Instant::now();
            server.get("/conversations/standing/system-prompt").ok();
            slowest = slowest.max(asked.elapsed());
        }
        let replies: Vec<u16> = turns.into_iter().map(|turn| turn.join().unwrap().status).collect();
        (replies, slowest)
    });
    let grown = server.most_resident().saturating_sub(before);
    let count = |status: u16| replies.iter().filter(|other| **other == status).count();
    let (served, shed, cut) = (count(200), count(503), count(0));
    eprintln!(
        "{served} served, {shed} told to come again, {cut} cut; {} MB more memory; reading took {slowest:?}",
        grown >> 20
    );
    // A client that is told so while it still sends may not hear it.
    assert_eq!(served + shed + cut, COUNT, "{replies:?}");
    assert!(served >= 8, "{replies:?}");
    assert!(grown < MEMORY, "{grown}");
    // The clients take most of the processors, and bodies are parsed by a build for debugging.
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
    // What they took is there again.
    assert_eq!(turn(&server, COUNT, &body).status, 200);
}

#[test]
fn who_takes_all_the_room_and_his_time_is_given_up_when_others_want_it() {
    let scratch = project();
    let server = scratch.serve_with(&["--body-limit", "100000", "--body-budget", "100000"]);
    // Somebody has begun to send, and takes his time.
    let mut slow = server.connect();
    let head = format!(
        "POST /conversations/c/turns HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         content-length: 90000\r\n\r\n{{",
        server.host(),
        server.token
    );
    slow.write_all(head.as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let body = |size: usize| format!("{{\"override\":\"{}\"}}", "x".repeat(size));
    // There is room for this one beside it.
    server.post("/conversations/d/turns", &body(5_000)).ok();
    server.get("/conversations").ok();
    slow.write_all(b" ").unwrap();
    let asked = Instant::now();
    server.post("/conversations/d/turns", &body(50_000)).ok();
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    let mut answer = Vec::new();
    slow.read_to_end(&mut answer).unwrap();
    let answer = Reply::parse(&answer);
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")), "{answer:?}");
}

#[test]
fn those_who_send_slowly_keep_nobody_waiting() {
    let scratch = project();
    let server = scratch.serve_with(&["--log", "none"]);
    server.post("/conversations/standing/turns", "{}").ok();
    // Each says that it sends as much as it may, and sends a byte now and then.
    let head = format!(
        "POST /conversations/c/turns HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         content-length: {SIZE}\r\n\r\n{{",
        server.host(),
        server.token
    );
    let done = std::sync::atomic::AtomicBool::new(false);
    let slowest = std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                let mut stream = server.connect();
                // One that was given up may find its connection closed.
                let mut sent = stream.write_all(head.as_bytes());
                while sent.is_ok() && !done.load(std::sync::atomic::Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(100));
                    sent = stream.write_all(b" ");
                }
            });
        }
        std::thread::sleep(Duration::from_secs(1));
        let body = format!("{{\"override\":\"{}\"}}", "x".repeat(1_000_000));
        let mut slowest = Duration::ZERO;
        for number in 0..10 {
            let asked = Instant::now();
            assert_eq!(turn(&server, number, &body).status, 200);
            slowest = slowest.max(asked.elapsed());
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        slowest
    });
    eprintln!("the slowest of ten waited {slowest:?}");
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
}
