//! The program as a person runs it: real processes in scratch directories, with a home of their own.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by failing")]

#[cfg(unix)]
#[path = "program/book.rs"]
mod book;
#[path = "program/checked.rs"]
mod checked;
#[path = "program/compared.rs"]
mod compared;
#[path = "program/explained.rs"]
mod explained;
#[path = "program/first_run.rs"]
mod first_run;
#[path = "program/paths.rs"]
mod paths;
#[cfg(unix)]
#[path = "program/shared_files.rs"]
mod shared_files;
#[path = "program/side_by_side.rs"]
mod side_by_side;
#[path = "program/tools.rs"]
mod tools;

use std::path::Path;
use std::process::{Command, Stdio};

use antefix_testing::{Ran, Scratch};
use serde_json::Value;

/// A scratch project with nothing in it.
fn project() -> Scratch {
    Scratch::new(env!("CARGO_BIN_EXE_antefix"))
}

#[test]
fn show_prints_the_bytes_and_nothing_else() {
    let ran = project()
        .file("p/AGENTS.md", "RULES")
        .file("p/t.md", "A [file:AGENTS.md] \\[x:y] on [system:date] at [prompt:cwd_absolute]\n")
        .run(&["show", "--template", "t.md", "--now", "2024-06-15T12:30:00Z", "--set", "prompt:cwd_absolute=/proj"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.stdout, "A RULES [x:y] on 2024-06-15 at /proj\n");
}

#[test]
fn dispatch_shows_agents_md_between_its_own_lines() {
    let scratch = project().file("p/AGENTS.md", "RULES");
    let cwd = scratch.path("p");
    let ran = scratch.run(&["show", "--layout", "dispatch"]);
    let expected = format!(
        "You help with the code in this directory.\n\n\nRULES\n\n\nThe current working directory is {}.\n",
        cwd.display()
    );
    assert_eq!((ran.code, ran.stdout), (0, expected));
}

#[test]
fn a_template_can_come_from_stdin() {
    let ran = project().run_with(&["show", "--template", "-", "--set", "git:branch=main"], "On [git:branch].\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "On main.\n"));
}

#[test]
fn a_template_in_a_file_includes_the_files_beside_it() {
    let ran = project().file("p/prompts/root.md", "A{% include \"part\" %}C").file("p/prompts/part.md", "B\n").run(&[
        "show",
        "--template",
        "prompts/root.md",
        "--dialect",
        "jinja",
    ]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "ABC"), "{}", ran.stderr);
}

#[test]
fn prefix_and_suffix_together_are_the_whole_prompt() {
    let scratch = project().file("p/AGENTS.md", "RULES");
    let now = ["--now", "2024-06-15T12:30:00Z"];
    let part = |part: &str| scratch.run(&["show", "--part", part, now[0], now[1]]).stdout;
    assert!(!part("prefix").is_empty() && !part("suffix").is_empty());
    assert_eq!(part("prefix") + &part("suffix"), part("all"));
}

#[test]
fn the_layout_is_the_named_one_else_the_projects_else_the_users_else_the_default() {
    let layout = |text: &str| format!("[[section]]\nid = \"a\"\nstability = \"fixed\"\ntext = \"{text}\"\n");
    let scratch = project().file("home/.config/antefix/layout.toml", &layout("user"));
    assert_eq!(scratch.run(&["show"]).stdout, "user");
    let scratch = scratch.file("p/.antefix/layout.toml", &layout("project"));
    assert_eq!(scratch.run(&["show"]).stdout, "project");
    let scratch = scratch.file("p/other.toml", &layout("named"));
    assert_eq!(scratch.run(&["show", "--layout", "./other.toml"]).stdout, "named");
    let default = project().run(&["explain", "--json"]).json();
    assert_eq!(default["layout"], "coding-agent");
}

#[test]
fn wordings_come_in_four_layers() {
    let wording = |text: &str| format!("[wording]\ncut_notice = \"{text}\"\n");
    let layout =
        "[[section]]\nid = \"a\"\nstability = \"fixed\"\ntext = \"0123456789abcdef\"\nbudget = { bytes = 8 }\n";
    let scratch = project().file("p/.antefix/layout.toml", layout);
    let scratch = scratch.file("home/.config/antefix/wording.toml", &wording("U"));
    assert_eq!(scratch.run(&["show"]).stdout, "0123456U");
    let scratch = scratch.file("p/.antefix/wording.toml", &wording("W"));
    assert_eq!(scratch.run(&["show"]).stdout, "0123456W");
    let scratch = scratch.file("p/explicit.toml", &wording("E"));
    let ran = scratch.run(&["show", "--wording", "explicit.toml"]);
    assert_eq!(ran.stdout, "0123456E");
    assert!(ran.stderr.contains("warning[cut]"), "{ran:?}");
}

#[test]
fn explain_accounts_for_every_byte_in_json() {
    let document = project()
        .file("p/AGENTS.md", "RULES")
        .file("p/t.md", "A [file:AGENTS.md] [file:NO] Z")
        .run(&["explain", "--json", "--template", "t.md"])
        .json();
    let text = document["prefix"]["text"].as_str().unwrap().to_owned() + document["suffix"]["text"].as_str().unwrap();
    assert_eq!(text, "A RULES  Z");
    let mut at = 0;
    for span in document["spans"].as_array().unwrap() {
        assert_eq!(span["start"], at);
        at = span["end"].as_u64().unwrap();
        assert!(span["section"].is_string() && span["origin"]["kind"].is_string());
    }
    assert_eq!(at as usize, text.len());
    assert_eq!(document["spans"][1]["origin"]["path"].as_str().unwrap().rsplit('/').next(), Some("AGENTS.md"));
    assert_eq!(document["loaded"][0]["origin"]["name"], "file:AGENTS.md");
    assert_eq!(document["loaded"][0]["bytes"], 5);
    assert_eq!(document["not_loaded"][0]["origin"]["name"], "file:NO");
    assert_eq!(document["not_loaded"][0]["reason"], "absent");
    let digest = document["sections"][0]["digest"].as_str().unwrap();
    assert_eq!(digest, antefix::text::Digest::of("A RULES  Z").to_string());
}

#[test]
fn explain_at_a_byte_names_the_file_and_the_line() {
    let scratch = project().file("p/AGENTS.md", "one\ntwo\n").file("p/t.md", "A [file:AGENTS.md]");
    let ran = scratch.run(&["explain", "--template", "t.md", "--at", "7"]);
    let path = scratch.path("p/AGENTS.md");
    assert!(ran.stdout.contains(&format!("{}:2\n", path.display())), "{ran:?}");
    let past = scratch.run(&["explain", "--template", "t.md", "--at", "10"]);
    assert_eq!(past.code, 1);
    assert!(past.stderr.contains("there is no byte 10: the prompt has 10 bytes"), "{past:?}");
}

#[test]
fn check_fails_on_errors_and_passes_with_warnings() {
    let scratch = project().file("p/warn.md", "[TODO: x]").file("p/bad.md", "{{ ghost }}");
    let warned = scratch.run(&["check", "--template", "warn.md"]);
    assert_eq!(warned.code, 0);
    assert!(warned.stderr.contains("warning[unknown-variable]") && warned.stderr.contains("warn.md:1:1"), "{warned:?}");
    let bad = scratch.run(&["check", "--template", "bad.md", "--dialect", "jinja"]);
    assert_eq!((bad.code, bad.stdout.as_str()), (1, ""));
    assert!(bad.stderr.contains("bad.md:1:4"), "{bad:?}");
    let json = scratch.run(&["check", "--json", "--template", "bad.md", "--dialect", "jinja"]);
    assert_eq!(json.code, 1);
    assert_eq!(json.json()["diagnostics"][0]["level"], "error");
}

/// A file that is kept out for what it hides is an error of `check`; a character that came with pasted text is none.
#[test]
fn check_fails_on_a_file_that_hides_a_message() {
    let check = |text: &str| project().file("p/AGENTS.md", text).run(&["check"]);
    let stray = check("Use\u{200b} tabs.\n");
    assert_eq!(stray.code, 0, "{stray:?}");
    assert!(stray.stderr.contains("AGENTS.md:1:4 has 1 hidden character U+200B (invisible)"), "{stray:?}");
    let hides = check("Use tabs.\u{e0068}\u{e0069}\n");
    assert_eq!(hides.code, 1, "{hides:?}");
    assert!(
        hides.stderr.contains("AGENTS.md:1:10 has 2 hidden characters U+E0068 U+E0069 (tag) that say \"hi\""),
        "{hides:?}"
    );
}

#[test]
fn wrong_usage_exits_with_two() {
    let scratch = project();
    for args in [
        &["show", "--nope"][..],
        &["show", "--set", "git:brunch=x"],
        &["frobnicate"],
        &[],
        &["show", "--dialect", "jinja"],
        &["show", "--model", ""],
        &["turn", "c", "--machine", ""],
        &["send", "c", ""],
    ] {
        assert_eq!(scratch.run(args).code, 2, "{args:?}");
    }
}

#[test]
fn wrong_input_exits_with_one_and_says_what_to_do() {
    let scratch = project()
        .file("p/latin1.json", "[1")
        .file("p/number.json", "[\"read\", 1]")
        .file("p/wrong.json", "[{\"name\": \"a\", \"hidden\": \"no\"}]")
        .file("p/broken.toml", "[[section]\n");
    let number = "number.json: `[1]`: invalid type: integer `1`, expected a tool's name, or an object with a `name`";
    let wrong = "wrong.json: `[0].hidden`: invalid type: string \"no\", expected a boolean";
    let cases: [(&[&str], &str); 8] = [
        (&["show", "--tools", "number.json"], number),
        (&["show", "--tools", "wrong.json"], wrong),
        (&["show", "--layout", "nope"], "the built-in layouts are"),
        (&["show", "--layout", "./missing.toml"], "missing.toml"),
        (&["show", "--layout", "./broken.toml"], "broken.toml:1"),
        (&["show", "--cwd", "nowhere"], "--cwd names the directory"),
        (&["show", "--tools", "latin1.json"], "a tools file is a JSON array"),
        (&["layouts", "nope"], "there are coding-agent"),
    ];
    for (args, message) in cases {
        let ran = scratch.run(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{args:?}");
        assert!(ran.stderr.contains(message), "{args:?}: {ran:?}");
    }
}

#[test]
fn tools_are_named_in_order_of_the_alphabet() {
    let ran = project().file("p/tools.json", r#"["write", {"name": "bash", "description": "d"}, "edit"]"#).run_with(
        &["show", "--tools", "tools.json", "--dialect", "jinja", "--template", "-"],
        "{{ tools | join(',') }}",
    );
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "bash,edit,write"));
}

