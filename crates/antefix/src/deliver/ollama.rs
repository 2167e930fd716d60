//! Ollama: one system message in front; what moves goes as the user's, because templates differ in what they do with a
//! second system message.

use serde_json::{Value, json};

use super::messages::{Between, Voice, weave};
use super::openai::{nested_form, object};
use super::{Content, Fragment, Receipt, Target, tools};
use crate::compose::policy::Placement;
use crate::error::Result;
use crate::models::Model;

pub(super) fn fill(
    content: &Content<'_>,
    _: Option<&Model>,
    fragment: &mut Fragment,
    receipt: &mut Receipt,
) -> Result<Vec<Value>> {
    tools::fill(content, &nested_form(Target::Ollama), fragment, receipt)?;
    let mut system = content.prefix();
    let mut messages = Vec::new();
    if !system.is_empty() {
        receipt.prefix_part(content, "prefix", "system", "/messages/0/content".to_owned(), &system, None);
    }
    receipt.prefix_ends();
    if content.placement == Placement::System {
        for (what, text) in content.moving() {
            receipt.part(&what, "system", "/messages/0/content".to_owned(), text, None);
            let joint = if system.is_empty() { "" } else { "\n\n" };
            system.push_str(&format!("{joint}{text}"));
        }
    }
    if !system.is_empty() {
        messages.push(object([("role", Value::from("system")), ("content", Value::String(system))]));
    }
    let user = |text: &str| json!({"role": "user", "content": text});
    let voice = Voice {
        role: "user",
        framed: true,
        because: Some("what a model's template does with a second system message is not known"),
        message: &user,
        user: &user,
        join: None,
        between: Between::Any,
        refused: Between::Any.refused(),
        tools: None,
    };
    let woven = weave(content, &voice, ("messages", messages.len()), receipt)?.messages;
    Ok(fragment.messages_behind(content, "messages", messages, woven))
}
