//! The text of two prompts, line by line, with who says it.

use std::time::Duration;

use serde::Serialize;
use similar::{ChangeTag, TextDiff};

use crate::compose::Prompt;

/// Lines around a change.
const AROUND: usize = 3;
/// A text that takes longer to compare is compared less closely.
const LONGEST: Duration = Duration::from_secs(2);

/// Lines that belong together.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Hunk {
    /// Who says the first changed line: a file with its line, or a name.
    pub origin: String,
    /// The section that it is in.
    pub section: String,
    /// The lines, with some around them.
    pub lines: Vec<Line>,
}

/// A line.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Line {
    /// `+`, `-` or a space.
    pub sign: char,
    /// Without its line end.
    pub text: String,
}

pub(super) fn hunks(before: &Prompt, after: &Prompt) -> Vec<Hunk> {
    let mut config = TextDiff::configure();
    config.timeout(LONGEST);
    let diff = config.diff_lines(before.text(), after.text());
    let (old, new) = (starts(before.text()), starts(after.text()));
    let mut hunks = Vec::new();
    for group in diff.grouped_ops(AROUND) {
        let changes: Vec<_> = group.iter().flat_map(|op| diff.iter_changes(op)).collect();
        let place = changes.iter().find_map(|change| match change.tag() {
            ChangeTag::Equal => None,
            ChangeTag::Insert => Some(said(after, *new.get(change.new_index()?)?)),
            ChangeTag::Delete => Some(said(before, *old.get(change.old_index()?)?)),
        });
        let (origin, section) = place.unwrap_or_default();
        let line = |change: &similar::Change<&str>| Line {
            sign: match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Insert => '+',
                ChangeTag::Delete => '-',
            },
            text: change.value().trim_end_matches('\n').to_owned(),
        };
        hunks.push(Hunk { origin, section, lines: changes.iter().map(line).collect() });
    }
    hunks
}

/// Where lines begin.
fn starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

/// Who says a byte, and in which section.
fn said(prompt: &Prompt, byte: usize) -> (String, String) {
    let Some(span) = prompt.span_at(byte) else { return Default::default() };
    let section = prompt.sections().get(span.section).map(|section| section.id.clone()).unwrap_or_default();
    let name = span.origin.path().unwrap_or(span.origin.name());
    let within = &prompt.text()[span.range.start..byte];
    let line = span.origin.line().filter(|_| span.origin.kind() != "expression");
    let line = line.map(|first| format!(":{}", first + within.matches('\n').count())).unwrap_or_default();
    (format!("{name}{line}"), section)
}
