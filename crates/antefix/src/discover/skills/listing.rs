//! What is printed of skills. A listing over its budget is shrunk, and that is reported.

use std::borrow::Cow;

use super::Skill;
use super::shrink::shrunk;
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::frame::entity;
use crate::text::{Budget, Draft, FactName, Origin, Transform};

/// The listing within its budget.
pub(super) fn fitted(
    skills: &mut Vec<Skill>,
    name: &FactName,
    budget: Budget,
    dropped: &mut Vec<Skill>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Draft {
    within(skills, name, budget, dropped, diagnostics).0
}

/// The listing within its budget, and how long descriptions may be for that. Skills that find no room are dropped.
pub(super) fn within(
    skills: &mut Vec<Skill>,
    name: &FactName,
    budget: Budget,
    dropped: &mut Vec<Skill>,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Draft, usize) {
    let whole = listing(skills, name, usize::MAX);
    if budget.fits(whole.as_str()) {
        return (whole, usize::MAX);
    }
    let longest = skills.iter().map(|skill| skill.description.chars().count()).max().unwrap_or(0);
    let shrunk = shrunk(skills.len(), longest, budget, |count, length| listing(&skills[..count], name, length));
    let Budget { most, unit } = budget;
    let size = unit.measure(whole.as_str());
    let message = format!("the skills listing has {size} {} and a budget of {most}: {}", unit.name(), shrunk.what());
    let diagnostic = Diagnostic::warning(Code::OverBudget, message).about(name.as_str());
    diagnostics.push(diagnostic.hint("shorten the descriptions, or raise `budget` in the layout's `[skills]`"));
    dropped.extend(skills.drain(shrunk.count..).rev());
    (shrunk.draft, shrunk.length)
}

/// The block of the Agent Skills guide, with descriptions of at most `length` characters.
fn listing(skills: &[Skill], name: &FactName, length: usize) -> Draft {
    let mut draft = Draft::default();
    if skills.is_empty() {
        return draft;
    }
    let frame = Origin::fact(name);
    draft.push("<available_skills>", frame.clone(), None);
    for skill in skills {
        let origin = Origin::file(name, &skill.place);
        let mut field = |before: &str, text: &str, transform: Option<Transform>| {
            let escaped = escape(text);
            let transform = if matches!(escaped, Cow::Owned(_)) { Some(Transform::Escaped) } else { transform };
            draft.push(before, frame.clone(), None);
            draft.push(&escaped, origin.clone(), transform);
        };
        field("\n  <skill>\n    <name>", &skill.name, None);
        if length > 0 {
            let description = shortened(&skill.description, length);
            let transform = matches!(description, Cow::Owned(_)).then_some(Transform::Cut);
            field("</name>\n    <description>", &description, transform);
        }
        let before = if length > 0 { "</description>\n    <location>" } else { "</name>\n    <location>" };
        field(before, &skill.place, None);
        draft.push("</location>\n  </skill>", frame.clone(), None);
    }
    draft.push("\n</available_skills>", frame, None);
    draft
}

/// A text of at most so many characters: borrowed, if it is no longer.
pub(super) fn shortened(text: &str, length: usize) -> Cow<'_, str> {
    if text.len() <= length || text.chars().count() <= length {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().take(length.saturating_sub(1)).chain(['…']).collect())
}

/// One line a skill, with the digest of its body.
pub(super) fn index(skills: &[Skill], name: &FactName) -> Draft {
    let mut draft = Draft::default();
    for (number, skill) in skills.iter().enumerate() {
        let short: String = skill.description.lines().next().unwrap_or_default().trim().chars().take(80).collect();
        let column = |text: &str| {
            text.replace('|', "\\|").replace(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'), " ")
        };
        let line = format!(
            "{} | {} | {} | {} | {}",
            column(&skill.name),
            column(&short),
            column(&skill.run_mode),
            skill.body.map(|body| body.short()).unwrap_or_default(),
            column(&skill.tools.join(","))
        );
        let origin = Origin::file(name, &skill.place);
        if number > 0 {
            draft.push("\n", Origin::fact(name), Some(Transform::Joined));
        }
        draft.push(line.trim_end(), origin, Some(Transform::Computed));
    }
    draft
}

/// A text that can close no tag: borrowed, if it could close none before.
fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"', '\'']) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match entity(c) {
            Some(written) => escaped.push_str(written),
            None => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}
