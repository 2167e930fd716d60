//! Templates that want more than their share: of time, of memory, of everybody's patience.
//!
//! Bounds of time hold for a program that was built for debugging, on a machine that others use as well; each is several times what
//! was seen.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use antefix::compose::Dialect;
use antefix::freeze::template::{SavedTemplate, Templates};
use antefix::stores::SqliteStore;
use serde_json::json;

use crate::project;
use antefix_testing::{Scratch, Server};

/// How long one template may take to be composed, looked through and explained. What takes time that grows with the square of the
/// template takes minutes.
const LONGEST: Duration = Duration::from_secs(25);

/// The largest templates there may be, each of which makes something else work.
fn large() -> Vec<(&'static str, &'static str, String)> {
    let lines = |line: &dyn Fn(usize) -> String, count: usize| (0..count).map(line).collect::<String>();
    vec![
        ("names that are all different", "bracket", lines(&|number| format!("[a:{number}]"), 20_000)),
        ("one name", "bracket", "[git:branch]".repeat(20_000)),
        ("escapes", "bracket", format!("{}{}", "\\[".repeat(20_000), "[x ".repeat(300_000))),
        ("brackets that close nothing", "bracket", "[".repeat(1_000_000)),
        ("conditions that nobody closes", "bracket", "[if a]".repeat(160_000)),
        ("conditions in conditions", "bracket", format!("{}{}", "[if a:b]".repeat(10_000), "[endif]".repeat(10_000))),
        ("short lines", "plain", "x\n".repeat(500_000)),
        ("one long line", "plain", "ab ".repeat(330_000)),
        ("one long word", "plain", "a".repeat(1_000_000)),
        ("lines that are all different", "plain", lines(&|number| format!("line {number}\n"), 80_000)),
        (
            "rules and their opposites",
            "plain",
            lines(&|number| format!("Never use tool{number}. Always use tool{number}.\n"), 20_000),
        ),
        (
            "rules about one thing",
            "plain",
            lines(&|number| format!("Keep lines under {number} characters. Use npm. Use pnpm.\n"), 16_000),
        ),
        ("headings", "plain", "# a\n".repeat(250_000)),
        ("fences", "plain", "```\n".repeat(250_000)),
        ("expressions", "jinja", "{{ 'a' }}\n".repeat(6_000)),
        ("one small file", "bracket", "[file:AGENTS.md]".repeat(20_000)),
        ("conversation ids", "bracket", "[prompt:conversation_id] ".repeat(20_000)),
        ("paths behind paths", "plain", concat!("/ho", "me/q:").repeat(125_000)),
        ("paragraphs that repeat", "plain", format!("{}\n\n", "x".repeat(80)).repeat(12_000)),
        ("a heading of many words", "plain", format!("## {}\n\n{}", "c ".repeat(250_000), "b.\n\n".repeat(120_000))),
        (
            "a heading of many scopes",
            "plain",
            format!("## {}\n\n{}", lines(&|number| format!("a/{number} "), 60_000), "b: c.\n\n".repeat(70_000)),
        ),
        ("a line that leads to a list", "plain", format!("{}:\n{}", "x ".repeat(250_000), "- b c.\n".repeat(70_000))),
        ("marks of secrets", "plain", "[redacted:github-pat]\n".repeat(45_000)),
        ("facts that move, and much behind them", "bracket", format!("{MOVING}{}", "ab cd ef\n".repeat(100_000))),
        ("a file of words, many times", "bracket", "[file:words.md]".repeat(15)),
        ("what looks like holes, in files", "bracket", "[file:brackets.md][file:dollars.md]".to_owned()),
    ]
}

const MOVING: &str =
    "[system:time][system:datetime][system:long_time][system:clock][system:date][git:branch][git:status][git:diff]";

