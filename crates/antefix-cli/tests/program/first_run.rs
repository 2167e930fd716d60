//! The first five minutes: what somebody meets who has just installed it.

use super::project;

#[test]
fn a_store_in_a_directory_that_is_not_there_is_refused_and_nothing_is_made() {
    let scratch = project();
    let nope = scratch.path("nope");
    let store = format!("sqlite:{}/x.db", nope.display());
    let ran = scratch.run(&["turn", "c", "--store", &store]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stderr.contains(&format!("there is no directory {}", nope.display())), "{}", ran.stderr);
    assert!(ran.stderr.contains("mkdir -p"), "{}", ran.stderr);
    assert!(!nope.exists());
    // Where nobody named a place the directories are made: nobody could have made a slip.
    assert_eq!(scratch.run(&["turn", "c"]).code, 0);
    assert!(scratch.path("home/.local/share/antefix/ledger.db").exists());
}

#[test]
fn a_message_to_a_conversation_that_nobody_opened_needs_new() {
    let scratch = project();
    scratch.ok(&["turn", "chat-7"]);
    let ran = scratch.run(&["send", "chat-8", "hello"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("nobody has opened conversation `chat-8`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("did you mean `chat-7`?") && ran.stderr.contains("--new"), "{}", ran.stderr);
    // It is the first one: what was refused was not queued.
    assert_eq!(scratch.print(&["send", "--new", "chat-8", "hello"]), "message 1 waits for the next turn\n");
    assert_eq!(scratch.print(&["send", "chat-7", "hello"]), "message 1 waits for the next turn\n");
}

#[test]
fn a_postgres_that_refuses_is_named_with_host_port_and_what_to_look_at() {
    // Nothing listens on port 1.
    let ran = project().run(&["turn", "c", "--store", "postgres://ada:secret@127.0.0.1:1/ledger"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    let said = ran.stderr.replace("\n", " ");
    assert!(said.contains("postgres://ada@127.0.0.1:1/ledger: nothing listens on 127.0.0.1, port 1"), "{said}");
    assert!(said.contains("pg_isready -h 127.0.0.1 -p 1") && said.contains("listen_addresses"), "{said}");
    assert!(!said.contains("secret"), "{said}");
}

#[test]
fn messages_that_are_no_messages_are_refused_with_what_is_wrong() {
    let scratch = project().file("p/m.json", r#"[{"role": "user", "content": "Hi."}, "read", 3]"#);
    for command in ["turn", "show", "check"] {
        let conversation: &[&str] = if command == "turn" { &["c"] } else { &[] };
        let given = |messages: &str| {
            let args = [&[command], conversation, &["--for", "anthropic", "--messages", messages]].concat();
            scratch.run(&args)
        };
        let ran = given("m.json");
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.stderr.contains("m.json: message 2 is `\"read\"`, and a message is an object"), "{}", ran.stderr);
        assert!(ran.stderr.contains(r#"[{"role": "user", "content": "Hello."}]"#), "{}", ran.stderr);
        let ran = given(r#"["read",3]"#);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains("--messages takes the name of a file"), "{}", ran.stderr);
    }
}

#[test]
fn doctor_looks_at_everything_and_changes_nothing() {
    let scratch = project().file("p/AGENTS.md", "Use tabs.").file("p/.git/HEAD", "ref: refs/heads/main\n");
    let ran = scratch.ok(&["doctor", "--json"]);
    let document = ran.json();
    assert_eq!(document["healthy"], true, "{document}");
    let about: Vec<&str> =
        document["checks"].as_array().unwrap().iter().map(|check| check["about"].as_str().unwrap()).collect();
    let expected = ["antefix", "git", "project", "layout", "settings", "trust", "store", "token", "agents", "models"];
    assert_eq!(about, expected);
    let git = document["checks"][1]["says"].as_str().unwrap().to_owned();
    assert!(git.starts_with(|c: char| c.is_ascii_digit()), "git is `{git}`");
    assert!(!scratch.path("home/.local/share/antefix").exists(), "looking at a ledger has begun it");

    // What is wrong has a line, advice and an exit code, and keeps no other check from being made.
    scratch.write("home/.config/antefix/settings.toml", "secrets = 'keep'\nsecrts = 'redact'\n");
    scratch.mode("home/.config/antefix/settings.toml", 0o600);
    let ran = scratch.run(&["doctor", "--store", "postgres://127.0.0.1:1/x"]);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("✗ settings") && ran.stdout.contains("✗ store"), "{}", ran.stdout);
    assert!(ran.stdout.contains("→ is PostgreSQL running there?"), "{}", ran.stdout);
    assert!(ran.stdout.contains("✓ models"), "{}", ran.stdout);
}

#[test]
fn doctor_names_the_agents_that_are_installed_and_runs_none() {
    let scratch = project();
    scratch.executable("bin/codex", "#!/bin/sh\ntouch \"$HOME/ran\"\n");
    let path = format!("{}:/usr/bin:/bin", scratch.path("bin").display());
    let scratch = scratch.env("PATH", path);
    let checks = scratch.ok(&["doctor", "--json"]).json();
    let agents = checks["checks"].as_array().unwrap().iter().find(|check| check["about"] == "agents").unwrap().clone();
    assert_eq!(agents["says"], "codex");
    assert!(!scratch.path("home/ran").exists());
}

/// What a shell is offered behind these words.
fn offered(scratch: &antefix_testing::Scratch, words: &[&str]) -> Vec<String> {
    let mut command = scratch.command(&[&["--", "antefix"], words].concat());
    command.env("ANTEFIX_COMPLETE", "fish");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter_map(|line| line.split('\t').next()).map(str::to_owned).collect()
}

#[test]
fn completions_know_commands_layouts_agents_conversations_targets_models_and_topics() {
    let scratch = project().file("home/.config/antefix/agents/mine.toml", &own_agent());
    assert_eq!(offered(&scratch, &["epochs", "chat"]), [""; 0]);
    assert!(!scratch.path("home/.local/share/antefix").exists(), "asking for ids has begun a ledger");
    scratch.ok(&["turn", "chat-7"]);
    scratch.ok(&["turn", "chat-8"]);
    let table: [(&[&str], &[&str]); 9] = [
        (&["exp"], &["explain", "export"]),
        (&["show", "--layout", "d"], &["deepseek", "dispatch"]),
        (&["layouts", "y"], &["yoi"]),
        (&["show", "--as", "mi"], &["mine"]),
        (&["agents", "claude"], &["claude-code"]),
        (&["turn", "chat-"], &["chat-7", "chat-8"]),
        (&["drift", "chat-7", "--for", "openai"], &["openai-chat", "openai-responses"]),
        (&["check", "--deny", "below"], &["below-cache-minimum"]),
        (&["help", "lay"], &["layout", "layouts"]),
    ];
    for (words, expected) in table {
        assert_eq!(offered(&scratch, words), expected, "{words:?}");
    }
    let models = offered(&scratch, &["explain", "--model", "claude-opus-"]);
    assert!(models.contains(&"claude-opus-5".to_owned()), "{models:?}");
}

/// An agent of the user's own: a built-in one under another name.
fn own_agent() -> String {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../antefix/agents/codex.toml");
    std::fs::read_to_string(file).unwrap()
}

#[test]
fn completions_for_each_shell_ask_the_program() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = project().print(&["completions", shell]);
        assert!(script.contains("ANTEFIX_COMPLETE"), "{shell}: {script}");
    }
}

#[test]
fn init_tells_the_files_that_are_there_and_comments_every_key() {
    let scratch = project().file("p/AGENTS.md", "A.").file("p/GEMINI.md", "G.");
    let ran = scratch.ok(&["init"]);
    assert!(ran.stdout.contains("the prompt has ") && ran.stdout.contains("instructions  an epoch"), "{}", ran.stdout);
    let layout = scratch.read("p/.antefix/layout.toml");
    assert!(layout.contains("names = [\"AGENTS.md\", \"GEMINI.md\"]\n"), "{layout}");
    assert!(layout.contains("take = \"each\"\n"), "{layout}");
    let prompt = scratch.print(&["show"]);
    assert!(prompt.contains("A.") && prompt.contains("G."), "{prompt}");

    // Each key has a comment in the line before it, where it comes first in its table.
    let (mut seen, mut table, mut before, mut in_text) = (Vec::new(), "", "", false);
    for line in layout.lines() {
        if line.starts_with('[') {
            table = line;
        }
        let key = line.split_once(" = ").map(|(key, _)| key).filter(|_| !in_text && !line.starts_with('#'));
        if let Some(key) = key.filter(|key| !seen.contains(&(table, *key))) {
            assert!(before.starts_with("# "), "`{key}` in `{table}` has no comment");
            seen.push((table, key));
        }
        in_text ^= line.matches("\"\"\"").count() == 1;
        before = line;
    }
    assert!(seen.len() >= 15, "{seen:?}");
}

#[test]
fn init_takes_an_agent_or_names() {
    let files = || project().file("p/AGENTS.md", "A.").file("p/CLAUDE.md", "C.").file("p/GEMINI.md", "G.");
    let names = |args: &[&str]| {
        let scratch = files();
        scratch.ok(args);
        let layout = scratch.read("p/.antefix/layout.toml");
        layout.lines().find(|line| line.starts_with("names = ")).unwrap().to_owned()
    };
    assert_eq!(names(&["init", "--agent", "gemini-cli"]), "names = [\"GEMINI.md\"]");
    assert_eq!(names(&["init", "--instructions", "CLAUDE.md"]), "names = [\"CLAUDE.md\"]");
    let ran = files().run(&["init", "--agent", "nobody"]);
    assert!(ran.code == 1 && ran.stderr.contains("there is no agent `nobody`"), "{ran:?}");
}

#[test]
fn help_prints_pages_in_plain_text_and_the_help_of_commands() {
    let scratch = project();
    let page = scratch.print(&["help", "layout"]);
    assert!(page.starts_with("layout.toml\n\n  A layout says") && page.contains("\n  on_drift\n"), "{page}");
    assert!(!page.contains('\u{1b}') && !page.contains("**stability**") && !page.contains("]("), "{page}");
    let longest = page.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(longest <= 125, "a line of {longest} columns");
    for topic in
        ["concepts", "templates", "variables", "settings", "wordings", "findings", "hooks", "http", "exit-codes"]
    {
        assert!(scratch.print(&["help", topic]).lines().count() > 10, "{topic}");
    }
    assert!(scratch.print(&["help", "turn"]).contains("Usage: antefix turn"));
    let topics = scratch.print(&["help"]);
    assert!(topics.contains("exit-codes") && topics.contains("Usage: antefix"), "{topics}");
    let ran = scratch.run(&["help", "layuot"]);
    assert!(ran.code == 2 && ran.stderr.contains("the topics are concepts, layout"), "{ran:?}");
}
