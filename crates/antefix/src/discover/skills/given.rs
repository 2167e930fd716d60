//! A list of skills that a caller hands in.

use super::shrink::skills_within;
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::report::{Loaded, NotLoaded, Report, Why};
use crate::discover::{Answer, Fact, Situation, Value};
use crate::text::{FactName, Origin, Text};

/// Answers `skills:index` or `skills:listing` with what a caller gave: as it is, without line feeds at its end, within the layout's
/// budget. A text of line feeds alone is none.
pub(in crate::discover) fn given(
    situation: &Situation<'_>,
    name: &FactName,
    text: &str,
    report: &mut Report,
    diagnostics: &mut Vec<Diagnostic>,
) -> Fact {
    report.by_caller.insert(name.clone());
    let text = Text::new(text.trim_end_matches('\n'), Origin::given(name, None));
    if text.as_str().is_empty() {
        return Answer::Absent;
    }
    let cleaned = situation.permissions.hygiene.clean(text, &name.as_str().into(), diagnostics);
    cleaned.and_then(|text| {
        let (bytes, budget) = (text.as_str().len(), situation.rules.skills.budget);
        let text = match budget.fits(text.as_str()) {
            true => Some(text),
            false => {
                let size = budget.unit.measure(text.as_str());
                let fitting = skills_within(&text, name, budget).map(|(text, _)| text);
                let what = if fitting.is_some() { "only the beginning is used" } else { "none of it is used" };
                let unit = budget.unit.name();
                let message = format!("{name} has {size} {unit} and a budget of {}: {what}", budget.most);
                let finding = Diagnostic::warning(Code::OverBudget, message).about(name.as_str());
                diagnostics.push(finding.hint("shorten it, or raise `budget` in the layout's `[skills]`"));
                fitting
            }
        };
        let Some(text) = text else {
            let why = Why::OverBudget { bytes };
            report.not_loaded.push(NotLoaded { fact: name.clone(), path: None, why });
            return Answer::Absent;
        };
        report.loaded.push(Loaded { whole: bytes, ..Loaded::whole(name, None, text.as_str().len()) });
        Answer::Present(Value::Text(text))
    })
}
