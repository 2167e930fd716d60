//! Fitting the whole prompt into its budget.
//!
//! 1. Sections are cut in the layout's order, each as far as need be before the next is touched. A section of which too
//!    little would stay is left out.
//! 2. A section of instruction files loses them from the least specific one on, one of skills loses their descriptions and
//!    then the last of them; any other one loses its end.
//! 3. Each cut is in the text, inside the budget, and each is reported.
//! 4. What comes out fits. Where it cannot, there is no prompt.
//! 5. The prefix is fitted first, then the live sections behind it, so that a turn on a standing prefix gives the bytes
//!    that the whole prompt had.

use std::cmp::Reverse;
use std::ops::RangeBounds;

use super::allowance::Total;
use super::layout::{Layout, Section};
use super::prompt::{LeftOut, Notes};
use super::{Before, Part, Stability, Standing, cut, joint, print, section};
use crate::diagnostic::Diagnostic;
use crate::discover::{
    Answer, Facts, FileLeft, InstructionsWithin, Value, files_left, instructions_within, size_of_instructions,
    skills_within,
};
use crate::error::{Error, ErrorKind, Result};
use crate::text::{Budget, Draft, FactName, Place, Text, Unit};

/// What findings about the whole prompt advise to raise.
const BUDGET: &str = "the `budget` of the layout";

/// How often a section is tried with a little less: texts that meet share tokens, and frames take room.
const TRIES: usize = 8;

/// The order of cutting where a layout names none: what can be long, the least lasting and least specific first.
///
/// What is live goes first, so that the prefix does not depend on what moves from turn to turn. Skills can be looked up,
/// git can be asked, files can be read again; what somebody wrote down for the agent stays longest. Within a kind the last
/// section goes first. Sections that name none of these are not cut.
pub(super) fn by_default(sections: &[Section]) -> Vec<usize> {
    const KINDS: [&str; 5] = ["skills", "git", "file", "memory", "instructions"];
    let kind = |section: &Section| {
        let names = section.template.names().iter();
        names.filter_map(|name| KINDS.iter().position(|kind| *kind == name.namespace())).max()
    };
    let cuttable = |(number, section): (usize, &Section)| Some((section.stability, kind(section)?, number));
    let mut order: Vec<_> = sections.iter().enumerate().filter_map(cuttable).collect();
    order.sort_by_key(|(stability, kind, number)| (Reverse(*stability == Stability::Live), *kind, Reverse(*number)));
    order.into_iter().map(|(_, _, number)| number).collect()
}

/// What became of the sections that were too much.
#[derive(Default)]
pub(super) struct Fitted {
    pub(super) notes: Notes,
    /// For each section of instruction files that has less of them, what it has left.
    pub(super) files: Vec<Vec<FileLeft>>,
}

/// What a section lost that was made smaller.
struct Loss {
    /// What is left of its instruction files, if it prints them.
    files: Option<Vec<FileLeft>>,
    diagnostics: Vec<Diagnostic>,
}

/// The name of the fact that has the instruction files.
pub(super) fn instruction_files() -> FactName {
    FactName::new("instructions", "files")
}

/// The instruction files that a section prints, if it prints them.
pub(super) fn files_of<'f>(section: &Section, facts: &'f Facts) -> Option<&'f Value> {
    let name = instruction_files();
    match facts.get(&name) {
        Some(Answer::Present(value @ Value::Maps(_))) if section.template.names().contains(&name) => Some(value),
        _ => None,
    }
}

/// Cuts the sections of a prefix so far that it fits with what the live sections cannot give.
///
/// The live ones are cut on trial, in the layout's order, and stay as they are: [`live`] does that once the prefix is final.
pub(super) fn standing<'l>(
    layout: &Layout,
    total: &Total,
    facts: &Facts,
    boundary: Option<&Draft>,
    standing: &mut Vec<Part<'l>>,
    live: &[Part<'l>],
) -> Result<Fitted> {
    let first = standing.len();
    let on_trial =
        live.iter().map(|part| Part { section: part.section, text: part.text.clone(), raw: part.raw.clone() });
    let mut parts: Vec<Part<'_>> = std::mem::take(standing).into_iter().chain(on_trial).collect();
    let before = Standing { text: "", before: Before::Nothing, first: 0 };
    let fitting = Fitting { layout, total, facts, boundary: boundary.map(|text| (first, text)), standing: &before };
    let fitted = fitting.fit(&mut parts, ..first);
    parts.truncate(first);
    *standing = parts;
    fitted
}

