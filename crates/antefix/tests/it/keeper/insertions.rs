//! What is put between a caller's messages, turn by turn.

use antefix::compose::policy::OnCompaction;
use antefix::freeze::Cause;
use antefix::{Antefix, Ask, Conversation, Target, Turn};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Talk, project};
use crate::deliver::unmarked;

const FROZEN: &str = "[[section]]\nid = \"a\"\nstability = \"frozen\"\ntext = \"A\"\n";

fn user(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": text}]})
}

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "text", "text": text}]})
}

fn said(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": text}]})
}

impl Talk {
    fn with_messages(&self, messages: &[Value]) -> Turn {
        self.at(&project(), |conversation| conversation.turn(self.ask().messages(messages.to_vec()))).unwrap()
    }

    fn send(&self, text: &str) {
        self.at(&project(), |conversation| conversation.send(text)).unwrap();
    }

    fn compact(&self) {
        self.at(&project(), |conversation| {
            let begun = conversation.begin_compaction(self.ask()).unwrap();
            conversation.commit_compaction(&begun.token, self.ask()).unwrap();
        });
    }
}

/// The messages of a turn's request, without the breakpoint of the conversation.
fn sent(turn: &Turn) -> Value {
    Value::Array(unmarked(&turn.deliver(Target::Anthropic).unwrap().fragment.to_value()["messages"]))
}

#[test]
fn a_queued_message_is_in_every_later_request_at_its_place() {
    let talk = Talk::new(FROZEN);
    let mut messages = vec![user("one")];
    talk.send("QUEUED");
    let turn = talk.with_messages(&messages);
    assert_eq!(sent(&turn), json!([user("one"), said("QUEUED")]));
    let part = turn.deliver(Target::Anthropic).unwrap().receipt.parts.pop().unwrap();
    assert_eq!((&*part.what, &*part.role, &*part.pointer, part.bytes), ("queued 1", "user", "/messages/1", 6));
    // The request failed, and is made again, whether the turn has a name or not.
    assert_eq!(sent(&talk.with_messages(&messages)), json!([user("one"), said("QUEUED")]));
    messages.extend([assistant("two"), user("three")]);
    talk.send("LATER");
    let expected = json!([user("one"), said("QUEUED"), assistant("two"), user("three"), said("LATER")]);
    assert_eq!(sent(&talk.with_messages(&messages)), expected);
    // A renewal changes what comes before the conversation, and not the conversation.
    talk.at(&project(), |conversation| conversation.renew(Cause::Requested, talk.ask())).unwrap();
    assert_eq!(sent(&talk.with_messages(&messages)), expected);
}

#[test]
fn a_compaction_ends_what_was_said_and_keeps_what_waits() {
    for on_compaction in [OnCompaction::Renew, OnCompaction::Keep] {
        let name = if on_compaction == OnCompaction::Keep { "keep" } else { "renew" };
        let talk = Talk::new(&format!("on_compaction = \"{name}\"\n{FROZEN}"));
        talk.send("BEFORE");
        talk.with_messages(&[user("one")]);
        talk.send("WAITING");
        talk.compact();
        let turn = talk.with_messages(&[user("Summary.")]);
        assert_eq!(sent(&turn), json!([user("Summary."), said("WAITING")]), "{name}");
    }
}

#[test]
fn the_request_for_a_summary_has_what_the_summary_is_of() {
    let talk = Talk::new(FROZEN);
    talk.send("QUEUED");
    talk.with_messages(&[user("one")]);
    talk.send("WAITING");
    let mut ask = talk.ask().messages(vec![user("one"), assistant("two")]);
    ask.replacement = Some("Summarize.".to_owned());
    let turn = talk.at(&project(), |conversation| conversation.turn(ask)).unwrap();
    assert_eq!(sent(&turn), json!([user("one"), said("QUEUED"), assistant("two")]), "and takes nothing that waits");
    assert_eq!(turn.messages, []);
}

#[test]
fn a_history_that_was_cut_has_it_at_its_end() {
    let talk = Talk::new(FROZEN);
    talk.send("QUEUED");
    talk.with_messages(&[user("one"), assistant("two"), user("three")]);
    assert_eq!(sent(&talk.with_messages(&[user("other")])), json!([user("other"), said("QUEUED")]));
    // One that is longer again has it where it was.
    let long = [user("one"), assistant("two"), user("three"), assistant("four")];
    assert_eq!(sent(&talk.with_messages(&long)), json!([long[0], long[1], long[2], said("QUEUED"), long[3]]));
}

#[test]
fn a_turn_that_does_not_say_how_long_the_history_is_leaves_the_place_to_the_next_one() {
    let talk = Talk::new(FROZEN);
    talk.send("QUEUED");
    for _ in 0..2 {
        let delivery = talk.turn(&project()).deliver(Target::Anthropic).unwrap();
        assert_eq!(json!(delivery.append), json!([said("QUEUED")]));
        assert_eq!(delivery.receipt.parts.last().unwrap().pointer, "/append/0");
    }
    let mut messages = vec![user("one"), assistant("two"), user("three")];
    assert_eq!(sent(&talk.with_messages(&messages)), json!([messages[0], messages[1], messages[2], said("QUEUED")]));
    messages.push(assistant("four"));
    let expected = json!([messages[0], messages[1], messages[2], said("QUEUED"), messages[3]]);
    assert_eq!(sent(&talk.with_messages(&messages)), expected);
}

