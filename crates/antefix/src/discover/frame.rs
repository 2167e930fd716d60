//! Keeping a text inside its frame.
//!
//! A layout frames what others wrote: with tags, or with a header line in brackets. A text that contains the frame's own
//! marks could end it, or begin another one that says it comes from somebody else. Their first characters are written out.

use super::fact::Text;
use crate::compose::{Draft, Transform};

/// The text with the marks of its frame written out. A mark that begins with `[` is the beginning of a header line, every
/// other one a tag's name; case does not matter, nor do blanks and slashes between `<` and the name.
pub(crate) fn protected(text: &Text, marks: &[String]) -> Text {
    let whole = text.as_str();
    let mut draft = Draft::default();
    let mut from = 0;
    // Whether only blanks and signs such as `#`, `>` or `*` stand before, on the same line.
    let mut leads = true;
    for (at, character) in whole.char_indices() {
        let written = match character {
            '<' => {
                let name = whole[at + 1..].trim_start_matches(|c: char| c == '/' || c.is_whitespace());
                begins(name, marks.iter().filter(|mark| !mark.starts_with('['))).then_some("&lt;")
            }
            '[' if leads => begins(&whole[at..], marks.iter().filter(|mark| mark.starts_with('['))).then_some("&#91;"),
            _ => None,
        };
        leads = match character {
            '\n' => true,
            _ => leads && !character.is_alphanumeric(),
        };
        if let Some(written) = written {
            draft.push_part(text, from..at);
            draft.push_changed(text, at..at + 1, written, Transform::Escaped);
            from = at + 1;
        }
    }
    draft.push_part(text, from..whole.len());
    draft.into_text()
}

fn begins<'m>(text: &str, mut marks: impl Iterator<Item = &'m String>) -> bool {
    marks.any(|mark| text.get(..mark.len()).is_some_and(|head| head.eq_ignore_ascii_case(mark)))
}
