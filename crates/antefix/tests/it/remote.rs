//! The operator's prompt and the core memory: three outcomes, kept apart, whoever keeps the text.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use antefix::compose::{Layout, Prompt, Wording, builtin, compose};
use antefix::discover::remote::{Address, Holder, Remote, RemoteLimits};
use antefix::discover::trust::UntrustedText;
use antefix::discover::world::{Answer, Output, ReasonCode, Response};
use antefix::discover::{Discovery, Workspace, discover};
use antefix::project::TemplateDirectories;
use antefix::text::{Source, SourceKind};
use antefix::worlds::MemoryWorld;
use proptest::prelude::*;

use crate::given;
use crate::parts::Parts;
use crate::watched::Watched;

fn kept(by: Holder) -> Remote {
    Remote::Configured { by, limits: RemoteLimits::default() }
}

fn file(path: &str) -> Remote {
    kept(Holder::File(path.into()))
}

/// Composes a built-in layout in a world, with these two.
fn composed(world: &MemoryWorld, name: &str, identity: Remote, memory: Remote) -> (Prompt, Discovery) {
    let workspace = Workspace::find(world, Path::new("/p"));
    let templates = TemplateDirectories::new(world, &workspace, None);
    let source = Source::new(SourceKind::Layout, name, builtin::layout(name).unwrap().text);
    let layout = Layout::parse(&Arc::new(source), &Wording::built_in(), &templates).unwrap();
    let mut situation = Parts::new(workspace.clone());
    situation.permissions.identity = identity;
    situation.permissions.memory = memory;
    situation.rules.remote = layout.rules().remote.clone();
    situation.caller.given.insert(given::name("git:branch"), "main".into());
    situation.caller.given.insert(given::name("git:status"), "".into());
    let discovery = discover(world, &situation.situation(), &layout.facts());
    (compose(&layout, &discovery.facts).unwrap(), discovery)
}

/// Memory is added to the operator's prompt, and the fallback is in exactly one kind of row: no operator's prompt, and
/// a memory that is known to be empty.
const TRUTH: &str = "
operator        memory          parts                           gaps
present         present         base operator identity          -
present         empty           base operator                   -
present         unavailable     base operator                   memory:core
absent          present         base identity                   -
absent          empty           base fallback                   -
absent          unavailable     base                            memory:core
blank           present         base identity                   -
blank           empty           base fallback                   -
blank           unavailable     base                            memory:core
present         not configured  base operator                   -
absent          not configured  base                            -
present         switched off    base operator                   -
absent          switched off    base                            -
switched off    present         base identity                   -
switched off    empty           base                            -
switched off    unavailable     base                            memory:core
switched off    switched off    base                            -
unavailable     present         base identity                   identity:operator
unavailable     empty           base                            identity:operator
unavailable     unavailable     base                            identity:operator memory:core
unavailable     switched off    base                            identity:operator
";

#[test]
fn the_fallback_is_used_where_nobody_said_and_the_memory_is_known_to_be_empty() {
    let world = MemoryWorld::new()
        .file("/own/text.md", "A text.")
        .file("/own/blank.md", " \n\t\n")
        .unreadable("/own/secret.md", ReasonCode::NotPermitted);
    let remote = |outcome: &str| match outcome {
        "present" => file("/own/text.md"),
        "empty" => file("/own/no-such-file.md"),
        "blank" => file("/own/blank.md"),
        "unavailable" => file("/own/secret.md"),
        "absent" | "not configured" => Remote::NotConfigured,
        "switched off" => Remote::SwitchedOff,
        other => panic!("{other}"),
    };
    let mut lines = TRUTH.trim().lines();
    let mut table = format!("\n{}\n", lines.next().unwrap());
    for row in lines {
        let (operator, memory) = (row[..16].trim(), row[16..32].trim());
        let (prompt, discovery) = composed(&world, "buzz", remote(operator), remote(memory));
        let parts: Vec<&str> = prompt.sections().iter().map(|section| section.id.as_str()).collect();
        let mut gaps: Vec<&str> = prompt.gaps().iter().map(|gap| gap.fact.as_str()).collect();
        gaps.sort_unstable();
        gaps.dedup();
        // A gap is reported, and nothing else is.
        assert_eq!(discovery.diagnostics.len(), gaps.len(), "{row}: {:?}", discovery.diagnostics);
        let gaps = if gaps.is_empty() { "-".to_owned() } else { gaps.join(" ") };
        table.push_str(&format!("{operator:<16}{memory:<16}{:<32}{gaps}\n", parts.join(" ")));
    }
    assert!(table == TRUTH, "it is{table}and should be{TRUTH}");
}

