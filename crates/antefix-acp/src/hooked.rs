//! What hooks have to say with a prompt.
//!
//! 1. What a hook appends goes with the live part, and also where that is left out. A message that it adds is a block of
//!    its own, framed, if it is the system's or the user's and made of text.
//! 2. All else cannot be said to an agent that keeps its instructions and its history to itself: it is left out, and reported
//!    every time. Nothing is dropped without a word.
//! 3. It is for one prompt alone. If that fails, the hooks are asked again for the next one.

use antefix::compose::{HookPoint, Layout};
use antefix::diagnostic::Code;
use antefix::hooks::HookAction;
use antefix::{Diagnostic, Result, Turn};
use serde_json::Value;

use crate::composer::Live;

/// The live part as it is sent: with what hooks append, without what they put in place of the prefix, and without the line
/// breaks that would join it to the prefix.
pub(crate) fn live(turn: &Turn, live: Live) -> Result<String> {
    Ok(joined_live(turn, live)?.trim_start_matches('\n').to_owned())
}

fn joined_live(turn: &Turn, live: Live) -> Result<String> {
    if turn.replacement.is_none() && live == Live::Sent {
        return Ok(turn.suffix.text().to_owned());
    }
    if turn.replacement.is_none() && who(turn, &[HookAction::Appended, HookAction::Replaced]).is_empty() {
        return Ok(String::new());
    }
    let sections = turn.epoch.iter().flat_map(|epoch| &epoch.body().sections);
    let frozen: Vec<&str> = sections.map(|section| section.id.as_str()).collect();
    let system = turn.system();
    let spans = turn.spans()?.into_iter().filter(|span| match span.origin.kind.as_str() {
        // In a text that takes the prefix's place, nobody knows what of it was only appended.
        "hook" => turn.replacement.is_none(),
        _ => live == Live::Sent && !frozen.contains(&span.section.as_str()),
    });
    Ok(spans.map(|span| &system[span.start..span.end]).collect())
}

/// The texts of the messages that hooks add, each with its name in a receipt, and what cannot be said.
pub(crate) fn messages(turn: &Turn) -> (Vec<(String, String)>, Vec<Diagnostic>) {
    let (mut said, mut undelivered) = (Vec::new(), Vec::new());
    for (number, added) in (1..).zip(&turn.added) {
        match text(&added.message) {
            Some(text) => said.push((format!("message of hook {}", added.hook), text)),
            None => {
                let message = format!(
                    "message {number} of hook `{}` is left out: an agent takes texts with a prompt, of the system or the user, and nothing else",
                    added.hook
                );
                undelivered.push(Diagnostic::warning(Code::HookUndelivered, message).about(added.hook.as_str()));
            }
        }
    }
    (said, undelivered)
}

/// What hooks did that cannot be said, and where they failed.
pub(crate) fn findings(turn: &Turn) -> Vec<Diagnostic> {
    let failed = turn.diagnostics.iter().filter(|finding| finding.code.is_about_hooks());
    let mut findings: Vec<Diagnostic> = failed.cloned().collect();
    if turn.replacement.is_some() {
        for hook in who(turn, &[HookAction::Replaced, HookAction::Appended]) {
            let message = format!(
                "what hook `{hook}` makes of the system text is left out: an agent takes a system prompt only when a session begins"
            );
            let hint = "let it print `append`, which goes with the prompt";
            findings.push(Diagnostic::warning(Code::HookUndelivered, message).about(hook).hint(hint));
        }
    }
    findings
}

/// The hooks that are never asked: an agent keeps its history to itself.
pub(crate) fn unasked(layout: &Layout) -> Vec<Diagnostic> {
    let on_messages = layout.hooks().iter().filter(|rule| rule.on == HookPoint::Messages);
    let finding = on_messages.map(|rule| {
        let message =
            format!("hook `{}` is not asked: an agent keeps the messages of its session to itself", rule.name);
        Diagnostic::note(Code::HookUndelivered, message).about(rule.name.as_str())
    });
    finding.collect()
}

/// The hooks that did one of these to the system text.
fn who<'t>(turn: &'t Turn, actions: &[HookAction]) -> Vec<&'t str> {
    let did = turn.hooks.iter().filter(|did| did.on == HookPoint::BeforeTurn && actions.contains(&did.action));
    let mut names: Vec<&str> = did.map(|did| did.hook.as_str()).collect();
    names.dedup();
    names
}

/// The text of a message, in any provider's shape; none if it is somebody else's, or has more than text.
fn text(message: &Value) -> Option<String> {
    if !matches!(message["role"].as_str(), None | Some("user" | "system" | "developer")) {
        return None;
    }
    let content = ["content", "parts", "text"].iter().find_map(|key| message.get(key))?;
    let text = match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts: Option<Vec<&str>> = blocks.iter().map(|block| block["text"].as_str()).collect();
            texts?.join("\n\n")
        }
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}
