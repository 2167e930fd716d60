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

#[test]
fn an_hour_is_written_from_the_first_pause_on_that_it_would_have_outlived() {
    let mut talk = Talk::new(LAYOUT);
    talk.model = Some("claude-opus-5".to_owned());
    // The minute, and the lifetime of everything. Two pauses of more than an hour show that the hour does not help.
    let table =
        [(0, "5m"), (4, "5m"), (9, "5m"), (15, "1h"), (16, "1h"), (90, "1h"), (200, "5m"), (201, "5m"), (210, "1h")];
    for (minute, expected) in table {
        assert_eq!(lifetimes(&talk, minute), [expected; 3], "minute {minute}");
    }
    // Another conversation has its own pauses.
    talk.conversation = "d".to_owned();
    assert_eq!(lifetimes(&talk, 210), ["5m"; 3]);
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
