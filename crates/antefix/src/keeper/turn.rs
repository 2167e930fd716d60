//! What goes into a turn, and what comes out.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use super::HookMessage;
use super::insertions::{Repeat, TurnInsertion, speaker};
use crate::compose::{Layout, Prompt, Wording};
use crate::deliver::{
    ChangedTools, Content, Delivery, Inserted, Notice, NoticeKind, SaidSection, Target, deliver, renewal, said_sections,
};
use crate::diagnostic::Diagnostic;
use crate::discover::remote::{Fetched, Fetching};
use crate::discover::roots::MoreRoots;
use crate::discover::tools::Tools;
use crate::discover::{Report, Situation, World};
use crate::error::Result;
use crate::freeze::record::{RecordedOrigin, RecordedSpan};
use crate::freeze::{Amendment, Change, ConversationId, Epoch, Insertion, InsertionKind, Watch};
use crate::hooks::{Hook, HookDid};
use crate::models::Models;
use crate::text::LineNumbers;
use crate::tokens::Tokenizer;

/// What a turn needs to know.
#[derive(Clone, Copy)]
pub struct TurnInput<'t> {
    /// What is outside.
    pub world: &'t dyn World,
    /// What is said.
    pub layout: &'t Layout,
    /// Who, where, with which tools.
    pub situation: Situation<'t>,
    /// Which facts of a standing epoch are asked for again.
    pub watch: Watch,
    /// How many messages the conversation has so far, if the caller knows: a notice remembers its place among them.
    pub messages: Option<usize>,
    /// A name for the turn: what it was the first to have is new again when it is asked for again.
    pub id: Option<&'t str>,
    /// How often insertions are sent.
    pub repeat: Repeat,
    /// Paths that the agent reads or changes: what applies to them goes with the turn, unless the conversation has it.
    pub touch: &'t [PathBuf],
    /// The system text for this turn alone, in place of all of it. Nothing is stored, nobody is asked.
    pub replacement: Option<&'t str>,
    /// Who has a say, in order.
    pub hooks: &'t [&'t dyn Hook],
    /// What is known of models: whether a provider caches a prefix of this size.
    pub models: &'t Models,
    /// The conversation's messages, for hooks that change them; none if the caller does not pass them through.
    pub history: Option<&'t Arc<[Value]>>,
}

impl<'t> TurnInput<'t> {
    /// A turn that watches what acts, with the table of models that antefix comes with.
    pub fn new(world: &'t dyn World, layout: &'t Layout, situation: Situation<'t>) -> TurnInput<'t> {
        TurnInput {
            world,
            layout,
            situation,
            watch: Watch::Acting,
            messages: None,
            id: None,
            repeat: Repeat::default(),
            touch: &[],
            replacement: None,
            hooks: &[],
            models: Models::built_in(),
            history: None,
        }
    }

    /// The same input for a conversation of this name.
    pub(super) fn named<'n>(&self, conversation: &'n ConversationId) -> TurnInput<'n>
    where
        't: 'n,
    {
        let situation = Situation { conversation_id: Some(conversation.as_str()), ..self.situation };
        TurnInput { situation, ..*self }
    }

    /// The same input for a turn that asks for each text once.
    pub(super) fn fetching<'n>(&self, fetched: &'n Fetched) -> TurnInput<'n>
    where
        't: 'n,
    {
        let fetching = Fetching { fetched: Some(fetched), ..self.situation.fetching };
        TurnInput { situation: Situation { fetching, ..self.situation }, ..*self }
    }

    /// The same input with the roots that hooks name.
    pub(super) fn with_roots<'n>(&self, more: &'n MoreRoots) -> TurnInput<'n>
    where
        't: 'n,
    {
        TurnInput { situation: Situation { more, ..self.situation }, ..*self }
    }
}

impl Delivering {
    pub(super) fn nothing() -> Delivering {
        Delivering {
            layout: None,
            tools: None,
            model: None,
            models: Models::built_in().clone(),
            previous_response: None,
        }
    }
}

impl fmt::Debug for Delivering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delivering").field("model", &self.model).finish_non_exhaustive()
    }
}

