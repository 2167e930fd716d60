//! What stops the work.

use std::fmt;

use crate::text::{FactName, Place};

/// Why composing, loading or reading a layout stopped.
///
/// `{}` is one line; `{:#}` adds the excerpt with a caret, and the hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    place: Option<Place>,
    hint: Option<String>,
    fact: Option<FactName>,
}

/// What to branch on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A layout file cannot be read, is not valid TOML, or contradicts itself.
    Layout,
    /// A template reference is invalid, its prefix is not configured, or the file is missing or unreadable.
    Load,
    /// A template has a syntax error, or uses what the dialect does not offer.
    Parse,
    /// A template failed while it was rendered: an undefined name, mostly.
    Render,
    /// A wording file is invalid, or a wording failed.
    Wording,
    /// A scope rule is invalid.
    Scope,
    /// A fact is unavailable, and its section says `when_unavailable = "refuse"`.
    Refused,
    /// A limit was reached: size, nesting, work.
    Limit,
    /// Whoever asked waits no more, and said so: see [`Stop`](crate::Stop).
    Stopped,
    /// A conversation's id is invalid, or there is no such conversation or epoch.
    Conversation,
    /// Somebody else was first: a compaction was superseded, or the conversation moved on.
    Conflict,
    /// A target cannot take what a layout needs, and the layout lets nothing else stand for it.
    Undeliverable,
    /// The store could not answer.
    Store(Fault),
    /// The machine could not do it: it is out of descriptors or memory, or a device failed. Nothing is wrong with the input.
    Machine,
    /// A prompt does not fit its budget, whatever may be cut.
    Budget,
    /// The user's settings, or what the user trusts, cannot be read or kept.
    Settings,
    /// A directory or a file that was named is not there, or is something else.
    Input,
    /// A directory that was named is not in one of those that projects may be in.
    Outside,
    /// The address of a store is not one.
    Address,
    /// A file with rows for the table of models is invalid.
    Models,
    /// A receipt cannot be read.
    Receipt,
    /// What a provider says of its cache cannot be read.
    Usage,
}

/// The closed set of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Fault {
    /// Others hold it; try again.
    Busy,
    /// It cannot be reached; try again.
    Unreachable,
    /// There is no room.
    Full,
    /// It may be read and not written.
    ReadOnly,
    /// A newer antefix wrote it.
    Newer,
    /// It is damaged, or no store of ours.
    Corrupt,
    /// Its files were moved, removed, replaced, or given another name while it was in use. It may be read and not written.
    Displaced,
    /// This process, or the machine, has no more file descriptors; try again.
    Descriptors,
    /// There is not enough memory; try again.
    Memory,
    /// Anything else that went wrong.
    Failed,
}

impl ErrorKind {
    /// Whether the same question may be answered a little later.
    pub fn passes(self) -> bool {
        match self {
            ErrorKind::Store(fault) => fault.passes(),
            kind => kind == ErrorKind::Machine,
        }
    }
}

impl Fault {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Fault::Busy => "busy",
            Fault::Unreachable => "unreachable",
            Fault::Full => "full",
            Fault::ReadOnly => "read-only",
            Fault::Newer => "newer-schema",
            Fault::Corrupt => "corrupt",
            Fault::Displaced => "displaced",
            Fault::Descriptors => "out-of-descriptors",
            Fault::Memory => "out-of-memory",
            Fault::Failed => "failed",
        }
    }

    /// Whether the same question may be answered a little later.
    pub fn passes(self) -> bool {
        matches!(self, Fault::Busy | Fault::Unreachable | Fault::Descriptors | Fault::Memory)
    }
}

/// A result with antefix's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of a kind, with a message for people: lower case, no final stop.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), place: None, hint: None, fact: None }
    }

    /// The same error, at a place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Error {
        self.place = Some(place);
        self
    }

    /// The same error, with advice.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }

    /// The same error, because of a fact that is not present.
    #[must_use]
    pub(crate) fn about(mut self, fact: &FactName) -> Error {
        self.fact = Some(fact.clone());
        self
    }

    /// The same error, as one of another kind.
    #[must_use]
    pub(crate) fn of_kind(mut self, kind: ErrorKind) -> Error {
        self.kind = kind;
        self
    }

    /// The same error, with another message around it.
    #[must_use]
    pub(crate) fn context(mut self, around: impl FnOnce(&str) -> String) -> Error {
        self.message = around(&self.message);
        self
    }

    /// What to branch on.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message alone, without its place.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Where, if it is about a text.
    pub fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    /// The fact whose absence stopped the work, if that was the cause.
    pub fn fact(&self) -> Option<&FactName> {
        self.fact.as_ref()
    }

    /// The next step, where one is known.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.message)?;
        if !f.alternate() {
            return Ok(());
        }
        if let Some(place) = &self.place {
            let (line, range) = place.excerpt();
            let caret = line[..range.start].chars().count();
            let width = line[range.clone()].chars().count().max(1);
            write!(f, "\n  | {line}\n  | {:caret$}{:^<width$}", "", "")?;
        }
        if let Some(hint) = &self.hint {
            write!(f, "\n  = {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