#[test]
fn a_variable_needs_the_users_leave() {
    let scratch = project();
    let show = |scratch: &Scratch| {
        let mut command = scratch.command(&["show", "--template", "t.md"]);
        Ran::from(command.env("CANARY", "sings").output().unwrap())
    };
    let scratch = scratch.file("p/t.md", "[env:CANARY]");
    let refused = show(&scratch);
    assert_eq!(refused.stdout, "");
    assert!(refused.stderr.contains("env_allow"), "{refused:?}");
    // A project cannot give leave, and is told so.
    let scratch = scratch.file("p/.antefix/settings.toml", "env_allow = [\"CANARY\"]\n");
    let asked = show(&scratch);
    assert_eq!(asked.stdout, "");
    assert!(asked.stderr.contains(".antefix/settings.toml is not obeyed: settings are the user's own"), "{asked:?}");
    let scratch = scratch.file("home/.config/antefix/settings.toml", "env_allow = [\"CANARY\"]\n");
    assert_eq!(show(&scratch).stdout, "sings");
}

#[test]
fn files_outside_the_project_need_the_users_leave() {
    let scratch = project().file("elsewhere/x.md", "X");
    let outside = scratch.path("elsewhere");
    let scratch = scratch.file("p/t.md", &format!("[file:{}/x.md][file:../elsewhere/x.md]", outside.display()));
    let refused = scratch.run(&["show", "--template", "t.md"]);
    assert_eq!(refused.stdout, "");
    assert!(refused.stderr.contains("outside the directories that may be read"), "{refused:?}");
    let setting = format!("add {outside:?} to `file_roots` in ~/.config/antefix/settings.toml");
    assert_eq!(refused.stderr.matches(&setting).count(), 2, "{refused:?}");
    let settings = format!("file_roots = [\"{}\"]\n", outside.display());
    let scratch = scratch.file("home/.config/antefix/settings.toml", &settings);
    assert_eq!(scratch.run(&["show", "--template", "t.md"]).stdout, "XX");
}

