//! `messages`: what the caller passes through.

use antefix::hooks::{HookPoint, TurnChange};
use antefix::{Target, Turn};
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

/// A turn with a queued message behind the first of two messages, and with what a hook adds.
fn with_queued(hooks: &[&Voice]) -> Turn {
    let talk = Talk::new("[[section]]\nid = \"a\"\nstability = \"frozen\"\ntext = \"A\"\n");
    let turn = |hooks: &[&Voice], messages: &[Value]| {
        let ask = talk.ask().messages(messages.to_vec());
        talk.with_hooks(hooks).at(&project(), |conversation| conversation.turn(ask)).unwrap()
    };
    talk.at(&project(), |conversation| conversation.send("QUEUED")).unwrap();
    turn(&[], &[user("one")]);
    let add = Voice {
        turn: std::sync::Arc::new(|_| Ok(TurnChange { messages: vec![user("ADDED")], ..TurnChange::default() })),
        ..Voice::new("add", &[HookPoint::BeforeTurn])
    };
    let hooks: Vec<&Voice> = [&add].into_iter().chain(hooks.iter().copied()).collect();
    let hooked = turn(&hooks, &[user("one"), user("two")]);
    // What hooks do is for one request alone.
    assert_eq!(sent(&turn(&[], &[user("one"), user("two")])), json!([user("one"), user("QUEUED"), user("two")]));
    hooked
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

/// The messages of a request.
fn sent(turn: &Turn) -> Value {
    let messages = turn.deliver(Target::Ollama).unwrap().fragment.to_value()["messages"].clone();
    json!(messages.as_array().unwrap()[1..])
}

#[test]
fn a_hook_sees_what_will_be_sent_in_order() {
    let seen = std::sync::Arc::<std::sync::Mutex<Vec<Value>>>::default();
    let looks = std::sync::Arc::clone(&seen);
    let same = changes("same", move |messages| {
        *looks.lock().unwrap() = messages.to_vec();
        messages.to_vec()
    });
    let turn = with_queued(&[&same]);
    let shown = json!([
        user("one"), {"role": "user", "content": "QUEUED", "antefix": "queued 1"}, user("two"), user("ADDED"),
    ]);
    assert_eq!(json!(*seen.lock().unwrap()), shown);
    assert_eq!(sent(&turn), json!([user("one"), user("QUEUED"), user("two"), user("ADDED")]));
}

#[test]
fn a_hook_may_take_a_queued_message_out_of_one_request_and_the_receipt_says_so() {
    let quiet =
        changes("quiet", |messages| messages.iter().filter(|one| one.get("antefix").is_none()).cloned().collect());
    let turn = with_queued(&[&quiet]);
    assert_eq!(sent(&turn), json!([user("one"), user("two"), user("ADDED")]));
    let receipt = turn.deliver(Target::Ollama).unwrap().receipt;
    let instead: Vec<_> = receipt.substitutions.iter().map(|one| (&*one.what, &*one.instead)).collect();
    assert_eq!(instead, [("queued 1", "left out of this request by hook `quiet`")]);
    assert_eq!(did(&turn), ["add added-messages 35", "quiet changed-messages 99"]);
}

#[test]
fn a_hook_may_move_and_change_it_and_it_keeps_its_name() {
    let last = changes("last", |messages| {
        let mut marked = messages[1].clone();
        marked["content"] = json!("CHANGED");
        vec![messages[0].clone(), messages[2].clone(), marked]
    });
    let turn = with_queued(&[&last]);
    assert_eq!(sent(&turn), json!([user("one"), user("two"), user("CHANGED")]));
    let part = turn.deliver(Target::Ollama).unwrap().receipt.parts.pop().unwrap();
    assert_eq!((&*part.what, &*part.pointer), ("queued 1", "/messages/3"));
}

#[test]
fn a_message_with_a_name_that_no_insertion_has_is_a_failure() {
    let marked = |mark: &str| json!({"role": "user", "content": "x", "antefix": mark});
    let answers = [
        vec![marked("queued 2")],
        vec![marked("queued 1"), marked("queued 1")],
        vec![json!({"role": "user", "content": [], "antefix": "queued 1"})],
    ];
    for answer in answers {
        let wrong = changes("wrong", move |_| answer.clone());
        let turn = with_queued(&[&wrong]);
        assert_eq!(codes(&turn), ["warning hook-failed"]);
        assert_eq!(sent(&turn), json!([user("one"), user("QUEUED"), user("two"), user("ADDED")]));
    }
}

#[test]
fn without_messages_nobody_is_asked_about_them() {
    let add = changes("add", |messages| messages.to_vec());
    let turn = passed(&[&add], None);
    assert_eq!((turn.history, add.received().len()), (None, 0));
}
