//! Fragments, byte for byte, and what holds for all of them.

mod fragment;

mod insertions;

mod properties;

mod reading;

mod meta;
mod route;

mod shapes;

#[cfg(feature = "tokens")]
mod simulated;

use std::sync::LazyLock;

use antefix::compose::policy::{Placement, Undeliverable};
use antefix::deliver::{Content, Notice};
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

/// Fixed and frozen text, one notice behind the first message, a live part. Without messages, the caller keeps them to itself.
pub(super) fn content<'c>(tools: &'c Tools, messages: &'c [Value]) -> Content<'c> {
    Content {
        fixed: "FIXED",
        frozen: "\n\nFROZEN",
        epoch: None,
        digests: None,
        notices: vec![Notice { number: 1, text: "NOTICE", after: Some(1) }],
        suffix: "\n\nLIVE",
        tools: Some(tools),
        messages: (!messages.is_empty()).then_some(messages),
        insertions: Vec::new(),
        added: Vec::new(),
        removed: &[],
        placement: Placement::Last,
        undeliverable: Undeliverable::Substitute,
        frame: FRAME,
    }
}

pub(super) fn talk() -> Vec<Value> {
    vec![
        json!({"role": "user", "content": "one"}),
        json!({"role": "assistant", "content": "two"}),
        json!({"role": "user", "content": "three"}),
    ]
}
