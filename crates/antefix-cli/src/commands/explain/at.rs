//! `explain --at`: who said this byte?

use antefix::compose::{Prompt, Span};

use crate::Failure;
use crate::terminal::{FAINT, HEADING, STRONG, number, visible};

pub(super) fn one_byte(prompt: &Prompt, byte: usize) -> Result<String, Failure> {
    let Some(span) = prompt.span_at(byte) else {
        let message = format!("there is no byte {byte}: the prompt has {} bytes", number(prompt.text().len()));
        return Err(Failure::plain(message));
    };
    let section = &prompt.sections()[span.section];
    let side = if byte < prompt.boundary() { "prefix" } else { "suffix" };
    let mut text = format!("{HEADING}byte {byte}{HEADING:#}, in the {side}\n");
    let mut row =
        |name: &str, value: String| text.push_str(&format!("  {FAINT}{name:<10}{FAINT:#} {}\n", visible(&value)));
    row("section", format!("{} ({})", section.id, section.stability.name()));
    row("origin", format!("{} {}", span.origin.kind(), span.origin.name()));
    if let Some(line) = span.origin.line() {
        let within = &prompt.text()[span.range.start..prompt.text().floor_char_boundary(byte)];
        let line = if span.origin.kind() == "expression" { line } else { line + within.matches('\n').count() };
        row("at", format!("{}:{line}", span.origin.path().unwrap_or(span.origin.name())));
    }
    if let Some(transform) = span.transform {
        row("changed", transform.name().to_owned());
    }
    row("span", format!("bytes {} to {}", span.range.start, span.range.end));
    text.push_str(&excerpt(prompt, span, byte));
    Ok(text)
}

/// The line of the prompt that a byte lies in, with its span marked.
fn excerpt(prompt: &Prompt, span: &Span, byte: usize) -> String {
    const AROUND: usize = 60;
    let text = prompt.text();
    let byte = text.floor_char_boundary(byte);
    let line_start = text[..byte].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = text[byte..].find('\n').map_or(text.len(), |newline| byte + newline);
    let start = text.ceil_char_boundary(line_start.max(byte.saturating_sub(AROUND)));
    let end = text.floor_char_boundary(line_end.min(byte + AROUND));
    let from = span.range.start.clamp(start, end.max(start));
    let to = span.range.end.clamp(from, end.max(from));
    let (before, marked, after) = (&text[start..from], &text[from..to], &text[to..end.max(to)]);
    format!(
        "\n  {FAINT}{}{FAINT:#}{STRONG}{}{STRONG:#}{FAINT}{}{FAINT:#}\n",
        visible(before),
        visible(marked),
        visible(after)
    )
}
