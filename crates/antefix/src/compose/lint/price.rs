//! What a fact costs that moves in the prefix: everything from there to the boundary is billed again.

use std::collections::BTreeMap;

use crate::compose::Prompt;
use crate::diagnostic::{Code, Diagnostic};
use crate::stop::Stop;
use crate::text::Origin;

/// How many findings are priced: each takes as long as the prompt is.
const PRICED: usize = 20;
/// The longest text that is counted in tokens, in bytes: counting takes longer than all else.
const COUNTED: usize = 128 * 1024;

/// The findings, each with what it costs if it is about a fact that moves and is in this prompt.
pub(super) fn priced(prompt: &Prompt, stop: &Stop) -> Vec<Diagnostic> {
    let (mut left, mut known) = (PRICED, BTreeMap::new());
    let price = |finding: &Diagnostic| match finding.code {
        Code::VolatileInPrefix | Code::DailyInPrefix if left > 0 && !stop.is_set() => {
            left -= 1;
            with_price(prompt, finding.clone(), &mut known)
        }
        _ => finding.clone(),
    };
    prompt.diagnostics().iter().map(price).collect()
}

/// One finding with what it costs. `known` has what was counted before, by how long it is.
fn with_price(prompt: &Prompt, mut finding: Diagnostic, known: &mut BTreeMap<usize, String>) -> Diagnostic {
    let moves = match finding.code {
        Code::VolatileInPrefix => "whenever it has moved",
        Code::DailyInPrefix => "the day after",
        _ => return finding,
    };
    if let Some(behind) = first(prompt, &finding).filter(|behind| !behind.is_empty()) {
        let size = known.entry(behind.len()).or_insert_with(|| size(behind));
        finding.message.push_str(&format!(": {size} from there on are billed again {moves}"));
    }
    finding
}

/// How much a text is, for people: in what is billed, where that is counted.
pub(super) fn size(text: &str) -> String {
    let counted = if text.len() <= COUNTED { crate::tokens::count(text) } else { None };
    let (count, unit) = match counted {
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
