//! `clock-in-text` and `id-in-text`: what is new each time, in a text that looks as if it stayed.
//!
//! 1. The catalog knows which facts move. A variable of the environment and a file can move without its knowing: a time of
//!    day in one of them was written by a program, which will write another one.
//! 2. A day in an instruction file, such as "Last updated: 2026-04-15", is fine: it moves when the file does. A time of
//!    day is reported where the line says that it was generated.
//! 3. A conversation's id in the prefix keeps it from being shared with any other conversation.

use std::ops::Range;

use super::passages::Passage;
use super::price;
use crate::compose::Prompt;
use crate::diagnostic::{Code, Diagnostic};

/// Words of a line that was written by a program.
const GENERATED: &[&str] = &["generated", "updated", "built", "timestamp", "as of", "created at", "compiled"];

/// The times and ids in the passages.
pub(super) fn findings(prompt: &Prompt, passages: &[Passage<'_>]) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let mut has_id = false;
    for passage in passages.iter().filter(|passage| !passage.is_label()) {
        let fact = passage.fact().unwrap_or_default();
        let given = fact.starts_with("env:") || fact.starts_with("file:");
        if fact == "prompt:conversation_id" {
            // What follows the first one is not shared in any case, and counting it takes as long as it is.
            if std::mem::replace(&mut has_id, true) {
                continue;
            }
            let behind = price::size(price::behind(prompt, passage.text));
            let message = format!("`{fact}` is in the prefix: no other conversation shares the {behind} after it");
            let hint = "move it into a section with `stability = \"live\"`";
            findings.push(Diagnostic::note(Code::IdInText, message).about(fact).hint(hint));
            continue;
        }
        if !given && !passage.is_file() {
            continue;
        }
        let shown = |range: &Range<usize>| passage.text[range.clone()].to_owned();
        if let Some(range) = moment(passage.text, given) {
            let message =
                format!("`{}` is a time of day in the prefix: if it is generated, it moves each time", shown(&range));
            let hint = "leave the time out, or move the text into a section with `stability = \"live\"`";
            findings.push(passage.finding_at(Diagnostic::note(Code::ClockInText, message).hint(hint), range));
        }
        if let Some(range) = id(passage.text).filter(|_| fact.starts_with("env:")) {
            let message =
                format!("`{}` looks like an id that is new for each run, and is in the prefix", shown(&range));
            let hint = "leave it out, or move it into a section with `stability = \"live\"`";
            findings.push(passage.finding_at(Diagnostic::note(Code::IdInText, message).hint(hint), range));
        }
    }
    findings
}

/// The first time of day with its date, on any line or on one that says that it was generated.
fn moment(text: &str, anywhere: bool) -> Option<Range<usize>> {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let lower = line.to_lowercase();
        if let Some(range) = moment_in(line).filter(|_| anywhere || GENERATED.iter().any(|word| lower.contains(word))) {
            return Some(start + range.start..start + range.end);
        }
        start += line.len();
    }
    None
}

/// `2026-04-15T09:30` or `2026-04-15 09:30`, with what follows of it.
fn moment_in(line: &str) -> Option<Range<usize>> {
    const SHAPE: &[u8] = b"dddd-dd-dd?dd:dd";
    let fits = |window: &[u8]| {
        window.iter().zip(SHAPE).all(|(byte, shape)| match shape {
            b'd' => byte.is_ascii_digit(),
            b'?' => matches!(byte, b'T' | b' ' | b't'),
            shape => byte == shape,
        })
    };
    let start = line.as_bytes().windows(SHAPE.len()).position(fits)?;
    let rest = &line[start + SHAPE.len()..];
    let more = rest.find(|c: char| !c.is_ascii_digit() && !matches!(c, ':' | '.' | 'Z' | '+')).unwrap_or(rest.len());
    let end = start + SHAPE.len() + rest[..more].trim_end_matches(['.', ':']).len();
    Some(start..end)
}

/// A UUID, or a word of at least 32 hexadecimal digits.
fn id(text: &str) -> Option<Range<usize>> {
    let mut start = 0;
    for word in text.split(|c: char| !c.is_ascii_hexdigit() && c != '-') {
        let digits = word.bytes().filter(u8::is_ascii_hexdigit).count();
        let hyphens = word.len() - digits;
        if digits >= 32 && (hyphens == 0 || (digits == 32 && hyphens == 4)) {
            return Some(start..start + word.len());
        }
        start += word.len();
        start += text[start..].chars().next().map_or(0, char::len_utf8);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{id, moment};

    #[test]
    fn times_of_day_and_ids_are_found() {
        let rows = [
            ("at 2026-04-15T09:30:00Z.", true, Some("2026-04-15T09:30:00Z")),
            ("x\nGenerated 2026-04-15 09:30 by make", false, Some("2026-04-15 09:30")),
            ("The log has 2026-04-15 09:30:12.345 as its first column", false, None),
            ("Last updated: 2026-04-15", false, None),
            ("é2026-04-15", true, None),
        ];
        for (text, anywhere, expected) in rows {
            assert_eq!(moment(text, anywhere).map(|range| &text[range]), expected, "{text}");
        }
        assert_eq!(id("run 01234567-89ab-cdef-0123-456789abcdef!"), Some(4..40));
        assert_eq!(id("é 0123456789abcdef0123456789abcdef"), Some(3..35));
        assert_eq!(id("dead-beef 0123456789abcdef"), None);
    }
}
