//! Clients that want too much, and a server that stops.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use crate::project;
use antefix_testing::Reply;

#[test]
fn bodies_have_a_limit() {
    let scratch = project();
    let server = scratch.serve_with(&["--body-limit", "1000"]);
    let body = |size: usize| format!("{{\"message\":\"{}\"}}", "x".repeat(size - 14));
    assert_eq!(server.post("/conversations/c/messages", &body(1000)).status, 201);
    assert_eq!(server.post("/conversations/c/messages", &body(1001)).status, 413);
    // One that does not say how long it is.
    let (host, token) = (server.host(), server.token.clone());
    let head = format!(
        "POST /conversations/c/messages HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\
                        content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
    );
    let chunk = format!("400\r\n{}\r\n", "x".repeat(1024));
    assert_eq!(server.raw(&format!("{head}{}0\r\n\r\n", chunk.repeat(100))).status, 413);
}

#[test]
fn headers_have_a_limit() {
    let scratch = project();
    let server = scratch.serve();
    let host = server.host();
    let large = "x".repeat(100_000);
    let reply = server.bare("GET", "/healthz", &[("host", &host), ("x", &large)], "");
    assert!(matches!(reply.status, 431 | 0), "{}", reply.status);
    let many: Vec<(String, String)> = (0..200).map(|number| (format!("x-{number}"), "1".to_owned())).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let reply = server.bare("GET", "/healthz", &[&[("host", host.as_str())], &many[..]].concat(), "");
    assert!(matches!(reply.status, 431 | 400 | 0), "{}", reply.status);
    assert_eq!(server.bare_get("/healthz").status, 200);
    let long = format!("/conversations/{}", "y".repeat(100_000));
    assert!(matches!(server.bare_get(&long).status, 414 | 431 | 0));
}

/// Writes a text again and again, until so many bytes are written or the server reads no more.
fn pour(stream: &mut impl Write, text: &str, bytes: usize) -> usize {
    let mut written = 0;
    while written < bytes && stream.write_all(text.as_bytes()).is_ok() {
        written += text.len();
    }
    written
}

#[test]
fn a_hundred_megabytes_of_headers_or_body_are_not_read() {
    const MUCH: usize = 100_000_000;
    let scratch = project();
    let server = scratch.serve_with(&["--log", "none"]);
    let (host, token) = (server.host(), server.token.clone());
    server.get("/conversations").ok();
    let before = server.most_resident();
    let (line, chunk) = (format!("x: {}\r\n", "y".repeat(8_000)), format!("2000\r\n{}\r\n", "z".repeat(8_192)));
    let post = format!(
        "POST /conversations/c/turns HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n\
                        content-type: application/json\r\n"
    );
    let floods = [
        ("one header", "GET /healthz HTTP/1.1\r\nx: ".to_owned(), "y".repeat(8_192)),
        ("many headers", "GET /healthz HTTP/1.1\r\n".to_owned(), line),
        ("a path", "GET /".to_owned(), "y".repeat(8_192)),
        ("a body that says so", format!("{post}content-length: {MUCH}\r\n\r\n"), "z".repeat(8_192)),
        ("a body that does not", format!("{post}transfer-encoding: chunked\r\n\r\n"), chunk),
        (
            "a body without a token",
            format!(
                "POST /sessions HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\n\
                        content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
            ),
            "400\r\n".to_owned() + &"z".repeat(1024) + "\r\n",
        ),
    ];
    for (name, head, text) in floods {
        let begun = Instant::now();
        let mut stream = server.connect();
        stream.set_write_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let written = pour(&mut stream, &text, MUCH);
        // More than a body may have goes into the buffers of both ends, and not much more.
        assert!(written < MUCH / 4, "{name}: {written} bytes were taken");
        assert!(begun.elapsed() < Duration::from_secs(20), "{name}: {:?}", begun.elapsed());
        assert_eq!(server.bare_get("/healthz").status, 200, "{name}");
    }
    let grown = server.most_resident().saturating_sub(before);
    assert!(grown < 48 * 1024 * 1024, "{grown}");
}

