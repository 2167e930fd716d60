//! Conversations as a person keeps them: real processes, a real file, a home of their own.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by failing")]

use antefix_testing::Scratch;
use serde_json::Value;

/// One file of instructions, which amends; the clock after the boundary.
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

/// A scratch project with that layout.
fn project() -> Scratch {
    Scratch::new(env!("CARGO_BIN_EXE_antefix")).file("p/.antefix/layout.toml", LAYOUT)
}

fn turn(scratch: &Scratch) -> Value {
    scratch.ok(&["turn", "c", "--now", "2026-11-16T08:00:00Z", "--json"]).json()
}

#[test]
fn a_conversation_has_the_same_prefix_in_every_process() {
    let scratch = project();
    scratch.write("p/AGENTS.md", "Use tabs.");
    let first = turn(&scratch);
    scratch.write("p/AGENTS.md", "Use spaces.");
    let second = turn(&scratch);
    assert_eq!((&first["prefix"], &second["prefix"]), (&Value::from("Use tabs."), &Value::from("Use tabs.")));
    assert_eq!(first["suffix"], "\n\n2026-11-16");
    assert_eq!((&first["began"], &second["began"]), (&Value::from(true), &Value::from(false)));
    assert_eq!(second["amendments"][0]["kind"], "changed");
    assert_eq!(second["amendments"][0]["fresh"], true);
    assert_eq!(turn(&scratch)["amendments"][0]["fresh"], false);
}

#[test]
fn plain_output_is_the_prefix_the_notices_and_the_suffix() {
    let scratch = project();
    scratch.write("p/AGENTS.md", "Use tabs.");
    let print = |part: &str| scratch.ok(&["turn", "c", "--now", "2026-11-16T08:00:00Z", "--part", part]).stdout;
    assert_eq!(print("all"), "Use tabs.\n\n2026-11-16");
    scratch.remove("p/AGENTS.md");
    let notice = concat!(
        "Since this conversation began, instructions were withdrawn. What you were told from the place below no longer ",
        "applies.\n\n<amendment subject=\"AGENTS.md\" state=\"removed\"></amendment>"
    );
    assert_eq!(print("all"), format!("Use tabs.\n\n{notice}\n\n2026-11-16"));
    assert_eq!((print("prefix"), print("suffix")), ("Use tabs.".to_owned(), format!("{notice}\n\n2026-11-16")));
}

#[test]
fn the_ledger_is_a_file_of_the_users_own() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = project();
    turn(&scratch);
    let mode = |name: &str| std::fs::metadata(scratch.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("home/.local/share/antefix"), 0o700);
    assert_eq!(mode("home/.local/share/antefix/ledger.db"), 0o600);
}

#[test]
fn drift_and_diff_name_the_file_the_byte_and_the_price() {
    let scratch = project();
    scratch.write("p/AGENTS.md", "Use tabs.");
    turn(&scratch);
    scratch.write("p/AGENTS.md", "Use spaces.");
    let drift = scratch.ok(&["drift", "c", "--json", "--model", "claude-opus-5"]).json();
    assert_eq!(drift["changes"][0]["kind"], "file-changed");
    assert_eq!(drift["difference"]["kind"], "file-edited");
    assert_eq!((&drift["difference"]["at"], &drift["difference"]["kept_bytes"]), (&Value::from(4), &Value::from(4)));
    // What is too short to be cached is not lost either.
    assert_eq!(drift["difference"].get("cost"), None);
    assert!(
        drift["difference"]["basis"].as_str().unwrap().ends_with("the prefix is too short to be cached"),
        "{drift}"
    );

    let renewed = scratch.ok(&["renew", "c", "--cause", "reloaded", "--json"]).json();
    assert_eq!((&renewed["epoch"]["number"], &renewed["epoch"]["cause"]), (&Value::from(2), &Value::from("reloaded")));
    let diff = scratch.ok(&["epochs", "c", "--diff", "1", "2", "--json"]).json();
    assert_eq!(diff["after"]["origin"]["path"], "AGENTS.md");
    assert_eq!(diff["after"]["excerpt"], "Use spaces.");
    let words = scratch.ok(&["epochs", "c", "--diff", "1", "2"]).stdout;
    assert!(words.contains("file-edited: the bytes part at byte 4"), "{words}");
    assert_eq!(scratch.ok(&["epochs", "c", "2"]).stdout, "Use spaces.");
    let again = scratch.ok(&["renew", "c"]).stdout;
    assert_eq!(again, "epoch 2 stays: composing now gives the same bytes\n");

    scratch.write("p/AGENTS.md", &"Mind the tests before you change what depends on them.\n".repeat(200));
    scratch.ok(&["renew", "c"]);
    scratch.write("p/AGENTS.md", &"Mind the files before you change what depends on them.\n".repeat(200));
    let drift = scratch.ok(&["drift", "c", "--json", "--model", "claude-opus-5"]).json();
    assert!(drift["difference"]["cost"].as_str().unwrap().starts_with('$'), "{drift}");
}

