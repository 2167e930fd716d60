//! The text as it is, and the fields of an ACP request.

use serde_json::{Map, Value, json};

use super::openai::{function, object};
use super::{Content, Receipt};
use crate::discover::Tool;
use crate::error::Result;

pub(super) fn fill(content: &Content<'_>, fragment: &mut Map<String, Value>, receipt: &mut Receipt) -> Result<()> {
    if let Some(tools) = content.tools {
        let shaped = tools.shaped("plain", |tools| tools.iter().map(tool).collect());
        receipt.tools("/tools", &shaped);
        fragment.insert("tools".to_owned(), shaped.list.clone());
    }
    let mut text = content.prefix();
    if !text.is_empty() {
        receipt.prefix_part(content, "prefix", "system", "/text".to_owned(), &text, None);
    }
    receipt.prefix_ends();
    for notice in &content.notices {
        receipt.part(&format!("notice {}", notice.number), "system", "/text".to_owned(), notice.text, None);
        let joint = if text.is_empty() { "" } else { "\n\n" };
        text.push_str(&format!("{joint}{}", notice.text));
    }
    if !content.suffix.is_empty() {
        receipt.part("suffix", "system", "/text".to_owned(), content.suffix, None);
        text.push_str(content.suffix);
    }
    fragment.insert("text".to_owned(), Value::String(text));
    Ok(())
}

/// A tool with what is known of it.
fn tool(tool: &Tool) -> Value {
    let mut known = function(tool);
    if let Some(parameters) = &tool.parameters {
        known.insert("parameters".to_owned(), parameters.clone());
    }
    Value::Object(known)
}

/// `systemPrompt` for `session/new`, and the blocks for `session/prompt`. An ACP agent has tools of its own.
pub(super) fn fill_acp(content: &Content<'_>, fragment: &mut Map<String, Value>, receipt: &mut Receipt) -> Result<()> {
    let prefix = content.prefix();
    if !prefix.is_empty() {
        receipt.prefix_part(content, "prefix", "system", "/systemPrompt/content/0".to_owned(), &prefix, None);
        let block = object([("type", Value::from("text")), ("text", Value::String(prefix))]);
        let prompt = object([("mode", Value::from("append")), ("content", Value::Array(vec![block]))]);
        fragment.insert("systemPrompt".to_owned(), prompt);
    }
    receipt.prefix_ends();
    let mut blocks = Vec::new();
    for (what, text) in content.moving() {
        let words = content.framed(text);
        receipt.part(&what, "user", format!("/prompt/{}", blocks.len()), &words, None);
        blocks.push(json!({"type": "text", "text": words}));
    }
    if !blocks.is_empty() {
        fragment.insert("prompt".to_owned(), Value::Array(blocks));
    }
    if content.tools.is_some_and(|tools| !tools.is_empty()) {
        receipt.instead("tools", "left out: an ACP agent has tools of its own");
    }
    Ok(())
}
