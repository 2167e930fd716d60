//! Bedrock's Converse: `cachePoint` is a block of its own, and messages take turns.

use serde_json::{Value, json};

use super::breakpoint::{Breakpoints, Marker, anthropic_ttl};
use super::fragment::Place;
use super::messages::{Between, Voice, answered, is_users, placed, refuse};
use super::openai::{object, parameters};
use super::tools::{self, Form};
use super::{Block, Content, Fragment, Part, Receipt, Target, repair};
use crate::compose::policy::{Placement, Role};
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
        Some(model) => Breakpoints::decide(content, model, &MARKER, receipt),
        None => {
            receipt.instead("breakpoints for the model", "none: the model is not known, and some refuse them");
            Breakpoints::NONE
        }
    };
    tools::fill(content, &form(), fragment, receipt)?;
    // What the user says before the conversation is one message, because users and assistants take turns.
    let (mut system, mut front) = (Vec::new(), Vec::new());
    for part in breakpoints.parts(content) {
        let Block { name, text, role, .. } = &part.block;
        let ttl = part.anthropic_ttl();
        content.no_developer(&part.block, "Converse has no role for a developer", receipt)?;
        let (who, place, list) = match role {
            Role::User => ("user", "/messages/0/content", &mut front),
            _ => ("system", "/system", &mut system),
        };
        receipt.prefix_part(content, name, who, format!("{place}/{}", list.len()), text, ttl);
        list.push(json!({"text": text}));
        if let Some(ttl) = ttl {
            list.push(json!({"cachePoint": {"type": "default", "ttl": ttl}}));
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
    let front = (!front.is_empty()).then(|| json!({"role": "user", "content": front}));
    // Where the caller keeps its messages, the two are joined when it merges them.
    let (front, first) = if content.messages.is_some() { (None, front) } else { (front, None) };
    let messages = woven(content, breakpoints, first, receipt)?;
    Ok(fragment.messages_behind(content, "messages", front.into_iter().collect(), messages))
}

/// What breakpoints are called.
const MARKER: Marker = Marker { key: "cachePoint", shape: Shape::Bedrock };

/// Messages take turns in Converse, so what comes between them is a block more in a message of the user's.
fn woven(
    content: &Content<'_>,
    breakpoints: Breakpoints,
    first: Option<Value>,
    receipt: &mut Receipt,
) -> Result<Vec<Value>> {
    let key = if content.messages.is_some() { "messages" } else { "append" };
    let user = |text: &str| json!({"role": "user", "content": [{"text": text}]});
    let voice = Voice {
        role: "user",
        framed: true,
        because: None,
        message: &user,
        user: &user,
        join: None,
        between: Between::AfterUser,
        refused: Between::AfterUser.refused(),
        tools: None,
    };
    let own: Vec<&Value> = content.conversation().collect();
    let repaired = repair::repaired(content, &own, &[], &voice, receipt);
    // What is left out keeps its place until all places are known.
    let own: Vec<Value> = repaired.iter().map(|own| own.sent().cloned().unwrap_or_else(left_out)).collect();
    let recorded = receipt.parts.len();
    let mut messages = inserted(content, own, key, receipt)?;
    let in_system = content.placement == Placement::System;
    let spoken = content.notices.iter().map(|notice| (notice.name(), notice.text, notice.after));
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
    if let Some(first) = first {
        messages.insert(0, first);
        for part in &mut receipt.parts[recorded..] {
            if let Some((at, block)) = block_of(&part.pointer) {
                part.pointer = format!("/messages/{}/content/{block}", at + 1);
            }
        }
    }
    take_turns(&mut messages, key, &mut receipt.parts[recorded..]);
    // Behind the cache point of the last message is what is said for this turn alone.
    let live = receipt.parts.iter().filter(|part| part.what == "suffix").find_map(|part| block_of(&part.pointer));
    let kept = if content.asks.is_some() { &messages[..answered(&messages)] } else { &messages[..] };
    for at in
        breakpoints.rolling(kept, |message| message["content"].as_array().map(Vec::len).filter(|count| *count > 0))
    {
        let end = messages[at]["content"].as_array().map_or(0, Vec::len);
        let block = live.filter(|(message, _)| *message == at).map_or(end, |(_, block)| block);
        if block == 0 {
            continue;
        }
        let mut point = json!({"type": "default"});
        if anthropic_ttl(breakpoints.rolling_lifetime) == "1h" {
            point["ttl"] = json!("1h");
        }
        blocks(&mut messages, at, "a cache point")?.insert(block, json!({"cachePoint": point}));
        receipt.rolling.push(format!("/messages/{at}"));
        for part in
            receipt.parts.iter_mut().filter(|part| block_of(&part.pointer).is_some_and(|(m, b)| m == at && b >= block))
        {
            part.pointer =
                format!("/messages/{at}/content/{}", block_of(&part.pointer).map_or(0, |(_, block)| block + 1));
        }
    }
    if let Some(words) = content.asks {
        let place = messages.len().checked_sub(1).filter(|at| is_users(&messages[*at]));
        let place = place.unwrap_or_else(|| push(&mut messages));
        let end = blocks(&mut messages, place, "compaction")?.len();
        say(&mut messages, (key, place, end), "compaction", words, receipt)?;
    }
    Ok(messages)
}

/// A message that is not sent.
fn left_out() -> Value {
    Value::Null
}

/// The message and the block that a pointer names.
fn block_of(pointer: &str) -> Option<(usize, usize)> {
    let (message, block) = pointer.strip_prefix("/messages/")?.split_once("/content/")?;
    Some((message.parse().ok()?, block.parse().ok()?))
}

/// Joins what one speaker says in several messages to one, because Converse wants them to take turns, and leaves out what is not sent.
fn take_turns(messages: &mut Vec<Value>, key: &str, parts: &mut [Part]) {
    let mut joined: Vec<Value> = Vec::with_capacity(messages.len());
    let mut moved: Vec<(usize, usize)> = Vec::with_capacity(messages.len());
    for message in messages.drain(..) {
        let more = message["content"].as_array().cloned();
        match (joined.last_mut(), more) {
            _ if message.is_null() => moved.push((joined.len(), 0)),
            (Some(last), Some(more)) if last["role"] == message["role"] && last["content"].is_array() => {
                let blocks = last["content"].as_array_mut();
                let at = blocks.as_ref().map_or(0, |blocks| blocks.len());
                blocks.into_iter().for_each(|blocks| blocks.extend(more.clone()));
                moved.push((joined.len() - 1, at));
            }
            _ => {
                joined.push(message);
                moved.push((joined.len() - 1, 0));
            }
        }
    }
    *messages = joined;
    for part in parts {
        let found = part.pointer.strip_prefix(&format!("/{key}/")).and_then(|rest| rest.split_once("/content/"));
        let place =
            found.and_then(|(at, block)| Some((moved.get(at.parse::<usize>().ok()?)?, block.parse::<usize>().ok()?)));
        if let Some(((at, before), block)) = place {
            part.pointer = format!("/{key}/{at}/content/{}", before + block);
        }
    }
}

/// The caller's messages with the insertions: behind what the user said before, in front of what the user says next, or as a
/// message of their own where the assistant spoke last.
fn inserted(content: &Content<'_>, own: Vec<Value>, key: &str, receipt: &mut Receipt) -> Result<Vec<Value>> {
    let mut messages = own.clone();
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

/// Tools as Converse takes them.
pub(super) fn form() -> Form {
    let form = Form::new(Target::Bedrock, Shape::Bedrock, tool);
    Form { place: Place::ToolConfig, inside: Some("toolSpec"), list: points_last, ..form }
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
