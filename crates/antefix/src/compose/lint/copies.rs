//! `customized-builtin`: a copy of a built-in text whose original has moved on.
//!
//! 1. A copy is known by a mark that is made with it, because nothing in its text can be relied on: the first line of a
//!    layout, `from` in a section, `[from]` in a wording file. No mark changes a byte of any prompt.
//! 2. What is compared is the original at the time of copying with the original now: a copy may say what it likes.

use crate::compose::{Layout, Wording, WordingKey, builtin};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{Digest, Place};

/// A copy of a built-in text.
#[derive(Debug, Clone)]
pub(crate) struct Copied {
    /// Where the mark is.
    pub(crate) place: Place,
    /// What was copied.
    pub(crate) of: Original,
    /// The original's digest at that time.
    pub(crate) digest: String,
}

/// A built-in text that can be copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Original {
    Layout(String),
    /// `$builtin/…`, by its path.
    Prompt(String),
    Wording(WordingKey),
}

impl Original {
    fn text(&self) -> Option<&'static str> {
        match self {
            Original::Layout(name) => builtin::layout(name).map(|layout| layout.text),
            Original::Prompt(path) => builtin::prompt(path),
            Original::Wording(key) => Some(key.built_in()),
        }
    }

    /// What `antefix layouts` calls it.
    fn name(&self) -> String {
        match self {
            Original::Layout(name) => name.clone(),
            Original::Prompt(path) => format!("$builtin/{path}"),
            Original::Wording(key) => format!("$wording/{}", key.name()),
        }
    }
}

/// The copies whose originals have moved on.
pub(super) fn findings(layout: &Layout, wording: &Wording) -> Vec<Diagnostic> {
    let marked = marked(layout);
    let copies = marked.iter().chain(layout.copies()).chain(wording.copies());
    copies.filter_map(to_diagnostic).collect()
}

fn to_diagnostic(copied: &Copied) -> Option<Diagnostic> {
    let name = copied.of.name();
    let Some(text) = copied.of.text() else {
        let message = format!("this is a copy of the built-in `{name}`, which no longer exists");
        let finding = Diagnostic::note(Code::CustomizedBuiltin, message).hint("it is all yours now: remove the mark");
        return Some(finding.at(copied.place.clone()));
    };
    let now = Digest::of(text);
    if now.to_string() == copied.digest {
        return None;
    }
    let then: String = copied.digest.trim_start_matches("sha256:").chars().take(12).collect();
    let message =
        format!("this is a copy of the built-in `{name}` as it was ({then}); it has changed since ({})", now.short());
    let hint = format!(
        "see what is new with `antefix layouts '{name}' | diff - {}`; then set the mark to {now}",
        copied.place.source.label()
    );
    Some(Diagnostic::note(Code::CustomizedBuiltin, message).at(copied.place.clone()).hint(hint))
}

/// The mark in the first line of a layout.
fn marked(layout: &Layout) -> Option<Copied> {
    let source = layout.source();
    let line = source.text.lines().next()?;
    let (name, digest) = line.strip_prefix(builtin::MARK)?.split_once(", ")?;
    Some(Copied {
        place: Place::new(source, 0..line.len()),
        of: Original::Layout(name.trim().to_owned()),
        digest: digest.trim().to_owned(),
    })
}