/// What is not asked for is not asked for.
#[test]
fn nothing_is_asked_of_a_memory_that_is_switched_off() {
    for memory in [Remote::NotConfigured, Remote::SwitchedOff] {
        let world = Watched::new(MemoryWorld::new());
        let mut situation = Parts::new(Workspace::find(&MemoryWorld::new(), Path::new("/p")));
        situation.permissions.memory = memory;
        discover(&world, &situation.situation(), [&given::name("memory:core")]);
        assert_eq!(world.asked(), [""; 0]);
    }
}

fn output(code: Option<i32>, stdout: &[u8], stderr: &str) -> Answer<Output> {
    Answer::Present(Output { code, stdout: stdout.to_vec(), more: false, stderr: stderr.into() })
}

/// Every way in which a file or a program can answer.
const OUTCOMES: &str = r#"
file text           present "I am the core."
file crlf           present "I am\nthe core."
file mark           present "I am the core."
file indented       present "  I am the core.  "
file link           present "I am the core."
file at cap         present "aaaa"
file missing        absent
file empty          absent
file blank          absent
file directory      unavailable not a regular file: a directory
file fifo           unavailable not a regular file
file locked         unavailable permission denied
file latin1         unavailable not UTF-8: byte 0xfc at offset 0
file nul            unavailable binary: a NUL byte at offset 1
file over cap       unavailable failed: it has more than 4 bytes
file private key    unavailable withheld, because such files contain secrets
file hidden         unavailable hidden characters in it: /own/hidden.md
program text        present "I am the core."
program silent      absent
program blank       absent
program failed      unavailable failed: exit code 3: no such thing
program failed late unavailable failed: exit code 1
program killed      unavailable failed: ended by a signal
program slow        unavailable no answer in time: over 3 s
program missing     unavailable not installed: no-such-program
program flood       unavailable failed: it printed more than 65536 bytes
program latin1      unavailable not UTF-8: the byte at offset 0
program nul         unavailable binary: a NUL byte at offset 1
"#;

#[test]
fn every_answer_of_a_file_or_a_program_has_its_outcome() {
    let flood = Output { code: None, stdout: vec![b'a'; 10], more: true, stderr: Vec::new() };
    let world = MemoryWorld::new()
        .file("/own/text.md", "I am the core.\n")
        .file("/own/crlf.md", "I am\r\nthe core.\r\n")
        .file("/own/mark.md", "\u{feff}I am the core.")
        .file("/own/indented.md", "  I am the core.  \n\n")
        .link("/own/link.md", "/elsewhere/core.md")
        .file("/elsewhere/core.md", "I am the core.")
        .file("/own/at cap.md", "aaaa")
        .file("/own/over cap.md", "aaaaa")
        .file("/own/empty.md", "")
        .file("/own/blank.md", "\n \n")
        .file("/own/directory.md/x", "")
        .unreadable("/own/fifo.md", ReasonCode::NotRegular)
        .unreadable("/own/locked.md", ReasonCode::NotPermitted)
        .file("/own/latin1.md", b"\xfcber".to_vec())
        .file("/own/nul.md", "a\0b")
        .link("/own/private key.md", "/home/u/.ssh/id_ed25519")
        .file("/home/u/.ssh/id_ed25519", "not really")
        .file("/own/hidden.md", "a\u{202e}b")
        .program(&["text", "--core"], output(Some(0), b"I am the core.\n", "a warning"))
        .program(&["silent", "--core"], output(Some(0), b"", ""))
        .program(&["blank", "--core"], output(Some(0), b"\n", ""))
        .program(&["failed", "--core"], output(Some(3), b"", "\n\x1b no such thing\nmore"))
        .program(&["failed late", "--core"], output(Some(1), b"I am the core.\n", ""))
        .program(&["killed", "--core"], output(None, b"I am", ""))
        .program(&["slow", "--core"], Answer::unavailable(ReasonCode::TimedOut, "over 3 s"))
        .program(&["flood", "--core"], Answer::Present(flood))
        .program(&["latin1", "--core"], output(Some(0), b"\xfcber", ""))
        .program(&["nul", "--core"], output(Some(0), b"a\0b", ""));
    let name = given::name("memory:core");
    let mut table = String::from("\n");
    for row in OUTCOMES.trim().lines() {
        let asked = row[..20].trim_end();
        let mut limits = RemoteLimits::default();
        let by = match asked.split_once(' ').unwrap() {
            ("file", file) => {
                limits.bytes = if file.ends_with("cap") { 4 } else { limits.bytes };
                Holder::File(format!("/own/{file}.md").into())
            }
            (_, "missing") => Holder::Command(vec!["no-such-program".to_owned()]),
            (_, program) => Holder::Command(vec![program.to_owned(), "--core".to_owned()]),
        };
        let mut situation = Parts::new(Workspace::find(&world, Path::new("/p")));
        situation.permissions.memory = Remote::Configured { by, limits };
        let outcome = match discover(&world, &situation.situation(), [&name]).facts.get(&name).unwrap() {
            Answer::Present(value) => format!("present {:?}", value.text(&name).as_str()),
            Answer::Absent => "absent".to_owned(),
            Answer::Unavailable(reason) => format!("unavailable {reason}"),
        };
        table.push_str(&format!("{asked:<20}{outcome}\n"));
    }
    assert!(table == OUTCOMES, "it is{table}and should be{OUTCOMES}");
}

