//! Prompts: bytes, and where each came from.

use std::ops::Range;

use super::Stability;
use super::policy::Message;
use crate::diagnostic::Diagnostic;
use crate::discover::Reason;
use crate::text::{Digest, FactName, Origin, Text, Transform};

/// A composed prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    pub(super) layout: String,
    pub(super) text: String,
    pub(super) boundary: usize,
    pub(super) sections: Vec<PromptSection>,
    pub(super) spans: Vec<Span>,
    pub(super) notes: Notes,
    /// What of the notes the suffix has when it is composed alone.
    pub(super) suffix_notes: Notes,
}

/// What there is to say about sections, apart from their bytes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Notes {
    pub(super) left_out: Vec<LeftOut>,
    pub(super) gaps: Vec<Gap>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Notes {
    pub(super) fn append(&mut self, other: Notes) {
        self.left_out.extend(other.left_out);
        self.gaps.extend(other.gaps);
        self.diagnostics.extend(other.diagnostics);
    }
}

/// A section's place in a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptSection {
    /// Its id in the layout.
    pub id: String,
    /// For how long its bytes stay.
    pub stability: Stability,
    /// Who says it, in which message.
    pub message: Message,
    /// Its bytes, with the joint before them.
    pub range: Range<usize>,
}

/// A section that is not in the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Its id in the layout.
    pub id: String,
    /// Why it is left out, for people.
    pub why: String,
}

/// A run of a prompt's bytes with one origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The bytes in the prompt.
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
    /// The fact that is missing.
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
            spans: Vec::new(),
            notes: Notes::default(),
            suffix_notes: Notes::default(),
        }
    }

    /// What is after the boundary, as [`compose_suffix`](super::compose_suffix) composes it for the prefix.
    pub(crate) fn into_suffix(mut self) -> Prompt {
        let standing = self.sections.partition_point(|section| section.stability < Stability::Live);
        let from_boundary = |range: Range<usize>| range.start - self.boundary..range.end - self.boundary;
        let sections = self.sections.split_off(standing);
        let first = self.spans.partition_point(|span| span.section < standing);
        let spans = self.spans.split_off(first);
        Prompt {
            layout: self.layout,
            text: self.text.split_off(self.boundary),
            boundary: 0,
            sections: sections
                .into_iter()
                .map(|section| PromptSection { range: from_boundary(section.range), ..section })
                .collect(),
            spans: spans
                .into_iter()
                .map(|span| Span { range: from_boundary(span.range), section: span.section - standing, ..span })
                .collect(),
            notes: self.suffix_notes.clone(),
            suffix_notes: self.suffix_notes,
        }
    }

    /// The same prompt with other words for a part of it: a live section of their own.
    pub(crate) fn with(&self, part: Range<usize>, id: &str, words: &Text) -> Prompt {
        let (text, sections, spans) = Default::default();
        let mut next = Prompt { text, sections, spans, ..self.clone() };
        next.take(self, 0..part.start);
        let (start, section) = (next.text.len(), next.sections.len());
        if !words.as_str().is_empty() {
            next.text.push_str(words.as_str());
            let range = start..next.text.len();
            next.sections.push(PromptSection {
                id: id.to_owned(),
                stability: Stability::Live,
                message: Message::default(),
                range,
            });
        }
        next.spans.extend(words.pieces().map(|piece| Span {
            range: start + piece.range.start..start + piece.range.end,
            section,
            origin: piece.origin.clone(),
            transform: piece.transform,
        }));
        next.take(self, part.end..self.text.len());
        next
    }

    /// Appends a part of another prompt. A section that is cut in two is two sections of one id.
    fn take(&mut self, other: &Prompt, part: Range<usize>) {
        let start = self.text.len();
        self.text.push_str(&other.text[part.clone()]);
        let clip = |range: &Range<usize>| {
            let (from, to) = (range.start.max(part.start), range.end.min(part.end));
            (from < to).then(|| (from - part.start + start..to - part.start + start, from))
        };
        let mut numbers = Vec::new();
        for section in &other.sections {
            numbers.push(self.sections.len());
            if let Some((range, _)) = clip(&section.range) {
                self.sections.push(PromptSection { range, ..section.clone() });
            }
        }
        for span in &other.spans {
            if let (Some((range, from)), Some(&section)) = (clip(&span.range), numbers.get(span.section)) {
                let origin = span.origin.further(&other.text[span.range.start..from]);
                self.spans.push(Span { range, section, origin, transform: span.transform });
            }
        }
    }

    /// The name of the layout that it was composed with.
    pub fn layout(&self) -> &str {
        &self.layout
    }

    /// The whole text, before and after the boundary.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is frozen with an epoch: everything before the boundary.
    pub fn prefix(&self) -> &str {
        &self.text[..self.boundary]
    }

    /// What is new with every turn: everything after the boundary.
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
        &self.notes.left_out
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
        &self.notes.gaps
    }

    /// What is worth knowing about it.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.notes.diagnostics
    }

    /// The digest of a section's bytes.
    pub fn digest(&self, section: &PromptSection) -> Digest {
        Digest::of(&self.text[section.range.clone()])
    }
}