#[test]
fn models_that_cannot_be_read_stop_neither_drift_nor_diff() {
    let scratch = project();
    scratch.write("p/AGENTS.md", "Use tabs.");
    turn(&scratch);
    scratch.write("home/.config/antefix/models.json", "{");
    scratch.write("p/AGENTS.md", "Use spaces.");
    assert_eq!(scratch.ok(&["drift", "c", "--json"]).json()["changes"][0]["kind"], "file-changed");
    scratch.ok(&["renew", "c"]);
    let diff = scratch.ok(&["epochs", "c", "--diff", "1", "2", "--json"]);
    assert_eq!(diff.json()["after"]["excerpt"], "Use spaces.");
    assert!(diff.stderr.contains("models-unreadable"), "{}", diff.stderr);
}

#[test]
fn compaction_takes_two_steps() {
    let scratch = project();
    scratch.write("p/AGENTS.md", "one");
    turn(&scratch);
    scratch.write("p/AGENTS.md", "two");
    let begun = scratch.ok(&["compact", "c", "begin", "--json"]).json();
    assert!(begun["prompt"].as_str().unwrap().starts_with("two\n\n"));
    assert_eq!(scratch.ok(&["epochs", "c", "--json"]).json().as_array().unwrap().len(), 1);
    let wrong = scratch.run(&["compact", "c", "commit", "nonsense"]);
    assert_eq!(wrong.code, 1, "{wrong:?}");
    scratch.ok(&["compact", "c", "commit", begun["token"].as_str().unwrap()]);
    assert_eq!(turn(&scratch)["prefix"], "two");
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
    let scratch = project();
    scratch.write("p/AGENTS.md", "one");
    turn(&scratch);
    scratch.write("p/AGENTS.md", "two");
    let said = scratch.ok(&["compact", "c", "begin"]).stderr;
    let token = said.split("`abort ").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
    assert!(said.contains(&format!("end it with `commit {token}` or `abort {token}`")), "{said}");
    scratch.ok(&["compact", "c", "abort", token]);
    assert_eq!(turn(&scratch)["prefix"], "one");
    assert_eq!(scratch.run(&["compact", "c", "commit", token]).code, 1, "it was ended");
}

#[test]
fn a_message_waits_for_the_next_turn() {
    let scratch = project();
    turn(&scratch);
    scratch.ok(&["send", "c", "hello"]);
    assert_eq!(turn(&scratch)["messages"][0]["text"], "hello");
    assert_eq!(turn(&scratch)["messages"], Value::Array(Vec::new()));
}

#[test]
fn a_ledger_can_be_carried_to_another_store() {
    let scratch = project();
    scratch.write("p/AGENTS.md", "one");
    turn(&scratch);
    let lines = scratch.ok(&["export", "c"]).stdout;
    scratch.write("ledger.jsonl", &lines);
    let file = scratch.path("ledger.jsonl");
    let store = format!("sqlite:{}", scratch.path("copy.db").display());
    scratch.ok(&["import", file.to_str().unwrap(), "--store", &store]);
    assert_eq!(scratch.ok(&["export", "c", "--store", &store]).stdout, lines);
}

