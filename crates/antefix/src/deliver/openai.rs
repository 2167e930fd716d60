//! OpenAI's Chat Completions and Responses: a developer message in front, `prompt_cache_key`, and from GPT-5.6 on explicit
//! breakpoints.

use serde_json::{Map, Value, json};

use super::breakpoint::{Breakpoints, Marker, Part};
use super::messages::{Between, Voice, Woven, is_answer, is_users, weave};
use super::tools::{self, Form, Hides, Search};
use super::{Content, Fragment, Receipt, Target};
use crate::compose::policy::{Placement, Role};
use crate::discover::tools::{Shape, Tool};
use crate::error::Result;
use crate::freeze::ToolStep;
use crate::models::{Model, Provider};

/// How the two differ.
struct Api {
    key: &'static str,
    text: &'static str,
    tools: Form,
}

pub(super) fn fill_chat(
    content: &Content<'_>,
    model: Option<&Model>,
    fragment: &mut Fragment,
    receipt: &mut Receipt,
) -> Result<Vec<Value>> {
    let tools = nested_form(Target::OpenAiChat);
    fill(content, model, &Api { key: "messages", text: "text", tools }, fragment, receipt)
}

pub(super) fn fill_responses(
    content: &Content<'_>,
    model: Option<&Model>,
    fragment: &mut Fragment,
    receipt: &mut Receipt,
) -> Result<Vec<Value>> {
    fill(content, model, &Api { key: "input", text: "input_text", tools: flat_form() }, fragment, receipt)
}

fn fill(
    content: &Content<'_>,
    model: Option<&Model>,
    api: &Api,
    fragment: &mut Fragment,
    receipt: &mut Receipt,
) -> Result<Vec<Value>> {
    // Those who speak like OpenAI without being it know the role `system` alone.
    let developer = model.is_some_and(|model| model.developer_role);
    let role = if developer { "developer" } else { "system" };
    let explicit = model.filter(|model| model.explicit_breakpoints && model.provider == Provider::OpenAi);
    tools::fill(content, &api.tools, fragment, receipt)?;
    let breakpoints = match explicit {
        Some(model) => Breakpoints::decide(content, model, &MARKER, receipt),
        None => Breakpoints::NONE,
    };
    let speaks = Speaks { role, developer, explicit: explicit.is_some() };
    let mut messages = front(content, breakpoints, api, &speaks, receipt)?;
    receipt.prefix_ends();
    if !messages.is_empty() && takes_key(model) {
        // Requests with one key go to one cache: the key is made of the text that they share. Another tool is not another key, so that
        // what is before it is still read.
        let key = format!("antefix-{}", receipt.shared_text().short());
        receipt.key = Some(key.clone());
        fragment.insert("prompt_cache_key", json!(key));
    }
    let message = |text: &str| json!({"role": role, "content": text});
    let user = |text: &str| json!({"role": "user", "content": text});
    // Mistral takes system messages in front alone, and none of the user's behind what a tool answered.
    let by_user = model.is_some_and(|model| model.provider == Provider::Mistral);
    if content.placement == Placement::System {
        let is_behind = by_user && messages.iter().any(is_users);
        for (what, text) in content.moving() {
            let place = format!("/{}/{}", api.key, messages.len());
            if is_behind {
                let words = content.framed(text);
                receipt.part(&what, "user", place, &words, None);
                receipt.instead(what, "a framed message of the user's: the user has spoken before it");
                messages.push(user(&words));
            } else {
                receipt.part(&what, role, place, text, None);
                messages.push(message(text));
            }
        }
    }
    let between = if by_user { Between::AfterUserOrInTool } else { Between::Any };
    // Chat Completions takes no changes, so that they are folded before.
    let tell = |steps: &[ToolStep], _: &mut Receipt| {
        let tools: Result<Vec<Value>> =
            steps.iter().filter_map(|step| step.tool.as_ref()).map(|tool| api.tools.one(tool)).collect();
        Ok(vec![json!({"type": "additional_tools", "role": "developer", "tools": tools?})])
    };
    let voice = Voice {
        role: if by_user { "user" } else { role },
        framed: by_user,
        because: by_user.then_some("Mistral takes system messages in front of all others alone"),
        message: if by_user { &user } else { &message },
        user: &user,
        join: None,
        between,
        refused: between.refused(),
        tools: Some(&tell),
    };
    let in_front = messages.len();
    let Woven { messages: mut woven, kept } = weave(content, &voice, (api.key, in_front), receipt)?;
    for at in rolling(&woven[..kept], breakpoints.rolling, api) {
        mark(&mut woven[at], api, ttl(breakpoints.rolling_lifetime));
        receipt.rolling.push(format!("/{}/{}", api.key, in_front + at));
    }
    Ok(fragment.messages_behind(content, api.key, messages, woven))
}

/// The messages that are marked, of so many at most: the last that can be, and the last one of the request before, because a cache is
/// read at a mark alone.
fn rolling(messages: &[Value], most: usize, api: &Api) -> Vec<usize> {
    let last = |until: usize| messages[..until].iter().rposition(|message| blocks(message, api).is_some());
    let before = messages.iter().rposition(is_answer).and_then(last);
    let end = last(messages.len());
    let mut marked: Vec<usize> = end.into_iter().chain(before.filter(|before| Some(*before) != end)).collect();
    marked.truncate(most);
    marked
}

/// What breakpoints are called. Tools have none.
const MARKER: Marker = Marker { key: "prompt_cache_breakpoint", shape: Shape::OpenAiChat };

