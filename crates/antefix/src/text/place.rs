//! The place of a piece of text: a source, and a range of bytes in it.
//!
//! Diagnostics, errors and spans all point the same way, so that a message, the excerpt under it and `explain` agree.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::HiddenText;

/// A text that somebody wrote and antefix reads: a template, a wording, a layout file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// What the text is for.
    pub kind: SourceKind,
    /// How it is referred to: `$user/greet`, a wording's key, a layout's name.
    pub name: String,
    /// Where it was read from, if it lies in a file; built-in texts have none.
    pub path: Option<String>,
    /// The text itself.
    pub text: Arc<str>,
    /// Where the text begins in its file, if it does not fill it: a string in a layout.
    pub within: Option<Within>,
    /// What becomes of hidden characters that expressions in it print. They stay, unless the text is a project's.
    pub hidden: HiddenText,
}

/// Where a text begins in a file that has more than it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Within {
    /// The line of its first byte, from 1.
    pub line: usize,
    /// The column of its first byte, from 1.
    pub column: usize,
    /// Whether its lines are the file's. A string on one line may have line feeds that are written `\n`.
    pub lines: Lines,
}

/// Whether the lines of a text are those of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// The lines are those of the file.
    Files,
    /// The text is on one line of the file.
    One,
}

impl Within {
    /// Where the string of a TOML file begins whose bytes, with its quotes, are `range`.
    pub(crate) fn toml(file: &Source, range: Range<usize>) -> Within {
        let written = &file.text[range.clone()];
        let quotes = if written.starts_with("\"\"\"") || written.starts_with("'''") { 3 } else { 1 };
        // A line feed right behind the quotes is not part of the string.
        let newline = if quotes == 3 && written[quotes..].starts_with('\n') { 1 } else { 0 };
        let (line, column) = file.line_column(range.start + quotes + newline);
        let lines = if written.contains('\n') { Lines::Files } else { Lines::One };
        Within { line, column, lines }
    }
}

/// What a [`Source`] is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceKind {
    /// A section's text, or a file that it includes.
    Template,
    /// A small template that frames or announces.
    Wording,
    /// A layout file.
    Layout,
    /// A file that is data: instructions, a skill. Only the line that a finding is about.
    File,
}

impl SourceKind {
    /// The name in documents and messages.
    pub fn name(self) -> &'static str {
        match self {
            SourceKind::Template => "template",
            SourceKind::Wording => "wording",
            SourceKind::Layout => "layout",
            SourceKind::File => "file",
        }
    }
}

impl Source {
    /// A source that lies in no file.
    pub fn new(kind: SourceKind, name: impl Into<String>, text: impl Into<Arc<str>>) -> Source {
        Source { kind, name: name.into(), path: None, text: text.into(), within: None, hidden: HiddenText::Allow }
    }

    /// The same source, as a part of a file.
    #[must_use]
    pub(crate) fn within(mut self, within: Within) -> Source {
        self.within = Some(within);
        self
    }

    /// The same source, with what becomes of hidden characters that expressions in it print.
    #[must_use]
    pub fn hiding(mut self, hidden: HiddenText) -> Source {
        self.hidden = hidden;
        self
    }

    /// The same source, read from `path`.
    #[must_use]
    pub fn at(mut self, path: impl Into<String>) -> Source {
        self.path = Some(path.into());
        self
    }

    /// What a person looks for: the path, or the name if there is no file.
    pub fn label(&self) -> &str {
        self.path.as_deref().unwrap_or(&self.name)
    }

    /// Line and column (both from 1, the column in characters) of a byte offset.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let before = &self.text[..floor_char_boundary(&self.text, offset)];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let (line, column) = (1 + before.matches('\n').count(), 1 + before[start..].chars().count());
        let column = match self.within {
            Some(Within { column: indent, lines: Lines::One, .. }) => indent + before.chars().count(),
            Some(Within { column: indent, lines: Lines::Files, .. }) if line == 1 => indent + column - 1,
            _ => column,
        };
        (self.line_in_file(line), column)
    }

    /// The line of the file that a line of the text is, both from 1.
    pub(super) fn line_in_file(&self, line: usize) -> usize {
        match self.within {
            None => line,
            Some(Within { line: first, lines: Lines::One, .. }) => first,
            Some(Within { line: first, lines: Lines::Files, .. }) => first + line - 1,
        }
    }
}

/// A range of bytes in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The text pointed into.
    pub source: Arc<Source>,
    /// The bytes meant.
    pub range: Range<usize>,
}

impl Place {
    /// Points at `range` of `source`, moved to character boundaries that exist.
    pub fn new(source: &Arc<Source>, range: Range<usize>) -> Place {
        let start = floor_char_boundary(&source.text, range.start);
        let end = ceil_char_boundary(&source.text, range.end.max(start));
        Place { source: Arc::clone(source), range: start..end }
    }

    /// Line and column of the first byte, both from 1.
    pub fn line_column(&self) -> (usize, usize) {
        self.source.line_column(self.range.start)
    }

    /// The line that the place begins in, and the range of the place within it (bytes). Of a long line only what is
    /// around the place.
    pub fn excerpt(&self) -> (&str, Range<usize>) {
        let (line, range) = self.line();
        if line.len() <= EXCERPT {
            return (line, range);
        }
        let start = floor_char_boundary(line, range.start.saturating_sub(EXCERPT / 2));
        let end = ceil_char_boundary(line, (start + EXCERPT).min(line.len()));
        (&line[start..end], range.start - start..range.end.min(end) - start)
    }

    fn line(&self) -> (&str, Range<usize>) {
        let text = &self.source.text;
        let start = text[..self.range.start].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[self.range.start..].find('\n').map_or(text.len(), |newline| self.range.start + newline);
        (&text[start..end], self.range.start - start..self.range.end.min(end) - start)
    }
}

/// How many bytes of a line an excerpt has.
const EXCERPT: usize = 160;

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.line_column();
        write!(f, "{}:{line}:{column}", self.source.label())
    }
}

/// The last character boundary at or before `offset`.
pub(crate) fn floor_char_boundary(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset)
}

/// The first character boundary at or after `offset`.
fn ceil_char_boundary(text: &str, offset: usize) -> usize {
    text.ceil_char_boundary(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_names_line_and_column_and_shows_its_line() {
        let source = Arc::new(Source::new(SourceKind::Template, "t", "one\nzwö [x:y] drei\nvier"));
        let place = Place::new(&source, 9..14);
        assert_eq!(place.to_string(), "t:2:5");
        assert_eq!(place.excerpt(), ("zwö [x:y] drei", 5..10));
    }

    #[test]
    fn a_text_in_a_toml_file_has_the_files_lines() {
        let file = Source::new(SourceKind::Layout, "f", "a = 1\nt = \"\"\"\nx\ny [z]\"\"\"\nu = 'v\\n[w]'\n");
        let many = Source::new(SourceKind::Template, "t", "x\ny [z]").within(Within::toml(&file, 10..24));
        assert_eq!((many.line_column(0), many.line_column(4)), ((3, 1), (4, 3)));
        let one = Source::new(SourceKind::Template, "u", "v\n[w]").within(Within::toml(&file, 29..37));
        assert_eq!(one.line_column(2), (5, 8));
    }

    #[test]
    fn a_place_past_the_end_points_at_the_end() {
        let source = Arc::new(Source::new(SourceKind::Template, "t", "ab"));
        assert_eq!(Place::new(&source, 9..12).excerpt(), ("ab", 2..2));
    }
}
