//! The live part where a layout keeps it in the conversation.

use std::sync::Barrier;

use antefix::text::FactName;
use antefix::{Ask, Target, Turn};
use serde_json::{Value, json};

use super::{Talk, project};

const LAYOUT: &str = r#"
live = "kept"
[[section]]
id = "base"
stability = "frozen"
text = "Be brief."
[[section]]
id = "here"
stability = "live"
joint = "paragraph"
text = "Machine: {{ system.hostname }}"
only_if = ["system:hostname"]
[[section]]
id = "now"
stability = "live"
joint = "paragraph"
text = "Branch: {{ git.branch }}"
"#;

/// A history of so many exchanges, the last of which is not answered.
fn history(questions: usize) -> Vec<Value> {
    let exchange = |at: usize| {
        [
            json!({"role": "user", "content": format!("q{at}")}),
            json!({"role": "assistant", "content": format!("a{at}")}),
        ]
    };
    (1..=questions).flat_map(exchange).take(2 * questions - 1).collect()
}

fn ask(talk: &Talk, questions: usize, (machine, branch): (&str, &str)) -> Ask {
    let ask = talk.ask().messages(history(questions)).given(FactName::new("git", "branch"), branch);
    match machine {
        "" => ask.given(FactName::new("system", "hostname"), antefix::discover::Given::Absent),
        _ => ask.given(FactName::new("system", "hostname"), machine),
    }
}

fn turn(talk: &Talk, questions: usize, facts: (&str, &str)) -> Turn {
    talk.at(&project(), |conversation| conversation.turn(ask(talk, questions, facts))).unwrap()
}

/// What each message says, behind the system's first one.
fn said(turn: &Turn) -> Vec<String> {
    let fragment = turn.deliver(Target::OpenAiChat).unwrap().fragment.to_value();
    let messages = fragment["messages"].as_array().unwrap()[1..].iter();
    messages.map(|message| message["content"].as_str().unwrap().to_owned()).collect()
}

const CHANGED: &str = "What follows has changed since you were told of it, and replaces that.\n\n";

#[test]
fn it_stays_where_it_was_said_and_is_said_again_when_it_has_changed() {
    let talk = Talk::new(LAYOUT);
    let first = turn(&talk, 1, ("ada", "main"));
    assert_eq!(said(&first), ["q1", "Machine: ada\n\nBranch: main"]);
    assert!(first.messages.is_empty(), "nobody queued it");
    assert_eq!(first.suffix.text(), "\n\nMachine: ada\n\nBranch: main", "whoever looks sees it as ever");
    let same = turn(&talk, 2, ("ada", "main"));
    assert_eq!(said(&same), ["q1", "Machine: ada\n\nBranch: main", "a1", "q2"]);
    // Only the section that has changed is said.
    let branched = format!("{CHANGED}Branch: fix");
    let changed = turn(&talk, 3, ("ada", "fix"));
    let expected = ["q1", "Machine: ada\n\nBranch: main", "a1", "q2", "a2", "q3", &branched];
    assert_eq!(said(&changed), expected);
    // One that is gone lets the others be said again, because they replace what was said.
    let gone = turn(&talk, 4, ("", "fix"));
    assert_eq!(said(&gone), [&expected[..], &["a3", "q4", &branched]].concat());
    assert_eq!(said(&turn(&talk, 4, ("", "fix"))), said(&gone));
    // Another process knows it from the ledger.
    let later = talk.with_hooks(&[]);
    assert_eq!(said(&turn(&later, 4, ("", "fix"))), said(&gone));
    let back = turn(&later, 5, ("ada", "fix"));
    assert_eq!(said(&back).last().unwrap(), &format!("{CHANGED}Machine: ada"));
}

#[test]
fn a_turn_that_has_nothing_new_to_say_writes_nothing() {
    let talk = Talk::new(LAYOUT);
    turn(&talk, 1, ("ada", "main"));
    let stamp = || talk.keeper().store().stamp().unwrap();
    let before = stamp();
    turn(&talk, 2, ("ada", "main"));
    assert!(before.is_some());
    assert_eq!(stamp(), before);
}

#[test]
fn racing_turns_say_it_once() {
    let talk = Talk::new(LAYOUT);
    turn(&talk, 1, ("ada", "main"));
    let barrier = Barrier::new(16);
    let said: Vec<Vec<String>> = std::thread::scope(|scope| {
        let race = |_| {
            let (talk, barrier) = (&talk, &barrier);
            scope.spawn(move || {
                barrier.wait();
                said(&turn(talk, 2, ("ada", "fix")))
            })
        };
        let threads: Vec<_> = (0..16).map(race).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(said.iter().all(|one| *one == said[0]), "{said:?}");
    assert_eq!(said[0].last().unwrap(), &format!("{CHANGED}Branch: fix"));
    assert_eq!(talk.keeper().store().insertions(&talk.id()).unwrap().all.len(), 2);
}

#[test]
fn a_compaction_ends_what_was_said() {
    let talk = Talk::new(LAYOUT);
    turn(&talk, 2, ("ada", "main"));
    let begun =
        talk.at(&project(), |conversation| conversation.begin_compaction(ask(&talk, 2, ("ada", "fix")))).unwrap();
    let fragment = begun.deliver(Target::OpenAiChat).unwrap().bytes();
    assert!(fragment.contains("Branch: main") && !fragment.contains("Branch: fix"), "{fragment}");
    talk.at(&project(), |conversation| conversation.commit_compaction(&begun.token, talk.ask())).unwrap();
    assert_eq!(said(&turn(&talk, 1, ("ada", "main"))), ["q1", "Machine: ada\n\nBranch: main"]);
}

#[test]
fn whoever_keeps_its_messages_gets_it_with_every_turn() {
    let talk = Talk::new(LAYOUT);
    for _ in 0..2 {
        let mut ask = ask(&talk, 1, ("ada", "main"));
        ask.messages = None;
        let turn = talk.at(&project(), |conversation| conversation.turn(ask)).unwrap();
        let append = turn.deliver(Target::OpenAiChat).unwrap().append.unwrap();
        assert_eq!(append, [json!({"role": "system", "content": "Machine: ada\n\nBranch: main"})]);
    }
}

/// Claude takes a system message behind the user's and before the assistant's, and one message of it at one place.
#[test]
fn claude_hears_it_from_the_system() {
    let mut talk = Talk::new(LAYOUT);
    talk.model = Some("claude-opus-5".to_owned());
    turn(&talk, 1, ("ada", "main"));
    let fragment = turn(&talk, 2, ("ada", "fix")).deliver(Target::Anthropic).unwrap().fragment.to_value();
    let roles: Vec<&str> =
        fragment["messages"].as_array().unwrap().iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "system", "assistant", "user", "system"]);
    assert_eq!(fragment["messages"][1]["content"], "Machine: ada\n\nBranch: main");
    let marker = json!({"type": "ephemeral", "ttl": "5m"});
    let last = json!([{"type": "text", "text": format!("{CHANGED}Branch: fix"), "cache_control": marker}]);
    assert_eq!(fragment["messages"][4]["content"], last);
}
