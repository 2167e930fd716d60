//! How long what a conversation writes to a cache is to live.

use antefix::Target;
use serde_json::{Value, json};

use super::{Talk, project};

const LAYOUT: &str = r#"
[[section]]
id = "base"
stability = "fixed"
text = "FIXED"
[[section]]
id = "rest"
stability = "frozen"
text = "FROZEN"
"#;

/// The lifetimes of all breakpoints of a turn at a minute.
fn lifetimes(talk: &Talk, minute: i64) -> Vec<String> {
    let mut ask = talk.ask().messages(vec![json!({"role": "user", "content": "Hello."})]);
    ask.now = Some(jiff::Timestamp::from_second(1_794_000_000 + minute * 60).unwrap());
    let turn = talk.at(&project(), |conversation| conversation.turn(ask)).unwrap();
    let fragment = turn.deliver(Target::Anthropic).unwrap().fragment.to_value();
    let mut found = Vec::new();
    collect(&fragment["system"], &mut found);
    collect(&fragment["messages"], &mut found);
    found
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("cache_control").map(|marker| marker["ttl"].as_str().unwrap().to_owned()));
            members.values().for_each(|value| collect(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}

/// The minute of a turn, and the lifetime of everything. Two pauses of more than an hour show that the hour does not help.
const TABLE: [(i64, &str); 9] =
    [(0, "5m"), (4, "5m"), (9, "5m"), (15, "1h"), (16, "1h"), (90, "1h"), (200, "5m"), (201, "5m"), (210, "1h")];

#[test]
fn an_hour_is_written_from_the_first_pause_on_that_it_would_have_outlived() {
    let mut talk = Talk::new(LAYOUT);
    talk.model = Some("claude-opus-5".to_owned());
    for (minute, expected) in TABLE {
        assert_eq!(lifetimes(&talk, minute), [expected; 3], "minute {minute}");
    }
    // Another conversation has its own pauses.
    talk.conversation = "d".to_owned();
    assert_eq!(lifetimes(&talk, 210), ["5m"; 3]);
}

#[test]
fn a_process_that_starts_anew_knows_the_pauses_from_the_ledger() {
    let mut talk = Talk::new(LAYOUT);
    talk.model = Some("claude-opus-5".to_owned());
    for (minute, expected) in TABLE {
        assert_eq!(lifetimes(&talk.with_hooks(&[]), minute), [expected; 3], "minute {minute}");
    }
}

#[test]
fn a_pause_of_one_replica_is_none_if_another_had_a_turn_meanwhile() {
    let mut one = Talk::new(LAYOUT);
    one.model = Some("claude-opus-5".to_owned());
    let other = one.with_hooks(&[]);
    for (replica, minute) in [(&one, 0), (&other, 4), (&one, 8), (&other, 12), (&one, 16)] {
        assert_eq!(lifetimes(replica, minute), ["5m"; 3], "minute {minute}");
    }
}

#[test]
fn a_layout_may_want_one_lifetime_whatever_happens() {
    for (lifetime, expected) in [("short", "5m"), ("long", "1h")] {
        let mut talk = Talk::new(&format!("lifetime = \"{lifetime}\"\n{LAYOUT}"));
        talk.model = Some("claude-opus-5".to_owned());
        for minute in [0, 10, 20] {
            assert_eq!(lifetimes(&talk, minute), [expected; 3], "{lifetime}, minute {minute}");
        }
    }
}