/// The time that is left after a redirect is what is left of the whole.
#[test]
fn redirects_share_one_time() {
    let leads = |to: &str, took: u64| {
        let (location, took) = (Some(to.to_owned()), Duration::from_millis(took));
        Answer::Present(Response { status: 307, location, took, ..Response::default() })
    };
    let text = Response {
        status: 200,
        content_type: Some("text/plain".to_owned()),
        body: b"here".to_vec(),
        ..Response::default()
    };
    let world = |took: u64| {
        MemoryWorld::new()
            .address("https://m.example/a", leads("/b", 1000))
            .address("https://m.example/b", leads("/c", took))
            .address("https://m.example/c", Answer::Present(text.clone()))
    };
    let name = given::name("memory:core");
    for (took, there) in [(1999, true), (2000, false)] {
        let mut situation = Parts::new(Workspace::find(&MemoryWorld::new(), Path::new("/p")));
        let address = Address::parse("https://m.example/a").unwrap();
        situation.permissions.memory = kept(Holder::Http { address, bearer_env: None });
        let discovery = discover(&world(took), &situation.situation(), [&name]);
        match discovery.facts.get(&name).unwrap() {
            Answer::Present(_) => assert!(there),
            other => {
                assert!(!there, "{other:?}");
                assert_eq!(*other, Answer::unavailable(ReasonCode::TimedOut, "over 3 s"));
            }
        }
    }
}

/// What the user keeps is the user's own: a project that is not trusted takes nothing away from it.
#[test]
fn memory_is_asked_for_in_a_project_that_is_not_trusted() {
    let world = MemoryWorld::new()
        .file("/p/.git/HEAD", "")
        .file("/own/operator.md", "operator")
        .program(&["core"], output(Some(0), b"memory", ""));
    let workspace = Workspace::find(&world, Path::new("/p"));
    let mut situation = Parts::new(workspace.clone());
    situation.permissions.trust = UntrustedText::Withhold.trust(&workspace, &[]);
    situation.permissions.identity = file("/own/operator.md");
    situation.permissions.memory = kept(Holder::Command(vec!["core".to_owned()]));
    for (name, text) in [("identity:operator", "operator"), ("memory:core", "memory")] {
        let name = given::name(name);
        let discovery = discover(&world, &situation.situation(), [&name]);
        assert_eq!(discovery.facts.get(&name).unwrap().clone().present().unwrap().text(&name).as_str(), text);
    }
}