/// One request's worth of system prompt.
#[derive(Debug, Clone)]
pub struct Turn {
    /// The epoch that stands; none if the turn replaces the system text.
    pub epoch: Option<Arc<Epoch>>,
    /// Whether the epoch began with this turn.
    pub began: Began,
    /// All amendments of the epoch, in order.
    pub amendments: Vec<Amendment>,
    /// How many of them, counted from the end, are new with this turn.
    pub fresh: usize,
    /// The live part. Its boundary is 0: all of it is suffix.
    pub suffix: Prompt,
    /// As much of it as the conversation has as insertions.
    pub(super) kept: String,
    /// The system text of this turn alone, if it has one.
    pub replacement: Option<String>,
    /// Where every byte of that came from.
    pub(super) replacement_spans: Vec<TurnSpan>,
    /// What this turn is the first to have between the caller's messages: what was queued for it, and what it touched.
    pub messages: Vec<Insertion>,
    /// All that goes between the caller's messages in this request, in order, as hooks left it.
    pub insertions: Vec<TurnInsertion>,
    /// The names of insertions that hooks took out of this request, each with the hook.
    pub removed: Vec<(String, String)>,
    /// The messages that hooks added for this turn.
    pub added: Vec<HookMessage>,
    /// Those of them that no other hook has looked at: they go behind all else.
    pub(super) behind: Vec<Value>,
    /// What asks for a summary, if this is the request for one.
    pub(super) asks: Option<String>,
    /// The conversation's messages as hooks left them, without insertions; none if the caller passed none through.
    pub history: Option<Arc<[Value]>>,
    /// The pauses of the conversation that lost a cache, or may have, in seconds.
    pub(super) pauses: Vec<u64>,
    /// What each hook did, in order.
    pub hooks: Vec<HookDid>,
    /// Changes that are held back.
    pub pending: Vec<Change>,
    /// Changes that a new epoch was begun for.
    pub changes: Vec<Change>,
    /// What was loaded in this turn, and what was not.
    pub report: Report,
    /// What is worth knowing.
    pub diagnostics: Vec<Diagnostic>,
    /// What delivering it needs besides.
    pub(crate) delivering: Delivering,
}

/// What delivering a turn needs besides the turn: the layout's wishes, the tools, the model.
#[derive(Clone)]
pub(crate) struct Delivering {
    /// None for a turn that the front door did not make.
    pub(crate) layout: Option<Arc<Layout>>,
    pub(crate) tools: Option<Tools>,
    pub(crate) model: Option<String>,
    pub(crate) models: Models,
    /// The id of the provider's last response, if the caller has it.
    pub(crate) previous_response: Option<String>,
}

/// Whether an epoch began with a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Began {
    /// It began with an earlier one.
    Before,
    /// It did.
    Now,
}

impl Turn {
    /// A turn in which nothing is said.
    pub(super) fn empty(input: &TurnInput<'_>) -> Turn {
        Turn { suffix: Prompt::empty(input.layout.name()), ..Turn::nothing() }
    }

    /// The same without a layout.
    pub(super) fn nothing() -> Turn {
        Turn {
            epoch: None,
            began: Began::Before,
            amendments: Vec::new(),
            fresh: 0,
            suffix: Prompt::empty(""),
            kept: String::new(),
            replacement: None,
            replacement_spans: Vec::new(),
            messages: Vec::new(),
            insertions: Vec::new(),
            removed: Vec::new(),
            added: Vec::new(),
            behind: Vec::new(),
            asks: None,
            pauses: Vec::new(),
            history: None,
            hooks: Vec::new(),
            pending: Vec::new(),
            changes: Vec::new(),
            report: Report::default(),
            diagnostics: Vec::new(),
            delivering: Delivering::nothing(),
        }
    }

    /// The same turn with the caller's words in place of all system text.
    pub(super) fn saying(self, text: &str) -> Turn {
        Turn { replacement: Some(text.to_owned()), replacement_spans: TurnSpan::of_caller(text), ..self }
    }

    /// The frozen part of the system text, or what is used in its place for this turn.
    pub fn prefix(&self) -> &str {
        match (&self.replacement, &self.epoch) {
            (Some(text), _) => text,
            (None, Some(epoch)) => epoch.text(),
            (None, None) => "",
        }
    }

    /// The same turn with what goes between the caller's messages.
    pub(super) fn inserting(mut self, insertions: Vec<TurnInsertion>, history: Option<&Arc<[Value]>>) -> Turn {
        let is_live = |one: &TurnInsertion| matches!(one.insertion.kind, InsertionKind::Live(_));
        let fresh = insertions.iter().filter(|one| one.is_fresh && !is_live(one));
        self.messages = fresh.map(|one| one.insertion.clone()).collect();
        self.insertions = insertions;
        self.history = history.cloned();
        self.place_insertions();
        self
    }

