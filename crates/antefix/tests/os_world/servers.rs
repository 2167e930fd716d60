//! Servers of every temper, on a real socket: what each is taken to have said.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crate::parts::Parts;
use antefix::diagnostic::Code;
use antefix::discover::remote::{Address, Holder, Remote, RemoteLimits};
use antefix::discover::{Answer, Discovery, Workspace, discover};
use antefix::text::FactName;
use antefix::worlds::{MemoryWorld, OsWorld};

/// How long a server may take. Those that are too slow take much longer.
const TIME: Duration = Duration::from_secs(1);

/// Answers each connection by the path that was asked for, and remembers what was asked.
struct Server {
    at: SocketAddr,
    received: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let received = Arc::new(Mutex::new(Vec::new()));
        let theirs = Arc::clone(&received);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, received) = (stream.unwrap(), Arc::clone(&theirs));
                thread::spawn(move || {
                    let head = read_head(&mut stream);
                    received.lock().unwrap().push(head.clone());
                    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                    // A client that gave up is what some of the answers are for.
                    let _ = answer(&mut stream, &path, at);
                    let _ = stream.shutdown(Shutdown::Both);
                });
            }
        });
        Server { at, received }
    }
}

fn read_head(stream: &mut TcpStream) -> String {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|read| read == 1) {
        head.push(byte[0]);
    }
    String::from_utf8_lossy(&head).into_owned()
}

