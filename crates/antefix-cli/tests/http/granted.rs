//! A machine that grants little: the server says what it needs and does not start, or it serves, says when it is full, and is as before
//! when the load is gone. It never panics, and drops no connection.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::project;
use antefix_testing::{Need, Scratch, Server};

/// What comes of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// It does not start, and says this.
    Refuses(&'static str),
    Serves,
}

use Outcome::{Refuses, Serves};

/// How long all clients ask.
const LOAD: Duration = Duration::from_secs(2);

/// Asks for everything at once, and counts what came.
fn load(server: &Server) -> BTreeMap<u16, usize> {
    let body =
        |dialect: &str, template: String| serde_json::json!({"template": template, "dialect": dialect}).to_string();
    let template = body("plain", "word ".repeat(40_000));
    let most = body("bracket", "\\[".repeat(20_000));
    assert_eq!(server.post("/system-prompt/preview", &most).status, 200);
    let too_much = body("bracket", "\\[".repeat(500_000));
    assert_eq!(server.post("/system-prompt/preview", &too_much).status, 422);
    assert_eq!(server.put("/system-prompt", &too_much).status, 422);
    let client = |client: usize| {
        let mut statuses = Vec::new();
        let begun = Instant::now();
        for number in 0.. {
            if begun.elapsed() > LOAD {
                break;
            }
            statuses.push(server.post(&format!("/conversations/c{client}-{number}/turns"), "{}").status);
            statuses.push(server.get("/conversations").status);
            if client.is_multiple_of(4) {
                statuses.push(server.post("/system-prompt/preview", &template).status);
            }
        }
        statuses
    };
    let mut counted = BTreeMap::new();
    std::thread::scope(|scope| {
        let client = &client;
        let clients: Vec<_> = (0..60).map(|number| scope.spawn(move || client(number))).collect();
        for status in clients.into_iter().flat_map(|client| client.join().unwrap()) {
            *counted.entry(status).or_default() += 1;
        }
    });
    counted
}

/// Starts a server behind some limits, and sees what becomes of it.
#[track_caller]
fn under(scratch: &Scratch, name: &str, command: Command, expected: Outcome) {
    let token = scratch.path("home/.local/state/antefix/token");
    let begun = Instant::now();
    let mut server = match (Server::try_start(command, &token), expected) {
        (Ok(server), Serves) => server,
        (Err(why), Refuses(words)) => {
            assert!(why.contains(words) && !why.contains("panic"), "{name}: {why}");
            assert!(begun.elapsed() < Duration::from_secs(5), "{name}");
            return;
        }
        (Ok(_), Refuses(_)) => panic!("{name}: it serves"),
        (Err(why), Serves) => panic!("{name}: {why}"),
    };
    let statuses = load(&server);
    eprintln!("{name}: {statuses:?}");
    assert!(statuses.keys().all(|status| [200, 503].contains(status)), "{name}: {statuses:?}");
    assert!(statuses[&200] > 60, "{name}: {statuses:?}");
    for number in 0..20 {
        server.post(&format!("/conversations/after-{number}/turns"), "{}").ok();
        server.get("/conversations").ok();
    }
    let (log, exit) = server.stop();
    assert!(exit == Some(0) && !log.contains("panic"), "{name}: {log}");
}

#[test]
fn under_each_limit_it_refuses_to_start_or_serves_and_recovers() {
    const SPACE: &str = "and the server needs 1024 MiB";
    const DATA: &str = "the limit on data (ulimit -d) is 32 MiB, and the server needs 256 MiB";
    let table = [
        ("--as=134217728", Refuses(SPACE)),
        ("--as=268435456", Refuses("the limit on address space (ulimit -v) is 256 MiB")),
        ("--as=536870912", Refuses(SPACE)),
        ("--as=1073741824", Serves),
        ("--data=33554432", Refuses(DATA)),
        ("--data=268435456", Serves),
        ("--nofile=16", Refuses("the limit on open files (ulimit -n) is 16, and the server needs 64")),
        ("--nofile=64", Serves),
        ("--nofile=128", Serves),
        ("--stack=1048576", Serves),
    ];
    for (limit, expected) in table {
        let scratch = project();
        let mut command = scratch.other_program("prlimit");
        command.arg(limit).arg(scratch.program());
        command.args(["serve", "--listen", "127.0.0.1:0", "--layout", "dispatch", "--log", "errors"]);
        under(&scratch, limit, command, expected);
    }
}

