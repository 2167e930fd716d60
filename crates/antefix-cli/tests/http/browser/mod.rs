//! A visitor's browser, which is logged in, opens a page of somebody else's. `ANTEFIX_TEST_CHROMIUM` names the browser, else it is
//! Debian's; `none` leaves this test out.
//!
//! 1. A page of another origin tries all that a page can: requests in every mode, forms, scripts, images, styles, frames, sockets.
//! 2. Then its name leads to the server itself (DNS rebinding): its own origin is the server's port, under a name that is not ours.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use serde_json::Value;

use crate::project;
use antefix_testing::{Scratch, Server};

const VARIABLE: &str = "ANTEFIX_TEST_CHROMIUM";
/// Prints the page once it has done all that it does by itself, and ends.
const PRINTS: [&str; 3] = ["--dump-dom", "--virtual-time-budget=5000", "--timeout=20000"];
/// Stays until it is ended.
const STAYS: [&str; 1] = ["--remote-debugging-port=0"];
/// In the prompt, and nowhere else.
const CANARY: &str = "canary-5c1f";

/// A browser that ends with the test, with all that it has started.
struct Browser(Child);

impl Browser {
    /// Opens an address, and does what these flags say.
    fn open(scratch: &Scratch, address: &str, names: &str, flags: &[&str]) -> Browser {
        let program = std::env::var(VARIABLE).unwrap_or_else(|_| "/usr/bin/chromium".to_owned());
        assert!(
            PathBuf::from(&program).exists(),
            "Chromium is not installed: `apt-get install chromium`, or {VARIABLE}=none"
        );
        let mut command = Command::new(program);
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage"]);
        command.arg(format!("--user-data-dir={}", scratch.path("home/browser").display()));
        command.arg(format!("--host-resolver-rules={names}"));
        command.args(flags).arg(address);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        Browser(command.spawn().unwrap())
    }

    /// What is on the page, once it is loaded.
    fn page(mut self) -> String {
        let mut text = String::new();
        self.0.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        // It writes down what pages keep when it ends by itself.
        self.0.wait().unwrap();
        text
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process_group(
            rustix::process::Pid::from_child(&self.0),
            rustix::process::Signal::KILL,
        );
        let _ = self.0.wait();
    }
}

/// The attacker's own server. What is not its own it passes on to `beyond`, if there is such a place.
fn attacker(listener: TcpListener, targets: &[String], beyond: Option<u16>) -> Receiver<Value> {
    let script = include_str!("attack.js").replace("TARGETS", &serde_json::to_string(targets).unwrap());
    let (told, report) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (script, told) = (script.clone(), told.clone());
            std::thread::spawn(move || answer(stream, &script, &told, beyond));
        }
    });
    report
}

/// Answers one request, and closes.
fn answer(mut stream: TcpStream, script: &str, told: &Sender<Value>, beyond: Option<u16>) -> Option<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
    let (mut bytes, mut some) = (Vec::new(), [0; 4096]);
    let (head, body) = loop {
        let count = stream.read(&mut some).ok().filter(|count| *count > 0)?;
        bytes.extend(&some[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length =
            head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if body.len() >= length.unwrap_or(0) {
            break (head.to_owned(), body.to_owned());
        }
    };
    let (kind, text) = match head.split(' ').nth(1)? {
        "/attack" => ("text/html", "<!doctype html><body><script src=/attack.js></script>"),
        "/attack.js" => ("text/javascript", script),
        "/own" => ("text/plain", "its own"),
        "/report" => {
            told.send(serde_json::from_str(&body).ok()?).ok()?;
            ("text/plain", "")
        }
        _ => {
            let mut server = TcpStream::connect(("127.0.0.1", beyond?)).ok()?;
            let (first, rest) = head.split_once("\r\n")?;
            write!(server, "{first}\r\nconnection: close\r\n{rest}\r\n\r\n{body}").ok()?;
            return std::io::copy(&mut server, &mut stream).ok().map(drop);
        }
    };
    let length = text.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{text}"
    )
    .ok()
}

/// How often the server refused.
fn refused(server: &Server) -> u64 {
    let metrics = server.get("/metrics").ok().body;
    let counts =
        metrics.lines().filter(|line| line.starts_with("antefix_requests_total") && line.contains("status=\"403\""));
    counts.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

/// What a page got: nothing that anybody wrote, and not a word of an answer that was not a refusal.
#[track_caller]
fn got_nothing(report: &Value, token: &str) -> usize {
    let report = report.as_array().unwrap();
    assert_eq!(
        (&report[0]["what"], &report[0]["got"]),
        (&"own".into(), &"200 its own".into()),
        "the page itself does not work"
    );
    for attempt in &report[1..] {
        let got = attempt["got"].as_str().unwrap();
        assert!(!got.contains(CANARY) && !got.contains(token), "{attempt}");
        let refusal =
            got.starts_with("403 ") && got.contains("urn:antefix:") || got.starts_with("{\"type\":\"urn:antefix:");
        assert!(matches!(got, "" | "0") || refusal, "{attempt}");
    }
    report.len()
}

#[test]
fn a_page_of_somebody_elses_gets_nothing_and_changes_nothing() {
    if std::env::var(VARIABLE).is_ok_and(|value| value == "none") {
        return;
    }
    let scratch = project();
    let server = scratch.serve();
    let port = server.port;
    server.put("/system-prompt", &format!(r#"{{"template":"{CANARY}"}}"#)).ok();
    server.post("/conversations/c/turns", "{}").ok();
    let state = || {
        let read = |path: &str| server.get(path).ok().body;
        (read("/system-prompt"), read("/system-prompt/history"), read("/conversations"), read("/conversations/c"))
    };
    let before = state();

    // The visitor opens the link, and is known from then on.
    let link = server.link.split(' ').nth(1).unwrap().to_owned();
    Browser::open(&scratch, &link, "MAP evil.example 127.0.0.1", &PRINTS).page();
    let own = format!("http://127.0.0.1:{port}/");
    let page = Browser::open(&scratch, &own, "MAP evil.example 127.0.0.1", &PRINTS).page();
    assert!(page.contains("Sign out"), "the visitor is not logged in: {page}");

    let evil = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://evil.example:{}/attack", evil.local_addr().unwrap().port());
    let targets = ["127.0.0.1", "localhost"].map(|name| format!("http://{name}:{port}"));
    let report = attacker(evil, &targets, None);
    let browser = Browser::open(&scratch, &address, "MAP evil.example 127.0.0.1", &STAYS);
    let report = report.recv_timeout(Duration::from_secs(40)).expect("the page reports");
    drop(browser);
    assert!(got_nothing(&report, &server.token) > 100);
    let crossed = refused(&server);
    assert!(crossed > 40, "the attempts did not come as far as the server: {crossed}");
    assert_eq!(state(), before);

    // The name leads to another address with the same port, and all but the page itself is passed on to the server.
    let rebound = TcpListener::bind(("127.0.0.2", port)).unwrap();
    let origin = format!("http://evil.example:{port}");
    let report = attacker(rebound, std::slice::from_ref(&origin), Some(port));
    let browser = Browser::open(&scratch, &format!("{origin}/attack"), "MAP evil.example 127.0.0.2", &STAYS);
    let report = report.recv_timeout(Duration::from_secs(40)).expect("the page reports");
    drop(browser);
    assert!(got_nothing(&report, &server.token) > 50);
    assert!(refused(&server) > crossed + 20, "{report}");
    assert_eq!(state(), before);
}
