//! What a fact costs that moves in the prefix: everything from there to the boundary is billed again.

use crate::compose::Prompt;
use crate::diagnostic::{Code, Diagnostic};
use crate::text::Origin;

/// The finding with what it costs, if it is about a fact that moves and is in this prompt.
pub(super) fn priced(prompt: &Prompt, mut finding: Diagnostic) -> Diagnostic {
    let moves = match finding.code {
        Code::VolatileInPrefix => "whenever it has moved",
        Code::DailyInPrefix => "the day after",
        _ => return finding,
    };
    if let Some(behind) = first(prompt, &finding).filter(|behind| !behind.is_empty()) {
        finding.message.push_str(&format!(": {} from there on are billed again {moves}", size(behind)));
    }
    finding
}

/// How much a text is, for people: in what is billed, where that is counted.
pub(super) fn size(text: &str) -> String {
    let (count, unit) = match crate::tokens::count(text) {
        Some(tokens) => (tokens, "token"),
        None => (text.len(), "byte"),
    };
    if count == 1 { format!("1 {unit}") } else { format!("{count} {unit}s") }
}

/// The part of the prefix behind a part of the prompt's text.
pub(super) fn behind<'p>(prompt: &'p Prompt, part: &'p str) -> &'p str {
    let end = (part.as_ptr() as usize + part.len()).saturating_sub(prompt.text().as_ptr() as usize);
    prompt.prefix().get(end..).unwrap_or_default()
}

/// The prefix from the first byte on that a finding's fact printed.
fn first<'p>(prompt: &'p Prompt, finding: &Diagnostic) -> Option<&'p str> {
    let named = finding.about.as_ref()?.name()?;
    let said = |origin: &Origin| match (origin, &finding.place) {
        (Origin::Fact { fact, .. }, _) => fact.name.as_str() == named,
        // What an expression made of the fact, where the finding is about that expression.
        (Origin::Expression { source, range }, Some(place)) => {
            place.source == *source && range.start <= place.range.start && place.range.start < range.end
        }
        _ => false,
    };
    let span = prompt.spans().iter().find(|span| said(&span.origin))?;
    prompt.prefix().get(span.range.start..)
}