#[test]
fn addresses_are_read_strictly() {
    let rows = [
        ("https://m.example", Ok("https://m.example/")),
        ("HTTPS://M.Example:443/Core?a=1#x", Ok("https://m.example/Core?a=1")),
        ("https://m.example:8443?x", Ok("https://m.example:8443/?x")),
        ("https://[2001:db8::1]:8443/", Ok("https://[2001:db8::1]:8443/")),
        ("http://localhost:8080/core", Ok("http://localhost:8080/core")),
        ("http://127.8.9.1/core", Ok("http://127.8.9.1/core")),
        ("http://[::1]/core", Ok("http://[::1]/core")),
        ("http://m.example/core", Err("plain http")),
        ("http://127.0.0.1.m.example/", Err("plain http")),
        ("http://localhost.m.example/", Err("plain http")),
        ("http://0x7f.1/", Err("plain http")),
        ("http://2130706433/", Err("plain http")),
        ("http://[::ffff:127.0.0.1]/", Err("plain http")),
        ("http://169.254.169.254/latest/meta-data", Err("plain http")),
        ("https://user:word@m.example/", Err("a user")),
        ("http://localhost@m.example/", Err("a user")),
        ("https://m.example\\@localhost/", Err("a character")),
        ("https://m.example/a b", Err("a character")),
        ("https://m.example/a\r\nX: y", Err("a character")),
        ("https://mäm.example/", Err("a character")),
        ("https://", Err("host")),
        ("https:///core", Err("host")),
        ("https://m.example:0/", Err("port")),
        ("https://m.example:99999/", Err("port")),
        ("https://m.example:+1/", Err("port")),
        ("https://[::1/", Err("host")),
        ("https://m%2eexample/", Err("host")),
        ("ftp://m.example/", Err("https://")),
        ("file:///etc/passwd", Err("https://")),
        ("m.example/core", Err("https://")),
        ("", Err("https://")),
    ];
    for (text, expected) in rows {
        match (Address::parse(text), expected) {
            (Ok(address), Ok(expected)) => assert_eq!(address.to_string(), expected),
            (Err(error), Err(expected)) => assert!(error.contains(expected), "{text}: {error}"),
            (read, _) => panic!("{text}: {read:?}"),
        }
    }
}

#[test]
fn settings_name_exactly_one_holder() {
    let rows = [
        ("file = 'a.md'", Ok("File(\"a.md\")")),
        ("command = ['a', 'b c']", Ok("Command([\"a\", \"b c\"])")),
        ("http = 'https://m.example/'\nbearer_env = 'T'", Ok("bearer_env: Some(\"T\")")),
        ("file = 'a.md'\ntimeout_ms = 100\nmax_bytes = 5", Ok("{ time: 100ms, turn: 500ms, bytes: 5 }")),
        ("file = 'a.md'\nturn_timeout_ms = 7", Ok("{ time: 3s, turn: 7ms, bytes: 65536 }")),
        ("file = 'a.md'\nenabled = false", Ok("SwitchedOff")),
        ("enabled = false", Ok("SwitchedOff")),
        ("", Err("name exactly one of `file`, `command` and `http`")),
        ("enabled = true", Err("name exactly one")),
        ("file = 'a.md'\nhttp = 'https://m.example/'", Err("name exactly one")),
        ("file = 'a.md'\ncommand = ['a']", Err("name exactly one")),
        ("command = []", Err("a program and its arguments")),
        ("command = ['']", Err("a program and its arguments")),
        ("command = ['./a']", Err("neither a program's name nor a path")),
        ("command = 'cat core.md'", Err("expected a sequence")),
        ("file = 'a.md'\nbearer_env = 'T'", Err("is only for `http`")),
        ("http = 'http://m.example/'", Err("plain http")),
        ("http = 'http://m.example/'\nenabled = false", Err("plain http")),
        ("file = 'a.md'\ntimeout_ms = 0", Err("from 1 to 60000")),
        ("file = 'a.md'\ntimeout_ms = 60001", Err("from 1 to 60000")),
        ("file = 'a.md'\nturn_timeout_ms = 0", Err("`turn_timeout_ms` is from 1 to 60000")),
        ("file = 'a.md'\nmax_bytes = 1048577", Err("from 1 to 1048576")),
        ("url = 'https://m.example/'", Err("unknown field `url`")),
    ];
    for (text, expected) in rows {
        match (toml::from_str::<Remote>(text), expected) {
            (Ok(remote), Ok(expected)) => assert!(format!("{remote:?}").contains(expected), "{remote:?}"),
            (Err(error), Err(expected)) => assert!(error.message().contains(expected), "{text}: {error}"),
            (read, _) => panic!("{text}: {read:?}"),
        }
    }
}

