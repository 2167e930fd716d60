//! Where every byte of a prompt came from.
//!
//! 1. Spans cover a prompt without gap or overlap.
//! 2. They are written down while the text is made, never guessed from it afterwards.
//! 3. Writing them down never changes a byte: there is only one way through the code, and it tracks.

use std::ops::Range;
use std::sync::Arc;

use super::{FactName, Source};

/// The exact address of a piece of text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Text that is in a template, wording or layout, from that byte on.
    Source {
        /// The file or built-in text.
        source: Arc<Source>,
        /// Where in it the text begins.
        offset: usize,
    },
    /// What an expression in a template computed.
    Expression {
        /// The template.
        source: Arc<Source>,
        /// The tag, with its delimiters.
        range: Range<usize>,
    },
    /// The text of a fact.
    Fact {
        /// The fact's name and, for a file, its path.
        fact: Arc<FactOrigin>,
        /// The line of the file that the text begins at, from 1.
        line: usize,
    },
    /// What a hook said.
    Hook {
        /// The hook's name.
        name: Arc<str>,
    },
}

/// Where the text of a fact came from, apart from the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactOrigin {
    /// The fact's name.
    pub name: FactName,
    /// The file that it was read from, as the prompt would show it; of a remote text the program or address, of the instructions of
    /// an MCP server its name.
    pub path: Option<Arc<str>>,
    /// Who answered.
    pub from: FactFrom,
}

/// Who answered a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactFrom {
    /// Whoever answers for its namespace, or a caller that answered a single text by hand.
    World,
    /// A caller that handed in what would have been found in several files.
    Caller,
}

impl FactOrigin {
    fn kind(&self) -> &'static str {
        match (self.from, &self.path, self.name.namespace()) {
            (FactFrom::Caller, ..) => "caller",
            (FactFrom::World, None, _) => "variable",
            (FactFrom::World, Some(_), "identity" | "memory" | "command") => "remote",
            (FactFrom::World, Some(_), "tools") => "server",
            (FactFrom::World, Some(_), _) => "file",
        }
    }
}

impl Origin {
    /// The origin of a fact that was read from no file.
    pub fn fact(name: &FactName) -> Origin {
        Origin::of(FactOrigin { name: name.clone(), path: None, from: FactFrom::World })
    }

    /// The origin of a fact that was read from a file, or is held by a program or server, at its first line.
    pub fn file(name: &FactName, path: &Arc<str>) -> Origin {
        Origin::of(FactOrigin { name: name.clone(), path: Some(Arc::clone(path)), from: FactFrom::World })
    }

    /// The origin of what a caller handed in, with the path that it gave.
    pub fn given(name: &FactName, path: Option<&Arc<str>>) -> Origin {
        Origin::of(FactOrigin { name: name.clone(), path: path.cloned(), from: FactFrom::Caller })
    }

    fn of(fact: FactOrigin) -> Origin {
        Origin::Fact { fact: Arc::new(fact), line: 1 }
    }

    /// `template`, `wording`, `layout`, `expression`, `file`, `remote`, `server`, `variable`, `caller` or `hook`.
    pub fn kind(&self) -> &'static str {
        match self {
            Origin::Source { source, .. } => source.kind.name(),
            Origin::Expression { .. } => "expression",
            Origin::Fact { fact, .. } => fact.kind(),
            Origin::Hook { .. } => "hook",
        }
    }

    /// The template's reference, the wording's key, the expression's tag, the fact's name.
    pub fn name(&self) -> &str {
        match self {
            Origin::Source { source, .. } => &source.name,
            Origin::Expression { source, range } => &source.text[range.clone()],
            Origin::Fact { fact, .. } => fact.name.as_str(),
            Origin::Hook { name } => name,
        }
    }

    /// The file, if there is one.
    pub fn path(&self) -> Option<&str> {
        match self {
            Origin::Source { source, .. } | Origin::Expression { source, .. } => source.path.as_deref(),
            Origin::Fact { fact, .. } => fact.path.as_deref(),
            Origin::Hook { .. } => None,
        }
    }

    /// The line where the text begins, from 1; none for a variable, which has no lines.
    pub fn line(&self) -> Option<usize> {
        match self {
            Origin::Source { source, offset } => Some(source.line_column(*offset).0),
            Origin::Expression { source, range } => Some(source.line_column(range.start).0),
            Origin::Fact { fact, line } => fact.path.is_some().then_some(*line),
            Origin::Hook { .. } => None,
        }
    }

    /// The origin of what follows `skipped`.
    pub(crate) fn further(&self, skipped: &str) -> Origin {
        let mut origin = self.clone();
        match &mut origin {
            Origin::Source { offset, .. } => *offset += skipped.len(),
            Origin::Fact { line, .. } => *line += skipped.matches('\n').count(),
            Origin::Expression { .. } | Origin::Hook { .. } => {}
        }
        origin
    }
}

/// What was done to a piece of text on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Transform {
    /// Only its beginning is here.
    Cut,
    /// White space at its end was removed.
    Trimmed,
    /// It is between the items of a list.
    Joined,
    /// It was written in another way: a tag with spaces in it, other line ends.
    Normalized,
    /// An expression changed it.
    Computed,
    /// Bytes that are not UTF-8 were replaced by U+FFFD.
    Replaced,
    /// Characters that would be hidden, or would close a tag, are written out.
    Escaped,
    /// What looked like a secret was taken out.
    Redacted,
}

impl Transform {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Transform::Cut => "cut",
            Transform::Trimmed => "trimmed",
            Transform::Joined => "joined",
            Transform::Normalized => "normalized",
            Transform::Computed => "computed",
            Transform::Replaced => "replaced",
            Transform::Escaped => "escaped",
            Transform::Redacted => "redacted",
        }
    }
}