/// A template with so many objects beside it, which change nothing.
fn objects(count: usize) -> String {
    format!(r#"{{"template":"x","digest":[{}]}}"#, [r#"{"a":0}"#].repeat(count).join(","))
}

/// Drafts that take as much as any may, at once: explained, compared with a conversation, saved, and opened. And JSON that is little
/// to send and much to keep.
fn hostile(server: &Server) -> BTreeMap<(&'static str, u16), usize> {
    let files = "[file:AGENTS.md]".repeat(20_000);
    let escapes = "\\[".repeat(20_000) + &"[x ".repeat(300_000);
    let lines = "x\n".repeat(500_000);
    let loops = "{% for i in range(9000) %}{{ i }} word\n{% endfor %}".to_owned();
    let saved = serde_json::json!({"template": files, "dialect": "bracket"}).to_string();
    server.put("/system-prompt", &saved).ok();
    server.post("/conversations/c/turns", "{}").ok();
    let drafts = [("bracket", files), ("bracket", escapes), ("plain", lines), ("jinja", loops)].map(|(dialect, text)| {
        let (conversation, other) = ("c", "conversation:c");
        let draft = serde_json::json!({"template": text, "dialect": dialect, "model": "gpt-5", "conversation": conversation, "other": other});
        draft.to_string()
    });
    let [few, many] = [5_000, 900_000].map(objects);
    let ask = |kind: usize, name: &str| match kind {
        0..=3 => ("preview", server.post("/system-prompt/preview", &drafts[kind])),
        4 => ("save", server.put("/system-prompt", &saved)),
        5 => ("open", server.post(&format!("/conversations/{name}/turns"), "{}")),
        6 => ("go on", server.post("/conversations/c/turns", "{}")),
        7 => ("few", server.put("/system-prompt", &few)),
        _ => ("many", server.put("/system-prompt", &many)),
    };
    let client = |client: usize| {
        let begun = Instant::now();
        let asked = (client..).take_while(|_| begun.elapsed() < 3 * LOAD);
        asked
            .map(|number| ask(number % 9, &format!("h{client}-{number}")))
            .map(|(kind, reply)| (kind, reply.status))
            .collect()
    };
    let mut counted = BTreeMap::new();
    std::thread::scope(|scope| {
        let client = &client;
        let clients: Vec<_> = (0..45).map(|number| scope.spawn(move || -> Vec<_> { client(number) })).collect();
        for answer in clients.into_iter().flat_map(|client| client.join().unwrap()) {
            *counted.entry(answer).or_default() += 1;
        }
    });
    counted
}

#[test]
fn hostile_drafts_at_once_do_not_end_a_server_with_little_memory() {
    for limit in ["--data=268435456", "--as=1073741824"] {
        let scratch = project();
        let mut command = scratch.other_program("prlimit");
        command.arg(limit).arg(scratch.program());
        command.args(["serve", "--listen", "127.0.0.1:0", "--layout", "dispatch", "--log", "errors"]);
        let mut server = scratch.start_server(command);
        let counted = hostile(&server);
        eprintln!("{limit}: {counted:?}, {} MB", server.most_resident() >> 20);
        for (kind, status) in counted.keys() {
            let allowed: &[u16] = if *kind == "many" { &[413, 503] } else { &[200, 503] };
            assert!(allowed.contains(status), "{limit}: {counted:?}");
        }
        assert!(counted.keys().any(|(_, status)| *status == 200), "{limit}: {counted:?}");
        let refused = server.put("/system-prompt", &objects(900_000));
        assert_eq!((refused.status, refused.json()["type"].as_str()), (413, Some("urn:antefix:too-large")), "{limit}");
        server.put("/system-prompt", r#"{"template":"Good.","dialect":"bracket"}"#).ok();
        server.post("/system-prompt/preview", r#"{"conversation":"c"}"#).ok();
        server.post("/conversations/after/turns", "{}").ok();
        let (log, exit) = server.stop();
        assert!(exit == Some(0) && !log.contains("panic"), "{limit}: {log}");
    }
}

#[test]
fn with_few_processes_it_refuses_to_start_or_serves_and_recovers() {
    if Need::CHOWN.is_left_out() {
        return;
    }
    // A limit on processes counts all of a user's, and does not bind root: so a user that nobody else is.
    const NOBODY: u32 = 3_141_592;
    for (count, expected) in [(3, Refuses("the server's threads cannot be started")), (9, Serves), (12, Serves)] {
        let scratch = project();
        std::fs::copy(scratch.program(), scratch.path("antefix")).unwrap();
        give(&scratch.path(""), NOBODY);
        let mut command = scratch.other_program("prlimit");
        command.arg(format!("--nproc={count}")).arg(scratch.path("antefix"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--layout", "dispatch", "--log", "errors"]);
        command.uid(NOBODY).gid(NOBODY);
        under(&scratch, &format!("{count} processes"), command, expected);
    }
}

/// Gives a directory and all in it to another user.
fn give(path: &std::path::Path, user: u32) {
    std::os::unix::fs::lchown(path, Some(user), Some(user)).unwrap();
    if path.is_dir() {
        std::fs::read_dir(path).unwrap().for_each(|entry| give(&entry.unwrap().path(), user));
    }
}
