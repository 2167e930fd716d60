//! Conversations as a person keeps them: real processes, a real file, a home of their own.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by failing")]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A scratch project with a home beside it.
struct Scratch {
    directory: TempDir,
}

/// One file of instructions, which amends; the clock behind the boundary.
const LAYOUT: &str = r#"
[instructions]
global = "none"
[[section]]
id = "files"
stability = "frozen"
only_if = ["instructions:files"]
on_drift = "amend"
text = "{% for one in instructions.files %}{{ one.body }}{% endfor %}"
[[section]]
id = "now"
stability = "live"
joint = "paragraph"
text = "{{ system.date }}"
"#;

impl Scratch {
    fn new() -> Scratch {
        let scratch = Scratch { directory: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(scratch.path("home")).unwrap();
        std::fs::create_dir_all(scratch.path("p/.antefix")).unwrap();
        scratch.write("p/.antefix/layout.toml", LAYOUT);
        scratch
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn run(&self, args: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_antefix"));
        command.args(args).current_dir(self.path("p")).env_clear().stdin(Stdio::null());
        command.env("HOME", self.path("home")).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        Ran::new(&command.output().unwrap())
    }

    /// A run that must end well.
    fn ok(&self, args: &[&str]) -> Ran {
        let ran = self.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {ran:?}");
        ran
    }

    fn turn(&self) -> Value {
        self.ok(&["turn", "c", "--now", "2026-11-16T08:00:00Z", "--json"]).json()
    }
}

#[derive(Debug)]
struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn new(output: &Output) -> Ran {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Ran { code: output.status.code().unwrap_or(-1), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

#[test]
fn a_conversation_has_the_same_prefix_in_every_process() {
    let scratch = Scratch::new();
    scratch.write("p/AGENTS.md", "Use tabs.");
    let first = scratch.turn();
    scratch.write("p/AGENTS.md", "Use spaces.");
    let second = scratch.turn();
    assert_eq!((&first["prefix"], &second["prefix"]), (&Value::from("Use tabs."), &Value::from("Use tabs.")));
    assert_eq!(first["suffix"], "\n\n2026-11-16");
    assert_eq!((&first["began"], &second["began"]), (&Value::from(true), &Value::from(false)));
    assert_eq!(second["amendments"][0]["kind"], "changed");
    assert_eq!(second["amendments"][0]["fresh"], true);
    assert_eq!(scratch.turn()["amendments"][0]["fresh"], false);
}

#[test]
fn plain_output_is_the_prefix_the_notices_and_the_suffix() {
    let scratch = Scratch::new();
    scratch.write("p/AGENTS.md", "Use tabs.");
    let turn = |part: &str| scratch.ok(&["turn", "c", "--now", "2026-11-16T08:00:00Z", "--part", part]).stdout;
    assert_eq!(turn("all"), "Use tabs.\n\n2026-11-16");
    std::fs::remove_file(scratch.path("p/AGENTS.md")).unwrap();
    let notice = concat!(
        "Since this conversation began, instructions were withdrawn. What you were told from the place below no longer ",
        "applies.\n\n<amendment subject=\"AGENTS.md\" state=\"removed\"></amendment>"
    );
    assert_eq!(turn("all"), format!("Use tabs.\n\n{notice}\n\n2026-11-16"));
    assert_eq!((turn("prefix"), turn("suffix")), ("Use tabs.".to_owned(), format!("{notice}\n\n2026-11-16")));
}

#[test]
fn the_ledger_is_a_file_of_the_users_own() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new();
    scratch.turn();
    let mode = |name: &str| std::fs::metadata(scratch.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("home/.local/share/antefix"), 0o700);
    assert_eq!(mode("home/.local/share/antefix/ledger.db"), 0o600);
}

#[test]
fn drift_and_diff_name_the_file_the_byte_and_the_price() {
    let scratch = Scratch::new();
    scratch.write("p/AGENTS.md", "Use tabs.");
    scratch.turn();
    scratch.write("p/AGENTS.md", "Use spaces.");
    let drift = scratch.ok(&["drift", "c", "--json", "--model", "claude-opus-5"]).json();
    assert_eq!(drift["changes"][0]["kind"], "file-changed");
    assert_eq!(drift["difference"]["kind"], "file-edited");
    assert_eq!((&drift["difference"]["at"], &drift["difference"]["kept_bytes"]), (&Value::from(4), &Value::from(4)));
    assert!(drift["difference"]["cost"].as_str().unwrap().starts_with('$'), "{drift}");

    let renewed = scratch.ok(&["renew", "c", "--cause", "reloaded", "--json"]).json();
    assert_eq!((&renewed["epoch"]["number"], &renewed["epoch"]["cause"]), (&Value::from(2), &Value::from("reloaded")));
    let diff = scratch.ok(&["epochs", "c", "--diff", "1", "2", "--json"]).json();
    assert_eq!(diff["after"]["origin"]["path"], "AGENTS.md");
    assert_eq!(diff["after"]["excerpt"], "Use spaces.");
    let words = scratch.ok(&["epochs", "c", "--diff", "1", "2"]).stdout;
    assert!(words.contains("file-edited: the bytes part at byte 4"), "{words}");
    assert_eq!(scratch.ok(&["epochs", "c", "2"]).stdout, "Use spaces.");
    let again = scratch.ok(&["renew", "c"]).stdout;
    assert_eq!(again, "epoch 2 stands: composing now gives the same bytes\n");
}

#[test]
fn compaction_takes_two_steps() {
    let scratch = Scratch::new();
    scratch.write("p/AGENTS.md", "one");
    scratch.turn();
    scratch.write("p/AGENTS.md", "two");
    let begun = scratch.ok(&["compact", "c", "begin", "--json"]).json();
    assert!(begun["prompt"].as_str().unwrap().starts_with("two\n\n"));
    assert_eq!(scratch.ok(&["epochs", "c", "--json"]).json().as_array().unwrap().len(), 1);
    let wrong = scratch.run(&["compact", "c", "commit", "nonsense"]);
    assert_eq!(wrong.code, 1, "{wrong:?}");
    scratch.ok(&["compact", "c", "commit", begun["token"].as_str().unwrap()]);
    assert_eq!(scratch.turn()["prefix"], "two");
    for step in ["commit", "abort"] {
        let without = scratch.run(&["compact", "c", step]);
        assert_eq!(without.code, 2, "a token is needed");
        assert!(without.stderr.contains("<TOKEN>"), "{}", without.stderr);
    }
    let early = scratch.run(&["compact", "c", "begin", "nonsense"]);
    assert_eq!(early.code, 1);
    assert!(early.stderr.contains("`begin` takes no token"), "{}", early.stderr);
}

#[test]
fn a_compaction_says_how_it_is_ended() {
    let scratch = Scratch::new();
    scratch.write("p/AGENTS.md", "one");
    scratch.turn();
    scratch.write("p/AGENTS.md", "two");
    let said = scratch.ok(&["compact", "c", "begin"]).stderr;
    let token = said.split("`abort ").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
    assert!(said.contains(&format!("end it with `commit {token}` or `abort {token}`")), "{said}");
    scratch.ok(&["compact", "c", "abort", token]);
    assert_eq!(scratch.turn()["prefix"], "one");
    assert_eq!(scratch.run(&["compact", "c", "commit", token]).code, 1, "it was ended");
}

#[test]
fn a_message_waits_for_the_next_turn() {
    let scratch = Scratch::new();
    scratch.turn();
    scratch.ok(&["send", "c", "hello"]);
    assert_eq!(scratch.turn()["messages"][0]["text"], "hello");
    assert_eq!(scratch.turn()["messages"], Value::Array(Vec::new()));
}

#[test]
fn a_ledger_can_be_carried_to_another_store() {
    let scratch = Scratch::new();
    scratch.write("p/AGENTS.md", "one");
    scratch.turn();
    let lines = scratch.ok(&["export", "c"]).stdout;
    scratch.write("ledger.jsonl", &lines);
    let file = scratch.path("ledger.jsonl");
    let store = format!("sqlite:{}", scratch.path("copy.db").display());
    scratch.ok(&["import", file.to_str().unwrap(), "--store", &store]);
    assert_eq!(scratch.ok(&["export", "c", "--store", &store]).stdout, lines);
}

#[test]
fn a_store_that_fails_is_exit_code_3_and_is_left_alone() {
    let scratch = Scratch::new();
    scratch.write("broken.db", "this is no database, whatever its name says, and it is long enough to be looked at");
    let before = std::fs::read(scratch.path("broken.db")).unwrap();
    let store = format!("sqlite:{}", scratch.path("broken.db").display());
    let ran = scratch.run(&["turn", "c", "--store", &store]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.is_empty() && ran.stderr.contains("broken.db"), "{ran:?}");
    assert_eq!(std::fs::read(scratch.path("broken.db")).unwrap(), before);
}

#[test]
fn wrong_usage_is_told() {
    let scratch = Scratch::new();
    for (args, code, says) in [
        (vec!["turn", "c", "--store", "mongodb://x"], 2, "sqlite:PATH"),
        (vec!["turn", ""], 1, "it is empty"),
        (vec!["drift", "nobody"], 1, "there is no conversation"),
        (vec!["epochs", "nobody"], 1, "there is no conversation"),
        (vec!["renew", "c", "--cause", "magic"], 2, "reloaded"),
        (vec!["export", "nobody"], 1, "there is no conversation"),
    ] {
        let ran = scratch.run(&args);
        assert_eq!(ran.code, code, "{args:?}: {ran:?}");
        assert!(ran.stderr.contains(says), "{args:?}: {ran:?}");
    }
    assert_eq!(scratch.ok(&["epochs"]).stdout, "");
}

#[test]
fn a_replaced_turn_stores_nothing() {
    let scratch = Scratch::new();
    scratch.write("p/system.txt", "Only this.");
    let ran = scratch.ok(&["turn", "c", "--replace", "system.txt"]);
    assert_eq!(ran.stdout, "Only this.");
    assert_eq!(scratch.run(&["epochs", "c"]).code, 1);
}
