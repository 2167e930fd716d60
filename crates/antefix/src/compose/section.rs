//! One section: its conditions, its text, its budget, its frame.

use std::collections::BTreeSet;

use super::allowance::Allowance;
use super::layout::{Condition, Section, Switch};
use super::policy::{NoticeStands, Trim, WhenUnavailable};
use super::template::Spent;
use super::{Gap, cut, wording};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::{Answer, Facts, Reason, ReasonCode, Value};
use crate::error::{Error, ErrorKind, Result};
use crate::text::{Budget, Draft, FactName, Transform};

/// What became of a section.
#[derive(Default)]
pub(super) struct RenderedSection {
    /// What its template says, before budget and frame; none if it was left out.
    pub(super) text: Option<Draft>,
    /// Why it was left out, if no gap says so.
    pub(super) left_out: Option<String>,
    pub(super) gaps: Vec<Gap>,
    /// What rendering it took.
    pub(super) spent: Spent,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Renders a section's own text, if its conditions are met.
pub(super) fn render(section: &Section, facts: &Facts) -> Result<RenderedSection> {
    let mut composed = RenderedSection::default();
    if section.switch == Switch::Off {
        composed.left_out = Some("you do without it".to_owned());
        return Ok(composed);
    }
    for condition in &section.only_if {
        match meets(condition, facts) {
            Answer::Present(()) => {}
            Answer::Absent => {
                composed.left_out = Some(match condition {
                    Condition::NoFact(name) => {
                        composed.diagnostics.extend(replaced(section, name, facts));
                        format!("{name} is used in its place")
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
    let named: BTreeSet<&FactName> = section.template.names().iter().collect();
    for (name, reason) in facts.unavailable() {
        if !named.contains(name) {
            continue;
        }
        match reason.code {
            // Nothing failed: whoever does not want it asked for does not miss it, and `refuse` has nothing to refuse.
            ReasonCode::Disabled => disabled.push(name),
            _ => composed.gaps.push(gap(section, name, reason)?),
        }
    }
    match section.template.render(facts) {
        Ok(rendered) => {
            composed.diagnostics.extend(rendered.diagnostics);
            composed.spent = rendered.spent;
            composed.text = Some(rendered.draft);
        }
        // The template needs a fact that was not or could not be asked for: what is left out is the whole section.
        Err(error)
            if composed.gaps.iter().map(|gap| &gap.fact).chain(disabled).any(|fact| Some(fact) == error.fact()) =>
        {
            composed.left_out = Some(error.message().to_owned());
        }
        Err(error) => return Err(error),
    }
    Ok(composed)
}

/// A section's text within its budget, in its frame.
pub(super) fn framed(section: &Section, text: Draft, diagnostics: &mut Vec<Diagnostic>) -> Result<Draft> {
    let text = match &section.budget {
        Some(allowance) => fitted(text, allowance, section, diagnostics)?,
        None => text,
    };
    frame(section, text)
}

/// A section's text in its frame.
pub(super) fn frame(section: &Section, text: Draft) -> Result<Draft> {
    let mut draft = match &section.wrap {
        Some((key, template)) => {
            let text = text.into_text();
            let variable = key.variables().first().copied().unwrap_or("text");
            wording::print(template, &[(variable, &text)])?
        }
        None => text,
    };
    let end = match section.trim {
        Trim::None => draft.len(),
        Trim::End => draft.as_str().trim_end_matches(['\n', ' ']).len(),
        Trim::EndWhitespace => draft.as_str().trim_end().len(),
    };
    draft.truncate(end, Transform::Trimmed);
    Ok(draft)
}

fn meets(condition: &Condition, facts: &Facts) -> Answer<()> {
    let answer = facts.get(&condition.fact()).unwrap_or(&Answer::Absent);
    match (condition, answer) {
        (Condition::Tool(spellings), Answer::Present(Value::List(names))) => {
            let has_one = names.iter().any(|name| spellings.iter().any(|spelled| spelled == name.as_str()));
            if has_one { Answer::Present(()) } else { Answer::Absent }
        }
        (Condition::Model(pattern), Answer::Present(Value::Text(model))) => {
            if pattern.matches(model.as_str()) {
                Answer::Present(())
            } else {
                Answer::Absent
            }
        }
        (Condition::NotModel(pattern), Answer::Present(Value::Text(model))) => {
            if pattern.matches(model.as_str()) {
                Answer::Absent
            } else {
                Answer::Present(())
            }
        }
        (Condition::NotModel(_), Answer::Absent) => Answer::Present(()),
        (Condition::NoFact(_), Answer::Present(_)) => Answer::Absent,
        (Condition::NoFact(_), Answer::Absent) => Answer::Present(()),
        (_, answer) => answer.as_ref().map(|_| ()),
    }
}

/// What is lost when the file of a fact takes a section's place.
fn replaced(section: &Section, by: &FactName, facts: &Facts) -> Option<Diagnostic> {
    // What was asked for and is not there is not lost.
    let is_there = |name: &&FactName| !matches!(facts.get(name), Some(Answer::Absent));
    let lost: Vec<&str> = section.template.names().iter().filter(is_there).map(FactName::as_str).collect();
    if lost.is_empty() {
        return None;
    }
    let path = match facts.get(by) {
        Some(Answer::Present(Value::Text(text))) => {
            text.pieces().find_map(|piece| piece.origin.path().map(str::to_owned))
        }
        _ => None,
    };
    let about = path.map_or_else(|| Subject::from(by.as_str()), |path| Subject::file_of(by.as_str(), path));
    let message = format!("{} replaces section `{}`, and with it {}", about.label(), section.id, lost.join(", "));
    Some(
        Diagnostic::note(Code::Replaced, message)
            .about(about)
            .hint("write what is needed of them into the replacement"),
    )
}

fn gap(section: &Section, fact: &FactName, reason: &Reason) -> Result<Gap> {
    match section.when_unavailable {
        WhenUnavailable::Gap => Ok(Gap { section: section.id.clone(), fact: fact.clone(), reason: reason.clone() }),
        WhenUnavailable::Refuse => {
            let message = format!("section `{}` needs `{fact}`, which is unavailable: {reason}", section.id);
            Err(Error::new(ErrorKind::Refused, message)
                .about(fact)
                .with_hint("fix the cause, or allow the gap: `when_unavailable = \"gap\"`"))
        }
    }
}

/// Cuts a section's own text to its budget, with a notice in the text and a warning.
fn fitted(
    mut draft: Draft,
    allowance: &Allowance,
    section: &Section,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Draft> {
    let Budget { most, unit } = allowance.budget;
    if allowance.budget.fits(draft.as_str()) {
        return Ok(draft);
    }
    let before = unit.measure(draft.as_str());
    let notice = wording::print(&allowance.notice, &[])?.into_text();
    let whole = draft.clone();
    let end = match allowance.notice_stands {
        NoticeStands::Inside => draft.cut_to(&[allowance.budget], &notice),
        NoticeStands::Behind => {
            let end = allowance.budget.end(draft.as_str(), "").unwrap_or_default();
            draft.truncate(end, Transform::Cut);
            draft.push_text(&notice);
            end
        }
    };
    let (id, left, unit) = (&section.id, unit.measure(&whole.as_str()[end..]), unit.name());
    let why = format!("section `{id}` has {before} {unit} and a budget of {most}: its last {left} {unit} are left out");
    diagnostics.extend(cut::cut(id, &whole, end, &why, "the budget"));
    Ok(draft)
}