#[test]
fn where_somebody_else_keeps_the_history_a_message_waits_until_it_has_arrived() {
    let talk = Talk::new(FROZEN);
    talk.send("QUEUED");
    let once = || {
        let mut ask = talk.ask();
        ask.repeat = antefix::keeper::Repeat::Never;
        let turn = talk.at(&project(), |conversation| conversation.turn(ask)).unwrap();
        turn.messages.iter().map(|message| message.number).collect::<Vec<_>>()
    };
    assert_eq!((once(), once()), (vec![1], vec![1]));
    talk.send("LATER");
    talk.at(&project(), |conversation| conversation.arrived(&[1])).unwrap();
    assert_eq!(once(), [2]);
    assert_eq!(sent(&talk.with_messages(&[user("one")])), json!([user("one"), said("LATER")]));
}

/// What happens in a conversation.
#[derive(Debug, Clone)]
enum Event {
    /// Somebody queues a message.
    Send,
    /// The user says something, the request succeeds, and the assistant answers.
    Ask,
    /// The assistant calls a tool, and the next request has its answer.
    UseTool,
    /// The request fails, and is made again.
    Fail,
    /// The prompt is made anew.
    Renew,
    /// Another process goes on.
    Restart,
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        3 => Just(Event::Send),
        3 => Just(Event::Ask),
        2 => Just(Event::UseTool),
        1 => Just(Event::Fail),
        1 => Just(Event::Renew),
        1 => Just(Event::Restart),
    ]
}

/// A history in the shape of a target.
struct History {
    target: Target,
    messages: Vec<Value>,
}

impl History {
    fn says(&mut self, role: &str, text: &str) {
        let message = match self.target {
            Target::Gemini => json!({"role": role, "parts": [{"text": text}]}),
            Target::Bedrock => json!({"role": role, "content": [{"text": text}]}),
            _ => json!({"role": role, "content": text}),
        };
        self.messages.push(message);
    }

    /// A call of a tool and its answer.
    fn uses_tool(&mut self, id: &str) {
        let (call, answer) = match self.target {
            Target::Gemini => (
                json!({"role": "model", "parts": [{"functionCall": {"name": id}}]}),
                json!({"role": "user", "parts": [{"functionResponse": {"name": id}}]}),
            ),
            Target::Bedrock => (
                json!({"role": "assistant", "content": [{"toolUse": {"toolUseId": id}}]}),
                json!({"role": "user", "content": [{"toolResult": {"toolUseId": id}}]}),
            ),
            Target::Anthropic => (
                json!({"role": "assistant", "content": [{"type": "tool_use", "id": id}]}),
                json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id}]}),
            ),
            Target::OpenAiResponses => (
                json!({"type": "function_call", "call_id": id}),
                json!({"type": "function_call_output", "call_id": id}),
            ),
            _ => (
                json!({"role": "assistant", "tool_calls": [{"id": id}]}),
                json!({"role": "tool", "tool_call_id": id, "content": "x"}),
            ),
        };
        self.messages.extend([call, answer]);
    }
}

/// The messages of a request as the model reads them: who says what, block by block. In Converse a block more in a message is what a
/// message more is elsewhere.
fn read(target: Target, turn: &Turn) -> Vec<String> {
    let delivery = turn.deliver(target).unwrap();
    let fragment = delivery.fragment.to_value();
    // Where a conversation is marked moves with it, and is not a part of what a provider compares.
    let messages = unmarked(&fragment[target.messages_key()]);
    let blocks = messages.into_iter().flat_map(|message| match (target, message["content"].as_array()) {
        (Target::Bedrock, Some(blocks)) => {
            blocks.iter().map(|block| format!("{} {block}", message["role"])).collect::<Vec<_>>()
        }
        _ => vec![message.to_string()],
    });
    blocks.collect()
}

fn conversation(path: &std::path::Path) -> Conversation {
    let store = format!("sqlite:{}", path.display());
    let world = antefix::worlds::MemoryWorld::new().file("/p/.git/HEAD", "").file("/p/.antefix/layout.toml", FROZEN);
    Antefix::builder().world(world).store(store).build().unwrap().project("/p").unwrap().conversation("c").unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Each request has what the one before it had, byte for byte, and each insertion once.
    #[test]
    fn every_request_begins_as_the_one_before_and_has_each_insertion_once(
        events in prop::collection::vec(event(), 1..12),
    ) {
        for target in Target::ALL.into_iter().filter(|target| *target != Target::Acp) {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("ledger.db");
            let mut talk = conversation(&path);
            let mut history = History { target, messages: Vec::new() };
            let (mut queued, mut before) = (0, Vec::<String>::new());
            history.says("user", "Hello.");
            for (number, event) in events.iter().enumerate() {
                match event {
                    Event::Send => {
                        queued += 1;
                        talk.send(&format!("(queued {queued})")).unwrap();
                        continue;
                    }
                    Event::Restart => {
                        talk = conversation(&path);
                        continue;
                    }
                    Event::Renew => {
                        if talk.is_open().unwrap() {
                            talk.renew(Cause::Requested, Ask::new()).unwrap();
                        }
                        continue;
                    }
                    Event::Ask | Event::UseTool | Event::Fail => {}
                }
                let ask = Ask::new().messages(history.messages.clone()).turn(format!("t{number}"));
                let request = read(target, &talk.turn(ask).unwrap());
                prop_assert_eq!(&request[..before.len()], &before[..], "{} {}", target.name(), number);
                for one in 1..=queued {
                    let text = format!("(queued {one})");
                    let count = request.iter().filter(|message| message.contains(&text)).count();
                    prop_assert_eq!(count, 1, "{} has {} times {}", target.name(), count, text);
                }
                before = request;
                match event {
                    Event::Ask => {
                        history.says(if target == Target::Gemini { "model" } else { "assistant" }, "Yes.");
                        history.says("user", &format!("Question {number}?"));
                    }
                    Event::UseTool => history.uses_tool(&format!("call {number}")),
                    _ => {}
                }
            }
        }
    }
}
