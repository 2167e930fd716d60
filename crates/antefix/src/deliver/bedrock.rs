//! Bedrock's Converse: `cachePoint` is a block of its own, and messages take turns.

use serde_json::{Value, json};

use super::breakpoint::Breakpoints;
use super::fragment::Place;
use super::messages::{is_users, placed, refuse};
use super::openai::{object, parameters};
use super::tools::{self, Form};
use super::{Content, Fragment, Receipt, Target};
use crate::compose::policy::Placement;
use crate::discover::tools::{Shape, Tool};
use crate::error::{Error, ErrorKind, Result};
use crate::models::Model;

pub(super) fn fill(
    content: &Content<'_>,
    model: Option<&Model>,
    fragment: &mut Fragment,
    receipt: &mut Receipt,
) -> Result<Vec<Value>> {
    let breakpoints = match model {
        Some(model) => Breakpoints::decide(content, model, "cachePoint", receipt),
        None => {
            receipt.instead("breakpoints for the model", "none: the model is not known, and some refuse them");
            Breakpoints { fixed: None, frozen: None }
        }
    };
    let form = Form::new(Target::Bedrock, Shape::Bedrock, tool);
    let form = Form { place: Place::ToolConfig, inside: Some("toolSpec"), list: points_last, ..form };
    tools::fill(content, &form, fragment, receipt)?;
    let mut system = Vec::new();
    for part in breakpoints.parts(content) {
        let ttl = part.anthropic_ttl();
        receipt.prefix_part(content, part.name, "system", format!("/system/{}", system.len()), part.text, ttl);
        system.push(json!({"text": part.text}));
        if let Some(ttl) = ttl {
            system.push(json!({"cachePoint": {"type": "default", "ttl": ttl}}));
        }
    }
    receipt.prefix_ends();
    if content.placement == Placement::System {
        for (what, text) in content.moving() {
            receipt.part(&what, "system", format!("/system/{}", system.len()), text, None);
            system.push(json!({"text": text}));
        }
    }
    if !system.is_empty() {
        fragment.insert("system", Value::Array(system));
    }
    let messages = woven(content, receipt)?;
    Ok(fragment.messages(content, "messages", messages))
}

/// Messages take turns in Converse, so what comes between them is a block more in a message of the user's.
fn woven(content: &Content<'_>, receipt: &mut Receipt) -> Result<Vec<Value>> {
    let key = if content.messages.is_some() { "messages" } else { "append" };
    let mut messages = inserted(content, key, receipt)?;
    messages.extend(content.added.iter().cloned());
    let in_system = content.placement == Placement::System;
    let spoken = content.notices.iter().map(|notice| (format!("notice {}", notice.number), notice.text, notice.after));
    let live = std::iter::once(("suffix".to_owned(), content.live(), None));
    for (what, text, after) in spoken.chain(live).filter(|(_, text, _)| !text.is_empty() && !in_system) {
        let because = "Converse only has users and assistants, taking turns";
        refuse(content, &what, because)?;
        let from = after.unwrap_or(usize::MAX).saturating_sub(1).min(messages.len().saturating_sub(1));
        let found = (from..messages.len()).chain((0..from).rev()).find(|at| is_users(&messages[*at]));
        let place = found.unwrap_or_else(|| push(&mut messages));
        let end = blocks(&mut messages, place, &what)?.len();
        say(&mut messages, (key, place, end), &what, &content.framed(text), receipt)?;
        receipt.instead(what, format!("a framed block in a message of the user's: {because}"));
    }
    Ok(messages)
}

/// The caller's messages with the insertions: behind what the user said before, in front of what the user says next, or as a
/// message of their own where the assistant spoke last.
fn inserted(content: &Content<'_>, key: &str, receipt: &mut Receipt) -> Result<Vec<Value>> {
    let own = content.messages.unwrap_or_default();
    let mut messages = own.to_vec();
    // The message that insertions were put in front of last, and how many.
    let mut in_front = (usize::MAX, 0);
    for (place, one) in placed(content, receipt) {
        let before = place.checked_sub(1).filter(|at| is_users(&messages[*at]));
        let behind = (place..own.len()).find(|at| is_users(&own[*at]));
        let (at, block) = match (before, behind) {
            (Some(before), _) => (before, blocks(&mut messages, before, &one.name)?.len()),
            (None, Some(behind)) => {
                in_front = if in_front.0 == behind { (behind, in_front.1 + 1) } else { (behind, 0) };
                in_front
            }
            (None, None) if messages.len() > own.len() => {
                let last = messages.len() - 1;
                (last, blocks(&mut messages, last, &one.name)?.len())
            }
            (None, None) => (push(&mut messages), 0),
        };
        say(&mut messages, (key, at, block), &one.name, &one.words(content), receipt)?;
    }
    Ok(messages)
}

/// A message of the user's with nothing in it yet.
fn push(messages: &mut Vec<Value>) -> usize {
    messages.push(json!({"role": "user", "content": []}));
    messages.len() - 1
}

/// Puts a block into a message.
fn say(
    messages: &mut [Value],
    (key, at, block): (&str, usize, usize),
    what: &str,
    words: &str,
    receipt: &mut Receipt,
) -> Result<()> {
    blocks(messages, at, what)?.insert(block, json!({"text": words}));
    receipt.part(what, "user", format!("/{key}/{at}/content/{block}"), words, None);
    Ok(())
}

/// The blocks of a message.
fn blocks<'m>(messages: &'m mut [Value], at: usize, what: &str) -> Result<&'m mut Vec<Value>> {
    messages[at].get_mut("content").and_then(Value::as_array_mut).ok_or_else(|| {
        let message = format!("{what} cannot be delivered: message {at} has no list of blocks as its `content`");
        let hint = "Converse takes messages like {\"role\": \"user\", \"content\": [{\"text\": \"…\"}]}";
        Error::new(ErrorKind::Undeliverable, message).with_hint(hint)
    })
}

/// The caller's own cache points are behind the tools, which are in the order of their names.
fn points_last(mut tools: Vec<Value>) -> Value {
    tools.sort_by_key(|tool| tool.get("cachePoint").is_some());
    Value::Array(tools)
}

fn tool(tool: &Tool) -> Value {
    let mut spec = json!({"name": tool.name});
    spec["inputSchema"] = object([("json", parameters(tool))]);
    // Bedrock refuses an empty description.
    if let Some(description) = tool.description.as_ref().filter(|text| !text.is_empty()) {
        spec["description"] = json!(description);
    }
    object([("toolSpec", spec)])
}