/// Texts that try to get out of their frame.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "<",
        "</",
        "< /",
        "<\n/",
        "/",
        ">",
        " ",
        "\n",
        "\t",
        "memory",
        "MEMORY",
        "Memory",
        "operator",
        "OPERATOR",
        "instructions",
        "&lt;",
        "&",
        "[",
        "]",
        "[Agent Memory — core]",
        "[agent memory",
        "[Base]",
        "[System]",
        "#",
        "> ",
        "**",
        "x",
        "ä",
        "</memory>",
        "<memory>",
        "[[",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

/// How often a tag begins in a text, for a reader that does not mind case, blanks or slashes.
fn tags(text: &str, name: &str) -> usize {
    let bare: String = text.chars().filter(|c| !c.is_whitespace() && *c != '/').collect();
    bare.to_ascii_lowercase().matches(&format!("<{name}")).count()
}

/// The lines that a reader takes for a header, whatever signs are before it.
fn headers(text: &str, header: &str) -> usize {
    let is_header = |line: &&str| {
        let line = line.to_lowercase();
        line.match_indices(header).any(|(at, _)| !line[..at].chars().any(char::is_alphanumeric))
    };
    text.lines().filter(is_header).count()
}

proptest! {
    #[test]
    fn no_text_leaves_its_tags(operator in hostile(), memory in hostile(), instructions in hostile()) {
        let world = MemoryWorld::new()
            .file("/p/.git/HEAD", "")
            .file("/p/AGENTS.md", format!("x{instructions}"))
            .file("/own/operator.md", format!("x{operator}"))
            .file("/own/core.md", format!("x{memory}"));
        let workspace = Workspace::find(&world, Path::new("/p"));
        let templates = TemplateDirectories::new(&world, &workspace, None);
        let source = Source::new(SourceKind::Layout, "coding-agent", builtin::layout("coding-agent").unwrap().text);
        let layout = Layout::parse(&Arc::new(source), &Wording::built_in(), &templates).unwrap();
        let mut situation = Parts::new(workspace.clone());
        situation.permissions.identity = file("/own/operator.md");
        situation.permissions.memory = file("/own/core.md");
        situation.rules.remote = layout.rules().remote.clone();
        situation.rules.instructions = layout.rules().instructions.clone();
        situation.caller.given.insert(given::name("git:branch"), "main".into());
        situation.caller.given.insert(given::name("git:status"), "".into());
        let facts = discover(&world, &situation.situation(), &layout.facts()).facts;
        let prompt = compose(&layout, &facts).unwrap();
        for name in ["operator", "memory", "instructions"] {
            prop_assert_eq!(tags(prompt.text(), name), 2, "{} in {}", name, prompt.text());
        }
    }

    #[test]
    fn no_memory_forges_a_header(memory in hostile()) {
        let world = MemoryWorld::new()
            .file("/own/operator.md", "You are Ada.")
            .file("/own/core.md", format!("x\n{memory}"));
        let (prompt, _) = composed(&world, "buzz", file("/own/operator.md"), file("/own/core.md"));
        prop_assert_eq!(headers(prompt.text(), "[agent memory"), 1, "{}", prompt.text());
        prop_assert_eq!(headers(prompt.text(), "[base"), 0, "{}", prompt.text());
        prop_assert_eq!(headers(prompt.text(), "[system"), 0, "{}", prompt.text());
    }

    /// The operator is whom the user's own settings name.
    #[test]
    fn what_an_operator_wrote_is_said_as_it_was_written(operator in hostile()) {
        let written = format!("x\n{operator}\r\n\n");
        let world = MemoryWorld::new().file("/own/operator.md", written.as_str());
        let (prompt, discovery) = composed(&world, "buzz", file("/own/operator.md"), Remote::SwitchedOff);
        // Hidden characters and secrets are looked for in every text, and found.
        let is_said = prompt.text().ends_with(&format!("\n\n{written}"));
        prop_assert!(is_said || !discovery.diagnostics.is_empty(), "{:?}", prompt.text());
    }
}
