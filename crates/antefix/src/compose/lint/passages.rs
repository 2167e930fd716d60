//! The prefix as its authors wrote it: runs of text, each of one file or fact, with their lines.

use std::ops::Range;
use std::sync::Arc;

use crate::compose::{Prompt, Span};
use crate::diagnostic::{Diagnostic, Subject};
use crate::text::{LineNumbers, Lines, Origin, Place, Source, SourceKind, Transform, Within};

/// A run of text with one author.
pub(super) struct Passage<'p> {
    /// The file, or the fact that came from none.
    pub(super) label: &'p str,
    /// Its text in the prompt.
    pub(super) text: &'p str,
    /// Where its first byte came from.
    origin: &'p Origin,
}

/// The passages of a prompt's prefix, in order. What was computed or put between items has no author.
pub(super) fn passages(prompt: &Prompt) -> Vec<Passage<'_>> {
    let mut passages: Vec<Run<'_>> = Vec::new();
    for span in prompt.spans().iter().take_while(|span| span.range.end <= prompt.boundary()) {
        if span.transform == Some(Transform::Joined) || matches!(span.origin, Origin::Expression { .. }) {
            continue;
        }
        let lines = prompt.text()[span.range.clone()].matches('\n').count();
        match passages.last_mut() {
            Some(run) if run.goes_on_with(span) => {
                run.range.end = span.range.end;
                run.lines += lines;
            }
            _ => passages.push(Run { origin: &span.origin, range: span.range.clone(), lines }),
        }
    }
    passages
        .into_iter()
        .map(|Run { origin, range, .. }| Passage {
            label: origin.path().unwrap_or(origin.name()),
            text: &prompt.text()[range],
            origin,
        })
        .collect()
}

/// A passage that is being built.
struct Run<'p> {
    origin: &'p Origin,
    range: Range<usize>,
    /// How many lines end in it.
    lines: usize,
}

impl Run<'_> {
    /// Whether a span is what follows in its own file.
    fn goes_on_with(&self, span: &Span) -> bool {
        if span.range.start != self.range.end {
            return false;
        }
        match (self.origin, &span.origin) {
            (Origin::Fact { fact, line }, Origin::Fact { fact: other, line: next }) => {
                fact.path.is_some() && fact.name == other.name && fact.path == other.path && line + self.lines == *next
            }
            (Origin::Source { source, offset }, Origin::Source { source: other, offset: next }) => {
                Arc::ptr_eq(source, other) && offset + self.range.len() == *next
            }
            _ => false,
        }
    }
}

impl<'p> Passage<'p> {
    /// Whether it was read from a file that is not a template, or handed in as one: text that is data.
    pub(super) fn is_file(&self) -> bool {
        match self.origin.kind() {
            "file" => true,
            "caller" => self.origin.path().is_some(),
            _ => false,
        }
    }

    /// Whether it is a fact that came from no file.
    pub(super) fn is_variable(&self) -> bool {
        match self.origin.kind() {
            "variable" => true,
            "caller" => self.origin.path().is_none(),
            _ => false,
        }
    }

    /// Whether it is a file's name and none of its text: what frames a file names it.
    pub(super) fn is_label(&self) -> bool {
        self.is_file() && self.text == self.label
    }

    /// The fact that it is the text of.
    pub(super) fn fact(&self) -> Option<&'p str> {
        match self.origin {
            Origin::Fact { fact, .. } => Some(fact.name.as_str()),
            _ => None,
        }
    }

    /// `file:line` of a byte in it, for messages.
    pub(super) fn address(&self, at: usize) -> String {
        match self.place(at..at) {
            Some(place) => format!("{}:{}", self.label, place.line_column().0),
            None => self.label.to_owned(),
        }
    }

    /// The line in its file of a byte before which `lines` lines of it end. It is found without counting them.
    pub(super) fn line(&self, at: usize, lines: usize, numbers: &mut LineNumbers) -> Option<usize> {
        match self.origin {
            Origin::Source { source, offset } => {
                numbers.of(&Origin::Source { source: Arc::clone(source), offset: offset + at })
            }
            Origin::Fact { fact, line } if fact.path.is_some() => Some(line + lines),
            _ => None,
        }
    }

    /// What a finding in it is about.
    pub(super) fn subject(&self) -> Subject {
        match self.origin.path() {
            Some(path) => Subject::file(path),
            None => Subject::from(self.label),
        }
    }

    /// A finding about some of its bytes.
    pub(super) fn finding_at(&self, finding: Diagnostic, range: Range<usize>) -> Diagnostic {
        let finding = finding.about(self.subject());
        match self.place(range) {
            Some(place) => finding.at(place),
            None => finding,
        }
    }

    /// Where some of its bytes are in their file; none for a fact that came from no file.
    fn place(&self, range: Range<usize>) -> Option<Place> {
        match self.origin {
            Origin::Source { source, offset } => Some(Place::new(source, offset + range.start..offset + range.end)),
            Origin::Fact { fact, line } if fact.path.is_some() => {
                let start = self.text[..range.start].rfind('\n').map_or(0, |newline| newline + 1);
                let end = self.text[range.start..].find('\n').map_or(self.text.len(), |newline| range.start + newline);
                let line = line + self.text[..start].matches('\n').count();
                let mut source = Source::new(SourceKind::File, self.label, &self.text[start..end]).at(self.label);
                source.within = Some(Within { line, column: 1, lines: Lines::Files });
                let within = range.start - start..range.end.min(end).max(range.start) - start;
                Some(Place::new(&Arc::new(source), within))
            }
            _ => None,
        }
    }
}
