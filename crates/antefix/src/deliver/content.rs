//! What is delivered, whoever gets it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

use super::blocks::{Block, blocks};
use crate::compose::policy::{Lifetime, Placement, Undeliverable};
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
    /// The prefix as messages, if its layout says who says what; empty if the system says all of it in one.
    pub blocks: Vec<Block<'c>>,
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
    /// The names of those tools that are deferred, where the target and the model can load them later.
    pub deferred: Cow<'c, BTreeSet<String>>,
    /// Changes of those tools that the conversation has been told of, in order.
    pub tool_changes: Vec<ChangedTools<'c>>,
    /// The tools as they are with all changes, for targets that cannot be told of changes.
    pub current_tools: Option<&'c Tools>,
    /// The conversation so far, as the provider takes it; none if the caller keeps it to itself.
    pub messages: Option<&'c [Value]>,
    /// The id of the provider's last response in this conversation, to be compared with this request.
    pub previous_response: Option<&'c str>,
    /// What is put between the messages of the conversation, in order.
    pub insertions: Vec<Inserted<'c>>,
    /// Messages of this turn alone, behind the conversation.
    pub added: Vec<Value>,
    /// What asks for a summary: the user's last words, in this request alone.
    pub asks: Option<&'c str>,
    /// The names of insertions that a hook took out of this request, and the hook.
    pub removed: &'c [(String, String)],
    /// Where the live part goes.
    pub placement: Placement,
    /// How long what is written to the provider's cache is to live.
    pub lifetime: Lifetime,
    /// The pauses of the conversation that were longer than any provider keeps a cache for certain, in seconds.
    pub pauses: &'c [u64],
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
    /// What it tells.
    pub kind: NoticeKind,
    /// Its number in its epoch, or among the insertions of the conversation.
    pub number: u64,
    /// The text of the notice.
    pub text: &'c str,
    /// How many messages there were before it when it was new; none if the caller did not say.
    pub after: Option<usize>,
}

/// What a notice tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// What has changed since the epoch began.
    Amendment,
    /// What was true at its place; the last one counts.
    Live,
}

impl Notice<'_> {
    /// Its name in a receipt.
    pub(super) fn name(&self) -> String {
        match self.kind {
            NoticeKind::Amendment => format!("notice {}", self.number),
            NoticeKind::Live => format!("live {}", self.number),
        }
    }
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

impl<'c> Inserted<'c> {
    /// What asks for a summary.
    pub(super) fn asking(words: &'c str) -> Inserted<'c> {
        let (name, text) = ("compaction".into(), words.into());
        Inserted { name, text, after: None, says: Speaker::User, is_fresh: true }
    }
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
            blocks: Vec::new(),
            epoch: None,
            digests: None,
            notices: Vec::new(),
            suffix,
            tools: None,
            deferred: Cow::Owned(BTreeSet::new()),
            tool_changes: Vec::new(),
            current_tools: None,
            messages: None,
            previous_response: None,
            insertions: Vec::new(),
            added: Vec::new(),
            asks: None,
            removed: &[],
            placement: Placement::default(),
            lifetime: Lifetime::default(),
            pauses: &[],
            undeliverable: Undeliverable::default(),
            frame: (built_in("frame_begin"), built_in("frame_end")),
        }
    }

    /// The content of a prompt that belongs to no conversation.
    pub fn of_prompt(prompt: &'c Prompt, tools: Option<&'c Tools>, messages: Option<&'c [Value]>) -> Content<'c> {
        let sections = prompt.sections().iter().filter(|section| section.stability == Stability::Fixed);
        let fixed = sections.map(|section| section.range.end).max().unwrap_or(0);
        let standing = prompt.sections().iter().filter(|section| section.stability < Stability::Live);
        let sections =
            standing.map(|section| (section.id.as_str(), section.stability, section.message, section.range.clone()));
        let blocks = blocks(prompt.prefix(), sections);
        Content { blocks, tools, messages, ..Content::new(prompt.prefix(), fixed, prompt.suffix()) }
    }

    /// The content of an epoch alone: its prefix and its tools.
    pub fn of_epoch(body: &'c EpochBody, tools: Option<&'c Tools>) -> Content<'c> {
        let digests = Some(&body.digests);
        let blocks = Content::blocks_of(body);
        let deferred = Cow::Borrowed(&body.deferred);
        let epoch = Some(body.digest());
        Content { blocks, epoch, digests, tools, deferred, ..Content::new(&body.text, body.fixed(), "") }
    }

    /// The prefix of an epoch as messages, if its layout says who says what.
    pub(crate) fn blocks_of(body: &'c EpochBody) -> Vec<Block<'c>> {
        let sections = body.sections.iter();
        let sections =
            sections.map(|section| (section.id.as_str(), section.stability, section.message, section.range.clone()));
        blocks(&body.text, sections)
    }

    /// The same content, as a layout wants it placed, in the frame that the wordings say.
    #[must_use]
    pub fn placed(mut self, layout: &Layout, phrases: &'c Phrases) -> Content<'c> {
        self.placement = layout.placement();
        self.lifetime = layout.lifetime();
        self.undeliverable = layout.undeliverable();
        self.frame = (phrases.text("frame_begin"), phrases.text("frame_end"));
        self
    }

    /// The same content for a target that keeps the history, or has none: what was said of the moment before is over.
    pub(super) fn without_earlier_live(&self) -> Content<'c> {
        let mut content = self.clone();
        let last = content.notices.iter().rposition(|notice| notice.kind == NoticeKind::Live);
        let mut at = 0;
        content.notices.retain(|notice| {
            at += 1;
            notice.kind == NoticeKind::Amendment || Some(at - 1) == last
        });
        content
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
        let notices = self.notices.iter().map(|notice| (notice.name(), notice.text));
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