    /// The system text of this turn: what is before the boundary, and what stands behind it.
    pub fn system(&self) -> String {
        format!("{}{}", self.prefix(), self.suffix.text())
    }

    /// Where every byte of the system text came from, in order, without gap or overlap.
    pub fn spans(&self) -> Result<Vec<TurnSpan>> {
        let mut spans = match (&self.replacement, &self.epoch) {
            (Some(_), _) => self.replacement_spans.clone(),
            (None, Some(epoch)) => {
                let section = |number: usize| epoch.body().sections.get(number).map(|section| section.id.as_str());
                let spans = epoch.body().spans()?;
                spans.into_iter().map(|span| TurnSpan::new(section(span.section), span, 0)).collect()
            }
            (None, None) => Vec::new(),
        };
        let boundary = self.prefix().len();
        let section = |number: usize| self.suffix.sections().get(number).map(|section| section.id.as_str());
        let mut lines = LineNumbers::default();
        let live = self.suffix.spans().iter().map(|span| (section(span.section), RecordedSpan::of(span, &mut lines)));
        spans.extend(live.map(|(section, span)| TurnSpan::new(section, span, boundary)));
        Ok(spans)
    }

    /// The fragment of a provider's request, and its receipt.
    pub fn deliver(&self, target: Target) -> Result<Delivery> {
        let Delivering { model, models, .. } = &self.delivering;
        let content = self.placed(self.content(self.tools()?));
        let model = model.as_deref().and_then(|name| models.find(name)).map(|(model, _)| model);
        deliver(&content, target, model.as_ref())
    }

    /// The tools that every turn of the epoch has: its own, where changes of them are told, and else the caller's.
    fn tools(&self) -> Result<Option<&Tools>> {
        let current = self.delivering.tools.as_ref();
        let epoch = self.epoch.as_deref().filter(|_| self.replacement.is_none());
        match epoch {
            Some(epoch) if current.is_some() && self.tells_of_tools() => Ok(epoch.body().parsed_tools()?.or(current)),
            _ => Ok(current),
        }
    }

    /// The tools that are deferred in a turn that replaces the system text: as an epoch would decide.
    fn deferred_without_epoch(&self, tools: Option<&Tools>) -> BTreeSet<String> {
        let decided = |(layout, tools): (&Layout, &Tools)| layout.rules().tools.defer.decide(tools);
        self.layout().zip(tools).map(decided).unwrap_or_default()
    }

    fn tells_of_tools(&self) -> bool {
        self.amendments.iter().any(|amendment| !amendment.body.tools.is_empty())
    }

    /// A text of the system's for a message that only a user can send, in the frame that the turn's layout words.
    pub fn framed(&self, text: &str) -> String {
        self.placed(Content::new("", 0, "")).framed(text)
    }

    /// The epoch's prefix as sections of a user's message, in the words of the turn's layout.
    pub fn said_sections(&self) -> Result<Vec<SaidSection>> {
        let Some(epoch) = self.epoch.as_deref() else { return Ok(Vec::new()) };
        match self.layout() {
            Some(layout) => said_sections(epoch.body(), layout.wording()),
            None => said_sections(epoch.body(), &Wording::built_in()),
        }
    }

    /// The epoch's prefix for a session that was told an earlier one, announced as what takes its place, in the frame and the
    /// words of the turn's layout; none if the turn has no epoch.
    pub fn said_renewal(&self) -> Result<Option<String>> {
        let Some(epoch) = self.epoch.as_deref() else { return Ok(None) };
        let text = match self.layout() {
            Some(layout) => renewal(epoch.body(), layout.wording())?,
            None => renewal(epoch.body(), &Wording::built_in())?,
        };
        Ok(Some(self.framed(&text)))
    }

    fn placed<'c>(&'c self, content: Content<'c>) -> Content<'c> {
        match self.layout() {
            Some(layout) => content.placed(layout, &layout.rules().phrases),
            None => content,
        }
    }

    /// The tokenizer of the turn's model, for receipts that are counted.
    pub fn tokenizer(&self) -> Tokenizer {
        self.delivering.models.tokenizer(self.delivering.model.as_deref())
    }

    /// The layout that the turn was composed with; none for a turn that the front door did not make.
    pub fn layout(&self) -> Option<&Layout> {
        self.delivering.layout.as_deref()
    }