#[test]
fn several_ledgers_are_imported_together_or_not_at_all() {
    let scratch = project();
    for id in ["a", "b"] {
        scratch.ok(&["turn", id]);
    }
    scratch.ok(&["send", "a", "hello"]);
    let lines = ["a", "b"].map(|id| scratch.ok(&["export", id]).stdout).concat();
    scratch.write("all.jsonl", &lines);
    scratch.write("bad.jsonl", &format!("{lines}{{\"ledger\":{{\"version\":1,\"conversation\":\"c\"}}}}\n"));
    let [all, bad] = ["all.jsonl", "bad.jsonl"].map(|name| scratch.path(name).display().to_string());
    let store = format!("sqlite:{}", scratch.path("copy.db").display());
    let refused = scratch.run(&["import", &bad, "--store", &store]);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
    assert!(refused.stderr.contains("error: the ledger of c has no epoch"), "{}", refused.stderr);
    assert!(refused.stderr.contains("nothing was imported"), "{}", refused.stderr);
    assert_eq!(scratch.ok(&["epochs", "--store", &store]).stdout, "");
    assert_eq!(scratch.ok(&["import", &all, "--store", &store]).stdout, "a: 1 epochs imported\nb: 1 epochs imported\n");
    assert_eq!(
        scratch.ok(&["import", &all, "--store", &store, "--json"]).json(),
        serde_json::json!({"conversations": [
            {"conversation": "a", "epochs": 0, "known": 1, "messages": 0},
            {"conversation": "b", "epochs": 0, "known": 1, "messages": 0},
        ]})
    );
    assert_eq!(["a", "b"].map(|id| scratch.ok(&["export", id, "--store", &store]).stdout).concat(), lines);
}

#[test]
fn a_deleted_conversation_is_gone() {
    let scratch = project();
    let first = scratch.ok(&["turn", "c"]).stdout;
    scratch.ok(&["turn", "d"]);
    let other = scratch.ok(&["export", "d"]).stdout;
    let told = scratch.ok(&["delete", "c"]).stdout;
    assert_eq!(told, "c is deleted: 1 epochs, and 0 texts that no other conversation has\n");
    for gone in [["delete", "c"], ["export", "c"], ["epochs", "c"]] {
        let ran = scratch.run(&gone);
        assert_eq!(ran.code, 1, "{gone:?}");
        assert!(ran.stderr.contains("there is no conversation \"c\""), "{}", ran.stderr);
    }
    assert_eq!(scratch.ok(&["export", "d"]).stdout, other);
    assert_eq!(scratch.ok(&["turn", "c"]).stdout, first);
    scratch.ok(&["delete", "c"]);
    let deleted = scratch.ok(&["delete", "d", "--json"]).json();
    assert_eq!((&deleted["conversation"], &deleted["epochs"]), (&"d".into(), &1.into()));
    assert!(deleted["texts"].as_u64() > Some(0) && deleted["bytes"].as_u64() > Some(0), "{deleted}");
    assert_eq!(scratch.ok(&["gc"]).stdout, "every text is named by an epoch\n");
}

#[test]
fn a_list_of_more_conversations_than_are_read_at_once_is_whole() {
    let scratch = project();
    scratch.ok(&["turn", "c"]);
    let ledger = scratch.ok(&["export", "c"]).stdout;
    // Pages have a thousand rows; one id is longer than all that come before it.
    let ids: Vec<String> = (0..2_001).map(|number| format!("c{number:04}{}", "x".repeat(number / 2_000 * 9))).collect();
    let named = |id: &String| ledger.replacen("\"conversation\":\"c\"", &format!("\"conversation\":\"{id}\""), 1);
    scratch.write("all.jsonl", &ids.iter().map(named).collect::<String>());
    let store = format!("sqlite:{}", scratch.path("copy.db").display());
    scratch.ok(&["import", &scratch.path("all.jsonl").display().to_string(), "--store", &store]);
    let printed = scratch.ok(&["epochs", "--store", &store, "--json"]);
    let rows = printed.json();
    let listed: Vec<&str> = rows.as_array().unwrap().iter().map(|row| row["conversation"].as_str().unwrap()).collect();
    assert_eq!(listed, ids);
    // Element by element, and the same bytes as all at once.
    assert!(printed.stdout.starts_with("[\n  {\n    \"") && printed.stdout.ends_with("\"\n  }\n]\n"));
    assert_eq!(printed.stdout.matches("\n  },\n  {\n").count(), 2_000);
    let table = scratch.ok(&["epochs", "--store", &store]).stdout;
    let columns: Vec<Option<usize>> =
        table.lines().map(|line| line.find(" cause ").or(line.find(" opened "))).collect();
    assert_eq!(columns.len(), 2_002);
    assert!(columns.iter().all(|column| *column == columns[0] && column.is_some()), "{}", &table[..500]);
    let empty = format!("sqlite:{}", scratch.path("empty.db").display());
    assert_eq!(scratch.ok(&["epochs", "--store", &empty, "--json"]).stdout, "[]\n");
}

