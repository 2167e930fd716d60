//! OpenAI's Chat Completions and Responses: a developer message in front, `prompt_cache_key`, and from GPT-5.6 on explicit
//! breakpoints.

use serde_json::{Map, Value, json};

use super::breakpoint::{Breakpoints, Marker};
use super::messages::{Between, Voice, Woven, is_assistants, weave};
use super::tools::{self, Form};
use super::{Content, Fragment, Receipt, Target};
use crate::compose::policy::Placement;
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
    let tools = Form::new(Target::OpenAiResponses, Shape::OpenAiResponses, flat_tool);
    fill(content, model, &Api { key: "input", text: "input_text", tools }, fragment, receipt)
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
    let first = match explicit {
        Some(_) => marked(content, breakpoints, api, role, receipt),
        None => unmarked(content, role, api, receipt),
    };
    receipt.prefix_ends();
    if first.is_some() && takes_key(model) {
        // Requests with one key go to one cache: the key is made of what they share, and of nothing else.
        let key = format!("antefix-{}", receipt.prefix_form.short());
        receipt.key = Some(key.clone());
        fragment.insert("prompt_cache_key", json!(key));
    }
    let mut messages: Vec<Value> = first.into_iter().collect();
    let message = |text: &str| json!({"role": role, "content": text});
    if content.placement == Placement::System {
        for (what, text) in content.moving() {
            receipt.part(&what, role, format!("/{}/{}", api.key, messages.len()), text, None);
            messages.push(message(text));
        }
    }
    let user = |text: &str| json!({"role": "user", "content": text});
    // Mistral takes system messages in front alone, and none of the user's behind what a tool answered.
    let by_user = model.is_some_and(|model| model.provider == Provider::Mistral);
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
        mark(&mut woven[at], api);
        receipt.rolling.push(format!("/{}/{}", api.key, in_front + at));
    }
    Ok(fragment.messages_behind(content, api.key, messages, woven))
}

/// The messages that are marked, of so many at most: the last that can be, and the last one of the request before, because a cache is
/// read at a mark alone.
fn rolling(messages: &[Value], most: usize, api: &Api) -> Vec<usize> {
    let last = |until: usize| messages[..until].iter().rposition(|message| blocks(message, api).is_some());
    let is_answer = |message: &Value| {
        let of_type = message["type"].as_str().unwrap_or_default();
        is_assistants(message) || of_type == "reasoning" || of_type.ends_with("_call")
    };
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
fn mark(message: &mut Value, api: &Api) {
    let marker = json!({"mode": "explicit", "ttl": "30m"});
    match &mut message["content"] {
        Value::Array(parts) => {
            parts.last_mut().into_iter().for_each(|part| part["prompt_cache_breakpoint"] = marker.clone());
        }
        text => *text = json!([{"type": api.text, "text": text.take(), "prompt_cache_breakpoint": marker}]),
    }
}

/// The first message in parts, each with a breakpoint where the stability changes.
fn marked(
    content: &Content<'_>,
    breakpoints: Breakpoints,
    api: &Api,
    role: &str,
    receipt: &mut Receipt,
) -> Option<Value> {
    let mut parts = Vec::new();
    for part in breakpoints.parts(content) {
        let mut block = json!({"type": api.text, "text": part.text});
        let ttl = part.lifetime.map(|seconds| if seconds > 1800 { "12h" } else { "30m" });
        if let Some(ttl) = ttl {
            block["prompt_cache_breakpoint"] = json!({"mode": "explicit", "ttl": ttl});
        }
        let pointer = format!("/{}/0/content/{}", api.key, parts.len());
        receipt.prefix_part(content, part.name, role, pointer, part.text, ttl);
        parts.push(block);
    }
    (!parts.is_empty()).then(|| object([("role", Value::from(role)), ("content", Value::Array(parts))]))
}

/// The first message as one text.
fn unmarked(content: &Content<'_>, role: &str, api: &Api, receipt: &mut Receipt) -> Option<Value> {
    let prefix = content.prefix();
    if prefix.is_empty() {
        return None;
    }
    receipt.prefix_part(content, "prefix", role, format!("/{}/0/content", api.key), &prefix, None);
    Some(object([("role", Value::from(role)), ("content", Value::String(prefix))]))
}

/// Whether the provider knows `prompt_cache_key`. Others may refuse what they do not know.
fn takes_key(model: Option<&Model>) -> bool {
    model.is_some_and(|model| matches!(model.provider, Provider::OpenAi | Provider::Mistral | Provider::Xai))
}

/// An object of values that are large: `json!` would copy them.
pub(super) fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
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
