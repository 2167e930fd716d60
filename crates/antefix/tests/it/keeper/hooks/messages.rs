//! `messages`: what the caller passes through.

use antefix::Turn;
use antefix::hooks::HookPoint;
use serde_json::{Value, json};

use super::super::{Talk, project};
use super::{Voice, codes, did};

fn passed(hooks: &[&Voice], messages: Option<&[Value]>) -> Turn {
    let talk = Talk::new("[[section]]\nid = \"a\"\nstability = \"frozen\"\ntext = \"A\"\n");
    let mut ask = talk.ask();
    ask.messages = messages.map(Into::into);
    talk.with_hooks(hooks).at(&project(), |conversation| conversation.turn(ask)).unwrap()
}

fn said(texts: &[&str]) -> Vec<Value> {
    texts.iter().map(|text| json!({"role": "user", "text": text})).collect()
}

fn changes(name: &str, change: impl Fn(&[Value]) -> Vec<Value> + Send + Sync + 'static) -> Voice {
    Voice {
        messages: std::sync::Arc::new(move |messages| Ok(Some(change(messages)))),
        ..Voice::new(name, &[HookPoint::Messages])
    }
}

#[test]
fn messages_are_filtered_added_and_changed_in_order() {
    let drop_first = changes("drop", |messages| messages[1..].to_vec());
    let add = changes("add", |messages| [messages, &said(&["new"])].concat());
    let same = changes("same", <[Value]>::to_vec);
    let turn = passed(&[&drop_first, &add, &same], Some(&said(&["one", "two"])));
    assert_eq!(turn.history.as_deref(), Some(&said(&["two", "new"])[..]));
    assert_eq!(did(&turn), ["drop changed-messages 30", "add changed-messages 59", "same nothing 0"]);
}

#[test]
fn a_failing_or_malformed_hook_leaves_messages_as_the_earlier_ones_left_them() {
    let add = changes("add", |messages| [messages, &said(&["new"])].concat());
    let broken = changes("broken", |_| vec![json!(3)]);
    let failing = Voice::failing("failing", &[HookPoint::Messages]);
    let turn = passed(&[&add, &broken, &failing], Some(&said(&["one"])));
    assert_eq!(turn.history.as_deref(), Some(&said(&["one", "new"])[..]));
    assert_eq!(codes(&turn), ["warning hook-failed", "warning hook-failed"]);
}

#[test]
fn without_messages_nobody_is_asked_about_them() {
    let add = changes("add", |messages| messages.to_vec());
    let turn = passed(&[&add], None);
    assert_eq!((turn.history, add.received().len()), (None, 0));
}