/// How many parts a message has; none if its last one cannot be marked. What a model said is left as it is.
fn blocks(message: &Value, api: &Api) -> Option<usize> {
    let is_marked = matches!(message["role"].as_str(), Some("user" | "system" | "developer"));
    match &message["content"] {
        _ if !is_marked => None,
        Value::String(text) if !text.is_empty() => Some(1),
        Value::Array(parts) => (parts.last()?["type"] == api.text).then_some(parts.len()),
        _ => None,
    }
}

/// Marks the last part of a message.
fn mark(message: &mut Value, api: &Api, ttl: &str) {
    let marker = json!({"mode": "explicit", "ttl": ttl});
    match &mut message["content"] {
        Value::Array(parts) => {
            parts.last_mut().into_iter().for_each(|part| part["prompt_cache_breakpoint"] = marker.clone());
        }
        text => *text = json!([{"type": api.text, "text": text.take(), "prompt_cache_breakpoint": marker}]),
    }
}

/// A lifetime as OpenAI spells it: there are two.
fn ttl(seconds: u64) -> &'static str {
    if seconds > 1800 { "12h" } else { "30m" }
}

/// How the system is heard.
struct Speaks {
    /// The role of what it says.
    role: &'static str,
    /// Whether the model knows developers.
    developer: bool,
    /// Whether parts can be marked: else each message is one text.
    explicit: bool,
}

/// The messages before the conversation: as one text each, or in parts with a breakpoint where the stability changes.
fn front(
    content: &Content<'_>,
    breakpoints: Breakpoints,
    api: &Api,
    speaks: &Speaks,
    receipt: &mut Receipt,
) -> Result<Vec<Value>> {
    let parts = breakpoints.parts(content);
    let mut messages = Vec::new();
    for parts in parts.chunk_by(|one, next| one.block.message == next.block.message) {
        let Some(first) = parts.first().map(|part| &part.block) else { continue };
        let role = match first.role {
            Role::User => "user",
            Role::Developer if speaks.developer => "developer",
            _ => speaks.role,
        };
        if !speaks.developer {
            content.no_developer(first, "the model knows no role for a developer", receipt)?;
        }
        let place = format!("/{}/{}/content", api.key, messages.len());
        let said = match speaks.explicit {
            true => Value::Array(marked(content, parts, api, (role, &place), receipt)),
            false => {
                // Without marks there is nothing between what is fixed and what is frozen.
                let mut text = String::with_capacity(parts.iter().map(|part| part.block.text.len()).sum());
                parts.iter().for_each(|part| text.push_str(part.block.text));
                let name = if first.message == 0 && !first.name.starts_with("block ") { "prefix" } else { &first.name };
                receipt.prefix_part(content, name, role, place, &text, None);
                Value::String(text)
            }
        };
        messages.push(object([("role", Value::from(role)), ("content", said)]));
    }
    Ok(messages)
}

fn marked(
    content: &Content<'_>,
    parts: &[Part<'_>],
    api: &Api,
    (role, place): (&str, &str),
    receipt: &mut Receipt,
) -> Vec<Value> {
    let mut blocks = Vec::with_capacity(parts.len());
    for part in parts {
        let mut block = json!({"type": api.text, "text": part.block.text});
        let ttl = part.lifetime.map(ttl);
        if let Some(ttl) = ttl {
            block["prompt_cache_breakpoint"] = json!({"mode": "explicit", "ttl": ttl});
        }
        let pointer = format!("{place}/{}", blocks.len());
        receipt.prefix_part(content, &part.block.name, role, pointer, part.block.text, ttl);
        blocks.push(block);
    }
    blocks
}

/// Whether the provider knows `prompt_cache_key`. Others may refuse what they do not know.
fn takes_key(model: Option<&Model>) -> bool {
    model.is_some_and(|model| matches!(model.provider, Provider::OpenAi | Provider::Mistral | Provider::Xai))
}

/// An object of values that are large: `json!` would copy them.
pub(super) fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// Tools as Responses takes them.
pub(super) fn flat_form() -> Form {
    let tool = || json!({"type": "tool_search"});
    // The vendor says that the name and the description of a deferred function stay in sight.
    let search = Search { tool, types: "tool_search", hides: Hides::Parameters };
    Form { search: Some(search), ..Form::new(Target::OpenAiResponses, Shape::OpenAiResponses, flat_tool) }
}

/// Tools as Chat Completions takes them, and all that speak like it.
pub(super) fn nested_form(target: Target) -> Form {
    Form { inside: Some("function"), ..Form::new(target, Shape::OpenAiChat, nested_tool) }
}

fn nested_tool(tool: &Tool) -> Value {
    let mut function = function(tool);
    function.insert("parameters".to_owned(), parameters(tool));
    let mut nested = Map::new();
    nested.insert("type".to_owned(), json!("function"));
    nested.insert("function".to_owned(), Value::Object(function));
    Value::Object(nested)
}

fn flat_tool(tool: &Tool) -> Value {
    let mut function = function(tool);
    function.insert("type".to_owned(), json!("function"));
    function.insert("parameters".to_owned(), parameters(tool));
    // The type of the official client wants it said; false is what leaving it out meant before.
    function.insert("strict".to_owned(), json!(false));
    Value::Object(function)
}

/// Name and description.
pub(super) fn function(tool: &Tool) -> Map<String, Value> {
    let mut function = Map::new();
    function.insert("name".to_owned(), json!(tool.name));
    if let Some(description) = &tool.description {
        function.insert("description".to_owned(), json!(description));
    }
    function
}

pub(super) fn parameters(tool: &Tool) -> Value {
    tool.parameters.clone().unwrap_or_else(|| json!({"type": "object", "properties": {}}))
}
