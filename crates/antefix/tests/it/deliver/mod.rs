//! Fragments, byte for byte, and what holds for all of them.

mod blocks;
mod comparison;
mod fragment;

mod insertions;

mod properties;

mod reading;

mod meta;
mod refused;
mod route;
mod rules;

mod shapes;
mod tools;

#[cfg(feature = "tokens")]
mod simulated;

use std::sync::LazyLock;

use antefix::deliver::{Content, Notice, NoticeKind};
use antefix::discover::tools::{Tool, Tools};
use antefix::models::{Model, Models};
use serde_json::{Value, json};

pub(super) const FRAME: (&str, &str) =
    ("<setting>\nThe program that you run in says this, not the person you talk with.", "</setting>");

pub(super) fn model(name: &str) -> Model {
    Models::built_in().find(name).unwrap().0
}

pub(super) fn tools() -> Tools {
    let read = Tool {
        description: Some("Reads.".to_owned()),
        parameters: Some(json!({"type": "object", "properties": {"path": {"type": "string"}}})),
        ..Tool::named("read")
    };
    [read, Tool::named("bash")].into_iter().collect()
}

/// A list of tools with nothing in it, which is not the same as none.
pub(super) fn no_tools() -> &'static Tools {
    static NONE: LazyLock<Tools> = LazyLock::new(|| Tools::from(Vec::new()));
    &NONE
}

/// A message whose text has the breakpoint of the conversation.
pub(super) fn rolling(role: &str, text: &str) -> Value {
    json!({"role": role, "content": [{"type": "text", "text": text, "cache_control": {"type": "ephemeral", "ttl": "5m"}}]})
}

/// Messages without breakpoints, each text as a block, so that a conversation can be compared with what was sent of it.
pub(crate) fn unmarked(messages: &Value) -> Vec<Value> {
    let block = |block: &Value| {
        let mut block = block.clone();
        if block["type"] == "input_text" {
            block["type"] = json!("text");
        }
        for key in ["cache_control", "prompt_cache_breakpoint"] {
            block.as_object_mut().and_then(|members| members.remove(key));
        }
        block
    };
    let message = |message: &Value| {
        let mut message = message.clone();
        message["content"] = match &message["content"] {
            Value::String(text) => json!([{"type": "text", "text": text}]),
            Value::Array(blocks) => blocks.iter().filter(|one| one.get("cachePoint").is_none()).map(block).collect(),
            other => other.clone(),
        };
        message
    };
    messages.as_array().into_iter().flatten().map(message).collect()
}

/// Fixed and frozen text, one notice behind the first message, a live part. Without messages, the caller keeps them to itself.
pub(super) fn content<'c>(tools: &'c Tools, messages: &'c [Value]) -> Content<'c> {
    Content {
        fixed: "FIXED",
        frozen: "\n\nFROZEN",
        notices: vec![Notice { kind: NoticeKind::Amendment, number: 1, text: "NOTICE", after: Some(1) }],
        tools: Some(tools),
        messages: (!messages.is_empty()).then_some(messages),
        frame: FRAME,
        ..Content::new("", 0, "\n\nLIVE")
    }
}

pub(super) fn talk() -> Vec<Value> {
    vec![
        json!({"role": "user", "content": "one"}),
        json!({"role": "assistant", "content": "two"}),
        json!({"role": "user", "content": "three"}),
    ]
}
