//! What is worth knowing and not worth stopping for.
//!
//! 1. Nothing is lost, cut, skipped or blank without a diagnostic. What must stop the work is an [`Error`](crate::Error).
//! 2. Every diagnostic has a [`Code`]. The table of codes says what each means, and `docs/reference/findings.md` is printed from it.
//! 3. A diagnostic about a file names the file: by its place in it, or by a [`Subject`].

mod code;
mod examples;
mod table;

use std::fmt;

pub use self::code::{Entry, ReportedBy, reference_page};
pub use self::table::Code;
use crate::text::Place;

/// How much a diagnostic matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Good to know: nothing is wrong, but the prompt differs from what its files say at first sight.
    Note,
    /// Probably not what was meant.
    Warning,
    /// Certainly wrong. `antefix check` fails on it.
    Error,
}

impl Level {
    /// The name in documents and messages.
    pub fn name(self) -> &'static str {
        match self {
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

/// A finding: what, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it matters.
    pub level: Level,
    /// The kind of finding; programs branch on it.
    pub code: Code,
    /// For people: lower case, no final stop.
    pub message: String,
    /// Where in the sources, if it is about a text.
    pub place: Option<Place>,
    /// What it is about, if that is known by a name or a path.
    pub about: Option<Subject>,
    /// What to do about it, for people.
    pub hint: Option<String>,
}

/// What a finding is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A fact, a section, a hook, a model or a conversation.
    Name(String),
    /// A file or a directory.
    File {
        /// Its path, as messages show it.
        path: String,
        /// The fact that it is the text of, if it is that of one.
        fact: Option<String>,
        /// Line and column in it, both from 1, if a place in it is meant.
        at: Option<(usize, usize)>,
    },
    /// A place in a request that its provider refuses.
    Request {
        /// The place, as a JSON pointer; empty for all of it.
        pointer: String,
        /// The rule that is broken.
        rule: String,
        /// The page or the report that says so.
        source: String,
    },
}

impl Subject {
    /// A file or a directory.
    pub fn file(path: impl AsRef<str>) -> Subject {
        Subject::File { path: path.as_ref().to_owned(), fact: None, at: None }
    }

    /// The one file that is the text of a fact.
    pub fn file_of(fact: impl AsRef<str>, path: impl AsRef<str>) -> Subject {
        Subject::File { path: path.as_ref().to_owned(), fact: Some(fact.as_ref().to_owned()), at: None }
    }

    /// The same file, at a line and a column, both from 1.
    #[must_use]
    pub fn at(mut self, line: usize, column: usize) -> Subject {
        if let Subject::File { at, .. } = &mut self {
            *at = Some((line, column));
        }
        self
    }

    /// Line and column, both from 1, if a place in a file is meant.
    pub fn place(&self) -> Option<(usize, usize)> {
        match self {
            Subject::Name(_) | Subject::Request { .. } => None,
            Subject::File { at, .. } => *at,
        }
    }

    /// The name of what is not a file, or of the fact whose text the file is.
    pub fn name(&self) -> Option<&str> {
        match self {
            Subject::Name(name) => Some(name),
            Subject::File { fact, .. } => fact.as_deref(),
            Subject::Request { rule, .. } => Some(rule),
        }
    }

    /// The path, if it is a file.
    pub fn path(&self) -> Option<&str> {
        match self {
            Subject::Name(_) | Subject::Request { .. } => None,
            Subject::File { path, .. } => Some(path),
        }
    }

    /// What a person looks for: the path, or the name of what is not a file.
    pub fn label(&self) -> &str {
        match self {
            Subject::Name(label) | Subject::File { path: label, .. } | Subject::Request { pointer: label, .. } => label,
        }
    }

    /// Every word of it, so that what must not be shown can be taken out.
    pub(crate) fn words_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let (label, fact) = match self {
            Subject::Name(name) => (name, None),
            Subject::File { path, fact, .. } => (path, fact.as_mut()),
            Subject::Request { pointer, .. } => (pointer, None),
        };
        std::iter::once(label).chain(fact)
    }
}

impl From<&str> for Subject {
    fn from(name: &str) -> Subject {
        Subject::Name(name.to_owned())
    }
}

impl From<String> for Subject {
    fn from(name: String) -> Subject {
        Subject::Name(name)
    }
}

impl From<&Subject> for Subject {
    fn from(subject: &Subject) -> Subject {
        subject.clone()
    }
}

impl Diagnostic {
    /// A finding of some level. Which levels a code has is said in its entry.
    pub fn new(level: Level, code: Code, message: impl Into<String>) -> Diagnostic {
        debug_assert!(code.entry().levels.contains(&level), "the table has no {} for {code}", level.name());
        Diagnostic { level, code, message: message.into(), place: None, about: None, hint: None }
    }

    /// An error as a finding: what it says stops something else than the work that goes on.
    pub(crate) fn of_error(code: Code, error: &crate::error::Error) -> Diagnostic {
        let mut finding = Diagnostic::new(Level::Error, code, error.message());
        finding.place = error.place().cloned();
        finding.hint = error.hint().map(str::to_owned);
        finding
    }

    /// A finding that is good to know.
    pub fn note(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Level::Note, code, message)
    }

    /// A finding that is probably a mistake.
    pub fn warning(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Level::Warning, code, message)
    }

    /// The same finding, at a place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Diagnostic {
        self.place = Some(place);
        self
    }

    /// The same finding, with what it is about.
    #[must_use]
    pub fn about(mut self, what: impl Into<Subject>) -> Diagnostic {
        self.about = Some(what.into());
        self
    }

    /// The same finding, with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Diagnostic {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: ", self.level.name(), self.code)?;
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, " ({hint})")?;
        }
        Ok(())
    }
}

/// The name among `known` that `name` was probably meant to be.
pub(crate) fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A name of a megabyte is nobody's typo, and comparing it would take its square.
    if name.len() > 64 {
        return None;
    }
    let close = |candidate: &&'a str| {
        let distance = strsim::damerau_levenshtein(&name.to_lowercase(), &candidate.to_lowercase());
        (distance <= 1 + candidate.len() / 4).then_some(distance)
    };
    known
        .into_iter()
        .filter_map(|candidate| close(&candidate).map(|distance| (distance, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}