#[test]
fn init_makes_a_layout_that_composes_and_never_overwrites() {
    let scratch = project().file("p/AGENTS.md", "RULES");
    assert_eq!(scratch.run(&["init"]).code, 0);
    let check = scratch.run(&["check"]);
    assert_eq!(
        (check.code, check.stdout.as_str()),
        (0, "no errors, no warnings (.antefix/layout.toml)\n"),
        "{check:?}"
    );
    let document = scratch.run(&["explain", "--json"]).json();
    let ids: Vec<&str> =
        document["sections"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["identity", "project", "instructions", "here", "now"]);
    let layout = std::fs::read_to_string(scratch.path("p/.antefix/layout.toml")).unwrap();
    let again = scratch.run(&["init"]);
    assert_eq!(again.code, 1);
    assert!(again.stderr.contains("nothing was changed"), "{again:?}");
    assert_eq!(std::fs::read_to_string(scratch.path("p/.antefix/layout.toml")).unwrap(), layout);
}

#[test]
fn layouts_print_files_that_work_where_they_are_copied() {
    for name in ["coding-agent", "dispatch", "yoi"] {
        let scratch = project().file("p/AGENTS.md", "RULES");
        let now = "2024-06-15T12:30:00Z";
        let built_in = scratch.run(&["show", "--layout", name, "--now", now]).stdout;
        let printed = scratch.run(&["layouts", name]).stdout;
        let scratch = scratch.file("p/.antefix/layout.toml", &printed);
        assert_eq!(scratch.run(&["show", "--now", now]).stdout, built_in, "{name}");
    }
}

#[test]
fn vars_list_the_catalog() {
    let document = project().run(&["vars", "--json"]).json();
    let variables = document["variables"].as_array().unwrap();
    assert_eq!(variables.len(), antefix::discover::catalog::CATALOG.len());
    let dynamic: Vec<&str> = variables
        .iter()
        .filter(|variable| variable.get("dynamic").is_some())
        .map(|variable| variable["type"].as_str().unwrap())
        .collect();
    assert_eq!(dynamic, ["file", "command", "env"]);
    assert_eq!(document.get("hidden"), None);
}

#[test]
fn vars_leave_out_what_a_layout_hides() {
    let document = project().run(&["vars", "--layout", "yoi", "--json"]).json();
    assert_eq!(document["hidden"], serde_json::json!(["scope:*", "file:AGENTS.md", "instructions:*"]));
    let variables = document["variables"].as_array().unwrap();
    let hidden = |variable: &&serde_json::Value| ["scope", "instructions"].iter().any(|name| variable["type"] == *name);
    assert_eq!(variables.iter().find(hidden), None);
    // Only one file is hidden.
    assert!(variables.iter().any(|variable| variable["type"] == "file"));
    let printed = project().run(&["vars", "--layout", "yoi"]).stdout;
    assert!(printed.ends_with("\n  hidden by the layout: scope:*, file:AGENTS.md, instructions:*\n"), "{printed}");
    assert!(!printed.contains("scope.summary"));
}