#[test]
fn what_nobody_has_used_for_long_goes_on_demand() {
    let scratch = project();
    for id in ["old", "used"] {
        scratch.ok(&["turn", id, "--now", "2001-02-03T04:05:06Z"]);
    }
    scratch.ok(&["turn", "new"]);
    // It was opened long ago, and is in use today.
    scratch.ok(&["turn", "used"]);
    let gc = |args: &[&str]| scratch.ok(&[&["gc", "--older-than", "90d"][..], args].concat()).stdout;
    let nothing = "every text is named by an epoch\n";
    assert_eq!(gc(&[]), format!("1 conversations could go, with their texts; --delete deletes them\n{nothing}"));
    assert_eq!(
        scratch.ok(&["gc", "--older-than", "2w", "--json"]).json(),
        serde_json::json!({"conversations": 1, "texts": 0, "bytes": 0, "deleted": false})
    );
    assert!(gc(&["--delete"]).starts_with("deleted 1 conversations\n"));
    assert_eq!(gc(&["--delete"]), format!("every conversation was used since\n{nothing}"));
    let left = scratch.ok(&["epochs", "--json"]).json();
    let left: Vec<&str> = left.as_array().unwrap().iter().map(|row| row["conversation"].as_str().unwrap()).collect();
    assert_eq!(left, ["new", "used"]);
    for age in ["soon", "0d", "90"] {
        let ran = scratch.run(&["gc", "--older-than", age]);
        assert_eq!(ran.code, 2, "{age}");
        assert!(ran.stderr.contains("12h, 90d, 4w"), "{}", ran.stderr);
    }
}

#[test]
fn a_store_that_fails_is_exit_code_3_and_is_left_alone() {
    let scratch = project();
    scratch.write("broken.db", "this is no database, whatever its name says, and it is long enough to be looked at");
    let before = std::fs::read(scratch.path("broken.db")).unwrap();
    let store = format!("sqlite:{}", scratch.path("broken.db").display());
    let ran = scratch.run(&["turn", "c", "--store", &store]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(ran.stdout.is_empty() && ran.stderr.contains("broken.db"), "{ran:?}");
    assert_eq!(std::fs::read(scratch.path("broken.db")).unwrap(), before);
}

#[test]
fn wrong_usage_is_reported() {
    let scratch = project();
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
    let scratch = project();
    scratch.write("p/system.txt", "Only this.");
    let ran = scratch.ok(&["turn", "c", "--replace", "system.txt"]);
    assert_eq!(ran.stdout, "Only this.");
    assert_eq!(scratch.run(&["epochs", "c"]).code, 1);
}

#[test]
fn a_machine_that_is_out_of_something_is_told_as_such_and_is_no_mistake_of_the_user() {
    let scratch = project();
    scratch.print(&["turn", "c"]);
    for (limit, message) in [
        ("ulimit -n 4", "out of file descriptors"),
        ("ulimit -n 5", "out of file descriptors"),
        ("ulimit -f 100", "has no room left on its disk"),
    ] {
        let mut command = scratch.other_program("sh");
        command.args(["-c", &format!("{limit}; exec \"$@\""), "sh"]).arg(scratch.program());
        command.args(["send", "c", &"x".repeat(100_000)]);
        let ran = Scratch::feed(command, "");
        assert_eq!(ran.code, 3, "{limit}: {ran:?}");
        assert!(ran.stderr.contains(message), "{limit}: {ran:?}");
    }
    scratch.print(&["send", "c", "well again"]);
}
