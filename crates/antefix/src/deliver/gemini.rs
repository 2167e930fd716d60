//! Gemini: `systemInstruction`, function declarations, and a body for `cachedContents` for whoever wants to pay for one.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::blocks::push;
use super::messages::{Between, Voice, weave};
use super::openai::{function, object, parameters};
use super::tools::{self, Form};
use super::{Block, Content, Fragment, Receipt, Target};
use crate::compose::policy::{Placement, Role};
use crate::discover::tools::{Shape, Tool};
use crate::error::Result;
use crate::models::Model;

pub(super) fn fill(
    content: &Content<'_>,
    _: Option<&Model>,
    fragment: &mut Fragment,
    receipt: &mut Receipt,
) -> Result<Vec<Value>> {
    tools::fill(content, &form(), fragment, receipt)?;
    let (mut parts, mut front) = (Vec::new(), Vec::<Value>::new());
    let mut said = None;
    for block in content.in_front() {
        let Block { name, text, role, message, .. } = &block;
        if *role != Role::User {
            content.no_developer(&block, "Gemini has no role for a developer", receipt)?;
            let pointer = format!("/systemInstruction/parts/{}", parts.len());
            receipt.prefix_part(content, name, "system", pointer, text, None);
            parts.push(json!({"text": text}));
            continue;
        }
        if said.replace(*message) != Some(*message) {
            front.push(json!({"role": "user", "parts": []}));
        }
        let at = front.len() - 1;
        let number = push(&mut front[at]["parts"], json!({"text": text}));
        receipt.prefix_part(content, name, "user", format!("/contents/{at}/parts/{number}"), text, None);
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
        refused: Between::AfterUser.refused(),
        tools: None,
    };
    let messages = weave(content, &voice, ("contents", front.len()), receipt)?.messages;
    Ok(fragment.messages_behind(content, "contents", front, messages))
}

/// The body that makes a cache of the prefix and the tools, for `POST cachedContents`.
pub fn cached_contents(content: &Content<'_>, model: &str, seconds: u64) -> Result<Value> {
    let mut body = json!({"model": format!("models/{model}"), "ttl": format!("{seconds}s")});
    if let Some(tools) = content.tools.filter(|tools| !tools.is_empty()) {
        body["tools"] = form().shaped(tools, &BTreeSet::new())?.list;
    }
    let systems = content.in_front().into_iter().filter(|block| block.role != Role::User);
    let parts: Vec<Value> = systems.map(|block| json!({"text": block.text})).collect();
    if !parts.is_empty() {
        body["systemInstruction"] = json!({"parts": parts});
    }
    Ok(body)
}

/// Tools as `generateContent` takes them.
pub(super) fn form() -> Form {
    Form { list: grouped, ..Form::new(Target::Gemini, Shape::Gemini, declaration) }
}

fn declaration(tool: &Tool) -> Value {
    let mut function = function(tool);
    function.insert("parametersJsonSchema".to_owned(), parameters(tool));
    Value::Object(function)
}

/// All functions are declared in one entry; what is Google's own has entries of its own behind it.
fn grouped(tools: Vec<Value>) -> Value {
    let (declarations, own): (Vec<Value>, Vec<Value>) = tools.into_iter().partition(|tool| tool.get("name").is_some());
    let declared = (!declarations.is_empty()).then(|| object([("functionDeclarations", Value::Array(declarations))]));
    declared.into_iter().chain(own).collect()
}
