//! Messages of a caller's that a provider refuses as they are.
//!
//! 1. A text without a word is left out, and so is a message that has nothing else.
//! 2. What a caller lets the system say where the model lets it say nothing becomes a framed message of the user's.
//! 3. All else goes as it is. What was changed is in the receipt, and is changed the same way in every later request.

use std::borrow::Cow;

use serde_json::Value;

use super::messages::{Between, Voice, is_assistants, is_users, text_of};
use super::{Content, Receipt};

/// What a target refuses in messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// Nothing.
    Nothing,
    /// Texts without a word.
    Blanks,
    /// Those, and system messages that are not after the user's and before the assistant's or the end.
    BlanksAndMisplacedSystem,
    /// Those, and all system messages.
    BlanksAndSystem,
}

/// What becomes of a message.
pub(super) enum Own<'m> {
    /// It is sent, perhaps not as it was.
    Sent(Cow<'m, Value>),
    /// It has nothing that could be sent.
    LeftOut,
}

impl Own<'_> {
    pub(super) fn sent(&self) -> Option<&Value> {
        match self {
            Own::Sent(message) => Some(message),
            Own::LeftOut => None,
        }
    }
}

/// The caller's messages as the target takes them, each at its place, with insertions at others.
pub(super) fn repaired<'m>(
    content: &Content<'_>,
    messages: &[&'m Value],
    inserted: &[usize],
    voice: &Voice<'_>,
    receipt: &mut Receipt,
) -> Vec<Own<'m>> {
    if voice.refused == Refused::Nothing {
        return messages.iter().map(|message| Own::Sent(Cow::Borrowed(*message))).collect();
    }
    let mut repaired: Vec<Own<'m>> = Vec::with_capacity(messages.len());
    for (number, message) in messages.iter().enumerate() {
        repaired.push(without_blanks(message, number, receipt));
    }
    if voice.refused == Refused::Blanks {
        return repaired;
    }
    for at in 0..repaired.len() {
        let Some(message) = repaired[at].sent().filter(|message| message["role"] == "system") else { continue };
        let before = repaired[..at].iter().rposition(|own| own.sent().is_some());
        let behind = repaired[at + 1..].iter().position(|own| own.sent().is_some()).map(|behind| at + 1 + behind);
        // What is inserted on either side is the user's.
        let is_inserted = |places: std::ops::RangeInclusive<usize>| inserted.iter().any(|place| places.contains(place));
        let follows_user = is_inserted(before.map_or(0, |before| before + 1)..=at)
            || before.and_then(|before| repaired[before].sent()).is_some_and(is_users);
        let is_answered = !is_inserted(at + 1..=behind.unwrap_or(repaired.len()))
            && behind.and_then(|behind| repaired[behind].sent()).is_none_or(is_assistants);
        let is_allowed = voice.refused == Refused::BlanksAndMisplacedSystem && follows_user && is_answered;
        if !is_allowed {
            let words = content.framed(&text_of(message));
            receipt.instead(format!("message {at}"), "a framed message of the user's: nobody else may speak there");
            repaired[at] = Own::Sent(Cow::Owned((voice.user)(&words)));
        }
    }
    repaired
}

/// A message without the texts that have no word. What is left out moves its breakpoint to what is before it.
fn without_blanks<'m>(message: &'m Value, number: usize, receipt: &mut Receipt) -> Own<'m> {
    let key = if message.get("parts").is_some() { "parts" } else { "content" };
    let is_blank = |block: &Value| {
        block.get("text").and_then(Value::as_str).is_some_and(|text| text.trim().is_empty())
            && block.get("type").is_none_or(|of_type| of_type == "text")
    };
    let left_out = |receipt: &mut Receipt, what: String| receipt.instead(what, "left out: it has no word in it");
    match message.get(key) {
        Some(Value::String(text)) if text.trim().is_empty() => {
            left_out(receipt, format!("message {number}"));
            Own::LeftOut
        }
        Some(Value::Array(blocks)) if blocks.is_empty() => {
            left_out(receipt, format!("message {number}"));
            Own::LeftOut
        }
        Some(Value::Array(blocks)) if blocks.iter().any(is_blank) => {
            let mut kept: Vec<Value> = Vec::with_capacity(blocks.len());
            for (at, block) in blocks.iter().enumerate() {
                if !is_blank(block) {
                    kept.push(block.clone());
                    continue;
                }
                left_out(receipt, format!("block {at} of message {number}"));
                let marker = block.get("cache_control").filter(|marker| !marker.is_null());
                if let (Some(marker), Some(last)) = (marker, kept.last_mut())
                    && last.get("cache_control").is_none()
                {
                    last["cache_control"] = marker.clone();
                }
            }
            if kept.is_empty() {
                return Own::LeftOut;
            }
            let mut message = message.clone();
            message[key] = Value::Array(kept);
            Own::Sent(Cow::Owned(message))
        }
        _ => Own::Sent(Cow::Borrowed(message)),
    }
}

impl Between {
    /// What is refused of a caller's where the system may speak only so.
    pub(super) fn refused(self) -> Refused {
        match self {
            Between::Any => Refused::Nothing,
            Between::AfterUserOrInTool => Refused::Nothing,
            Between::AfterUser => Refused::BlanksAndSystem,
            Between::BeforeAnswer => Refused::BlanksAndMisplacedSystem,
        }
    }
}
