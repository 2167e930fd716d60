//! The conversation with what the system has to say in the midst of it.
//!
//! A notice keeps the place that it had when it was new: the messages before it and behind it are the same bytes as in the
//! turn before, so they stay cached. The live part comes last of all.

use serde_json::Value;

use super::{Content, Receipt};
use crate::compose::policy::Undeliverable;
use crate::error::{Error, ErrorKind, Result};

/// How a target takes what the system says in mid-conversation.
pub(super) struct Voice<'v> {
    /// Who says it.
    pub(super) role: &'static str,
    /// Whether the text needs the frame, because the role is the user's.
    pub(super) framed: bool,
    /// Why it is not the system, if it is not.
    pub(super) because: Option<&'static str>,
    /// Makes a message of a text.
    pub(super) message: &'v dyn Fn(&str) -> Value,
    /// Adds a text to such a message, if two of them must not be next to each other.
    pub(super) join: Option<fn(&mut Value, &str)>,
    /// Whether such a message may come after this one.
    pub(super) may_follow: &'v dyn Fn(&Value) -> bool,
}

/// Weaves notices and the live part into the caller's messages, which are in the fragment from `first` on under
/// `key`.
pub(super) fn weave(
    content: &Content<'_>,
    voice: &Voice<'_>,
    (key, first): (&str, usize),
    receipt: &mut Receipt,
) -> Result<Vec<Value>> {
    let mut woven: Vec<Value> = Vec::with_capacity(content.messages.len() + content.notices.len() + 1);
    let mut waiting = content.notices.iter().peekable();
    // How many messages there were when the system spoke last: if there are no more now, it speaks on.
    let mut spoken = 0;
    let mut said = |woven: &mut Vec<Value>, what: &str, text: &str, receipt: &mut Receipt| {
        let words = if voice.framed { content.framed(text) } else { text.to_owned() };
        let before = woven.len();
        match (voice.join, woven.last_mut()) {
            (Some(join), Some(last)) if spoken == before => join(last, &words),
            _ => woven.push((voice.message)(&words)),
        }
        spoken = woven.len();
        receipt.part(what, voice.role, format!("/{key}/{}", first + spoken - 1), &words, None);
    };
    for (position, message) in content.messages.iter().enumerate() {
        woven.push(message.clone());
        while let Some(notice) = waiting.peek() {
            let due = notice.after.is_some_and(|after| after <= position + 1);
            if !due || !(voice.may_follow)(message) {
                break;
            }
            said(&mut woven, &format!("notice {}", notice.number), notice.text, receipt);
            waiting.next();
        }
    }
    for notice in waiting {
        said(&mut woven, &format!("notice {}", notice.number), notice.text, receipt);
    }
    if !content.live().is_empty() {
        said(&mut woven, "suffix", content.live(), receipt);
    }
    let spoke = woven.len() > content.messages.len();
    if let (Some(because), true) = (voice.because, spoke) {
        refuse(content, "system text in mid-conversation", because)?;
        receipt.instead("system text in mid-conversation", format!("a framed message of the user's: {because}"));
    }
    Ok(woven)
}

/// Refuses what cannot be expressed, if the layout says so.
pub(super) fn refuse(content: &Content<'_>, what: &str, because: &str) -> Result<()> {
    match content.undeliverable {
        Undeliverable::Substitute => Ok(()),
        Undeliverable::Refuse => {
            let message = format!("{what} cannot be delivered: {because}");
            let hint = "choose another target or model, or let the layout say `undeliverable = \"substitute\"`";
            Err(Error::new(ErrorKind::Undeliverable, message).with_hint(hint))
        }
    }
}

/// Whether a message is the user's.
pub(super) fn is_users(message: &Value) -> bool {
    message.get("role").and_then(Value::as_str) == Some("user")
}
