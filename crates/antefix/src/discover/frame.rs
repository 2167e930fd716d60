//! Keeping a text inside its frame.
//!
//! A layout frames what others wrote: with tags, or with a header line in brackets. A text that contains the frame's own
//! marks could end it, or begin another one that says it comes from somebody else. Their first characters are written out.

use super::rewrite::Rewrite;
use crate::text::{Text, Transform};

/// The text with the marks of its frame written out. A mark that begins with `[` is the beginning of a header line, every
/// other one a tag's name; case does not matter, nor do blanks and slashes between `<` and the name.
pub(crate) fn protected(text: &Text, marks: &[String]) -> Text {
    let whole = text.as_str();
    let (headers, tags): (Vec<&String>, Vec<&String>) = marks.iter().partition(|mark| mark.starts_with('['));
    let mut rewrite = Rewrite::new(text);
    let mut lead = Lead { at: 0, holds: true };
    for at in memchr::memchr2_iter(b'<', b'[', whole.as_bytes()) {
        let written = if whole.as_bytes()[at] == b'<' {
            let name = whole[at + 1..].trim_start_matches(|c: char| c == '/' || c.is_whitespace());
            begins(name, &tags).then_some("&lt;")
        } else {
            (lead.holds_at(whole, at) && begins(&whole[at..], &headers)).then_some("&#91;")
        };
        if let Some(written) = written {
            rewrite.replace(at..at + 1, written, Transform::Escaped);
        }
    }
    rewrite.finish()
}

/// The text in which nothing can open or close a tag, or end a quoted value.
pub(super) fn escaped(text: &Text) -> Text {
    let mut rewrite = Rewrite::new(text);
    for (at, character) in text.as_str().char_indices() {
        if let Some(written) = entity(character) {
            rewrite.replace(at..at + 1, written, Transform::Escaped);
        }
    }
    rewrite.finish()
}

/// How a character is written where it would be read as a tag.
pub(super) fn entity(character: char) -> Option<&'static str> {
    match character {
        '&' => Some("&amp;"),
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '"' => Some("&quot;"),
        '\'' => Some("&apos;"),
        _ => None,
    }
}

/// Whether only blanks and signs such as `#`, `>` or `*` are before a place, on the same line. Places come in order, and
/// what lies between two of them is looked at once.
struct Lead {
    at: usize,
    holds: bool,
}

impl Lead {
    fn holds_at(&mut self, whole: &str, at: usize) -> bool {
        let between = &whole[self.at..at];
        let is_end = |c: char| matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}');
        let (begun_before, line) = match between.rfind(is_end) {
            Some(end) => (true, &between[end..]),
            None => (self.holds, between),
        };
        self.holds = begun_before && !line.contains(char::is_alphanumeric);
        self.at = at;
        self.holds
    }
}

fn begins(text: &str, marks: &[&String]) -> bool {
    marks.iter().any(|mark| text.get(..mark.len()).is_some_and(|head| head.eq_ignore_ascii_case(mark)))
}
