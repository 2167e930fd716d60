//! What goes into a turn, and what comes out.

use std::sync::Arc;

use crate::compose::{Layout, Prompt, Shelf, Wording};
use crate::diagnostic::Diagnostic;
use crate::discover::{Report, Situation, World};
use crate::freeze::{Amendment, Change, Epoch, QueuedMessage, Watch};

/// What a turn needs to know.
#[derive(Clone, Copy)]
pub struct TurnInput<'t> {
    /// What is outside.
    pub world: &'t dyn World,
    /// What is said.
    pub layout: &'t Layout,
    /// How it is framed.
    pub wording: &'t Wording,
    /// Where the templates that a wording includes are found.
    pub shelf: &'t dyn Shelf,
    /// Who, where, with which tools.
    pub situation: &'t Situation,
    /// Which facts of a standing epoch are asked for again.
    pub watch: Watch,
    /// How many messages the conversation has so far, if the caller knows: a notice remembers its place among them.
    pub messages: Option<usize>,
    /// A name for the turn. A turn that is asked for again under its name gets the same queued messages again.
    pub id: Option<&'t str>,
    /// The system text for this turn alone, in place of all of it. Nothing is stored, nothing is asked for.
    pub replacement: Option<&'t str>,
}

impl<'t> TurnInput<'t> {
    /// A turn that watches what acts.
    pub fn new(
        world: &'t dyn World,
        layout: &'t Layout,
        wording: &'t Wording,
        shelf: &'t dyn Shelf,
        situation: &'t Situation,
    ) -> TurnInput<'t> {
        TurnInput {
            world,
            layout,
            wording,
            shelf,
            situation,
            watch: Watch::default(),
            messages: None,
            id: None,
            replacement: None,
        }
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
    /// The system text of this turn alone, if it has one.
    pub replacement: Option<String>,
    /// The messages that were queued for this turn.
    pub messages: Vec<QueuedMessage>,
    /// Changes that are held back.
    pub pending: Vec<Change>,
    /// Changes that a new epoch was begun for.
    pub changes: Vec<Change>,
    /// What was loaded in this turn, and what was not.
    pub report: Report,
    /// What is worth knowing.
    pub diagnostics: Vec<Diagnostic>,
}

/// Whether an epoch began with a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Began {
    /// It stood already.
    Before,
    /// It did.
    Now,
}

impl Turn {
    /// The frozen part of the system text, or what stands in its place for this turn.
    pub fn prefix(&self) -> &str {
        match (&self.replacement, &self.epoch) {
            (Some(text), _) => text,
            (None, Some(epoch)) => epoch.text(),
            (None, None) => "",
        }
    }
}