#[test]
fn explain_tells_the_aliases_and_what_is_hidden() {
    let document = project().run(&["explain", "--layout", "yoi", "--json"]).json();
    assert_eq!(document["aliases"], serde_json::json!({ "$insomnia": "$builtin/yoi", "$yoi": "$builtin/yoi" }));
    assert_eq!(document["hidden"], serde_json::json!(["scope:*", "file:AGENTS.md", "instructions:*"]));
    let printed = project().run(&["explain", "--layout", "yoi"]).stdout;
    assert!(printed.contains("\n  hidden from templates: scope:*, file:AGENTS.md, instructions:*\n"), "{printed}");
    assert!(printed.contains("$insomnia"), "{printed}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let scratch = project();
    let big = "x".repeat(1 << 20);
    let scratch = scratch.file("p/big.md", &big);
    let mut child = scratch
        .command(&["show", "--dialect", "plain", "--template", "big.md"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn control_characters_never_reach_the_terminal() {
    let ran = project().file("p/t.md", "[TODO: \u{1b}[31mred\u{202e}]").run(&["check", "--template", "t.md"]);
    assert!(ran.stderr.contains("warning[unknown-variable]"), "{ran:?}");
    assert!(!ran.stderr.contains('\u{1b}') && !ran.stderr.contains('\u{202e}'), "{ran:?}");
}

#[test]
fn half_a_layout_is_no_layout() {
    let section = "[[section]]\nid = \"a\"\nstability = \"fixed\"\ntext = \"x\"\n";
    let long = format!("{section}{}", "# a comment\n".repeat(30_000));
    let ran = project().file("p/.antefix/layout.toml", &long).run(&["show"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("layout.toml") && ran.stderr.contains("262144 bytes"), "{ran:?}");
}

#[test]
fn a_layout_cannot_take_the_machine() {
    let sections = |count: usize| -> String {
        (0..count).map(|n| format!("[[section]]\nid = \"s{n}\"\nstability = \"fixed\"\nfile = \"x\"\n")).collect()
    };
    let layout = |count: usize| format!("dialect = \"bracket\"\n{}", sections(count));
    // Each file is within what one file may have: 15,000 escapes, and 260,000 bytes.
    let text = format!("{}{}", "\\[".repeat(15_000), "x".repeat(230_000));
    for (count, message) in [(90, "1048576 bytes together"), (101, "at most 100 sections")] {
        let scratch = project().file("p/.antefix/x.md", &text);
        let ran = scratch.file("p/.antefix/layout.toml", &layout(count)).run(&["check"]);
        assert_eq!(ran.code, 1);
        assert!(ran.stderr.contains(message), "{ran:?}");
    }
}

#[test]
fn nothing_is_written_by_looking() {
    let scratch = project().file("p/AGENTS.md", "RULES");
    let files = || {
        let mut entries = Vec::new();
        list(&scratch.path(""), &mut entries);
        entries.sort();
        entries
    };
    for args in [&["show"][..], &["check"], &["explain", "--model", "gpt-5"], &["show", "--layout", "./missing.toml"]] {
        scratch.run(args);
    }
    assert_eq!(files(), ["AGENTS.md"]);
}

fn list(directory: &Path, entries: &mut Vec<String>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            list(&entry.path(), entries);
        } else {
            entries.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
}

#[test]
fn a_project_that_is_not_trusted_says_nothing() {
    let scratch = project()
        .file("home/.config/antefix/settings.toml", "untrusted_text = \"withhold\"\n")
        .file("home/.config/antefix/AGENTS.md", "MINE")
        .file("p/AGENTS.md", "THEIRS")
        .file("p/.antefix/wording.toml", "[wording]\ncut_notice = \"THEIRS\"\n")
        .file("p/.antefix/layout.toml", "[[section]]\nid = \"a\"\nstability = \"fixed\"\ntext = \"THEIRS\"\n");
    let ran = scratch.run(&["show"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("MINE") && !ran.stdout.contains("THEIRS"), "{ran:?}");
    let json = scratch.run(&["explain", "--json"]).json();
    let withheld: Vec<&str> = json["not_loaded"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["reason"] == "untrusted")
        .filter_map(|one| one["origin"]["path"].as_str())
        .collect();
    assert_eq!(withheld, [".antefix/wording.toml", ".antefix/layout.toml", "AGENTS.md"]);
    assert_eq!(scratch.run(&["check"]).code, 0);
}

#[cfg(unix)]
#[test]
fn a_directory_that_the_user_trusts_is_read_through_its_real_path() {
    let scratch = project()
        .file("home/.config/antefix/settings.toml", "untrusted_text = \"withhold\"\ntrusted = [\"~/link\"]\n")
        .file("p/AGENTS.md", "THEIRS");
    assert!(!scratch.run(&["show"]).stdout.contains("THEIRS"));
    std::os::unix::fs::symlink(scratch.path("p"), scratch.path("home/link")).unwrap();
    assert!(scratch.run(&["show"]).stdout.contains("THEIRS"));
}

#[test]
fn a_project_cannot_trust_itself() {
    let scratch = project()
        .file("home/.config/antefix/settings.toml", "untrusted_text = \"withhold\"\n")
        .file("p/.antefix/settings.toml", "untrusted_text = \"use\"\ntrusted = [\"/\"]\n")
        .file("p/AGENTS.md", "THEIRS");
    assert!(!scratch.run(&["show"]).stdout.contains("THEIRS"));
    let relative = scratch.file("home/.config/antefix/settings.toml", "trusted = [\".\"]\n").run(&["show"]);
    assert!(relative.code == 1 && relative.stderr.contains("`.` in `trusted` is not absolute"), "{relative:?}");
}

#[test]
fn names_of_tools_that_are_set_by_hand_are_a_list() {
    let template = "{% for tool in tools %}<{{ tool }}>{% endfor %}";
    let args = ["show", "--template", "-", "--dialect", "jinja", "--set", "tools:names=bash, read"];
    let ran = project().run_with(&args, template);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "<bash><read>"), "{}", ran.stderr);
}

/// A server on this machine that answers every connection with the same bytes, for as long as the test runs.
#[cfg(feature = "http")]
fn server(answer: &'static str) -> String {
    use std::io::{Read, Write};

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = [0; 4096];
            let _ = stream.read(&mut head);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    format!("http://{at}/core?key=QUERY")
}

/// A server on this machine that answers the first connection and leaves all others waiting; with how many there were.
#[cfg(feature = "http")]
fn hanging_server(answer: &'static str) -> (String, std::sync::Arc<std::sync::atomic::AtomicUsize>) {
    use std::io::{Read, Write};
    use std::sync::atomic::{AtomicUsize, Ordering};

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let (at, count) = (listener.local_addr().unwrap(), std::sync::Arc::new(AtomicUsize::new(0)));
    let counted = std::sync::Arc::clone(&count);
    std::thread::spawn(move || {
        let mut waiting = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            if counted.fetch_add(1, Ordering::SeqCst) == 0 {
                let mut head = [0; 4096];
                let _ = stream.read(&mut head);
                let _ = stream.write_all(answer.as_bytes());
            } else {
                waiting.push(stream);
            }
        }
    });
    (format!("http://{at}/core"), count)
}

/// What a turn of an open conversation asks of a memory that hangs, by what the layout does about a changed memory.
#[cfg(feature = "http")]
#[test]
fn a_memory_server_that_hangs_holds_up_no_turn() {
    use std::sync::atomic::Ordering;

    let text = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 8\r\n\r\nI am Ada";
    for (layout, asked) in [("buzz", 1), ("coding-agent", 2)] {
        let (address, count) = hanging_server(text);
        // A turn that waited as long as an epoch may would be seen.
        let settings = format!("[memory.core]\nhttp = \"{address}\"\ntimeout_ms = 60000\n");
        let scratch = project().file("home/.config/antefix/settings.toml", &settings);
        let first = scratch.ok(&["turn", "c1", "--layout", layout, "--part", "prefix"]);
        assert!(first.stdout.contains("I am Ada"), "{first:?}");
        let began = std::time::Instant::now();
        let second = scratch.ok(&["turn", "c1", "--part", "prefix"]);
        assert_eq!(second.stdout, first.stdout, "{layout}");
        assert!(began.elapsed() < std::time::Duration::from_secs(30), "{layout}: {:?}", began.elapsed());
        assert_eq!(count.load(Ordering::SeqCst), asked, "{layout}: {}", second.stderr);
        assert_eq!(second.stderr.contains("warning[remote-unavailable]"), asked == 2, "{layout}: {}", second.stderr);
    }
}

/// The rights of a directory are taken away while a conversation works there: by the program and over HTTP.
#[cfg(unix)]
#[test]
fn a_directory_whose_rights_are_taken_away_stops_no_turn() {
    if antefix_testing::Need::RIGHTS.is_left_out() {
        return;
    }
    let scratch = Scratch::new(env!("CARGO_BIN_EXE_antefix")).file("q/AGENTS.md", "Use tabs.").obeying_rights();
    scratch.directory("p");
    let cwd = scratch.path("q").display().to_string();
    let opened = scratch.ok(&["turn", "c1", "--cwd", &cwd, "--part", "prefix"]);
    assert!(opened.stdout.contains("Use tabs."), "{opened:?}");
    let server = scratch.serve_exactly(&["--root", &cwd]);
    scratch.mode("q", 0o000);
    let turn = scratch.run(&["turn", "c1", "--part", "prefix"]);
    let over_http = server.post("/conversations/c1/turns", "{}");
    let renewal = scratch.run(&["renew", "c1"]);
    let opening = scratch.run(&["turn", "c2", "--cwd", &cwd]);
    scratch.mode("q", 0o755);
    assert_eq!((turn.code, &turn.stdout), (0, &opened.stdout), "{turn:?}");
    assert!(turn.stderr.contains("error[project-unreadable]"), "{turn:?}");
    let answer = over_http.ok().json();
    assert_eq!(answer["diagnostics"][0]["code"], "project-unreadable", "{answer}");
    assert_eq!(answer["pending"][0]["kind"], "unavailable", "{answer}");
    assert_eq!(answer["epoch"]["number"], 1, "{answer}");
    // Opening and renewing need what they need, and change nothing.
    assert!(renewal.code == 1 && renewal.stderr.contains("wording.toml: permission denied"), "{renewal:?}");
    assert_eq!(opening.code, 1, "{opening:?}");
    let again = scratch.ok(&["turn", "c1", "--part", "prefix"]);
    assert_eq!((again.stdout, again.stderr.as_str()), (opened.stdout, ""));
}

/// A server of certificates: openssl's own, with an authority that is made for the test.
#[cfg(all(feature = "http", target_os = "linux"))]
struct Secure {
    process: std::process::Child,
    port: String,
}

#[cfg(all(feature = "http", target_os = "linux"))]
impl Secure {
    /// Answers `/core` with a file of this directory, and leaves `ca.crt` there.
    fn start(directory: &std::path::Path, answer: &str) -> Secure {
        use std::io::BufRead;

        let script = "set -e
            openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=authority -keyout ca.key -out ca.crt
            openssl req -newkey rsa:2048 -nodes -subj /CN=server -keyout server.key -out server.csr
            echo subjectAltName=IP:127.0.0.1 >names
            openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 1 -extfile names -out server.crt";
        let made = Command::new("sh").args(["-c", script]).current_dir(directory).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        std::fs::write(directory.join("core"), answer).unwrap();
        let mut process = Command::new("openssl")
            .args(["s_server", "-accept", "127.0.0.1:0", "-cert", "server.crt", "-key", "server.key", "-HTTP"])
            .current_dir(directory)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = std::io::BufReader::new(process.stdout.take().unwrap()).lines();
        let port = lines.find_map(|line| Some(line.unwrap().strip_prefix("ACCEPT 127.0.0.1:")?.to_owned())).unwrap();
        // Somebody has to read what it says from now on.
        std::thread::spawn(move || lines.for_each(drop));
        Secure { process, port }
    }
}

#[cfg(all(feature = "http", target_os = "linux"))]
impl Drop for Secure {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(all(feature = "http", target_os = "linux"))]
#[test]
fn a_memory_behind_tls_is_asked_if_its_certificate_is_trusted() {
    let answer = "HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 8\r\n\r\nI am Ada";
    let scratch = project();
    scratch.directory("tls");
    let server = Secure::start(&scratch.path("tls"), answer);
    let settings = format!("[memory.core]\nhttp = \"https://127.0.0.1:{}/core\"\n", server.port);
    let scratch = scratch.file("home/.config/antefix/settings.toml", &settings);
    let show = |authority: &str| {
        let mut command = scratch.command(&["show", "--layout", "buzz"]);
        Ran::from(command.env("SSL_CERT_FILE", authority).output().unwrap())
    };
    let trusted = show(scratch.path("tls/ca.crt").to_str().unwrap());
    assert!(trusted.code == 0 && trusted.stdout.contains("I am Ada"), "{trusted:?}");
    // The server's own certificate vouches for nobody.
    let stranger = show(scratch.path("home/no-such-file").to_str().unwrap());
    assert!(!stranger.stdout.contains("I am Ada") && stranger.stderr.contains("certificate"), "{stranger:?}");
}

/// The address in the settings, as people see it.
#[cfg(feature = "http")]
fn server_label(settings: &str) -> String {
    let address = settings.split('"').nth(1).unwrap();
    address.split('?').next().unwrap().to_owned()
}

#[cfg(feature = "http")]
#[test]
fn explain_says_what_became_of_the_memory() {
    let text = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 8\r\n\r\nI am Ada";
    let none = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    let down = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";
    let broken = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 80\r\n\r\nI am Ada";
    // What the server says, then: the sections, why the memory is not loaded, the gaps.
    let rows = [
        (text, "base identity", "", ""),
        (none, "base fallback", "absent", ""),
        (down, "base", "failed", "identity fallback"),
        (broken, "base", "failed", "identity fallback"),
    ];
    for (answer, sections, reason, gaps) in rows {
        let settings = format!("[memory.core]\nhttp = \"{}\"\n", server(answer));
        let scratch = project().file("home/.config/antefix/settings.toml", &settings);
        let ran = scratch.run(&["explain", "--layout", "buzz", "--json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let document = ran.json();
        let ids = |list: &str, key: &str| -> String {
            let list = document[list].as_array().unwrap();
            list.iter().map(|one| one[key].as_str().unwrap()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(ids("sections", "id"), sections);
        assert_eq!(ids("gaps", "section"), gaps);
        let memory = |list: &str| {
            let list = document[list].as_array().unwrap();
            list.iter().find(|one| one["origin"]["name"] == "memory:core").cloned().unwrap_or_default()
        };
        if reason.is_empty() {
            let origin = &memory("loaded")["origin"];
            let address = server_label(&settings);
            assert_eq!((origin["kind"].as_str(), origin["path"].as_str()), (Some("remote"), Some(address.as_str())));
        }
        assert_eq!(memory("loaded")["bytes"], if reason.is_empty() { Value::from(8) } else { Value::Null });
        assert_eq!(memory("not_loaded")["reason"].as_str().unwrap_or_default(), reason);
        // A query may hold what nobody should read.
        assert!(!ran.stdout.contains("QUERY") && !ran.stderr.contains("QUERY"), "{ran:?}");

        let off = scratch.run(&["explain", "--layout", "buzz", "--json", "--no-memory"]).json();
        assert_eq!(off["sections"].as_array().unwrap().len(), 1, "{off}");
        assert_eq!((off["gaps"].as_array().unwrap().len(), off["diagnostics"].as_array().unwrap().len()), (0, 0));
    }
}

#[test]
fn a_program_keeps_the_operators_prompt_and_sees_nothing_of_ours() {
    let settings = "[identity.operator]\ncommand = [\"sh\", \"-c\", \"env; pwd\"]\n";
    let scratch = project().file("home/.config/antefix/settings.toml", settings);
    let mut command = scratch.command(&["show", "--template", "-"]);
    command.env("AWS_SECRET_ACCESS_KEY", "CANARY");
    let ran = Scratch::feed(command, "[identity:operator]");
    let home = scratch.path("home").display().to_string();
    assert!(ran.stdout.contains("LANG=C.UTF-8\n") && ran.stdout.ends_with(&home), "{ran:?}");
    assert!(!ran.stdout.contains("CANARY"), "{ran:?}");
}

/// A program that a repository brings along is not run, wherever `PATH` leads.
#[cfg(unix)]
#[test]
fn a_program_is_not_looked_for_in_the_project() {
    let settings = "[memory.core]\ncommand = [\"antefix-core\"]\n";
    let scratch = project().file("home/.config/antefix/settings.toml", settings).file("p/.git/HEAD", "");
    scratch.executable("p/bin/antefix-core", "#!/bin/sh\necho planted\n");
    let run = |cwd: &str| {
        let mut command = scratch.command(&["explain", "--layout", "buzz", "--json"]);
        command.current_dir(scratch.path(cwd)).env("PATH", scratch.path("p/bin"));
        Ran::from(command.output().unwrap())
    };
    let inside = run("p");
    assert!(inside.stdout.contains("not installed: antefix-core"), "{inside:?}");
    // From elsewhere it is an ordinary program.
    scratch.directory("elsewhere/.git");
    let elsewhere = run("elsewhere");
    assert!(elsewhere.stdout.contains("planted"), "{elsewhere:?}");
}

/// Where the memory is kept is for the user to say: a project's files name nothing that is asked.
#[test]
fn a_project_says_nothing_about_where_memory_is_kept() {
    let settings = "[memory.core]\ncommand = [\"touch\", \"CANARY\"]\n";
    let scratch = project().file("p/.antefix/settings.toml", settings);
    let ran = scratch.run(&["explain", "--layout", "buzz", "--json"]);
    assert!(ran.stdout.contains("your settings have no [memory.core]"), "{ran:?}");
    let scratch = scratch.file(
        "p/.antefix/layout.toml",
        &format!("{settings}[[section]]\nid = \"a\"\nstability = \"fixed\"\ntext = \"a\"\n"),
    );
    let ran = scratch.run(&["show"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("unknown key `memory`"), "{ran:?}");
    assert!(!scratch.path("p/CANARY").exists() && !scratch.path("home/CANARY").exists());
}

#[test]
fn settings_that_cannot_be_meant_are_refused_with_their_place() {
    let rows = [
        ("[memory.core]\nhttp = \"http://memory.example/\"\n", "plain http, which anyone on the way can forge"),
        ("[memory.core]\nfile = \"a\"\ncommand = [\"b\"]\n", "name exactly one of `file`, `command` and `http`"),
        ("[memory]\nfile = \"a\"\n", "unknown key `file`"),
    ];
    for (settings, message) in rows {
        let ran = project().file("home/.config/antefix/settings.toml", settings).run(&["show"]);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.stderr.contains(message) && ran.stderr.contains("settings.toml:"), "{ran:?}");
    }
}

/// The expected counts are those of another implementation, `bpe-openai`: `hello world` has 2 tokens, nine the sentence.
#[test]
fn explain_counts_tokens_and_says_how_sure_they_are() {
    let scratch = project().file("p/t.md", "You help with the code in this directory.\n");
    let explain = |model: &[&str]| {
        let args: Vec<&str> = ["explain", "--json", "--template", "t.md"].iter().chain(model).copied().collect();
        scratch.run(&args).json()
    };
    let plain = explain(&[]);
    assert_eq!((&plain["prefix"]["tokens"], &plain["suffix"]["tokens"]), (&9.into(), &0.into()));
    assert_eq!(plain["sections"][0]["tokens"], 9);
    assert_eq!(
        (&plain["token_counts"]["encoding"], &plain["token_counts"]["exact"]),
        (&"o200k_base".into(), &true.into())
    );
    let gpt = explain(&["--model", "gpt-5"]);
    assert_eq!((&gpt["token_counts"]["model"], &gpt["token_counts"]["exact"]), (&"gpt-5".into(), &true.into()));
    // 9 × 1.49 = 13.41, × 1.56 = 14.04, × 1.76 = 15.84.
    let claude = explain(&["--model", "claude-opus-5"]);
    let count = serde_json::json!({"count": 14, "low": 13, "high": 16});
    assert_eq!(claude["token_counts"]["total"], count);
    assert_eq!((&claude["token_counts"]["exact"], &claude["prefix"]["tokens"]), (&false.into(), &14.into()));
    assert!(claude["token_counts"]["band"]["from"].is_string());
    let table = scratch.run(&["explain", "--template", "t.md", "--model", "claude-opus-5"]).stdout;
    assert!(table.contains("~14 tokens, 13 to 16") && table.contains("estimated from o200k_base"), "{table}");
    assert!(scratch.run(&["explain", "--template", "t.md"]).stdout.contains("9 tokens"));
}

#[test]
fn check_compares_the_prefix_with_the_models_minimum() {
    let scratch = project().file("p/t.md", "hello world");
    let check = |scratch: &Scratch, model: &str| scratch.run(&["check", "--template", "t.md", "--model", model]);
    let ran = check(&scratch, "gpt-5");
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains("the prefix has 2 tokens, and gpt-5 caches none with less than 1024"), "{ran:?}");
    assert!(!scratch.run(&["check", "--template", "t.md"]).stderr.contains("below-cache-minimum"));
    // The user's own rows count, and a bad file is reported with its place.
    let scratch =
        scratch.file("home/.config/antefix/models.json", "{\"models\": [{\"name\": \"gpt-5\", \"minimum\": 2}]}");
    assert!(!check(&scratch, "gpt-5").stderr.contains("below-cache-minimum"));
    let scratch = scratch.file("home/.config/antefix/models.json", "{\n\"models\": 7}");
    let ran = check(&scratch, "gpt-5");
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("models.json:2:") && ran.stderr.contains("a models file is JSON"), "{ran:?}");
    let shown = scratch.run(&["show", "--template", "t.md", "--model", "gpt-5"]);
    assert_eq!((shown.code, shown.stdout.as_str()), (0, "hello world"), "no prompt fails for it");
    assert!(shown.stderr.contains("error[models-unreadable]"), "{shown:?}");
}

/// What the table of codes says is reported by all is reported by all, and by a turn when its epoch begins.
#[test]
fn every_command_that_composes_reports_a_gap_and_a_prefix_that_is_too_short() {
    let layout = "[[section]]\nid = \"a\"\nstability = \"frozen\"\ntext = \"{{ env.CITY }}\"\n\
                  [[section]]\nid = \"b\"\nstability = \"frozen\"\ntext = \"hello\"\n";
    let scratch = project().file("p/.antefix/layout.toml", layout);
    let reported = |args: &[&str]| -> Vec<String> {
        let ran = scratch.run(&[args, &["--model", "gpt-5"]].concat());
        assert_eq!(ran.code, 0, "{args:?}: {ran:?}");
        let codes = ran.stderr.lines().filter_map(|line| line.strip_prefix("warning["));
        codes.filter_map(|rest| rest.split(']').next()).map(str::to_owned).collect()
    };
    for args in [&["show"][..], &["check"], &["explain"], &["turn", "c"], &["renew", "c"], &["drift", "c"]] {
        assert_eq!(reported(args), ["gap", "below-cache-minimum"], "{args:?}");
    }
    assert_eq!(reported(&["turn", "c"]), [""; 0], "the epoch began before");
    // The user's own rows count.
    let scratch =
        scratch.file("home/.config/antefix/models.json", "{\"models\": [{\"name\": \"gpt-5\", \"minimum\": 1}]}");
    let ran = scratch.run(&["turn", "d", "--model", "gpt-5"]);
    assert!(ran.stderr.contains("warning[gap]") && !ran.stderr.contains("below-cache-minimum"), "{ran:?}");
}

#[test]
fn a_prompt_keeps_to_its_budget_in_tokens() {
    let layout =
        "budget = { tokens = 200 }\n[[section]]\nid = \"a\"\nstability = \"frozen\"\ntext = '{{ file(\"A\") }}'\n";
    let scratch = project().file("p/.antefix/layout.toml", layout).file("p/A", &"word ".repeat(1000));
    let ran = scratch.run(&["explain", "--json"]).json();
    assert_eq!(ran["prefix"]["tokens"], 200);
    assert!(ran["prefix"]["text"].as_str().unwrap().ends_with("size limit]"));
    assert!(ran["diagnostics"].as_array().unwrap().iter().any(|found| found["code"] == "cut"), "{ran}");
}

/// A project with a rule for Rust, one that always holds, and a nested file.
fn with_rules() -> Scratch {
    project()
        .file("p/AGENTS.md", "Root.\n")
        .file("p/.claude/rules/rust.md", "---\npaths: [\"src/**/*.rs\", \"[\"]\n---\nFormat it.\n")
        .file("p/.claude/rules/zig.md", "---\npaths: \"*.zig\"\n---\nZig.\n")
        .file("p/.claude/rules/kind.md", "Be kind.\n")
        .file("p/src/main.rs", "")
        .file("p/sub/AGENTS.md", "Nested.\n")
}

#[test]
fn show_touch_prints_the_notice_and_nothing_else() {
    let scratch = with_rules();
    let ran = scratch.run(&["show", "--touch", "src/new.rs", "--touch", "sub/x"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let (_, files) = ran.stdout.split_once("\n\n").unwrap();
    let expected = "<instructions from=\".claude/rules/rust.md\">\nFormat it.\n</instructions>\n\n\
                    <instructions from=\"sub/AGENTS.md\">\nNested.\n</instructions>";
    assert_eq!(files, expected);
    assert!(ran.stderr.contains(".claude/rules/rust.md:2:25"), "{ran:?}");
    // Nothing applies: nothing is printed, and a note says so.
    let ran = scratch.run(&["show", "--touch", "README.md"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.contains("no rule and no nested instruction file applies to these paths"), "{ran:?}");
    // A path outside is an error, and nothing is half said.
    let ran = scratch.run(&["show", "--touch", "src/new.rs", "--touch", "../../x"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("../../x is outside the project"), "{ran:?}");
    // Paths are relative to the conversation's working directory.
    let ran = scratch.run(&["show", "--cwd", "sub", "--touch", "../src/a.rs"]);
    assert!(ran.stdout.contains("Format it.") && !ran.stdout.contains("Nested."), "{ran:?}");
    let ran = scratch.run(&["show", "--layout", "yoi", "--touch", "src/new.rs"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    assert!(ran.stderr.contains("does not name `instructions:files`"), "{ran:?}");
}

#[test]
fn explain_lists_what_waits_for_a_path_and_show_does_not_look() {
    let scratch = with_rules();
    let ran = scratch.run(&["explain"]);
    for line in [
        "scoped         it waits for a path like src/**/*.rs",
        "never-matched  no file of the project is like *.zig",
        "nested         it applies once something in its directory is touched",
    ] {
        assert!(ran.stdout.contains(line), "{line}: {ran:?}");
    }
    let ran = scratch.run(&["check"]);
    assert!(ran.stderr.contains("zig.md never applies") && ran.code == 0, "{ran:?}");
    let ran = scratch.run(&["show"]);
    assert!(ran.stdout.contains("Be kind.") && !ran.stdout.contains("Format it."), "{ran:?}");
    assert!(!ran.stderr.contains("never holds"), "{ran:?}");
}

/// A project's layout, wordings and templates are checked like its other files.
#[test]
fn a_projects_own_files_are_looked_through() {
    let token = "ghp_aB3dE5fG7haB3dE5fG7haB3dE5fG7haB3dE5";
    let layout = "dialect = \"jinja\"\n[[section]]\nid = \"a\"\nstability = \"frozen\"\nfile = \"$layout/t\"\n";
    let scratch = project()
        .file("p/.git/HEAD", "ref: refs/heads/main\n")
        .file("p/.antefix/layout.toml", layout)
        .file("p/.antefix/t.md", &format!("one {token}\n"));
    let shown = scratch.run(&["show"]);
    assert_eq!((shown.code, shown.stdout.as_str()), (0, "one [redacted:github-pat]"), "{shown:?}");
    assert!(shown.stderr.contains("what looks like a secret (github-pat) was here"), "{shown:?}");
    assert!(!shown.stderr.contains(token), "{shown:?}");
    let scratch = scratch.file("p/.antefix/t.md", "one \u{e0069}\u{e0067}\n");
    let blocked = scratch.run(&["show"]);
    assert_eq!((blocked.code, blocked.stdout.as_str()), (1, ""));
    let why = ".antefix/t.md:1:5 has 2 hidden characters U+E0069 U+E0067 (tag) that say \"ig\"";
    assert!(blocked.stderr.contains(why), "{blocked:?}");
    // Nor can escapes write any.
    for text in [r"h\u202ei", r"\u0067hp_aB3dE5fG7haB3dE5fG7haB3dE5fG7haB3dE5"] {
        for (name, file) in [
            ("layout", layout.replace("file = \"$layout/t\"", &format!("text = \"{text}\""))),
            ("wording", format!("[wording]\ntouch_notice = \"{text} {{{{ text\"\n")),
        ] {
            let scratch = project().file("p/.git/HEAD", "").file(&format!("p/.antefix/{name}.toml"), &file);
            let refused = scratch.run(&["show"]);
            assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{file}");
            assert!(refused.stderr.contains("escapes in it write a secret or hidden characters"), "{refused:?}");
            assert!(!refused.stderr.contains("hp_aB3"), "{refused:?}");
        }
    }
    // The user's own settings say otherwise, and the user's own files are the user's.
    let scratch = scratch.file("home/.config/antefix/settings.toml", "hidden_text = \"escape\"\n");
    assert_eq!(scratch.run(&["show"]).stdout, "one <U+E0069><U+E0067>");
    let scratch = scratch.file("home/.config/antefix/settings.toml", "secrets = \"keep\"\n");
    let scratch = scratch.file("p/.antefix/t.md", &format!("one {token}\n"));
    assert_eq!(scratch.run(&["show"]).stdout, format!("one {token}"));
}

/// Whatever fails says why without secrets, on the terminal and in the ledger.
#[test]
fn reasons_of_failures_have_no_secrets() {
    let token = "ghp_aB3dE5fG7haB3dE5fG7haB3dE5fG7haB3dE5";
    let settings = format!("[memory.core]\ncommand = [\"sh\", \"-c\", \"echo err {token} >&2; exit 1\"]\n");
    let scratch = project()
        .file("p/.git", &format!("gitdir: /nonexistent/{token}\n"))
        .file("home/.config/antefix/settings.toml", &settings);
    for layout in ["coding-agent", "buzz"] {
        let turn = scratch.run(&["turn", layout, "--json", "--layout", layout]);
        assert_eq!(turn.code, 0, "{turn:?}");
        let kept = scratch.run(&["export", layout]);
        for text in [&turn.stdout, &turn.stderr, &kept.stdout] {
            assert!(!text.contains(token), "{text}");
        }
        assert!(turn.stdout.contains("[redacted:github-pat]"), "{turn:?}");
    }
}

/// Who renews during an outage is told what the new epoch goes without.
#[test]
fn a_renewal_reports_what_it_could_not_ask_for() {
    let settings = |command: &str| format!("[memory.core]\ncommand = [\"sh\", \"-c\", \"{command}\"]\n");
    let scratch = project().file("home/.config/antefix/settings.toml", &settings("echo core"));
    assert_eq!(scratch.run(&["turn", "c", "--layout", "buzz"]).code, 0);
    let scratch = scratch.file("home/.config/antefix/settings.toml", &settings("exit 3"));
    let renewed = scratch.run(&["renew", "c", "--layout", "buzz"]);
    assert!(renewed.stdout.contains("epoch 2 began"), "{renewed:?}");
    assert!(renewed.stderr.contains("memory:core could not be asked for"), "{renewed:?}");
    // Also if nothing begins.
    let again = scratch.run(&["renew", "c", "--layout", "buzz"]);
    assert!(again.stdout.contains("epoch 2 stays"), "{again:?}");
    assert!(again.stderr.contains("memory:core could not be asked for"), "{again:?}");
}

/// What `explain` lists as loaded is what a prompt with a budget of its own has of it.
#[test]
fn a_report_is_true_where_the_whole_prompt_is_over_its_budget() {
    let layout = "dialect = \"jinja\"\nbudget = 1700\n[[section]]\nid = \"a\"\nstability = \"frozen\"\n\
                  text = \"{% for one in instructions.files %}{{ one.path }}\\n{{ one.text }}{% endfor %}\"\n";
    let file = |letter: &str| letter.repeat(1000);
    let scratch = project()
        .file("p/.git/HEAD", "")
        .file("p/.antefix/layout.toml", layout)
        .file("p/AGENTS.md", &file("a"))
        .file("p/s/AGENTS.md", &file("b"))
        .file("p/s/t/AGENTS.md", &file("c"));
    let ran = scratch.run(&["explain", "--json", "--cwd", "s/t"]);
    let json = ran.json();
    let of = |list: &str| -> Vec<String> {
        let rows = json[list].as_array().unwrap().iter().filter(|row| row["origin"]["name"] == "instructions:files");
        rows.map(|row| format!("{} {}", row["origin"]["path"].as_str().unwrap(), row["bytes"])).collect()
    };
    let prompt = scratch.run(&["show", "--cwd", "s/t"]).stdout;
    let (_, rest) = prompt.split_once("s/AGENTS.md\n").unwrap();
    let (cut, nearest) = rest.split_once("s/t/AGENTS.md\n").unwrap();
    assert!(cut.starts_with("bbb") && cut.len() < 1000 && nearest == file("c") && !prompt.contains("aaa"), "{prompt}");
    assert_eq!(of("not_loaded"), ["AGENTS.md null"]);
    // The notice of the cut is antefix's own.
    let written = cut.chars().take_while(|c| *c == 'b').count();
    assert_eq!(of("loaded"), [format!("s/AGENTS.md {written}"), "s/t/AGENTS.md 1000".to_owned()]);
}

/// A file that a section's budget cuts is named as a file is.
#[test]
fn a_cut_file_has_a_files_origin() {
    let scratch = project().file("p/.git/HEAD", "").file("p/AGENTS.md", &"a".repeat(66_560));
    let json = scratch.run(&["explain", "--json", "--layout", "yoi"]).json();
    let cut = json["diagnostics"].as_array().unwrap().iter().find(|finding| finding["code"] == "cut").unwrap();
    // `yoi` shows paths in full.
    let path = scratch.path("p/AGENTS.md");
    assert_eq!(cut["origin"], serde_json::json!({"kind": "file", "name": "file:AGENTS.md", "path": path}));
}
