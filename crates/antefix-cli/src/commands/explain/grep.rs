//! `explain --grep`: who says this?

use antefix::compose::{Prompt, Span};
use antefix::document;
use serde::Serialize;

use crate::Failure;
use crate::args::ExplainArgs;
use crate::table::wrap;
use crate::terminal::{self, FAINT, STRONG, visible};

/// Prints every place of the prompt that says a text. Small letters mean capitals as well.
pub(super) fn run(prompt: &Prompt, wanted: &str, args: &ExplainArgs) -> Result<(), Failure> {
    let matches = find(prompt, wanted);
    if args.json {
        return terminal::print_result(&document::print(&Matches { matches: &matches }));
    }
    if matches.is_empty() {
        let hint = "it may be in a file that was not loaded: see `antefix explain`";
        return Err(Failure::with_hint(format!("nothing in the prompt says `{wanted}`"), hint));
    }
    let mut text = String::new();
    for one in &matches {
        let line = one.line.map(|line| format!(":{line}")).unwrap_or_default();
        let place = format!("{}{line}", visible(&one.origin));
        text.push_str(&format!(
            "{STRONG}{place}{STRONG:#}  {FAINT}section {}, byte {}{FAINT:#}\n",
            visible(one.section),
            one.start
        ));
        let room = terminal::width().map_or(usize::MAX, |width| width.saturating_sub(4).max(20));
        for line in wrap(&visible(one.says), room) {
            text.push_str(&format!("    {line}\n"));
        }
    }
    terminal::print_styled(&text)
}

#[derive(Serialize)]
struct Matches<'p> {
    matches: &'p [Match<'p>],
}

/// A place of the prompt that says the text.
#[derive(Serialize)]
struct Match<'p> {
    /// Bytes of the prompt.
    start: usize,
    end: usize,
    section: &'p str,
    kind: &'static str,
    origin: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// The line of the prompt around it.
    says: &'p str,
}

fn find<'p>(prompt: &'p Prompt, wanted: &str) -> Vec<Match<'p>> {
    let text = prompt.text();
    let ignores_case = !wanted.chars().any(char::is_uppercase);
    // Letters beyond ASCII may change their length with their case, and places with it.
    let (looked, wanted) = match ignores_case {
        true => (text.to_ascii_lowercase(), wanted.to_ascii_lowercase()),
        false => (text.to_owned(), wanted.to_owned()),
    };
    if wanted.is_empty() {
        return Vec::new();
    }
    let matches = looked.match_indices(&wanted).filter_map(|(start, found)| {
        let span = prompt.span_at(start)?;
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        Some(Match {
            start,
            end: start + found.len(),
            section: &prompt.sections().get(span.section)?.id,
            kind: span.origin.kind(),
            origin: span.origin.path().unwrap_or(span.origin.name()).to_owned(),
            line: line(prompt, span, start),
            says: excerpt(text, line_start..line_end, start),
        })
    });
    matches.collect()
}

/// The line of the origin that a byte of the prompt is from.
fn line(prompt: &Prompt, span: &Span, byte: usize) -> Option<usize> {
    let first = span.origin.line()?;
    let within = &prompt.text()[span.range.start..byte];
    Some(if span.origin.kind() == "expression" { first } else { first + within.matches('\n').count() })
}

/// A line, or what is around a place in it if it is long.
fn excerpt(text: &str, line: std::ops::Range<usize>, at: usize) -> &str {
    const AROUND: usize = 120;
    let start = text.ceil_char_boundary(line.start.max(at.saturating_sub(AROUND)));
    let end = text.floor_char_boundary(line.end.min(at + AROUND));
    text[start..end.max(start)].trim()
}
