//! Ollama: one system message in front; what moves goes as the user's, because templates differ in what they do with a
//! second system message.

use serde_json::{Value, json};

use super::messages::{Between, Voice, refuse, weave};
use super::openai::{nested_form, object};
use super::{Block, Content, Fragment, Receipt, Target, tools};
use crate::compose::policy::{Placement, Role};
use crate::error::Result;
use crate::models::Model;

pub(super) fn fill(
    content: &Content<'_>,
    _: Option<&Model>,
    fragment: &mut Fragment,
    receipt: &mut Receipt,
) -> Result<Vec<Value>> {
    tools::fill(content, &nested_form(Target::Ollama), fragment, receipt)?;
    let (system, users): (Vec<_>, Vec<_>) = content.in_front().into_iter().partition(|block| block.role != Role::User);
    one_system(content, &system, receipt)?;
    let mut system = match users.first() {
        None => content.prefix(),
        Some(user) => content.prefix()[..user.start].to_owned(),
    };
    let mut messages = Vec::new();
    if !system.is_empty() {
        receipt.prefix_part(content, "prefix", "system", "/messages/0/content".to_owned(), &system, None);
    }
    let has_system = !system.is_empty() || content.placement == Placement::System && content.moving().next().is_some();
    let front = front(content, &users, usize::from(has_system), receipt);
    receipt.prefix_ends();
    if content.placement == Placement::System {
        for (what, text) in content.moving() {
            receipt.part(&what, "system", "/messages/0/content".to_owned(), text, None);
            let joint = if system.is_empty() { "" } else { "\n\n" };
            system.push_str(&format!("{joint}{text}"));
        }
    }
    if !system.is_empty() {
        messages.push(object([("role", Value::from("system")), ("content", Value::String(system))]));
    }
    messages.extend(front);
    let user = |text: &str| json!({"role": "user", "content": text});
    let voice = Voice {
        role: "user",
        framed: true,
        because: Some("what a model's template does with a second system message is not known"),
        message: &user,
        user: &user,
        join: None,
        between: Between::Any,
        refused: Between::Any.refused(),
        tools: None,
    };
    let woven = weave(content, &voice, ("messages", messages.len()), receipt)?.messages;
    Ok(fragment.messages_behind(content, "messages", messages, woven))
}

/// Notes that what the system says is one message.
fn one_system(content: &Content<'_>, system: &[Block<'_>], receipt: &mut Receipt) -> Result<()> {
    let is_one = system.iter().all(|block| block.message == 0);
    for block in system {
        content.no_developer(block, "Ollama has no role for a developer", receipt)?;
    }
    if !is_one {
        let (what, because) = ("the system's messages", "what a model's template does with a second one is not known");
        refuse(content, what, because)?;
        receipt.instead(what, format!("one message: {because}"));
    }
    Ok(())
}

/// What the user says before the conversation, one message each.
fn front(content: &Content<'_>, users: &[Block<'_>], first: usize, receipt: &mut Receipt) -> Vec<Value> {
    let messages = users.chunk_by(|one, next| one.message == next.message).enumerate();
    let mut front = Vec::new();
    for (number, blocks) in messages {
        let text: String = blocks.iter().map(|block| block.text).collect();
        let name = blocks.first().map_or("", |block| &block.name);
        receipt.prefix_part(content, name, "user", format!("/messages/{}/content", first + number), &text, None);
        front.push(json!({"role": "user", "content": text}));
    }
    front
}
