//! The conversation with what is put between its messages, and with what the system has to say in the midst of it.
//!
//! 1. An insertion is a message of the user's. It and a notice keep the place that they had when they were new: the messages before
//!    and behind are the same bytes as in the turn before, so they stay cached.
//! 2. At one place insertions come first, then notices. Behind all of them comes what hooks add for this turn, and the live part
//!    comes last of all, in front of an answer that the caller has begun.
//! 3. Where the target lets nobody speak at the place of a notice any more, because its turn was interrupted, the notice is said at
//!    the next one, and the receipt says so.
//! 4. What asks for a summary is the user's last message. Nobody sends it again, so nothing behind the request before is marked.
//! 5. Where the caller keeps its messages to itself, all of this is a list to append.

use std::borrow::Cow;

use serde_json::Value;

use super::places::{is_free, place};
use super::repair::{self, Own};
use super::{Content, Inserted, Notice, NoticeKind, Receipt};
use crate::compose::policy::{Placement, Undeliverable};
use crate::error::{Error, ErrorKind, Result};
use crate::freeze::ToolStep;
use crate::text::canonical;

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
    /// Which messages of a caller's are refused as they are.
    pub(super) refused: repair::Refused,
    /// How the target is told of changed tools, if it is.
    pub(super) tools: Option<&'v Telling<'v>>,
}

/// Makes blocks or items of changed tools.
type Telling<'t> = dyn Fn(&[ToolStep], &mut Receipt) -> Result<Vec<Value>> + 't;

/// What is said at a place of the conversation that was decided once.
struct Said<'c> {
    name: String,
    number: u64,
    after: Option<usize>,
    what: What<'c>,
}

enum What<'c> {
    Text(&'c str),
    /// Blocks of a system message, or items of their own.
    Tools(Vec<Value>),
}

/// Between which messages a target lets the system speak. Never within the use of a tool.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    /// Any two.
    Any,
    /// After one of the user's.
    AfterUser,
    /// After one of the user's, or within the answer of a tool.
    AfterUserOrInTool,
    /// After one of the user's, with the assistant's or nothing behind it.
    BeforeAnswer,
}

/// What became of a conversation.
pub(super) struct Woven {
    pub(super) messages: Vec<Value>,
    /// How many of them the next request has again: all but what is said for this turn alone.
    pub(super) kept: usize,
}

