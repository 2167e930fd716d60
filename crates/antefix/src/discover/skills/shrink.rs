//! Making a list of skills smaller: within its own budget, and later for a prompt that does not fit its own.
//!
//! 1. Descriptions are shortened alike, then left out, then whole skills from the last one on. Nothing else decides.
//! 2. A list that is a fact already is taken apart again. All that it prints is escaped, so its tags are its own.

use std::ops::Range;

use crate::diagnostic::{Code, Diagnostic};
use crate::text::{Budget, Draft, FactName, Text, Transform};

/// A description that would be shortened to less than this is dropped: three words say nothing.
const LEAST: usize = 24;

/// What fits.
pub(super) struct Shrunk {
    pub(super) draft: Draft,
    /// How long descriptions may be.
    pub(super) length: usize,
    /// How many skills are there.
    pub(super) count: usize,
    /// How many were there.
    all: usize,
}

/// The list of `all` skills that fits a budget. `print` gives that of the first few, with descriptions so long at most.
pub(super) fn shrunk(all: usize, longest: usize, budget: Budget, print: impl Fn(usize, usize) -> Draft) -> Shrunk {
    let fits = |count, length| budget.fits(print(count, length).as_str());
    let length = largest(longest, |length| fits(all, length));
    let length = if length >= LEAST { length } else { 0 };
    let count = if fits(all, length) { all } else { largest(all, |count| fits(count, length)) };
    Shrunk { draft: print(count, length), length, count, all }
}

impl Shrunk {
    /// What was done, in words.
    pub(super) fn what(&self) -> String {
        match (self.length, self.all - self.count) {
            (0, 0) => "all descriptions are left out".to_owned(),
            (0, dropped) => format!("all descriptions and the last {dropped} skills are left out"),
            (length, _) => format!("descriptions are shortened to {length} characters"),
        }
    }
}

/// The largest number below `end` for which something holds that holds for all smaller ones; 0 if it holds for none.
fn largest(end: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut good, mut bad) = (0, end.max(1));
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if holds(middle) { good = middle } else { bad = middle }
    }
    good
}

/// A list within the budget of a prompt, and what is worth knowing. None if nothing stays.
pub(crate) fn skills_within(text: &Text, name: &FactName, budget: Budget) -> Option<(Text, Diagnostic)> {
    let (shrunk, what) = match name.name() {
        "index" => {
            let lines: Vec<usize> = text.as_str().match_indices('\n').map(|(at, _)| at).collect();
            let shrunk = shrunk(lines.len() + 1, 0, budget, |count, _| {
                let mut draft = Draft::default();
                let end = if count == 0 { Some(0) } else { lines.get(count - 1).copied() };
                draft.push_part(text, 0..end.unwrap_or(text.as_str().len()));
                draft
            });
            let what = format!("the last {} skills are left out", shrunk.all - shrunk.count);
            (shrunk, what)
        }
        _ => {
            let listing = Listing::of(text)?;
            let longest =
                listing.skills.iter().filter_map(|skill| Some(units(text, skill.description.clone()?).count()));
            let longest = longest.max().unwrap_or(0);
            let shrunk = shrunk(listing.skills.len(), longest, budget, |count, length| listing.print(count, length));
            let what = shrunk.what();
            (shrunk, what)
        }
    };
    if shrunk.count == 0 {
        return None;
    }
    let Budget { most, unit } = budget;
    let size = unit.measure(text.as_str());
    let message = format!(
        "the skills have {size} {} and are cut to {most}, because the prompt does not fit its budget: {what}",
        unit.name()
    );
    let hint = "shorten the descriptions, or raise the `budget` of the layout";
    Some((shrunk.draft.into_text(), Diagnostic::warning(Code::OverBudget, message).about(name.as_str()).hint(hint)))
}

/// A listing taken apart.
struct Listing<'t> {
    text: &'t Text,
    skills: Vec<Entry>,
    /// What follows the skills.
    end: Range<usize>,
}

struct Entry {
    range: Range<usize>,
    /// The words between the tags.
    description: Option<Range<usize>>,
}

const SKILL: &str = "\n  <skill>\n";
const DESCRIPTION: (&str, &str) = ("<description>", "</description>\n    ");

impl<'t> Listing<'t> {
    fn of(text: &'t Text) -> Option<Listing<'t>> {
        let whole = text.as_str();
        let end = whole.rfind("\n</available_skills>")?;
        let starts: Vec<usize> = whole[..end].match_indices(SKILL).map(|(at, _)| at).collect();
        let ends = starts.iter().skip(1).copied().chain([end]);
        let entry = |(start, end): (usize, usize)| {
            let description = whole[start..end].find(DESCRIPTION.0).and_then(|at| {
                let from = start + at + DESCRIPTION.0.len();
                Some(from..from + whole[from..end].find(DESCRIPTION.1)?)
            });
            Entry { range: start..end, description }
        };
        Some(Listing { text, skills: starts.iter().copied().zip(ends).map(entry).collect(), end: end..whole.len() })
    }

    fn print(&self, count: usize, length: usize) -> Draft {
        let mut draft = Draft::default();
        let first = self.skills.first().map_or(self.end.start, |skill| skill.range.start);
        draft.push_part(self.text, 0..first);
        for skill in &self.skills[..count] {
            let Some(description) = skill.description.clone() else {
                draft.push_part(self.text, skill.range.clone());
                continue;
            };
            if length == 0 {
                draft.push_part(self.text, skill.range.start..description.start - DESCRIPTION.0.len());
                draft.push_part(self.text, description.end + DESCRIPTION.1.len()..skill.range.end);
            } else if units(self.text, description.clone()).count() <= length {
                draft.push_part(self.text, skill.range.clone());
            } else {
                let kept: String = units(self.text, description.clone()).take(length - 1).chain(["…"]).collect();
                draft.push_part(self.text, skill.range.start..description.start);
                draft.push_changed(self.text, description.clone(), &kept, Transform::Cut);
                draft.push_part(self.text, description.end..skill.range.end);
            }
        }
        draft.push_part(self.text, self.end.clone());
        draft
    }
}

/// The characters of an escaped text, each as it is written: `&amp;` is one.
fn units(text: &Text, range: Range<usize>) -> impl Iterator<Item = &str> {
    let mut rest = &text.as_str()[range];
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let written = if first == '&' { rest.find(';').map(|end| end + 1) } else { None };
        let (unit, behind) = rest.split_at(written.unwrap_or(first.len_utf8()));
        rest = behind;
        Some(unit)
    })
}