    /// What is delivered of it.
    pub fn content<'c>(&'c self, tools: Option<&'c Tools>) -> Content<'c> {
        let epoch = self.epoch.as_deref().filter(|_| self.replacement.is_none());
        let fixed = epoch.map_or(0, |epoch| epoch.body().fixed());
        let (of_tools, of_texts): (Vec<&Amendment>, Vec<&Amendment>) =
            self.amendments.iter().partition(|amendment| !amendment.body.tools.is_empty());
        let notices = of_texts.into_iter().map(|amendment| Notice {
            kind: NoticeKind::Amendment,
            number: amendment.number,
            text: &amendment.body.text,
            after: amendment.body.after,
        });
        let live = self.insertions.iter().filter(|one| speaker(&one.insertion.kind).is_none()).map(|one| Notice {
            kind: NoticeKind::Live,
            number: one.insertion.number,
            text: &one.insertion.text,
            after: one.after.map(|after| after as usize),
        });
        let notices: Vec<Notice<'_>> = notices.chain(live).collect();
        let tool_changes = of_tools.into_iter().map(|amendment| ChangedTools {
            number: amendment.number,
            steps: &amendment.body.tools,
            after: amendment.body.after,
        });
        let insertions = self.insertions.iter().filter_map(|one| {
            Some(Inserted {
                name: one.insertion.name().into(),
                text: one.insertion.text.as_str().into(),
                after: one.after,
                says: speaker(&one.insertion.kind)?,
                is_fresh: one.is_fresh,
            })
        });
        Content {
            blocks: epoch.map(|epoch| Content::blocks_of(epoch.body())).unwrap_or_default(),
            epoch: epoch.map(Epoch::digest),
            digests: epoch.map(|epoch| &epoch.body().digests),
            notices,
            tools,
            deferred: match epoch {
                Some(epoch) => Cow::Borrowed(&epoch.body().deferred),
                None => Cow::Owned(self.deferred_without_epoch(tools)),
            },
            tool_changes: tool_changes.collect(),
            current_tools: self.delivering.tools.as_ref().or(tools),
            messages: self.history.as_deref(),
            previous_response: self.delivering.previous_response.as_deref(),
            insertions: insertions.collect(),
            added: self.behind.clone(),
            asks: self.asks.as_deref(),
            pauses: &self.pauses,
            removed: &self.removed,
            ..Content::new(self.prefix(), fixed, self.live())
        }
    }

    /// The live part without what the conversation has of it. What a hook puts in its place is said as a whole.
    fn live(&self) -> &str {
        let suffix = self.suffix.text();
        if self.kept.is_empty() { suffix } else { suffix.strip_prefix(self.kept.as_str()).unwrap_or(suffix) }
    }
}

/// A run of bytes of a turn's system text with one origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnSpan {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last one.
    pub end: usize,
    /// The section; `hook:` and a name for what a hook said, empty for what the caller said.
    pub section: String,
    /// Where the bytes came from.
    pub origin: RecordedOrigin,
    /// What was done to them.
    pub transform: Option<String>,
}

impl TurnSpan {
    fn new(section: Option<&str>, span: RecordedSpan, by: usize) -> TurnSpan {
        let RecordedSpan { start, end, origin, transform, .. } = span;
        let section = section.unwrap_or_default().to_owned();
        TurnSpan { start: start + by, end: end + by, section, origin, transform }
    }

    /// The span of a system text that the caller brought.
    pub(super) fn of_caller(text: &str) -> Vec<TurnSpan> {
        let origin =
            RecordedOrigin { kind: "caller".to_owned(), name: "replacement".to_owned(), path: None, line: None };
        let whole = TurnSpan { start: 0, end: text.len(), section: String::new(), origin, transform: None };
        if text.is_empty() { Vec::new() } else { vec![whole] }
    }

    /// The spans of a part of a text, as they lie when the part begins at `at`.
    pub(super) fn clipped(spans: &[TurnSpan], text: &str, part: Range<usize>, at: usize) -> Vec<TurnSpan> {
        let clip = |span: &TurnSpan| {
            let (start, end) = (span.start.max(part.start), span.end.min(part.end));
            if start >= end {
                return None;
            }
            let mut origin = span.origin.clone();
            // What an expression computed has no lines of its own.
            if origin.kind != "expression" {
                origin.line = origin.line.map(|line| line + text[span.start..start].matches('\n').count());
            }
            let (start, end) = (start - part.start + at, end - part.start + at);
            Some(TurnSpan { start, end, origin, ..span.clone() })
        };
        spans.iter().filter_map(clip).collect()
    }
}