/// The list of messages that a target gets under `key`, from index `first` on.
pub(super) fn weave(
    content: &Content<'_>,
    voice: &Voice<'_>,
    (key, first): (&str, usize),
    receipt: &mut Receipt,
) -> Result<Woven> {
    let own = content.messages.unwrap_or_default();
    let key = if content.messages.is_some() { key } else { "append" };
    let first = if content.messages.is_some() { first } else { 0 };
    let all: Vec<&Value> = own.iter().chain(&content.added).collect();
    let asks = content.asks.map(Inserted::asking);
    let mut inserted = placed(content, receipt);
    inserted.extend(asks.iter().map(|asks| (all.len(), asks)));
    let places: Vec<usize> = inserted.iter().map(|(place, _)| *place).collect();
    let repaired = repair::repaired(content, &all, &places, voice, receipt);
    let mut woven = Weaving { content, voice, key, first, messages: Vec::with_capacity(all.len() + 4), spoken: 0 };
    let mut inserted = inserted.into_iter().peekable();
    let in_system = content.placement == Placement::System;
    let mut notices = said(content, voice, receipt)?.into_iter().peekable();
    let last = voice.between.last(own, &repaired, places.contains(&own.len()) || asks.is_some());
    let mut kept = None;
    for at in 0..=all.len() {
        while let Some((_, one)) = inserted.next_if(|(place, _)| *place == at) {
            if asks.as_ref().is_some_and(|asks| std::ptr::eq(asks, one)) {
                kept = Some(answered(&woven.messages));
            }
            woven.insert(one, receipt);
        }
        // What is inserted before the next message that is sent is the user's.
        let until = repaired.get(at..).and_then(|rest| rest.iter().position(|own| own.sent().is_some()));
        let until = until.map_or(all.len(), |behind| at + behind);
        let user_is_next = inserted.peek().is_some_and(|(place, _)| *place <= until);
        let speaks = at > 0
            && at <= own.len()
            && notices.peek().is_some()
            && is_free(own, at)
            && !(voice.between == Between::BeforeAnswer && user_is_next)
            && voice.between.allows(woven.messages.last(), next(&repaired, at));
        while let Some(notice) = notices.next_if(|notice| speaks && notice.after.is_some_and(|after| after <= at)) {
            if let Some(after) = notice.after.filter(|after| *after > 0 && place(own, Some(*after as u64)) < at) {
                let moved = format!("behind message {at} instead of {after}: nobody may speak there any more");
                receipt.instead(notice.name.as_str(), moved);
            }
            woven.notice(notice, receipt);
        }
        if at == last {
            for notice in notices.by_ref() {
                woven.notice(notice, receipt);
            }
            if !content.live().is_empty() && !in_system {
                let before = woven.messages.len();
                woven.live(receipt);
                // A message that it became a part of is another one in the next request.
                kept = kept.or(Some(before - usize::from(before > 0 && woven.messages.len() == before)));
            }
        }
        if let Some(Own::Sent(message)) = repaired.get(at) {
            woven.messages.push(message.clone().into_owned());
        }
    }
    if let (Some(because), true) = (voice.because, woven.spoken > 0) {
        refuse(content, "system text in mid-conversation", because)?;
        receipt.instead("system text in mid-conversation", format!("a framed message of the user's: {because}"));
    }
    Ok(Woven { kept: kept.unwrap_or(woven.messages.len()), messages: woven.messages })
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
        match self.messages.last_mut().filter(|last| self.voice.between.joins(last)) {
            Some(tool) => {
                in_tool(tool, &words);
                receipt.instead(&*one.name, "at the end of what a tool answered: nobody may speak behind that");
                receipt.part(&one.name, "tool", self.pointer(self.messages.len() - 1), &words, None);
            }
            None => {
                receipt.part(&one.name, "user", self.pointer(self.messages.len()), &words, None);
                self.messages.push((self.voice.user)(&words));
            }
        }
    }

    fn notice(&mut self, notice: Said<'_>, receipt: &mut Receipt) {
        match notice.what {
            What::Text(text) => self.say(&notice.name, text, receipt),
            What::Tools(blocks) => self.change(&notice.name, blocks, receipt),
        }
    }

    /// Tells of changed tools: in blocks of a system message where those are next to each other, else as items of their own.
    fn change(&mut self, what: &str, blocks: Vec<Value>, receipt: &mut Receipt) {
        let text: String = blocks.iter().map(canonical).collect();
        match (self.voice.join, self.messages.last_mut()) {
            (Some(_), Some(last)) if last["role"] == "system" => {
                let own = last["content"].take();
                let own = match own {
                    Value::Array(own) => own,
                    text => vec![serde_json::json!({"type": "text", "text": text})],
                };
                last["content"] = own.into_iter().chain(blocks).collect();
            }
            (Some(_), _) => self.messages.push(serde_json::json!({"role": "system", "content": blocks})),
            (None, _) => self.messages.extend(blocks),
        }
        self.spoken = self.messages.len();
        receipt.part(what, self.voice.role, self.pointer(self.spoken - 1), &text, None);
    }

    fn say(&mut self, what: &str, text: &str, receipt: &mut Receipt) {
        let words = if self.voice.framed { self.content.framed(text) } else { text.to_owned() };
        let before = self.messages.len();
        match (self.voice.join, self.messages.last_mut()) {
            (Some(join), Some(last))
                if self.spoken == before || last["role"] == self.voice.role && last["role"] == "system" =>
            {
                join(last, &words);
            }
            (_, Some(last)) if self.voice.between.joins(last) => in_tool(last, &words),
            _ => self.messages.push((self.voice.message)(&words)),
        }
        self.spoken = self.messages.len();
        receipt.part(what, self.voice.role, self.pointer(self.spoken - 1), &words, None);
    }

    /// Says the live part. In front of a conversation that has nothing of the user's only the user can speak.
    fn live(&mut self, receipt: &mut Receipt) {
        let live = self.content.live();
        let may_speak = self.content.messages.is_none() || self.voice.between.allows(self.messages.last(), None);
        if may_speak || self.voice.framed {
            return self.say("suffix", live, receipt);
        }
        let words = self.content.framed(live);
        receipt.part("suffix", "user", self.pointer(self.messages.len()), &words, None);
        receipt.instead("suffix", "a framed message of the user's: the conversation has none that it could follow");
        self.messages.push((self.voice.user)(&words));
    }

    fn pointer(&self, at: usize) -> String {
        format!("/{}/{}", self.key, self.first + at)
    }
}

