//! Gemini: `systemInstruction`, function declarations, and a body for `cachedContents` for whoever wants to pay for one.

use std::sync::Arc;

use serde_json::{Value, json};

use super::fragment::Place;
use super::messages::{Between, Voice, weave};
use super::openai::{function, object, parameters};
use super::{Content, Fragment, Receipt};
use crate::compose::policy::Placement;
use crate::discover::tools::{ShapedTools, Tool};
use crate::error::Result;
use crate::models::Model;

pub(super) fn fill(
    content: &Content<'_>,
    _: Option<&Model>,
    fragment: &mut Fragment,
    receipt: &mut Receipt,
) -> Result<Vec<Value>> {
    if let Some(shaped) = tools(content) {
        receipt.tools(Place::Tools, &shaped);
        fragment.insert_tools(Place::Tools, shaped);
    }
    let mut parts = Vec::new();
    for (what, text) in [("fixed", content.fixed), ("frozen", content.frozen)] {
        if !text.is_empty() {
            let pointer = format!("/systemInstruction/parts/{}", parts.len());
            receipt.prefix_part(content, what, "system", pointer, text, None);
            parts.push(json!({"text": text}));
        }
    }
    receipt.prefix_ends();
    if content.placement == Placement::System {
        for (what, text) in content.moving() {
            receipt.part(&what, "system", format!("/systemInstruction/parts/{}", parts.len()), text, None);
            parts.push(json!({"text": text}));
        }
    }
    if !parts.is_empty() {
        fragment.insert("systemInstruction", object([("parts", Value::Array(parts))]));
    }
    let user = |text: &str| json!({"role": "user", "parts": [{"text": text}]});
    let voice = Voice {
        role: "user",
        framed: true,
        because: Some("Gemini only has users and models in `contents`"),
        message: &user,
        user: &user,
        join: None,
        between: Between::AfterUser,
    };
    let messages = weave(content, &voice, ("contents", 0), receipt)?;
    Ok(fragment.messages(content, "contents", messages))
}

/// The body that makes a cache of the prefix and the tools, for `POST cachedContents`.
pub fn cached_contents(content: &Content<'_>, model: &str, seconds: u64) -> Value {
    let mut body = json!({"model": format!("models/{model}"), "ttl": format!("{seconds}s")});
    if let Some(shaped) = tools(content) {
        body["tools"] = shaped.list.clone();
    }
    let parts: Vec<Value> = [content.fixed, content.frozen]
        .iter()
        .filter(|text| !text.is_empty())
        .map(|text| json!({"text": text}))
        .collect();
    if !parts.is_empty() {
        body["systemInstruction"] = json!({"parts": parts});
    }
    body
}

fn tools(content: &Content<'_>) -> Option<Arc<ShapedTools>> {
    let declaration = |tool: &Tool| {
        let mut function = function(tool);
        function.insert("parametersJsonSchema".to_owned(), parameters(tool));
        Value::Object(function)
    };
    let list = |tools: &[Tool]| {
        let declarations = tools.iter().map(declaration).collect();
        Value::Array(vec![object([("functionDeclarations", declarations)])])
    };
    Some(content.tools?.shaped("gemini", list))
}
