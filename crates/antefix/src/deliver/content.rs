//! What is delivered, whoever gets it.

use std::borrow::Cow;

use serde_json::Value;

use crate::compose::policy::{Placement, Undeliverable};
use crate::compose::{Layout, Prompt, Stability, WordingKey};
use crate::discover::protected;
use crate::discover::tools::Tools;
use crate::freeze::{EpochBody, ToolStep};
use crate::text::{Digest, FactName, Origin, Phrases, PrefixDigests, Text};

/// A turn's content, before it takes a provider's shape.
#[derive(Debug, Clone)]
pub struct Content<'c> {
    /// The part of the prefix that is the same for everyone until the layout changes; may be empty.
    pub fixed: &'c str,
    /// The rest of the prefix, which is the same for an epoch; may be empty.
    pub frozen: &'c str,
    /// The digest of what the model sees of an epoch; none for a text of one turn alone.
    pub epoch: Option<Digest>,
    /// The digests of the prefix that are remembered with its epoch; without them they are taken each time.
    pub digests: Option<&'c PrefixDigests>,
    /// Notices, in order.
    pub notices: Vec<Notice<'c>>,
    /// The live part; may be empty.
    pub suffix: &'c str,
    /// The tools; none if the caller keeps them to itself.
    pub tools: Option<&'c Tools>,
    /// Changes of those tools that the conversation has been told of, in order.
    pub tool_changes: Vec<ChangedTools<'c>>,
    /// The tools as they are with all changes, for targets that cannot be told of changes.
    pub current_tools: Option<&'c Tools>,
    /// The conversation so far, as the provider takes it; none if the caller keeps it to itself.
    pub messages: Option<&'c [Value]>,
    /// What is put between the messages of the conversation, in order.
    pub insertions: Vec<Inserted<'c>>,
    /// Messages of this turn alone, behind the conversation.
    pub added: Vec<Value>,
    /// The names of insertions that a hook took out of this request, and the hook.
    pub removed: &'c [(String, String)],
    /// Where the live part goes.
    pub placement: Placement,
    /// What happens to what a target cannot take.
    pub undeliverable: Undeliverable,
    /// The frame around what the system would say where only users can speak: the wordings before and behind the text.
    pub frame: (&'c str, &'c str),
}

/// The tag that the built-in frame is made of. What is in it cannot close it.
const TAG: &str = "setting";

/// A notice and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notice<'c> {
    /// Its number in its epoch.
    pub number: u64,
    /// The text of the notice.
    pub text: &'c str,
    /// How many messages there were before it when it was new; none if the caller did not say.
    pub after: Option<usize>,
}

/// Tools that came, changed or went at one place of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangedTools<'c> {
    /// The number of the notice in its epoch.
    pub number: u64,
    /// What happened, tool by tool.
    pub steps: &'c [ToolStep],
    /// How many messages there were before it when it was new; none if the caller did not say.
    pub after: Option<usize>,
}

/// A text between the messages of a conversation, as a message of the user's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inserted<'c> {
    /// Its name in a receipt.
    pub name: Cow<'c, str>,
    /// What it says.
    pub text: Cow<'c, str>,
    /// How many messages of the conversation come before it; none for all of them.
    pub after: Option<u64>,
    /// Whether the user says it, or the program that the model runs in.
    pub says: Speaker,
    /// Whether this turn is the first to have it.
    pub is_fresh: bool,
}

/// Who says something in a message of the user's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The user.
    User,
    /// The program that the model runs in: the text has a frame.
    Program,
}

impl Inserted<'_> {
    /// The text as it is sent.
    pub(super) fn words(&self, content: &Content<'_>) -> String {
        match self.says {
            Speaker::User => self.text.to_string(),
            Speaker::Program => content.framed(&self.text),
        }
    }
}

impl<'c> Content<'c> {
    /// A prefix of which so many bytes are fixed, and a live part; everything else is to be filled in.
    pub fn new(prefix: &'c str, fixed: usize, suffix: &'c str) -> Content<'c> {
        let (fixed, frozen) = prefix.split_at_checked(fixed).unwrap_or(("", prefix));
        Content {
            fixed,
            frozen,
            epoch: None,
            digests: None,
            notices: Vec::new(),
            suffix,
            tools: None,
            tool_changes: Vec::new(),
            current_tools: None,
            messages: None,
            insertions: Vec::new(),
            added: Vec::new(),
            removed: &[],
            placement: Placement::default(),
            undeliverable: Undeliverable::default(),
            frame: (built_in("frame_begin"), built_in("frame_end")),
        }
    }

    /// The content of a prompt that belongs to no conversation.
    pub fn of_prompt(prompt: &'c Prompt, tools: Option<&'c Tools>, messages: Option<&'c [Value]>) -> Content<'c> {
        let sections = prompt.sections().iter().filter(|section| section.stability == Stability::Fixed);
        let fixed = sections.map(|section| section.range.end).max().unwrap_or(0);
        Content { tools, messages, ..Content::new(prompt.prefix(), fixed, prompt.suffix()) }
    }

    /// The content of an epoch alone: its prefix and its tools.
    pub fn of_epoch(body: &'c EpochBody, tools: Option<&'c Tools>) -> Content<'c> {
        let digests = Some(&body.digests);
        Content { epoch: Some(body.digest()), digests, tools, ..Content::new(&body.text, body.fixed(), "") }
    }

    /// The same content, as a layout wants it placed, in the frame that the wordings say.
    #[must_use]
    pub fn placed(mut self, layout: &Layout, phrases: &'c Phrases) -> Content<'c> {
        self.placement = layout.placement();
        self.undeliverable = layout.undeliverable();
        self.frame = (phrases.text("frame_begin"), phrases.text("frame_end"));
        self
    }

    /// All messages that are not ours: the caller's and those of hooks.
    pub(super) fn conversation(&self) -> impl Iterator<Item = &Value> {
        self.messages.unwrap_or_default().iter().chain(&self.added)
    }

    /// The whole prefix, with room for what moves behind it.
    pub(super) fn prefix(&self) -> String {
        let moving: usize = self.moving().map(|(_, text)| text.len() + 2).sum();
        let mut prefix = String::with_capacity(self.fixed.len() + self.frozen.len() + moving);
        prefix.push_str(self.fixed);
        prefix.push_str(self.frozen);
        prefix
    }

    /// The live part without the line breaks that join it to the prefix.
    pub(super) fn live(&self) -> &'c str {
        self.suffix.trim_start_matches('\n')
    }

    /// What follows the prefix, in order: the notices, then the live part, each with its name in a receipt.
    pub(super) fn moving(&self) -> impl Iterator<Item = (String, &'c str)> {
        let notices = self.notices.iter().map(|notice| (format!("notice {}", notice.number), notice.text));
        notices.chain([("suffix".to_owned(), self.live())]).filter(|(_, text)| !text.is_empty())
    }

    /// A text in the frame for a message that a user would send.
    pub(crate) fn framed(&self, text: &str) -> String {
        let origin = Origin::fact(&FactName::new("deliver", "frame"));
        let text = protected(&Text::new(text, origin), &[TAG.to_owned()]);
        format!("{}\n\n{}\n{}", self.frame.0, text.as_str(), self.frame.1)
    }
}

/// A built-in wording, without its last line feed.
fn built_in(key: &str) -> &'static str {
    WordingKey::parse(key).map(|key| key.built_in().trim_end_matches('\n')).unwrap_or_default()
}
