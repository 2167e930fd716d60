//! Hidden characters that expressions of a project's templates print.
//!
//! 1. The bytes of a project's files were looked through when they were read, and so was every fact. What an expression prints
//!    was not: a literal can write any character with escapes (`"\u202E"`), and a slice or a filter can take a harmless flag apart.
//!    So all that was computed is looked at once more, where it is printed, among what is around it.
//! 2. What becomes of it is what becomes of hidden characters in files: stray ones are taken out, those that may carry a message
//!    are an error; or all are written out, or let through.
//! 3. What a caller gave is the caller's: hidden characters that are in a fact as it was given are printed.

use crate::diagnostic::{Code, Diagnostic};
use crate::discover::hidden::{self, Hidden, Risk};
use crate::discover::{Answer, Rewrite, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::text::{Draft, HiddenText, Origin, Piece, Place, Text, Transform};

use super::Values;

/// How many findings of one text are reported one by one, and how much of each is written down.
const REPORTED: usize = 5;
const NAMED: usize = 8;
const DECODED: usize = 200;

const HINT: &str = "remove them; your own settings may say `hidden_text = \"escape\"` or \"allow\"";

/// A text as it may be printed, and what was found in it.
pub(super) fn clean(draft: Draft, policy: HiddenText, values: &Values<'_>) -> Result<(Draft, Vec<Diagnostic>)> {
    if policy == HiddenText::Allow || !hidden::may_be_in(draft.as_str()) {
        return Ok((draft, Vec::new()));
    }
    let text = draft.into_text();
    let (mut rewrite, mut findings, mut count) = (Rewrite::new(&text), Vec::new(), 0_usize);
    let mut pieces = text.all_pieces();
    for found in hidden::scan(text.as_str()) {
        let Some(place) = computed(&mut pieces, &found) else { continue };
        let run = &text.as_str()[found.range.clone()];
        if is_given(values, run) {
            continue;
        }
        // A wording has no report of its own, so that nothing is done to it in silence.
        let alone = matches!(values, Values::Given(_));
        let (words, transform, outcome) = match (policy, found.risk) {
            (HiddenText::Block, Risk::Message) => return Err(refused(&found, run, place)),
            _ if alone => return Err(refused(&found, run, place)),
            (HiddenText::Block, Risk::Stray) => (String::new(), Transform::Trimmed, "left out"),
            (HiddenText::Escape | HiddenText::Allow, _) => {
                (run.chars().map(hidden::escape).collect(), Transform::Escaped, "written out")
            }
        };
        count += 1;
        if count <= REPORTED {
            let they_are = if run.chars().nth(1).is_none() { "it is" } else { "they are" };
            let message = format!("{}: {they_are} {outcome}", described(&found, run));
            findings.push(Diagnostic::warning(Code::HiddenText, message).at(place).hint(HINT));
        }
        rewrite.replace(found.range, &words, transform);
    }
    if count > REPORTED {
        let message = format!("expressions print {} more runs of hidden characters", count - REPORTED);
        findings.push(Diagnostic::warning(Code::HiddenText, message));
    }
    let mut clean = Draft::default();
    clean.push_text(&rewrite.finish());
    Ok((clean, findings))
}

/// The first expression that a run is printed by, if one has a part in it. Runs come in order, so that pieces before one are done with.
fn computed(pieces: &mut &[Piece], found: &Hidden) -> Option<Place> {
    let before = pieces.iter().take_while(|piece| piece.range.end <= found.range.start).count();
    *pieces = &pieces[before..];
    let within = pieces.iter().take_while(|piece| piece.range.start < found.range.end);
    within.filter(|piece| piece.transform == Some(Transform::Computed)).find_map(|piece| match &piece.origin {
        Origin::Expression { source, range } => Some(Place::new(source, range.clone())),
        Origin::Source { .. } | Origin::Fact { .. } | Origin::Hook { .. } => None,
    })
}

/// Whether a fact has these characters, hidden as they are.
fn is_given(values: &Values<'_>, run: &str) -> bool {
    let has = |text: &Text| {
        let text = text.as_str();
        text.contains(run) && hidden::scan(text).any(|found| text[found.range].contains(run))
    };
    match values {
        Values::Given(given) => given.iter().any(|(_, text)| has(text)),
        Values::Facts(facts) => facts.iter().any(|(_, fact)| match fact {
            Answer::Present(Value::Text(text)) => has(text),
            Answer::Present(Value::List(texts)) => texts.iter().any(has),
            Answer::Present(Value::Maps(maps)) => maps.iter().any(|map| map.values().any(has)),
            Answer::Absent | Answer::Unavailable(_) => false,
        }),
    }
}

fn refused(found: &Hidden, run: &str, place: Place) -> Error {
    let message = format!("{}: the template is not used", described(found, run));
    Error::new(ErrorKind::Render, message).at(place).with_hint(HINT)
}

/// What an expression prints, in characters that can be seen.
fn described(found: &Hidden, run: &str) -> String {
    let count = run.chars().count();
    let mut named: String = run.chars().take(NAMED).map(|c| format!(" U+{:04X}", u32::from(c))).collect();
    if count > NAMED {
        named.push_str(" …");
    }
    let decoded = found.decoded.as_ref().map(|decoded| {
        let says = if count == 1 { "says" } else { "say" };
        format!(" that {says} {:?}", decoded.chars().take(DECODED).collect::<String>())
    });
    let characters = if count == 1 { "character" } else { "characters" };
    let class = found.class.name();
    format!("this prints {count} hidden {characters}{named} ({class}){}", decoded.unwrap_or_default())
}
