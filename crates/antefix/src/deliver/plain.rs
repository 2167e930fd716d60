//! The text as it is, and the fields of an ACP request.

use serde_json::{Value, json};

use super::messages::{Between, Voice, placed, weave};
use super::openai::{function, object};
use super::tools::{self, Form};
use super::{Content, Fragment, Receipt, Target};
use crate::discover::tools::{Shape, Tool};
use crate::error::Result;

pub(super) fn fill(content: &Content<'_>, fragment: &mut Fragment, receipt: &mut Receipt) -> Result<Vec<Value>> {
    let content = &content.without_earlier_live();
    tools::fill(content, &form(), fragment, receipt)?;
    content.one_text("a text has no messages", receipt)?;
    let mut text = content.prefix();
    if !text.is_empty() {
        receipt.prefix_part(content, "prefix", "system", "/text".to_owned(), &text, None);
    }
    receipt.prefix_ends();
    for notice in &content.notices {
        receipt.part(&notice.name(), "system", "/text".to_owned(), notice.text, None);
        let joint = if text.is_empty() { "" } else { "\n\n" };
        text.push_str(&format!("{joint}{}", notice.text));
    }
    if !content.suffix.is_empty() {
        receipt.part("suffix", "system", "/text".to_owned(), content.suffix, None);
        text.push_str(content.suffix);
    }
    fragment.insert("text", Value::String(text));
    // Notices and the live part are in the text.
    let messages = Content { notices: Vec::new(), suffix: "", ..content.clone() };
    let user = |text: &str| json!({"role": "user", "content": text});
    let voice = Voice {
        role: "user",
        framed: true,
        because: None,
        message: &user,
        user: &user,
        join: None,
        between: Between::Any,
        refused: Between::Any.refused(),
        tools: None,
    };
    let woven = weave(&messages, &voice, ("messages", 0), receipt)?.messages;
    Ok(fragment.messages(content, "messages", woven))
}

/// Tools as they are.
pub(super) fn form() -> Form {
    Form { shape: None, ..Form::new(Target::Plain, Shape::Neutral, tool) }
}

/// A tool with what is known of it.
fn tool(tool: &Tool) -> Value {
    let mut known = function(tool);
    if let Some(parameters) = &tool.parameters {
        known.insert("parameters".to_owned(), parameters.clone());
    }
    Value::Object(known)
}

/// `systemPrompt` for `session/new`, and blocks to append to `session/prompt`. An ACP agent has tools and a history of its own: what
/// a turn brings for the first time is sent, and nothing is sent again.
pub(super) fn fill_acp(content: &Content<'_>, fragment: &mut Fragment, receipt: &mut Receipt) -> Result<Vec<Value>> {
    let content = &content.without_earlier_live();
    content.one_text("an ACP agent takes one system prompt", receipt)?;
    let prefix = content.prefix();
    if !prefix.is_empty() {
        receipt.prefix_part(content, "prefix", "system", "/systemPrompt/content/0".to_owned(), &prefix, None);
        let block = object([("type", Value::from("text")), ("text", Value::String(prefix))]);
        let prompt = object([("mode", Value::from("append")), ("content", Value::Array(vec![block]))]);
        fragment.insert("systemPrompt", prompt);
    }
    receipt.prefix_ends();
    let inserted: Vec<_> = placed(content, receipt).into_iter().filter(|(_, one)| one.is_fresh).collect();
    let inserted = inserted.into_iter().map(|(_, one)| (one.name.to_string(), one.words(content)));
    let moving = content.moving().map(|(what, text)| (what, content.framed(text)));
    let mut blocks = Vec::new();
    let asks = content.asks.map(|words| ("compaction".to_owned(), words.to_owned()));
    for (what, words) in inserted.chain(moving).chain(asks) {
        receipt.part(&what, "user", format!("/append/{}", blocks.len()), &words, None);
        blocks.push(json!({"type": "text", "text": words}));
    }
    if content.tools.is_some_and(|tools| !tools.is_empty()) {
        receipt.instead("tools", "left out: an ACP agent has tools of its own");
    }
    Ok(blocks)
}
