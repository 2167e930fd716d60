//! Bedrock's Converse: `cachePoint` is a block of its own, and messages take turns.

use serde_json::{Value, json};

use super::breakpoint::Breakpoints;
use super::fragment::Place;
use super::messages::{is_users, refuse};
use super::openai::{object, parameters};
use super::{Content, Fragment, Receipt};
use crate::compose::policy::Placement;
use crate::discover::tools::Tool;
use crate::error::{Error, ErrorKind, Result};
use crate::models::Model;

pub(super) fn fill(
    content: &Content<'_>,
    model: Option<&Model>,
    fragment: &mut Fragment,
    receipt: &mut Receipt,
) -> Result<()> {
    let breakpoints = match model {
        Some(model) => Breakpoints::decide(content, model, "cachePoint", receipt),
        None => {
            receipt.instead("breakpoints for the model", "none: the model is not known, and some refuse them");
            Breakpoints { fixed: None, frozen: None }
        }
    };
    if let Some(tools) = content.tools {
        let shaped = tools.shaped("bedrock", |tools| tools.iter().map(tool).collect());
        receipt.tools(Place::ToolConfig, &shaped);
        // A request without tools has no `toolConfig`: Bedrock refuses an empty list.
        if !tools.is_empty() {
            fragment.insert_tools(Place::ToolConfig, shaped);
        }
    }
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
    if content.placement == Placement::System || content.messages.is_empty() {
        for (what, text) in content.moving() {
            receipt.part(&what, "system", format!("/system/{}", system.len()), text, None);
            system.push(json!({"text": text}));
        }
    } else {
        fragment.insert("messages", Value::Array(woven(content, receipt)?));
    }
    if !system.is_empty() {
        fragment.insert("system", Value::Array(system));
    }
    Ok(())
}

/// Messages take turns in Converse, so what the system says is a block more in a message of the user's.
fn woven(content: &Content<'_>, receipt: &mut Receipt) -> Result<Vec<Value>> {
    let mut messages = content.messages.to_vec();
    let spoken = content.notices.iter().map(|notice| (format!("notice {}", notice.number), notice.text, notice.after));
    let live = std::iter::once(("suffix".to_owned(), content.live(), None));
    for (what, text, after) in spoken.chain(live).filter(|(_, text, _)| !text.is_empty()) {
        let because = "Converse only has users and assistants, taking turns";
        refuse(content, &what, because)?;
        let from = after.unwrap_or(usize::MAX).saturating_sub(1).min(messages.len().saturating_sub(1));
        let found = (from..messages.len()).chain((0..from).rev()).find(|at| is_users(&messages[*at]));
        let words = content.framed(text);
        let place = match found {
            Some(at) => at,
            None => {
                messages.push(json!({"role": "user", "content": []}));
                messages.len() - 1
            }
        };
        let Some(blocks) = messages[place].get_mut("content").and_then(Value::as_array_mut) else {
            let message = format!("{what} cannot be delivered: message {place} has no list of blocks as its `content`");
            let hint = "Converse takes messages like {\"role\": \"user\", \"content\": [{\"text\": \"…\"}]}";
            return Err(Error::new(ErrorKind::Undeliverable, message).with_hint(hint));
        };
        receipt.part(&what, "user", format!("/messages/{place}/content/{}", blocks.len()), &words, None);
        blocks.push(json!({"text": words}));
        receipt.instead(what, format!("a framed block in a message of the user's: {because}"));
    }
    Ok(messages)
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