#[test]
fn a_client_that_drips_is_cut_off() {
    let scratch = project();
    let server = scratch.serve_with(&["--log", "none"]);
    let post = format!(
        "POST /conversations/c/turns HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\n\
         content-type: application/json\r\ncontent-length: 1000\r\n\r\n",
        server.host(),
        server.token
    );
    // A byte now and then keeps neither headers nor a body alive; both have ten or fifteen seconds in all.
    let drip = |head: &str| {
        let mut stream = server.connect();
        stream.write_all(head.as_bytes()).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(250))).unwrap();
        let begun = Instant::now();
        let mut answer = Vec::new();
        loop {
            let mut some = [0; 1024];
            match stream.read(&mut some) {
                Ok(0) => break,
                Ok(count) => answer.extend(&some[..count]),
                Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                }
                Err(_) => break,
            }
            if !answer.is_empty() || stream.write_all(b" ").is_err() || begun.elapsed() > Duration::from_secs(40) {
                break;
            }
        }
        (begun.elapsed(), Reply::parse(&answer).status)
    };
    let ((headers, _), (body, status)) = std::thread::scope(|scope| {
        let headers = scope.spawn(|| drip("GET /healthz HTTP/1.1\r\nx:"));
        let body = scope.spawn(|| drip(&post));
        (headers.join().unwrap(), body.join().unwrap())
    });
    assert!(headers < Duration::from_secs(15), "{headers:?}");
    assert!(body < Duration::from_secs(25) && status == 408, "{body:?}, {status}");
}

#[test]
fn a_request_has_one_end() {
    let scratch = project();
    let server = scratch.serve();
    let (host, token) = (server.host(), server.token.clone());
    let head = format!(
        "POST /conversations/c/messages HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n\
                        content-type: application/json\r\n"
    );
    let hidden = format!("GET /conversations HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n\r\n");
    let smuggled = [
        format!("{head}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"),
        format!("{head}content-length: 4\r\ncontent-length: 5\r\n\r\n{{}}xx{hidden}"),
        format!("{head}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n{hidden}"),
        format!("{head}content-length: -1\r\n\r\n{hidden}"),
    ];
    for request in smuggled {
        let reply = server.raw(&request);
        assert!(reply.status == 400 || reply.status == 0, "{request}: {reply:?}");
        assert!(!reply.body.contains("conversations\":"), "{request}: {reply:?}");
    }
}

#[test]
fn a_client_that_says_nothing_is_cut_off_and_others_are_served() {
    let scratch = project();
    let server = scratch.serve();
    let mut slow = server.connect();
    slow.write_all(b"GET /healthz HTTP/1.1\r\nhost:").unwrap();
    let mut idle: Vec<_> = (0..200).map(|_| server.connect()).collect();
    let begun = Instant::now();
    for _ in 0..20 {
        assert_eq!(server.bare_get("/healthz").status, 200);
    }
    assert!(begun.elapsed() < Duration::from_secs(5));
    // One asks, and never reads: more than the system keeps for it.
    let mut deaf = server.connect();
    let ask = format!("GET /openapi.json HTTP/1.1\r\nhost: {}\r\n\r\n", server.host());
    deaf.write_all(ask.repeat(200).as_bytes()).unwrap();
    let mut rest = Vec::new();
    let _ = slow.read_to_end(&mut rest);
    let waited = begun.elapsed();
    assert!((Duration::from_secs(5)..Duration::from_secs(20)).contains(&waited), "{waited:?}");
    let mut rest = Vec::new();
    let _ = idle[0].read_to_end(&mut rest);
    assert!(begun.elapsed() < Duration::from_secs(25), "idle connections end, too");
    std::thread::sleep(Duration::from_secs(16).saturating_sub(begun.elapsed()));
    let mut some = Vec::new();
    let _ = deaf.read_to_end(&mut some);
    let (got, wanted) = (some.len(), 200 * server.bare_get("/openapi.json").body.len());
    assert!(got < wanted, "{got} of {wanted} bytes");
}

