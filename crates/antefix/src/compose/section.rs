//! One section: its conditions, its text, its budget, its frame.

use super::layout::{Budget, Condition, Section};
use super::policy::{NoticeStands, Trim, WhenUnavailable};
use super::template::Spent;
use super::{Draft, Gap, Transform, wording};
use crate::diagnostic::Diagnostic;
use crate::discover::{Answer, FactName, Facts, Reason, ReasonCode, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::place::floor_char_boundary;

/// What became of a section.
#[derive(Default)]
pub(super) struct Composed {
    /// Its text; none if it was left out.
    pub(super) draft: Option<Draft>,
    /// Why it was left out, if no gap says so.
    pub(super) left_out: Option<String>,
    pub(super) gaps: Vec<Gap>,
    /// What rendering it took.
    pub(super) spent: Spent,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Composes a section.
pub(super) fn compose(section: &Section, facts: &Facts) -> Result<Composed> {
    let mut composed = Composed::default();
    for condition in &section.only_if {
        match meets(condition, facts) {
            Answer::Present(()) => {}
            Answer::Absent => {
                composed.left_out = Some(match condition {
                    Condition::NoFact(name) => {
                        composed.diagnostics.extend(replaced(section, name));
                        format!("{name} stands in its place")
                    }
                    condition => format!("{condition} is absent"),
                });
                return Ok(composed);
            }
            Answer::Unavailable(reason) if reason.code == ReasonCode::Disabled => {
                composed.left_out = Some(format!("{} is {reason}", condition.fact()));
                return Ok(composed);
            }
            Answer::Unavailable(reason) => {
                composed.gaps.push(gap(section, &condition.fact(), &reason)?);
                composed.left_out = Some(format!("{condition} is unavailable"));
                return Ok(composed);
            }
        }
    }
    let mut disabled = Vec::new();
    for (name, reason) in facts.unavailable() {
        if !section.template.names().contains(name) {
            continue;
        }
        match reason.code {
            // Nothing failed: whoever does not want it asked for does not miss it, and `refuse` has nothing to refuse.
            ReasonCode::Disabled => disabled.push(name),
            _ => composed.gaps.push(gap(section, name, reason)?),
        }
    }
    let draft = match section.template.render(facts) {
        Ok(rendered) => {
            composed.diagnostics.extend(rendered.diagnostics);
            composed.spent = rendered.spent;
            rendered.draft
        }
        // The template needs a fact that was not or could not be asked for: what is left out is the whole section.
        Err(error)
            if composed.gaps.iter().map(|gap| &gap.fact).chain(disabled).any(|fact| Some(fact) == error.fact()) =>
        {
            composed.left_out = Some(error.message().to_owned());
            return Ok(composed);
        }
        Err(error) => return Err(error),
    };
    let draft = match &section.budget {
        Some(budget) => fit(draft, budget, section, &mut composed.diagnostics)?,
        None => draft,
    };
    let mut draft = match &section.wrap {
        Some((key, template)) => {
            let text = draft.into_text();
            let variable = key.variables().first().copied().unwrap_or("text");
            wording::print(template, &[(variable, &text)])?
        }
        None => draft,
    };
    let end = match section.trim {
        Trim::None => draft.len(),
        Trim::End => draft.as_str().trim_end_matches(['\n', ' ']).len(),
        Trim::EndWhitespace => draft.as_str().trim_end().len(),
    };
    draft.truncate(end, Transform::Trimmed);
    composed.draft = Some(draft);
    Ok(composed)
}

fn meets(condition: &Condition, facts: &Facts) -> Answer<()> {
    let answer = facts.get(&condition.fact()).unwrap_or(&Answer::Absent);
    match (condition, answer) {
        (Condition::Tool(tool), Answer::Present(Value::List(names))) => {
            if names.iter().any(|name| name.as_str() == tool) { Answer::Present(()) } else { Answer::Absent }
        }
        (Condition::NoFact(_), Answer::Present(_)) => Answer::Absent,
        (Condition::NoFact(_), Answer::Absent) => Answer::Present(()),
        (_, answer) => answer.as_ref().map(|_| ()),
    }
}

/// What is lost when a fact stands in a section's place.
fn replaced(section: &Section, by: &FactName) -> Option<Diagnostic> {
    let lost: Vec<&str> = section.template.names().iter().map(FactName::as_str).collect();
    if lost.is_empty() {
        return None;
    }
    let message = format!("{by} replaces section `{}`, and with it {}", section.id, lost.join(", "));
    Some(
        Diagnostic::note("replaced", message)
            .about(by.as_str())
            .hint("name them in the replacement if they are needed"),
    )
}

fn gap(section: &Section, fact: &FactName, reason: &Reason) -> Result<Gap> {
    match section.when_unavailable {
        WhenUnavailable::Gap => Ok(Gap { section: section.id.clone(), fact: fact.clone(), reason: reason.clone() }),
        WhenUnavailable::Refuse => {
            let message = format!("section `{}` needs `{fact}`, which is unavailable: {reason}", section.id);
            Err(Error::new(ErrorKind::Refused, message)
                .about(fact)
                .with_hint("mend the cause, or let the section go without: `when_unavailable = \"gap\"`"))
        }
    }
}

/// Cuts a section's own text to its budget, with a notice in the text and a warning.
fn fit(mut draft: Draft, budget: &Budget, section: &Section, diagnostics: &mut Vec<Diagnostic>) -> Result<Draft> {
    let bytes = draft.len();
    if bytes <= budget.bytes {
        return Ok(draft);
    }
    let notice = wording::print(&budget.notice, &[])?;
    let end = match budget.notice_stands {
        NoticeStands::Behind => budget.bytes,
        NoticeStands::Inside => budget.bytes.saturating_sub(notice.len()),
    };
    let end = floor_char_boundary(draft.as_str(), end);
    draft.truncate(end, Transform::Cut);
    if budget.notice_stands == NoticeStands::Behind || notice.len() <= budget.bytes {
        draft.append(notice);
    }
    let message = format!(
        "section `{}` has {bytes} bytes and a budget of {}: its last {} bytes are left out",
        section.id,
        budget.bytes,
        bytes - end
    );
    diagnostics.push(
        Diagnostic::warning("cut", message).about(section.id.as_str()).hint("shorten the text, or raise the budget"),
    );
    Ok(draft)
}