impl Between {
    fn allows(self, before: Option<&Value>, next: Option<&Value>) -> bool {
        let follows_user = before.is_some_and(is_users);
        match self {
            Between::Any => true,
            Between::AfterUser => follows_user,
            Between::AfterUserOrInTool => follows_user || before.is_some_and(|before| before["role"] == "tool"),
            Between::BeforeAnswer => {
                let follows_system = before.is_some_and(|before| before["role"] == "system");
                (follows_user || follows_system) && next.is_none_or(is_assistants)
            }
        }
    }

    /// Whether what follows a message becomes a part of it.
    fn joins(self, before: &Value) -> bool {
        self == Between::AfterUserOrInTool && before["role"] == "tool"
    }

    /// The last place for what the system says: the end, or the last one that is allowed in front of an answer that has begun.
    fn last(self, own: &[Value], repaired: &[Own<'_>], user_is_last: bool) -> usize {
        let end = repaired.len();
        let last = repaired.iter().rev().find_map(Own::sent);
        if self == Between::Any || user_is_last || !last.is_some_and(is_assistants) {
            return end;
        }
        let before = |at: usize| repaired[..at].iter().rev().find_map(Own::sent);
        let places = (1..end).rev().filter(|at| is_free(own, *at));
        places.into_iter().find(|at| self.allows(before(*at), next(repaired, *at))).unwrap_or(0)
    }
}

/// The next message that is sent, from a place on.
fn next<'o>(repaired: &'o [Own<'_>], at: usize) -> Option<&'o Value> {
    repaired.get(at..)?.iter().find_map(Own::sent)
}

/// A text at the end of what a tool answers.
fn in_tool(message: &mut Value, text: &str) {
    match &mut message["content"] {
        Value::Array(blocks) => blocks.push(serde_json::json!({"type": "text", "text": text})),
        Value::String(said) => said.push_str(&format!("\n\n{text}")),
        other => *other = Value::from(text),
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

/// What is said in the conversation, in order: notices, and changes of tools.
fn said<'c>(content: &Content<'c>, voice: &Voice<'_>, receipt: &mut Receipt) -> Result<Vec<Said<'c>>> {
    let texts = content.notices.iter().filter(|_| content.placement != Placement::System);
    let (live, texts): (Vec<&Notice<'c>>, Vec<&Notice<'c>>) = texts.partition(|notice| notice.kind == NoticeKind::Live);
    let text = |notice: &Notice<'c>| Said {
        name: notice.name(),
        number: notice.number,
        after: notice.after,
        what: What::Text(notice.text),
    };
    let mut said: Vec<Said<'c>> = texts.into_iter().map(text).collect();
    if let Some(tell) = voice.tools {
        for changed in &content.tool_changes {
            let blocks = tell(changed.steps, receipt)?;
            let name = format!("notice {}", changed.number);
            said.push(Said { name, number: changed.number, after: changed.after, what: What::Tools(blocks) });
        }
    }
    said.sort_by_key(|one| one.number);
    // A notice may say what has changed since the one before, so that none overtakes another. At one place the live part comes last.
    for live in live.into_iter().map(text) {
        let at = said.iter().position(|one| one.after.unwrap_or(usize::MAX) > live.after.unwrap_or(usize::MAX));
        said.insert(at.unwrap_or(said.len()), live);
    }
    Ok(said)
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

/// How many messages the request had that the model answered last.
pub(super) fn answered(messages: &[Value]) -> usize {
    let end = messages.iter().rposition(is_answer).map_or(0, |at| at + 1);
    messages[..end].iter().rposition(|message| !is_answer(message)).map_or(0, |at| at + 1)
}

/// Whether a message, or an item, is a part of what the model answered.
pub(super) fn is_answer(message: &Value) -> bool {
    let of_type = message["type"].as_str().unwrap_or_default();
    is_assistants(message) || of_type == "reasoning" || of_type.ends_with("_call")
}

/// Whether a message is the model's.
pub(super) fn is_assistants(message: &Value) -> bool {
    matches!(message.get("role").and_then(Value::as_str), Some("assistant" | "model"))
}

/// The text of a message, whatever its shape.
pub(super) fn text_of(message: &Value) -> Cow<'_, str> {
    let content = message.get("content").or_else(|| message.get("parts"));
    match content {
        Some(Value::String(text)) => Cow::Borrowed(text),
        Some(Value::Array(blocks)) => {
            let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
            Cow::Owned(texts.join("\n\n"))
        }
        _ => Cow::Borrowed(""),
    }
}