fn answer(stream: &mut TcpStream, path: &str, at: SocketAddr) -> std::io::Result<()> {
    let response = |status: &str, headers: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
        [head.as_bytes(), body].concat()
    };
    let text = |body: &str| response("200 OK", "Content-Type: text/plain; charset=utf-8\r\n", body.as_bytes());
    let json = |body: &str| response("200 OK", "Content-Type: application/json\r\n", body.as_bytes());
    let typed = |kind: &str, body: &[u8]| response("200 OK", &format!("Content-Type: {kind}\r\n"), body);
    let leads = |to: &str| response("302 Found", &format!("Location: {to}\r\n"), b"");
    let bytes = match path {
        "/text" => text("I am the core.\n"),
        "/markdown" => typed("text/markdown", b"# Core\n"),
        "/json" => json(r#"{"text": "I am the core.", "version": 3}"#),
        "/json-null" => json(r#"{"text": null}"#),
        "/json-empty" => json(r#"{"text": ""}"#),
        "/json-other" => json(r#"{"txt": "I am the core."}"#),
        "/json-twice" => json(r#"{"text": "a", "text": "b"}"#),
        "/json-list" => json(r#"["I am the core."]"#),
        "/json-nul" => json(r#"{"text": "a\u0000b"}"#),
        "/blank" => text(" \n\n"),
        "/chunked" => {
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nI am\r\n0\r\n\r\n"
                .to_vec()
        }
        "/lost-body" => b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n".to_vec(),
        "/until-closed" => b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nI am".to_vec(),
        "/204" => b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(),
        "/404" => response("404 Not Found", "Content-Type: text/html\r\n", b"<html>nothing here"),
        "/401" => response("401 Unauthorized", "", b""),
        "/403" => response("403 Forbidden", "", b""),
        "/410" => response("410 Gone", "", b""),
        "/429" => response("429 Too Many Requests", "", b""),
        "/500" => response("500 Internal Server Error", "Content-Type: text/plain\r\n", b"I am the core."),
        "/206" => response("206 Partial Content", "Content-Type: text/plain\r\n", b"I am"),
        "/silent" => {
            thread::sleep(TIME * 5);
            return Ok(());
        }
        "/silent-body" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n\r\n")?;
            thread::sleep(TIME * 5);
            return Ok(());
        }
        "/drip" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\n")?;
            return drip(stream);
        }
        "/drip-head" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nX-Slow: ")?;
            return drip(stream);
        }
        "/truncated" => b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nI am".to_vec(),
        "/truncated-chunk" => {
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nI am".to_vec()
        }
        "/truncated-head" => b"HTTP/1.1 200 OK\r\nContent-Ty".to_vec(),
        "/no-http" => b"\x16\x03\x01 I am the core.\r\n\r\n".to_vec(),
        "/html" => typed("text/html", b"<h1>Log in</h1>"),
        "/latin1" => typed("text/plain; charset=iso-8859-1", b"I am"),
        "/untyped" => response("200 OK", "", b"I am"),
        "/gzip" => response("200 OK", "Content-Type: text/plain\r\nContent-Encoding: gzip\r\n", b"\x1f\x8b\x08"),
        "/not-utf8" => typed("text/plain", b"I am \xff\xfe"),
        "/nul" => typed("text/plain", b"I am\0"),
        "/at-cap" => text(&"a".repeat(100)),
        "/over-cap" => text(&"a".repeat(101)),
        "/endless" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")?;
            loop {
                stream.write_all(&[b'a'; 4096])?;
            }
        }
        "/to-text" => leads("/text"),
        "/to-text-in-full" => leads(&format!("http://127.0.0.1:{}/text", at.port())),
        "/deep/to-sibling" => leads("../text"),
        "/to-404" => leads("/404"),
        "/to-other-host" => leads(&format!("http://localhost:{}/text", at.port())),
        "/to-other-port" => leads("http://127.0.0.1:1/text"),
        "/to-other-scheme" => leads(&format!("https://127.0.0.1:{}/text", at.port())),
        "/to-plain-http" => leads("http://memory.example/text"),
        "/to-file" => leads("file:///etc/passwd"),
        "/to-nowhere" => response("302 Found", "", b""),
        "/to-itself" => leads("/to-itself"),
        "/slowly-on" => {
            thread::sleep(TIME * 2 / 5);
            leads("/slowly-on")
        }
        "/3" => leads("/2"),
        "/2" => leads("/1"),
        "/1" => leads("/text"),
        "/hidden" => text("I am\u{202e} the core."),
        "/secret" => text(&format!("Use {} for it.", ["AKIA", "Q6OPPZ5M7D3XK2LA"].concat())),
        _ => response("404 Not Found", "", b""),
    };
    stream.write_all(&bytes)
}

/// One byte at a time, for as long as somebody listens.
fn drip(stream: &mut TcpStream) -> std::io::Result<()> {
    loop {
        stream.write_all(b"a")?;
        thread::sleep(Duration::from_millis(20));
    }
}

fn ask(address: &str, bearer_env: Option<&str>) -> Discovery {
    let workspace = Workspace::find(&MemoryWorld::new(), Path::new("/"));
    let mut situation = Parts::new(workspace);
    let by = Holder::Http { address: Address::parse(address).unwrap(), bearer_env: bearer_env.map(str::to_owned) };
    situation.permissions.memory =
        Remote::Configured { by, limits: RemoteLimits { time: TIME, turn: TIME, bytes: 100 } };
    discover(&OsWorld::new(), &situation.situation(), [&FactName::new("memory", "core")])
}

/// The outcome in one line.
fn outcome(discovery: &Discovery) -> String {
    let name = FactName::new("memory", "core");
    match discovery.facts.get(&name) {
        Some(Answer::Present(value)) => format!("present {:?}", value.text(&name).as_str()),
        Some(Answer::Absent) => "absent".to_owned(),
        Some(Answer::Unavailable(reason)) => format!("unavailable {reason}"),
        None => "not asked".to_owned(),
    }
}

const EXPECTED: &str = r##"
/text               present "I am the core."
/markdown           present "# Core"
/json               present "I am the core."
/chunked            present "I am"
/until-closed       present "I am"
/at-cap             present "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
/to-text            present "I am the core."
/to-text-in-full    present "I am the core."
/deep/to-sibling    present "I am the core."
/3                  present "I am the core."
/json-null          absent
/json-empty         absent
/204                absent
/404                absent
/to-404             absent
/blank              unavailable failed: it is empty; 204 and {"text": null} say that there is none
/lost-body          unavailable failed: it is empty; 204 and {"text": null} say that there is none
/401                unavailable permission denied: status 401
/403                unavailable permission denied: status 403
/410                unavailable failed: status 410
/429                unavailable failed: status 429
/500                unavailable failed: status 500
/206                unavailable failed: status 206
/silent             unavailable no answer in time: over 1 s
/silent-body        unavailable no answer in time: over 1 s
/drip               unavailable no answer in time: over 1 s
/drip-head          unavailable no answer in time: over 1 s
/slowly-on          unavailable no answer in time: over 1 s
/truncated          unavailable failed: the answer broke off
/truncated-chunk    unavailable failed: the answer broke off
/truncated-head     unavailable failed: the answer broke off
/no-http            unavailable failed: it is not HTTP
/html               unavailable failed: its content type is text/html, and not UTF-8 text or JSON
/latin1             unavailable failed: its content type is text/plain; charset=iso-8859-1, and not UTF-8 text or JSON
/untyped            unavailable failed: its content type is none, and not UTF-8 text or JSON
/gzip               unavailable failed: it is compressed (gzip)
/not-utf8           unavailable not UTF-8: the byte at offset 5
/nul                unavailable binary: a NUL byte at offset 4
/json-nul           unavailable binary: a NUL byte at offset 1
/json-other         unavailable failed: its JSON is not {"text": "…"}
/json-twice         unavailable failed: its JSON is not {"text": "…"}
/json-list          unavailable failed: its JSON is not {"text": "…"}
/over-cap           unavailable failed: it has more than 100 bytes
/endless            unavailable failed: it has more than 100 bytes
/to-other-host      unavailable failed: it leads to another server, http://localhost:PORT/text
/to-other-port      unavailable failed: it leads to another server, http://127.0.0.1:1/text
/to-other-scheme    unavailable failed: it leads to another server, https://127.0.0.1:PORT/text
/to-plain-http      unavailable failed: it leads to an address that cannot be read
/to-file            unavailable failed: it leads to an address that cannot be read
/to-nowhere         unavailable failed: it leads to an address that cannot be read
/to-itself          unavailable failed: it leads on more than 3 times
/hidden             unavailable hidden characters in it: http://127.0.0.1:PORT/hidden
/secret             present "Use [redacted:aws-access-key] for it."
"##;

#[test]
fn every_answer_of_a_server_has_its_outcome() {
    let server = Server::start();
    let port = server.at.port().to_string();
    let rows: Vec<String> = thread::scope(|scope| {
        let asking = EXPECTED.trim().lines().map(|row| {
            let path = row.split(' ').next().unwrap();
            let port = &port;
            scope.spawn(move || {
                let start = Instant::now();
                let discovery = ask(&format!("http://127.0.0.1:{port}{path}"), None);
                assert!(start.elapsed() < TIME * 4, "{path} took {:?}", start.elapsed());
                let outcome = outcome(&discovery).replace(port, "PORT");
                // Whatever is unavailable is reported; what is there, or is not, is not reported.
                let reported = discovery.diagnostics.iter().any(|finding| finding.code != Code::Secret);
                assert_eq!(reported, outcome.starts_with("unavailable"), "{path}: {:?}", discovery.diagnostics);
                format!("{path:<20}{outcome}\n")
            })
        });
        let asking: Vec<_> = asking.collect();
        asking.into_iter().map(|row| row.join().unwrap()).collect()
    });
    let table = format!("\n{}", rows.concat());
    assert!(table == EXPECTED, "it is{table}and should be{EXPECTED}");
}

#[test]
fn nobody_at_the_address_is_no_answer() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let refused = outcome(&ask(&format!("http://127.0.0.1:{port}/"), None));
    assert!(refused.starts_with("unavailable failed: "), "{refused}");
    assert!(refused.contains("refused"), "{refused}");
    let unknown = outcome(&ask("https://no-such-host.invalid/", None));
    assert!(unknown.starts_with("unavailable "), "{unknown}");
}

/// A handshake with a server that speaks no TLS, and one that never comes to an end.
#[test]
fn without_tls_there_is_no_answer() {
    let server = Server::start();
    let garbled = outcome(&ask(&format!("https://127.0.0.1:{}/text", server.at.port()), None));
    assert!(garbled.starts_with("unavailable "), "{garbled}");
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let start = Instant::now();
    let address = format!("https://127.0.0.1:{}/", silent.local_addr().unwrap().port());
    assert_eq!(outcome(&ask(&address, None)), "unavailable no answer in time: over 1 s");
    assert!(start.elapsed() < TIME * 4);
}

#[test]
fn a_request_says_who_asks_and_nothing_else() {
    let server = Server::start();
    ask(&format!("http://127.0.0.1:{}/text?core=1", server.at.port()), None);
    let received = server.received.lock().unwrap().pop().unwrap();
    let mut lines: Vec<String> = received.trim_end().lines().map(str::to_ascii_lowercase).collect();
    assert_eq!(lines.remove(0), "get /text?core=1 http/1.1");
    lines.sort();
    assert_eq!(
        lines,
        [
            "accept-encoding: identity".to_owned(),
            "accept: text/plain, text/markdown, application/json".to_owned(),
            format!("host: 127.0.0.1:{}", server.at.port()),
            format!("user-agent: antefix/{}", env!("CARGO_PKG_VERSION")),
        ]
    );
}

/// The token goes to the server, there and at the next address on it, and nowhere else.
#[test]
fn a_token_is_sent_and_never_shown() {
    // `HOME` is set wherever tests run, and is not a token that anybody would mind.
    let server = Server::start();
    let token = std::env::var("HOME").unwrap();
    let discovery = ask(&format!("http://127.0.0.1:{}/to-text", server.at.port()), Some("HOME"));
    assert_eq!(outcome(&discovery), "present \"I am the core.\"");
    let received = server.received.lock().unwrap();
    assert_eq!(received.len(), 2);
    for head in received.iter() {
        assert!(head.to_ascii_lowercase().contains(&format!("authorization: bearer {token}").to_ascii_lowercase()));
    }
    drop(received);
    let failed = ask(&format!("http://127.0.0.1:{}/401", server.at.port()), Some("HOME"));
    assert!(!format!("{failed:?}").contains(&format!("Bearer {token}")), "{failed:?}");
    let unset = ask(&format!("http://127.0.0.1:{}/text", server.at.port()), Some("ANTEFIX_SURELY_NOT_SET"));
    assert_eq!(outcome(&unset), "unavailable failed: the token: ANTEFIX_SURELY_NOT_SET is not set");
}
