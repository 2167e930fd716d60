//! The prefix as messages: who says what, in how many of them.
//!
//! 1. Sections of one role that are next to each other share a message; one that wants a message of its own has it. The order is the
//!    layout's: what the system says, what the user says before the conversation, what the user says behind its first message.
//! 2. A block has no line feeds at its beginning: those joined it to what is before it in the text.
//! 3. A layout that says nothing about messages has no blocks, and is delivered as two parts of one text.
//! 4. A role that a target lacks becomes the system's, and a text that has no messages has all of them; the receipt says so.

use std::borrow::Cow;

use serde_json::Value;

use crate::compose::Stability;
use crate::compose::policy::{Message, MessagePlace, Role};
use crate::error::Result;

use super::messages::refuse;
use super::{Content, Inserted, Receipt, Speaker};

/// A part of the prefix: what is equally stable, of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<'c> {
    /// Its name in a receipt: `fixed` and `frozen` for the first of what the system says, else that of its first section.
    pub name: Cow<'c, str>,
    /// The number of the message that it is in.
    pub message: usize,
    /// Who says it.
    pub role: Role,
    /// On which side of the user's words it is.
    pub place: MessagePlace,
    /// For how long it stays.
    pub stability: Stability,
    /// Where it begins in the prefix, with the line feeds before it.
    pub start: usize,
    /// What it says.
    pub text: &'c str,
}

/// The blocks of a prefix with these sections; none if all of them are said in the usual way.
pub(super) fn blocks<'c>(
    prefix: &'c str,
    sections: impl Iterator<Item = (&'c str, Stability, Message, std::ops::Range<usize>)> + Clone,
) -> Vec<Block<'c>> {
    // Most layouts say nothing about messages, and every turn asks.
    if sections.clone().all(|(_, _, message, _)| message.is_usual()) {
        return Vec::new();
    }
    let mut blocks: Vec<Block<'c>> = Vec::new();
    let mut before: Option<Message> = None;
    let mut ends = Vec::new();
    for (id, stability, message, range) in sections.filter(|(.., range)| !range.is_empty()) {
        let begins = before.is_none_or(|before| message.begins_behind(&before));
        let goes_on = blocks.last().is_some_and(|last| !begins && last.stability == stability);
        before = Some(message);
        if goes_on {
            ends.pop();
            ends.push(range.end);
            continue;
        }
        let number = blocks.last().map_or(0, |last| last.message + usize::from(begins));
        let usual = if stability == Stability::Fixed { "fixed" } else { "frozen" };
        let is_first = message.is_usual() && blocks.iter().all(|block| block.name != usual);
        let name = if is_first { usual.into() } else { format!("block {id}").into() };
        let Message { role, place, .. } = message;
        blocks.push(Block { name, message: number, role, place, stability, start: range.start, text: "" });
        ends.push(range.end);
    }
    for number in 0..blocks.len() {
        let is_joined = number > 0 && blocks[number - 1].message == blocks[number].message;
        let text = prefix.get(blocks[number].start..ends[number]).unwrap_or_default();
        // What goes on in one message goes on byte by byte.
        blocks[number].text = if is_joined || number == 0 { text } else { text.trim_start_matches('\n') };
    }
    blocks.retain(|block| !block.text.is_empty());
    blocks
}

impl<'c> Content<'c> {
    /// What is before the conversation: the blocks, or what is fixed and what is frozen.
    pub(super) fn in_front(&self) -> Vec<Block<'c>> {
        if !self.blocks.is_empty() {
            let in_front = self.blocks.iter().filter(|block| block.place == MessagePlace::Before);
            return in_front.cloned().collect();
        }
        let usual = |name: &'static str, stability, start, text| Block {
            name: name.into(),
            message: 0,
            role: Role::System,
            place: MessagePlace::Before,
            stability,
            start,
            text,
        };
        let fixed = usual("fixed", Stability::Fixed, 0, self.fixed);
        let frozen = usual("frozen", Stability::Frozen, self.fixed.len(), self.frozen);
        [fixed, frozen].into_iter().filter(|block| !block.text.is_empty()).collect()
    }

    /// The same content with what the user says behind the first message put there.
    pub(super) fn with_behind(&self) -> Option<Content<'c>> {
        let behind = self.blocks.iter().filter(|block| block.place == MessagePlace::Behind);
        let mut insertions: Vec<Inserted<'c>> = behind
            .map(|block| Inserted {
                name: block.name.clone(),
                text: block.text.into(),
                after: Some(1),
                says: Speaker::User,
                is_fresh: false,
            })
            .collect();
        if insertions.is_empty() {
            return None;
        }
        insertions.extend(self.insertions.iter().cloned());
        Some(Content { insertions, ..self.clone() })
    }

    /// Notes that a target has no role for a developer.
    pub(super) fn no_developer(&self, block: &Block<'_>, because: &str, receipt: &mut Receipt) -> Result<()> {
        if block.role != Role::Developer {
            return Ok(());
        }
        let what = format!("the role `developer` of {}", block.name);
        refuse(self, &what, because)?;
        receipt.instead(what, format!("the system says it: {because}"));
        Ok(())
    }

    /// Notes that a target takes one text, whoever says it.
    pub(super) fn one_text(&self, because: &str, receipt: &mut Receipt) -> Result<()> {
        if self.blocks.is_empty() {
            return Ok(());
        }
        let what = "the messages of the prefix";
        refuse(self, what, because)?;
        receipt.instead(what, format!("one text: {because}"));
        Ok(())
    }
}

/// Puts an item behind a list, and answers with its number.
pub(super) fn push(list: &mut Value, item: Value) -> usize {
    let Some(items) = list.as_array_mut() else {
        *list = Value::Array(vec![item]);
        return 0;
    };
    items.push(item);
    items.len() - 1
}
