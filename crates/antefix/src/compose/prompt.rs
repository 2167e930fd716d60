//! Prompts: bytes, and where each came from.

use std::ops::Range;

use super::{Origin, Stability, Transform};
use crate::diagnostic::Diagnostic;
use crate::digest::Digest;
use crate::discover::{FactName, Reason};

/// A composed prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    pub(super) layout: String,
    pub(super) text: String,
    pub(super) boundary: usize,
    pub(super) sections: Vec<PromptSection>,
    pub(super) left_out: Vec<LeftOut>,
    pub(super) spans: Vec<Span>,
    pub(super) gaps: Vec<Gap>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// A section's place in a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptSection {
    /// Its id in the layout.
    pub id: String,
    /// For how long its bytes hold.
    pub stability: Stability,
    /// Its bytes, with the joint before them.
    pub range: Range<usize>,
}

/// A section that is not in the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its id in the layout.
    pub id: String,
    /// Why.
    pub why: String,
}

/// A run of a prompt's bytes with one origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The bytes.
    pub range: Range<usize>,
    /// The number of their section.
    pub section: usize,
    /// Where they came from.
    pub origin: Origin,
    /// What was done to them.
    pub transform: Option<Transform>,
}

/// Something that is missing because it could not be asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The section that names the fact.
    pub section: String,
    /// The fact.
    pub fact: FactName,
    /// Why it is unavailable.
    pub reason: Reason,
}

impl Prompt {
    /// A prompt without a byte.
    pub(crate) fn empty(layout: &str) -> Prompt {
        Prompt {
            layout: layout.to_owned(),
            text: String::new(),
            boundary: 0,
            sections: Vec::new(),
            left_out: Vec::new(),
            spans: Vec::new(),
            gaps: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// The name of the layout that it was composed with.
    pub fn layout(&self) -> &str {
        &self.layout
    }

    /// All of it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is frozen with an epoch: everything before the boundary.
    pub fn prefix(&self) -> &str {
        &self.text[..self.boundary]
    }

    /// What is new with every turn: everything behind the boundary.
    pub fn suffix(&self) -> &str {
        &self.text[self.boundary..]
    }

    /// The place between prefix and suffix: a position, never a string that somebody searches for.
    pub fn boundary(&self) -> usize {
        self.boundary
    }

    /// The sections, in order.
    pub fn sections(&self) -> &[PromptSection] {
        &self.sections
    }

    /// The sections that are not in it, and why.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Where every byte came from, in order, without gap or overlap.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// The span that a byte lies in.
    pub fn span_at(&self, byte: usize) -> Option<&Span> {
        let number = self.spans.partition_point(|span| span.range.end <= byte);
        self.spans.get(number)
    }

    /// What is missing because it could not be asked for.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// What is worth knowing about it.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The digest of a section's bytes.
    pub fn digest(&self, section: &PromptSection) -> Digest {
        Digest::of(&self.text[section.range.clone()])
    }
}