/// A project with files that are as large as files may be.
fn large_project() -> Scratch {
    let scratch = project();
    let scratch = scratch.file("p/words.md", &"ab cd ".repeat(41_000));
    scratch.file("p/brackets.md", &"[".repeat(250_000)).file("p/dollars.md", &"${".repeat(125_000))
}

/// The processor time that a process has used.
fn used(server: &Server) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.process())).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(") ").unwrap().1.split(' ').collect();
    let ticks = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    // Linux counts in hundredths of a second, whatever the processor does.
    Duration::from_millis(ticks * 10)
}

/// What looking at one template may take: the server reckons with it where memory is limited.
const MOST: u64 = 64 * 1024 * 1024;

#[test]
fn no_template_takes_long_or_much() {
    let scratch = large_project();
    for (name, dialect, template) in large() {
        // What was freed stays with a process, so that only the first one shows what it takes.
        let server = scratch.serve_with(&["--log", "none", "--time-limit", "300"]);
        harmless(&server);
        let before = server.resident();
        let begun = Instant::now();
        let set = json!({"prompt:conversation_id": "c"});
        let body = json!({"template": template, "dialect": dialect, "model": "gpt-5", "set": set}).to_string();
        let reply = server.post("/system-prompt/preview", &body);
        let took = begun.elapsed();
        let grown = server.most_resident().saturating_sub(before);
        eprintln!("{name}: {} after {took:?}, {} MB", reply.status, grown >> 20);
        assert!(matches!(reply.status, 200 | 422), "{name}: {} after {took:?}", reply.status);
        assert!(took < LONGEST, "{name}: {took:?}");
        assert!(grown < MOST, "{name}: {grown}");
    }
}

#[test]
fn turns_do_not_wait_for_eight_hostile_previews_and_the_server_comes_to_rest() {
    let scratch = project();
    let server = scratch.serve_with(&["--log", "none", "--concurrency", "4"]);
    server.post("/conversations/standing/turns", "{}").ok();
    let hostile = slow();
    let turns = std::thread::scope(|scope| {
        let (server, hostile) = (&server, &hostile);
        let previews: Vec<_> =
            (0..8).map(|_| scope.spawn(move || server.post("/system-prompt/preview", hostile).status)).collect();
        std::thread::sleep(Duration::from_millis(500));
        let mut turns = Vec::new();
        for number in 0..5 {
            let begun = Instant::now();
            server.post(&format!("/conversations/c{number}/turns"), "{}").ok();
            turns.push(begun.elapsed());
        }
        let statuses: Vec<u16> = previews.into_iter().map(|preview| preview.join().unwrap()).collect();
        assert!(statuses.iter().all(|status| matches!(status, 200 | 503)), "{statuses:?}");
        assert!(statuses.contains(&200), "{statuses:?}");
        turns
    });
    eprintln!("turns took {turns:?}");
    assert!(turns.iter().all(|took| *took < Duration::from_secs(2)), "{turns:?}");
    // Two seconds after the last answer nothing is under way any more.
    std::thread::sleep(Duration::from_secs(2));
    let before = used(&server);
    std::thread::sleep(Duration::from_secs(1));
    let spent = used(&server) - before;
    assert!(spent < Duration::from_millis(100), "{spent:?} of a second");
}

/// A template that takes much longer than the limits below.
fn slow() -> String {
    let template = format!("## {}\n\n{}", "c ".repeat(250_000), "b.\n\n".repeat(120_000));
    json!({"template": template, "dialect": "plain"}).to_string()
}

