//! The first byte at which two prefixes part: there a provider's cache ends.

use super::epoch::EpochBody;
use super::fingerprint::FactFingerprint;
use super::record::{RecordedOrigin, RecordedSpan};
use super::store::StoreResult;

/// Where two prefixes part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What kind of cause it has.
    pub kind: DifferenceKind,
    /// The first differing byte of the system text; the length of the shorter one if it begins the other.
    pub at: usize,
    /// Whether the tools differ, which providers put before the system text: then nothing of it is kept.
    pub tools: Same,
    /// What the first one has there; none if it ends there.
    pub before: Option<Side>,
    /// What the second one has there.
    pub after: Option<Side>,
    /// How many bytes of the second one are the same as in the first one, and cached.
    pub kept: usize,
    /// How many bytes of the second one are billed anew.
    pub lost: usize,
}

/// The closed set of causes of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DifferenceKind {
    /// A file was edited, added or removed.
    File,
    /// The layout, a template of it or a wording.
    Template,
    /// The agent's tools.
    Tools,
    /// A skill was edited, added or removed.
    Skill,
    /// The model's name is in the prefix.
    Model,
    /// Another fact.
    Fact,
    /// Sections came, went or changed places.
    Structure,
    /// Another antefix, or another template engine, made other bytes of the same things.
    Engine,
    /// One of them was cut where the other was not.
    Budget,
}

impl DifferenceKind {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            DifferenceKind::File => "file-edited",
            DifferenceKind::Template => "template",
            DifferenceKind::Tools => "tools",
            DifferenceKind::Skill => "skill-body",
            DifferenceKind::Model => "model",
            DifferenceKind::Fact => "fact",
            DifferenceKind::Structure => "structure",
            DifferenceKind::Engine => "engine-upgraded",
            DifferenceKind::Budget => "budget",
        }
    }
}

/// Whether two things are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Same {
    /// They are the same.
    Yes,
    /// They differ.
    No,
}

/// One side of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    /// The section that the byte is in.
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
    pub fn between(before: &EpochBody, after: &EpochBody) -> StoreResult<Option<Difference>> {
        let (one, other) = (&*before.text, &*after.text);
        let tools = if before.tools == after.tools { Same::Yes } else { Same::No };
        if one == other && tools == Same::Yes {
            return Ok(None);
        }
        let same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
        let at = crate::text::floor_char_boundary(other, crate::text::floor_char_boundary(one, same));
        let kept = if tools == Same::Yes { at } else { 0 };
        let sides = (Side::at(before, at)?, Side::at(after, at)?);
        Ok(Some(Difference {
            kind: kind(before, after, tools, (sides.0.as_ref(), sides.1.as_ref())),
            at,
            tools,
            before: sides.0,
            after: sides.1,
            kept,
            lost: other.len() - kept,
        }))
    }
}

/// Why they differ: what is at the byte decides, and what was remembered of the facts.
fn kind(before: &EpochBody, after: &EpochBody, tools: Same, sides: (Option<&Side>, Option<&Side>)) -> DifferenceKind {
    let is_cut = |side: Option<&Side>| side.and_then(|side| side.transform.as_deref()) == Some("cut");
    let (one, other) = (&before.made_by, &after.made_by);
    let same_words = one.layout_digest == other.layout_digest && one.wording_digest == other.wording_digest;
    if tools == Same::No {
        return DifferenceKind::Tools;
    }
    if is_cut(sides.0) != is_cut(sides.1) {
        return DifferenceKind::Budget;
    }
    if same_words && before.facts == after.facts {
        let same_engine = (&one.antefix, &one.engine) == (&other.antefix, &other.engine);
        return if same_engine { DifferenceKind::Structure } else { DifferenceKind::Engine };
    }
    let origin = sides.1.or(sides.0).and_then(|side| side.origin.as_ref());
    match origin {
        Some(origin) if matches!(origin.kind.as_str(), "file" | "variable" | "caller") => {
            of_fact(&origin.name, origin.path.is_some())
        }
        _ if !same_words => DifferenceKind::Template,
        // A frame came or went with the fact that it is around.
        _ => {
            let moved = after.facts.iter().find(|(name, fingerprint)| before.facts.get(*name) != Some(*fingerprint));
            let has_files = |fingerprint: &FactFingerprint| fingerprint.files().is_some_and(|files| !files.is_empty());
            moved.map_or(DifferenceKind::Structure, |(name, fingerprint)| {
                of_fact(name.as_str(), has_files(fingerprint) || before.facts.get(name).is_some_and(has_files))
            })
        }
    }
}

fn of_fact(name: &str, from_file: bool) -> DifferenceKind {
    match name.split(':').next() {
        Some("skills") => DifferenceKind::Skill,
        Some("tools") => DifferenceKind::Tools,
        _ if name == "prompt:model" => DifferenceKind::Model,
        _ if from_file => DifferenceKind::File,
        _ => DifferenceKind::Fact,
    }
}

impl Side {
    fn at(body: &EpochBody, at: usize) -> StoreResult<Option<Side>> {
        let Some(section) = body.sections.iter().find(|section| section.range.contains(&at)) else { return Ok(None) };
        let spans = body.spans()?;
        let span = spans.iter().find(|span| span.start <= at && at < span.end);
        let line = span.and_then(|span| line(&body.text, span, at));
        Ok(Some(Side {
            section: section.id.clone(),
            origin: span.map(|span| span.origin.clone()),
            transform: span.and_then(|span| span.transform.clone()),
            line,
            excerpt: excerpt(&body.text, at),
        }))
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
    let from = crate::text::floor_char_boundary(text, at.saturating_sub(30).max(start));
    let to = crate::text::floor_char_boundary(text, (at + 50).min(end));
    let begin = if from > start { "…" } else { "" };
    let more = if to < end { "…" } else { "" };
    format!("{begin}{}{more}", &text[from..to.max(from)])
}
