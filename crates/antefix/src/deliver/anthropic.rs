//! Anthropic's Messages: `system` blocks with `cache_control`, tools before them, system messages in mid-conversation where
//! the model takes them.

use serde_json::{Value, json};

use super::blocks::push;
use super::breakpoint::{Breakpoints, Marker, anthropic_ttl};
use super::messages::{Between, Voice, Woven, weave};
use super::tools::{self, Form, Hides, Search};
use super::{Block, Content, Fragment, Receipt, Target};
use crate::compose::policy::{Placement, Role};
use crate::discover::tools::{Shape, Tool};
use crate::error::Result;
use crate::freeze::record::AmendmentKind;
use crate::freeze::{Declared, ToolStep};
use crate::models::Model;

pub(super) fn fill(
    content: &Content<'_>,
    model: Option<&Model>,
    fragment: &mut Fragment,
    receipt: &mut Receipt,
) -> Result<Vec<Value>> {
    let breakpoints = match model {
        Some(model) => Breakpoints::decide(content, model, &MARKER, receipt),
        None => Breakpoints::unknown(content, &MARKER, receipt),
    };
    let form = form();
    tools::fill(content, &form, fragment, receipt)?;
    let (mut system, mut front) = (Vec::new(), Vec::<Value>::new());
    let mut said = None;
    for part in breakpoints.parts(content) {
        let Block { name, text, role, message, .. } = &part.block;
        let mut block = json!({"type": "text", "text": text});
        let ttl = part.anthropic_ttl();
        if let Some(ttl) = ttl {
            block["cache_control"] = json!({"type": "ephemeral", "ttl": ttl});
        }
        if *role != Role::User {
            content.no_developer(&part.block, "Anthropic has no role for a developer", receipt)?;
            receipt.prefix_part(content, name, "system", format!("/system/{}", system.len()), text, ttl);
            system.push(block);
            continue;
        }
        if said.replace(*message) != Some(*message) {
            front.push(json!({"role": "user", "content": []}));
        }
        let at = front.len() - 1;
        let number = push(&mut front[at]["content"], block);
        receipt.prefix_part(content, name, "user", format!("/messages/{at}/content/{number}"), text, ttl);
    }
    receipt.prefix_ends();
    if content.placement == Placement::System {
        behind(content, &mut system, receipt);
    }
    if !system.is_empty() {
        fragment.insert("system", Value::Array(system));
    }
    let mid_system = model.is_some_and(|model| model.mid_system);
    let between = if mid_system { Between::BeforeAnswer } else { Between::AfterUser };
    let user = |text: &str| json!({"role": "user", "content": [{"type": "text", "text": text}]});
    let says = |text: &str| json!({"role": "system", "content": text});
    let tell = |steps: &[ToolStep], receipt: &mut Receipt| changes(steps, &form, receipt);
    let voice = Voice {
        role: if mid_system { "system" } else { "user" },
        framed: !mid_system,
        because: (!mid_system).then_some("the model takes no system message in mid-conversation"),
        message: if mid_system { &says } else { &user },
        user: &user,
        join: mid_system.then_some(join),
        between,
        refused: between.refused(),
        tools: Some(&tell),
    };
    let in_front = front.len();
    let Woven { mut messages, kept } = weave(content, &voice, ("messages", in_front), receipt)?;
    for at in breakpoints.rolling(&messages[..kept], blocks) {
        mark(&mut messages[at], anthropic_ttl(breakpoints.rolling_lifetime));
        receipt.rolling.push(format!("/messages/{}", in_front + at));
    }
    Ok(fragment.messages_behind(content, "messages", front, messages))
}

/// Tools as Messages takes them.
pub(super) fn form() -> Form {
    let search = || json!({"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"});
    let search = Search { tool: search, types: "tool_search_tool", hides: Hides::All };
    Form { search: Some(search), ..Form::new(Target::Anthropic, Shape::Anthropic, tool) }
}

/// The betas that a request needs which adds tools by their definitions, or adds tools that it has by their names, or removes any.
const ADDING: &str = "inline-tools-2026-09-15";
const CHANGING: &str = "mid-conversation-tool-changes-2026-07-01";

/// Blocks that tell of changed tools. Another definition is a tool that goes and one that comes.
fn changes(steps: &[ToolStep], form: &Form, receipt: &mut Receipt) -> Result<Vec<Value>> {
    let mut blocks = Vec::new();
    for ToolStep { name, kind, tool, declared } in steps {
        if *declared == Declared::Yes {
            receipt.needs(CHANGING);
            blocks.push(json!({"type": "tool_addition", "tool": {"type": "tool_reference", "name": name}}));
            continue;
        }
        if *kind != AmendmentKind::Added {
            receipt.needs(CHANGING);
            blocks.push(json!({"type": "tool_removal", "tool": {"type": "tool_reference", "name": name}}));
        }
        if let Some(tool) = tool {
            receipt.needs(ADDING);
            let definition = form.one(tool)?;
            blocks
                .push(json!({"type": "tool_addition", "tool": {"type": "tool_definition", "definition": definition}}));
        }
    }
    Ok(blocks)
}

/// What breakpoints are called.
const MARKER: Marker = Marker { key: "cache_control", shape: Shape::Anthropic };

/// How many blocks a message has; none if its last one cannot be marked.
fn blocks(message: &Value) -> Option<usize> {
    match &message["content"] {
        Value::String(text) if !text.trim().is_empty() => Some(1),
        Value::Array(blocks) => {
            let last = blocks.last()?;
            let of_type = last["type"].as_str()?;
            let is_blank = of_type == "text" && last["text"].as_str().is_none_or(|text| text.trim().is_empty());
            (!is_blank && !of_type.ends_with("thinking")).then_some(blocks.len())
        }
        _ => None,
    }
}

/// Marks the last block of a message.
fn mark(message: &mut Value, ttl: &str) {
    let marker = json!({"type": "ephemeral", "ttl": ttl});
    match &mut message["content"] {
        Value::Array(blocks) => blocks.last_mut().into_iter().for_each(|block| block["cache_control"] = marker.clone()),
        text => *text = json!([{"type": "text", "text": text.take(), "cache_control": marker}]),
    }
}

/// Notices and the live part as blocks behind the prefix, without a marker.
fn behind(content: &Content<'_>, system: &mut Vec<Value>, receipt: &mut Receipt) {
    for (what, text) in content.moving() {
        receipt.part(&what, "system", format!("/system/{}", system.len()), text, None);
        system.push(json!({"type": "text", "text": text}));
    }
}

/// A system message must be followed by the assistant or by nothing, so a second text is a block more.
fn join(message: &mut Value, text: &str) {
    let content = message["content"].take();
    let mut blocks = match content {
        Value::Array(blocks) => blocks,
        first => vec![json!({"type": "text", "text": first})],
    };
    blocks.push(json!({"type": "text", "text": text}));
    message["content"] = Value::Array(blocks);
}

fn tool(tool: &Tool) -> Value {
    let mut object = json!({"name": tool.name});
    if let Some(description) = &tool.description {
        object["description"] = json!(description);
    }
    object["input_schema"] = tool.parameters.clone().unwrap_or_else(|| json!({"type": "object"}));
    object
}
