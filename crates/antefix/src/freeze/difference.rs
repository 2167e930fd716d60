//! The first byte at which two prefixes part: there a provider's cache ends.

use super::epoch::EpochBody;
use super::record::{RecordedOrigin, RecordedSpan};

/// Where two prefixes part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The first differing byte of the system text; the length of the shorter one if it begins the other.
    pub at: usize,
    /// Whether the tools differ, which providers put before the system text: then nothing of it is kept.
    pub tools: Same,
    /// What stands there in the first one; none if it ends there.
    pub before: Option<Side>,
    /// What stands there in the second one.
    pub after: Option<Side>,
    /// How many bytes of the second one are the same as in the first one, and cached.
    pub kept: usize,
    /// How many bytes of the second one are billed anew.
    pub lost: usize,
}

/// Whether two things are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Same {
    /// They are.
    Yes,
    /// They are not.
    No,
}

/// One side of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// The section.
    pub section: String,
    /// Where the byte came from.
    pub origin: Option<RecordedOrigin>,
    /// What was done to it.
    pub transform: Option<String>,
    /// The line in its file, counted to the byte.
    pub line: Option<usize>,
    /// The text around the byte, on one line.
    pub excerpt: String,
}

impl Difference {
    /// Where two prefixes part; none if the model sees the same.
    pub fn between(before: &EpochBody, after: &EpochBody) -> Option<Difference> {
        let (one, other) = (&*before.text, &*after.text);
        let tools = if before.tools == after.tools { Same::Yes } else { Same::No };
        if one == other && tools == Same::Yes {
            return None;
        }
        let same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
        let at = crate::place::floor_char_boundary(other, crate::place::floor_char_boundary(one, same));
        let kept = if tools == Same::Yes { at } else { 0 };
        Some(Difference {
            at,
            tools,
            before: Side::at(before, at),
            after: Side::at(after, at),
            kept,
            lost: other.len() - kept,
        })
    }
}

impl Side {
    fn at(body: &EpochBody, at: usize) -> Option<Side> {
        let section = body.sections.iter().find(|section| section.range.contains(&at))?;
        let spans = body.spans();
        let span = spans.iter().find(|span| span.start <= at && at < span.end);
        let line = span.and_then(|span| line(&body.text, span, at));
        Some(Side {
            section: section.id.clone(),
            origin: span.map(|span| span.origin.clone()),
            transform: span.and_then(|span| span.transform.clone()),
            line,
            excerpt: excerpt(&body.text, at),
        })
    }
}

/// The line of a byte in the file that its span came from.
fn line(text: &str, span: &RecordedSpan, at: usize) -> Option<usize> {
    let before = text.get(span.start..at)?;
    Some(span.origin.line? + before.matches('\n').count())
}

/// The line of a byte, shortened around it.
fn excerpt(text: &str, at: usize) -> String {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
    let from = crate::place::floor_char_boundary(text, at.saturating_sub(30).max(start));
    let to = crate::place::floor_char_boundary(text, (at + 50).min(end));
    let begin = if from > start { "…" } else { "" };
    let more = if to < end { "…" } else { "" };
    format!("{begin}{}{more}", &text[from..to.max(from)])
}
