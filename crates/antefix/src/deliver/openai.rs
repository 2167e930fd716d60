//! OpenAI's Chat Completions and Responses: a developer message in front, `prompt_cache_key`, and from GPT-5.6 on explicit
//! breakpoints.

use serde_json::{Map, Value, json};

use super::breakpoint::Breakpoints;
use super::messages::{Between, Voice, weave};
use super::tools::{self, Form};
use super::{Content, Fragment, Receipt, Target};
use crate::compose::policy::Placement;
use crate::discover::tools::{Shape, Tool};
use crate::error::Result;
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
    let first = match explicit {
        Some(model) => marked(content, model, api, role, receipt),
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
    let voice =
        Voice { role, framed: false, because: None, message: &message, user: &user, join: None, between: Between::Any };
    let woven = weave(content, &voice, (api.key, messages.len()), receipt)?;
    Ok(fragment.messages_behind(content, api.key, messages, woven))
}

/// The first message in parts, each with a breakpoint where the stability changes.
fn marked(content: &Content<'_>, model: &Model, api: &Api, role: &str, receipt: &mut Receipt) -> Option<Value> {
    let breakpoints = Breakpoints::decide(content, model, "prompt_cache_breakpoint", receipt);
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
