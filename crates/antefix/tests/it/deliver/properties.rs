//! What holds for every target.

use antefix::deliver::{Content, Delivery, Notice, NoticeKind, Target, deliver};
use antefix::models::{Model, Models};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{content, no_tools, tools, unmarked};

fn models() -> Vec<Option<Model>> {
    let names =
        ["claude-opus-5", "claude-haiku-4-5", "gpt-5.6-sol", "gpt-4o", "gemini-2.5-pro", "us.anthropic.claude-opus-5"];
    let known = names.iter().map(|name| Models::built_in().find(name).map(|(model, _)| model));
    known.chain([None]).collect()
}

/// A message in a shape that the target takes.
fn message(target: Target, role: &str, text: &str) -> Value {
    match target {
        Target::Gemini => json!({"role": role, "parts": [{"text": text}]}),
        Target::Bedrock => json!({"role": role, "content": [{"text": text}]}),
        _ => json!({"role": role, "content": text}),
    }
}

fn talk(target: Target, texts: &[String]) -> Vec<Value> {
    let role = |at: usize| if at.is_multiple_of(2) { "user" } else { "assistant" };
    texts.iter().enumerate().map(|(at, text)| message(target, role(at), text)).collect()
}

/// Where a target has the conversation; none if it has no place for it.
fn conversation(target: Target) -> Option<&'static str> {
    match target {
        Target::Plain | Target::Acp => None,
        Target::Anthropic | Target::OpenAiChat | Target::Bedrock | Target::Ollama => Some("messages"),
        Target::OpenAiResponses => Some("input"),
        Target::Gemini => Some("contents"),
    }
}

/// Whether a message that is sent is one of the caller's, as it was. In Converse users and assistants take turns, so what the
/// system says is in further blocks of such a message; everywhere else it has messages of its own.
fn is_still(target: Target, sent: &Value, message: &Value) -> bool {
    let [sent, message] = [sent, message].map(|one| unmarked(&json!([one])));
    match (target, sent[0]["content"].as_array(), message[0]["content"].as_array()) {
        (Target::Bedrock, Some(sent_blocks), Some(blocks)) => {
            sent[0]["role"] == message[0]["role"] && sent_blocks.starts_with(blocks)
        }
        _ => sent == message,
    }
}

/// What a fragment has of the system's prefix, place by place.
fn prefix(delivery: &Delivery) -> Vec<(String, Option<Value>)> {
    let fragment = delivery.fragment.to_value();
    let parts = delivery.receipt.parts.iter().filter(|part| part.is_prefix());
    let found = parts.map(|part| match fragment.pointer(&part.pointer) {
        // Where there is one text for all, the prefix is how it begins.
        Some(Value::String(text)) => (part.pointer.clone(), text.get(..part.bytes).map(Value::from)),
        found => (part.pointer.clone(), found.cloned()),
    });
    found.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn one_epoch_has_one_prefix_form_whatever_follows(
        fixed in "[ -~\n]{0,20}",
        frozen in "[ -~\n]{0,20}",
        texts in prop::collection::vec("[ -~]{1,8}", 0..7),
        cut in 0_usize..7,
    ) {
        let tools = tools();
        for target in Target::ALL {
            for model in models() {
                let talk = talk(target, &texts);
                let of = |suffix: &'static str, messages: &[Value]| {
                    let content = Content { suffix, ..content(&tools, &[]) };
                    let content = Content { fixed: &fixed, frozen: &frozen, messages: Some(messages), ..content };
                    deliver(&content, target, model.as_ref()).unwrap()
                };
                let one = of("\n\nLIVE", &talk);
                let other = of("", &talk[..cut.min(talk.len())]);
                prop_assert_eq!(&one.receipt.prefix_form, &other.receipt.prefix_form);
                prop_assert_eq!(prefix(&one), prefix(&other), "{}", target.name());
                prop_assert!(!prefix(&one).is_empty() || (fixed.is_empty() && frozen.is_empty()), "{}", target.name());
                let (one, other) = (one.fragment.to_value(), other.fragment.to_value());
                for key in ["system", "tools", "toolConfig", "prompt_cache_key"] {
                    let marked = |fragment: &Value| match fragment.get(key) {
                        Some(Value::Array(blocks)) if key == "system" => blocks
                            .iter()
                            .rposition(|block| block.get("cache_control").or(block.get("cachePoint")).is_some())
                            .map(|last| json!(blocks[..=last])),
                        found => found.cloned(),
                    };
                    prop_assert_eq!(marked(&one), marked(&other), "{} {}", target.name(), key);
                }
            }
        }
    }

    #[test]
    fn every_byte_of_the_system_is_in_the_fragment_once_and_in_the_receipt(
        texts in prop::collection::vec("[!-~]{1,8}", 0..5),
        after in prop::option::of(0_usize..6),
    ) {
        for target in Target::ALL {
            for model in models() {
                let talk = talk(target, &texts);
                let notices = vec![Notice { kind: NoticeKind::Amendment, number: 1, text: "QNOTICEQ", after }];
                let content = Content {
                    fixed: "QFIXEDQ", frozen: "QFROZENQ", suffix: "\n\nQLIVEQ", notices, ..content(no_tools(), &talk)
                };
                let delivery = deliver(&content, target, model.as_ref()).unwrap();
                let mut fragment = delivery.fragment.to_value();
                fragment["append"] = json!(delivery.append);
                let bytes = fragment.to_string();
                for text in ["QFIXEDQ", "QFROZENQ", "QNOTICEQ", "QLIVEQ"] {
                    prop_assert_eq!(bytes.matches(text).count(), 1, "{} {}", target.name(), text);
                }
                for part in delivery.receipt.parts.iter().filter(|part| part.what != "tools") {
                    prop_assert!(fragment.pointer(&part.pointer).is_some(), "{} {}", target.name(), &part.pointer);
                }
                // The caller's messages are all there, in order, as they were.
                let sent = conversation(target).and_then(|key| fragment.get(key)).and_then(Value::as_array);
                let mut sent = sent.into_iter().flatten();
                for message in talk.iter().filter(|_| conversation(target).is_some()) {
                    prop_assert!(sent.any(|sent| is_still(target, sent, message)), "{}: {}", target.name(), &bytes);
                }
            }
        }
    }
}