/// Looks at a harmless draft, with one thread for all who look.
fn harmless(server: &Server) -> Duration {
    let begun = Instant::now();
    server.post("/system-prompt/preview", r#"{"template":"Good."}"#).ok();
    begun.elapsed()
}

#[test]
fn work_that_ran_out_of_time_is_over_soon() {
    let scratch = project();
    let alone = {
        let server = scratch.serve_with(&["--log", "none", "--concurrency", "1", "--time-limit", "300"]);
        let begun = Instant::now();
        server.post("/system-prompt/preview", &slow()).ok();
        begun.elapsed()
    };
    let server = scratch.serve_with(&["--log", "none", "--concurrency", "1", "--time-limit", "1"]);
    let reply = server.post("/system-prompt/preview", &slow());
    assert_eq!(reply.status, 503, "{reply:?}");
    let waited = harmless(&server);
    eprintln!("alone {alone:?}; the next one waited {waited:?}");
    assert!(alone > Duration::from_millis(1_500), "it takes {alone:?}, and proves nothing");
    assert!(waited < (alone - Duration::from_secs(1)) / 2, "{waited:?} of {alone:?}");
}

#[test]
fn work_whose_client_has_gone_is_over_soon() {
    let scratch = project();
    let server = scratch.serve_with(&["--log", "none", "--concurrency", "1", "--time-limit", "300"]);
    let begun = Instant::now();
    server.post("/system-prompt/preview", &slow()).ok();
    let alone = begun.elapsed();
    let (port, token, body) = (server.port, &server.token, slow());
    let mut gone = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let head =
        format!("POST /system-prompt/preview HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {token}\r\n");
    let rest = format!("content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    gone.write_all(format!("{head}{rest}").as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(100));
    drop(gone);
    let waited = harmless(&server);
    eprintln!("alone {alone:?}; the next one waited {waited:?}");
    assert!(alone > Duration::from_secs(1), "it takes {alone:?}, and proves nothing");
    assert!(waited < (alone - Duration::from_millis(100)) / 2, "{waited:?} of {alone:?}");
}

#[test]
fn a_template_has_so_many_tags_and_is_refused_with_more_before_it_is_saved() {
    let scratch = project();
    let server = scratch.serve_with(&["--log", "none"]);
    let body =
        |count: usize| json!({"template": format!("a\n{}", "\\[".repeat(count)), "dialect": "bracket"}).to_string();
    let saved = server.put("/system-prompt", &body(20_000)).ok();
    let preview = server.post("/system-prompt/preview", &body(20_000)).ok();
    assert!(preview.body.len() < 16 * 1024 * 1024, "{} bytes", preview.body.len());
    for refused in [
        server.put("/system-prompt", &body(20_001)),
        server.put("/system-prompt", &body(500_000)),
        server.post("/system-prompt/preview", &body(500_000)),
    ] {
        assert_eq!(refused.status, 422, "{refused:?}");
        let problem = refused.json();
        let words = problem.to_string();
        assert!(words.contains("has more than 20000 tags and escapes"), "{words}");
        assert_eq!(problem["hint"], "put long texts into files of their own and name them with `[file:…]`");
        assert_eq!(problem["diagnostics"][0]["origin"]["line"], 2, "{words}");
    }
    assert_eq!(server.get("/system-prompt").ok().header("etag"), saved.header("etag"));
    server.post("/conversations/c/turns", "{}").ok();
}

/// Templates that can never be composed.
fn bombs() -> Vec<(&'static str, String)> {
    let doubled = "{% set a = '0123456789abcdef' %}".to_owned() + &"{% set a = a ~ a %}".repeat(26) + "{{ a }}";
    vec![
        ("includes itself", "{% include 'editable' %}{{ self() }}".to_owned()),
        ("a macro that calls itself", "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}".to_owned()),
        ("a long range", "{% for i in range(1000000000) %}x{% endfor %}".to_owned()),
        ("a text many times", "{{ 'x' * 100000000 }}".to_owned()),
        ("loops in loops", "{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}".to_owned()),
        ("doublings", doubled),
        ("indentation", "{{ 'x' | indent(1000000000, true) }}".to_owned()),
        ("a wide number", "{{ '%1000000000d' | format(1) }}".to_owned()),
        ("a join", "{{ range(100000) | join('x' * 10000) }}".to_owned()),
        ("minus signs", format!("{{{{ {}1 }}}}", "-".repeat(4_900))),
        ("negations", format!("{{{{ {}1 }}}}", "not ".repeat(6_600))),
        ("a sum", format!("{{{{ {}1 }}}}", "1+".repeat(6_600))),
        ("alternatives", format!("{{% if 0 %}}{}{{% endif %}}", "{% elif 0 %}".repeat(1_840))),
        ("parentheses", format!("{{{{ {}1{} }}}}", "(".repeat(3_000), ")".repeat(3_000))),
        ("lists", format!("{{{{ {}{} }}}}", "[".repeat(3_000), "]".repeat(3_000))),
        ("conditions", format!("{}{}", "{% if 1 %}".repeat(3_000), "{% endif %}".repeat(3_000))),
    ]
}

#[test]
fn what_can_never_be_composed_is_not_saved_and_the_old_template_stays() {
    let scratch = project();
    let server = scratch.serve_with(&["--log", "none"]);
    let saved = server.put("/system-prompt", r#"{"template":"Good.","dialect":"bracket"}"#).ok();
    let before = server.most_resident();
    for (name, template) in bombs() {
        let begun = Instant::now();
        let reply = server.put("/system-prompt", &json!({"template": template, "dialect": "jinja"}).to_string());
        let took = begun.elapsed();
        assert_eq!(reply.status, 422, "{name}: {reply:?}");
        assert!(took < Duration::from_secs(1), "{name}: {took:?}");
        let current = server.get("/system-prompt").ok();
        assert_eq!((current.json(), current.header("etag")), (saved.json(), saved.header("etag")), "{name}");
    }
    let grown = server.most_resident().saturating_sub(before);
    assert!(grown < 64 * 1024 * 1024, "{grown}");
    assert_eq!(server.post("/conversations/c/turns", "{}").ok().json()["prefix"], "Good.");
}

#[test]
fn a_server_starts_with_a_template_that_cannot_be_composed_and_says_so() {
    for (name, template) in bombs() {
        let scratch = project();
        let mut server = scratch.serve();
        server.put("/system-prompt", r#"{"template":"Good."}"#).ok();
        server.post("/conversations/open/turns", "{}").ok();
        server.stop();
        // Some other program has written it.
        let store = SqliteStore::open(scratch.path("home/.local/share/antefix/ledger.db")).unwrap();
        let saved = SavedTemplate::new(2, "dispatch", Dialect::Jinja, template, jiff::Timestamp::now(), None);
        store.save_template(&saved).unwrap();
        drop(store);
        let mut server = scratch.serve();
        // The last one that can be composed is used and that is said; what is open goes on.
        let opened = server.post("/conversations/new/turns", "{}").ok().json();
        assert_eq!(opened["prefix"], "Good.", "{name}");
        let said = |document: &serde_json::Value| {
            let findings = document["diagnostics"].as_array().unwrap().clone();
            findings.into_iter().find(|finding| finding["code"] == "earlier-template")
        };
        let finding = said(&opened).unwrap_or_else(|| panic!("{name}: {opened}"));
        let message = finding["message"].as_str().unwrap();
        assert!(
            message.starts_with("the saved template 2 cannot be composed, so template 1 is used: "),
            "{name}: {message}"
        );
        let preview = server.post("/system-prompt/preview", "{}").ok().json();
        assert_eq!((&preview["prefix"]["text"], said(&preview)), (&json!("Good."), Some(finding)), "{name}");
        assert_eq!(server.post("/conversations/open/turns", "{}").ok().json()["prefix"], "Good.", "{name}");
        server.post("/system-prompt/history/1/rollback", "").ok();
        let opened = server.post("/conversations/newer/turns", "{}").ok().json();
        assert_eq!((&opened["prefix"], said(&opened)), (&json!("Good."), None), "{name}");
        let (log, exit) = server.stop();
        assert_eq!(exit, Some(0), "{name}: {log}");
        assert!(log.lines().any(|line| line.contains("\"event\":\"template\"")), "{name}: {log}");
    }
}
