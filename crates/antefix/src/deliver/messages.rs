//! The conversation with what is put between its messages, and with what the system has to say in the midst of it.
//!
//! 1. An insertion is a message of the user's. It and a notice keep the place that they had when they were new: the messages before
//!    and behind are the same bytes as in the turn before, so they stay cached.
//! 2. At one place insertions come first, then notices. Behind all of them comes what hooks add for this turn, and the live part
//!    comes last of all.
//! 3. Where the caller keeps its messages to itself, all of this is a list to append.

use serde_json::Value;

use super::places::{is_free, place};
use super::{Content, Inserted, Notice, Receipt};
use crate::compose::policy::{Placement, Undeliverable};
use crate::error::{Error, ErrorKind, Result};

/// How a target takes what comes between messages.
pub(super) struct Voice<'v> {
    /// Who says what the system says in mid-conversation.
    pub(super) role: &'static str,
    /// Whether the text needs the frame, because the role is the user's.
    pub(super) framed: bool,
    /// Why it is not the system, if it is not.
    pub(super) because: Option<&'static str>,
    /// Makes a message of the system's of a text.
    pub(super) message: &'v dyn Fn(&str) -> Value,
    /// Makes a message of the user's of a text.
    pub(super) user: &'v dyn Fn(&str) -> Value,
    /// Adds a text to a message of the system's, if two of them must not be next to each other.
    pub(super) join: Option<fn(&mut Value, &str)>,
    /// Between which messages the system may speak.
    pub(super) between: Between,
}

/// Between which messages a target lets the system speak. Never within the use of a tool.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    /// Any two.
    Any,
    /// After one of the user's.
    AfterUser,
    /// After one of the user's, with the assistant's or nothing behind it.
    BeforeAnswer,
}

/// The list of messages that a target gets under `key`, from index `first` on.
pub(super) fn weave(
    content: &Content<'_>,
    voice: &Voice<'_>,
    (key, first): (&str, usize),
    receipt: &mut Receipt,
) -> Result<Vec<Value>> {
    let own = content.messages.unwrap_or_default();
    let key = if content.messages.is_some() { key } else { "append" };
    let first = if content.messages.is_some() { first } else { 0 };
    let mut woven = Weaving { content, voice, key, first, messages: Vec::with_capacity(own.len() + 4), spoken: 0 };
    let mut inserted = placed(content, receipt).into_iter().peekable();
    let in_system = content.placement == Placement::System;
    let mut notices = content.notices.iter().filter(|_| !in_system).peekable();
    for at in 0..=own.len() {
        let mut follows_user = at.checked_sub(1).is_some_and(|before| is_users(&own[before]));
        while let Some((_, one)) = inserted.next_if(|(place, _)| *place == at) {
            woven.insert(one, receipt);
            follows_user = true;
        }
        let next = own.get(at).or(content.added.first());
        let speaks = notices.peek().is_some() && at > 0 && is_free(own, at) && voice.between.allows(follows_user, next);
        while let Some(notice) = notices.next_if(|notice| speaks && notice.after.is_some_and(|after| after <= at)) {
            woven.say(&name(notice), notice.text, receipt);
        }
        woven.messages.extend(own.get(at).cloned());
    }
    woven.messages.extend(content.added.iter().cloned());
    for notice in notices {
        woven.say(&name(notice), notice.text, receipt);
    }
    if !content.live().is_empty() && !in_system {
        woven.say("suffix", content.live(), receipt);
    }
    if let (Some(because), true) = (voice.because, woven.spoken > 0) {
        refuse(content, "system text in mid-conversation", because)?;
        receipt.instead("system text in mid-conversation", format!("a framed message of the user's: {because}"));
    }
    Ok(woven.messages)
}

/// Messages on their way into a request.
struct Weaving<'w, 'c> {
    content: &'w Content<'c>,
    voice: &'w Voice<'w>,
    key: &'w str,
    first: usize,
    messages: Vec<Value>,
    /// How many messages there were when the system spoke last: if there are no more now, it speaks on.
    spoken: usize,
}

impl Weaving<'_, '_> {
    fn insert(&mut self, one: &Inserted<'_>, receipt: &mut Receipt) {
        let words = one.words(self.content);
        receipt.part(&one.name, "user", self.pointer(self.messages.len()), &words, None);
        self.messages.push((self.voice.user)(&words));
    }

    fn say(&mut self, what: &str, text: &str, receipt: &mut Receipt) {
        let words = if self.voice.framed { self.content.framed(text) } else { text.to_owned() };
        let before = self.messages.len();
        match (self.voice.join, self.messages.last_mut()) {
            (Some(join), Some(last)) if self.spoken == before => join(last, &words),
            _ => self.messages.push((self.voice.message)(&words)),
        }
        self.spoken = self.messages.len();
        receipt.part(what, self.voice.role, self.pointer(self.spoken - 1), &words, None);
    }

    fn pointer(&self, at: usize) -> String {
        format!("/{}/{}", self.key, self.first + at)
    }
}

impl Between {
    fn allows(self, follows_user: bool, next: Option<&Value>) -> bool {
        match self {
            Between::Any => true,
            Between::AfterUser => follows_user,
            Between::BeforeAnswer => follows_user && next.is_none_or(|next| next["role"] == "assistant"),
        }
    }
}

/// The insertions by their places. One without words is left out, because providers refuse it.
pub(super) fn placed<'i, 'c>(content: &'i Content<'c>, receipt: &mut Receipt) -> Vec<(usize, &'i Inserted<'c>)> {
    for (name, hook) in content.removed {
        receipt.instead(name, format!("left out of this request by hook `{hook}`"));
    }
    let own = content.messages.unwrap_or_default();
    let mut placed = Vec::with_capacity(content.insertions.len());
    for one in &content.insertions {
        match one.text.is_empty() {
            true => receipt.instead(&*one.name, "left out: it is empty"),
            false => placed.push((place(own, one.after), one)),
        }
    }
    placed.sort_by_key(|(place, _)| *place);
    placed
}

fn name(notice: &Notice<'_>) -> String {
    format!("notice {}", notice.number)
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