/// Cuts live sections so far that they fit behind a prefix.
pub(super) fn live(
    layout: &Layout,
    total: &Total,
    facts: &Facts,
    standing: &Standing<'_>,
    parts: &mut [Part<'_>],
) -> Result<Fitted> {
    Fitting { layout, total, facts, boundary: None, standing }.fit(parts, standing.first..)
}

struct Fitting<'f> {
    layout: &'f Layout,
    total: &'f Total,
    facts: &'f Facts,
    /// The wording at the boundary, and the number of the section that it is before.
    boundary: Option<(usize, &'f Draft)>,
    standing: &'f Standing<'f>,
}

impl Fitting<'_> {
    /// Cuts parts until they fit. What happens to those outside `reported` is not reported.
    fn fit(&self, parts: &mut [Part<'_>], reported: impl RangeBounds<usize>) -> Result<Fitted> {
        let Budget { most, unit } = self.total.budget;
        let mut fitted = Fitted::default();
        let whole = self.assembled(parts);
        if self.total.budget.fits(&whole) {
            return Ok(fitted);
        }
        let notice = print(&self.total.notice, &[])?.into_text();
        let whole = unit.measure(&whole);
        let mut size = whole;
        let first = self.standing.first;
        for number in self.total.order.iter().copied() {
            let Some(part) = number.checked_sub(first).filter(|part| *part < parts.len()) else { continue };
            let Some(text) = parts[part].text.as_ref().filter(|text| text.len() > 0) else { continue };
            let own = unit.measure(text.as_str());
            if let Some(loss) = self.cut(parts, part, &notice, own, size)? {
                if reported.contains(&number) {
                    fitted.files.extend(loss.files);
                    fitted.notes.diagnostics.extend(loss.diagnostics);
                }
                return Ok(fitted);
            }
            let left_out = parts[part].text.take();
            if let Some(text) = left_out.filter(|_| reported.contains(&number)) {
                let section = parts[part].section;
                fitted.files.extend(files_of(section, self.facts).map(|files| files_left(files, None)));
                fitted.leave_out(&section.id, &text, whole, self.total.budget);
            }
            size = measure(unit, &self.assembled(parts));
            if size <= most {
                return Ok(fitted);
            }
        }
        let message = format!(
            "the prompt has a budget of {most} {}, and {size} are left when all that may be cut is left out",
            unit.name()
        );
        let place = Place::new(&self.layout.source, self.total.declared.clone());
        let error = Error::new(ErrorKind::Budget, message).at(place);
        Err(error.with_hint("raise `budget`, or name more sections in `cut`"))
    }

    /// Cuts one section so far that the prompt fits, and says what it lost; none if too little of it would stay.
    fn cut(
        &self,
        parts: &mut [Part<'_>],
        number: usize,
        notice: &Text,
        own: usize,
        size: usize,
    ) -> Result<Option<Loss>> {
        let Budget { most, unit } = self.total.budget;
        // A few words behind which the rest is missing mislead more than they help.
        let least = 4 * unit.measure(notice.as_str());
        let mut room = own.saturating_sub(size - most);
        for _ in 0..TRIES {
            if room < least {
                return Ok(None);
            }
            let Some((text, loss)) = self.smaller(&parts[number], notice, own, room)? else { return Ok(None) };
            parts[number].text = Some(text);
            let size = measure(unit, &self.assembled(parts));
            if size <= most {
                return Ok(Some(loss));
            }
            room = room.saturating_sub(size - most);
        }
        Ok(None)
    }

    /// A section with about so much text, and what it lost; none if nothing of it would stay.
    fn smaller(&self, part: &Part<'_>, notice: &Text, own: usize, room: usize) -> Result<Option<(Draft, Loss)>> {
        let section = part.section;
        let Budget { most, unit } = self.total.budget;
        if let Some(value) = files_of(section, self.facts) {
            let within = size_of_instructions(value, self.total.budget).saturating_sub(own - room);
            let (rules, within) = (&self.layout.rules().instructions, Budget { most: within, unit });
            let Some(within) = instructions_within(value, rules, within, notice) else { return Ok(None) };
            let InstructionsWithin { value, files, diagnostics } = within;
            let text = self.rendered_with(section, instruction_files(), value)?;
            return Ok(text.map(|text| (text, Loss { files: Some(files), diagnostics })));
        }
        for name in section.template.names().iter().filter(|name| name.namespace() == "skills") {
            let Some(Answer::Present(Value::Text(skills))) = self.facts.get(name) else { continue };
            let most = unit.measure(skills.as_str()).saturating_sub(own - room);
            let Some((skills, finding)) = skills_within(skills, name, Budget { most, unit }) else { return Ok(None) };
            let text = self.rendered_with(section, name.clone(), Value::Text(skills))?;
            return Ok(text.map(|text| (text, Loss { files: None, diagnostics: vec![finding] })));
        }
        let Some(whole) = &part.raw else { return Ok(None) };
        let mut text = whole.clone();
        let own_budget = section.budget.as_ref().map(|allowance| allowance.budget);
        let budgets: Vec<Budget> = own_budget.into_iter().chain([Budget { most: room, unit }]).collect();
        let end = text.cut_to(&budgets, notice);
        let (id, unit) = (&section.id, unit.name());
        let why = format!(
            "section `{id}` has {own} {unit} and is cut to {room}: the prompt does not fit its budget of {most}"
        );
        let diagnostics = cut::cut(id, whole, end, &why, BUDGET);
        Ok(Some((section::frame(section, text)?, Loss { files: None, diagnostics })))
    }

    /// A section with another value for a fact; none if it has no text then.
    fn rendered_with(&self, section: &Section, name: FactName, value: Value) -> Result<Option<Draft>> {
        let mut facts = self.facts.clone();
        facts.insert(name, Answer::Present(value));
        let Some(text) = section::render(section, &facts)?.text else { return Ok(None) };
        // What its own budget cuts was reported when it was first composed.
        section::framed(section, text, &mut Vec::new()).map(Some)
    }

    /// The prompt that the parts make, with the text that is final already.
    fn assembled(&self, parts: &[Part<'_>]) -> String {
        let mut text = self.standing.text.to_owned();
        let mut before = self.standing.before;
        let mut place = |own: &str, joint: &str| {
            text.push_str(joint);
            text.push_str(own);
            if text.ends_with('\n') { Before::Lines } else { Before::OpenLine }
        };
        for (number, part) in parts.iter().enumerate() {
            if let Some((_, boundary)) = self.boundary.filter(|(at, _)| *at == number) {
                before = place(boundary.as_str(), "");
            }
            let Some(own) = &part.text else { continue };
            let joint = if own.len() > 0 { joint(part.section.joint, before) } else { "" };
            before = place(own.as_str(), joint);
        }
        if let Some((_, boundary)) = self.boundary.filter(|(at, _)| *at == parts.len()) {
            place(boundary.as_str(), "");
        }
        text
    }
}

impl Fitted {
    fn leave_out(&mut self, id: &str, text: &Draft, whole: usize, budget: Budget) {
        let Budget { most, unit } = budget;
        let why = format!("the prompt has {whole} {} and a budget of {most}", unit.name());
        self.notes.diagnostics.extend(cut::left_out(id, text, &why, BUDGET));
        self.notes.left_out.push(LeftOut { id: id.to_owned(), why: format!("the prompt has a budget of {budget}") });
    }
}

/// How much a text has that is only a try.
fn measure(unit: Unit, text: &str) -> usize {
    match unit {
        Unit::Tokens => crate::tokens::count_once(text),
        Unit::Bytes | Unit::Characters => unit.measure(text),
    }
}