#[test]
fn when_too_much_is_composed_some_come_again_and_reading_goes_on() {
    let scratch = project();
    // A store whose writers wait for somebody who holds it, and one place to compose.
    let server = scratch.serve_with(&["--concurrency", "1", "--time-limit", "20"]);
    server.post("/conversations/c/turns", "{}").ok();
    let holder = rusqlite::Connection::open(scratch.path("home/.local/share/antefix/ledger.db")).unwrap();
    holder.busy_timeout(Duration::from_secs(5)).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let statuses: Vec<Reply> = std::thread::scope(|scope| {
        let turn = |number: usize| server.post(&format!("/conversations/n{number}/turns"), "{}");
        let turns: Vec<_> = (0..60).map(|number| scope.spawn(move || turn(number))).collect();
        std::thread::sleep(Duration::from_millis(300));
        // Standing conversations are read all the while.
        for _ in 0..20 {
            let begun = Instant::now();
            server.get("/conversations/c/system-prompt").ok();
            assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
        }
        holder.execute_batch("ROLLBACK").unwrap();
        turns.into_iter().map(|turn| turn.join().unwrap()).collect()
    });
    let shed: Vec<&Reply> = statuses.iter().filter(|reply| reply.status == 503).collect();
    assert!(!shed.is_empty() && shed.len() < 60, "{}", shed.len());
    assert!(shed.iter().all(|reply| reply.header("retry-after").is_some()));
    assert!(statuses.iter().all(|reply| matches!(reply.status, 200 | 503)));
}

#[test]
fn a_server_that_is_told_to_stop_loses_no_request() {
    let scratch = project();
    let mut server = scratch.serve();
    let (port, token) = (server.port, server.token.clone());
    let workers: Vec<_> = (0..4)
        .map(|worker| {
            let token = token.clone();
            std::thread::spawn(move || {
                let mut acknowledged = Vec::new();
                for number in 0.. {
                    let Ok(mut stream) = std::net::TcpStream::connect(("127.0.0.1", port)) else { break };
                    let id = format!("w{worker}-{number}");
                    let request = format!(
                        "POST /conversations/{id}/turns HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\n\
                                           authorization: Bearer {token}\r\ncontent-length: 0\r\n\r\n"
                    );
                    let mut bytes = Vec::new();
                    if stream.write_all(request.as_bytes()).is_err() || stream.read_to_end(&mut bytes).is_err() {
                        break;
                    }
                    // A connection that was accepted gets a whole answer, or none at all.
                    let reply = Reply::parse(&bytes);
                    match reply.status {
                        200 => {
                            assert!(reply.body.ends_with("}\n"), "{reply:?}");
                            acknowledged.push(id);
                        }
                        0 => break,
                        other => panic!("{other}: {reply:?}"),
                    }
                }
                acknowledged
            })
        })
        .collect();
    std::thread::sleep(Duration::from_millis(800));
    let begun = Instant::now();
    let (log, exit) = server.stop();
    assert_eq!(exit, Some(0), "{log}");
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert!(log.contains("\"detail\":\"SIGTERM\"") && log.contains("all requests ended"), "{log}");
    let acknowledged: Vec<String> = workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect();
    assert!(acknowledged.len() > 10, "{}", acknowledged.len());
    let again = scratch.serve();
    for id in acknowledged {
        assert_eq!(again.get(&format!("/conversations/{id}")).status, 200, "{id}");
    }
}

#[test]
fn flags_go_before_the_environment_and_that_before_the_file() {
    let scratch = project();
    scratch.directory("home/.config/antefix");
    scratch.directory("p/a");
    let file = "layout = \"yoi\"\nroots = [\"a\"]\nbody_limit = 500\nlog = \"none\"\n";
    scratch.write("home/.config/antefix/serve.toml", file);
    let server = scratch.serve_exactly(&[]);
    let about = server.get("/about").ok().json();
    assert_eq!((about["layout"].as_str(), about["body_limit"].as_u64()), (Some("yoi"), Some(500)));
    assert_eq!(about["roots"][0], scratch.path("p/a").display().to_string());
    let mut command = scratch.command(&["serve", "--listen", "127.0.0.1:0", "--layout", "pi"]);
    command.env("ANTEFIX_LAYOUT", "buzz").env("ANTEFIX_BODY_LIMIT", "600");
    let server = scratch.start_server(command);
    let about = server.get("/about").ok().json();
    assert_eq!((about["layout"].as_str(), about["body_limit"].as_u64()), (Some("pi"), Some(600)));
    scratch.write("home/.config/antefix/serve.toml", "lisen = \"x\"\n");
    let ran = scratch.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(ran.code == 1 && ran.stderr.contains("serve.toml") && ran.stderr.contains("lisen"), "{ran:?}");
}
