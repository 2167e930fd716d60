//! Instruction files that a caller hands in.
//!
//! 1. They take the place of all that would be found, in the order of the list.
//! 2. Hygiene, tags and budgets are those of files that are found. Imports are not followed: nobody knows where such a file is.
//! 3. Each byte's origin names the caller and the path that it gave.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::policy::{Empty, InstructionRules, Order, Walk};
use super::text::{normalized, value_with};
use super::{Entry, Extent, Instruction, Search};
use crate::diagnostic::{Diagnostic, Subject};
use crate::discover::report::{Loaded, Report, Why};
use crate::discover::{Answer, Fact, ReasonCode, Situation, World};
use crate::text::{FactName, Origin, Text};

/// Answers `instructions:files` with what a caller gave.
pub(in crate::discover) fn given(
    world: &dyn World,
    situation: &Situation<'_>,
    name: &FactName,
    files: &[BTreeMap<String, String>],
    report: &mut Report,
    diagnostics: &mut Vec<Diagnostic>,
) -> Fact {
    report.by_caller.insert(name.clone());
    let mut search = Search::new(world, situation, name, report, diagnostics);
    let mut found = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let (path, text) = match read(file) {
            Ok(parts) => parts,
            Err(wrong) => {
                let detail = format!("file {number} that was given {wrong}");
                return Answer::unavailable(ReasonCode::Failed, detail);
            }
        };
        let label: Arc<str> = situation.permissions.hygiene.label(path.to_owned(), &search.protect).into();
        let whole = text.len();
        let Some(text) = search.take(&label, text) else { continue };
        let path = Some(label.to_string());
        let loaded = vec![Loaded { whole, ..Loaded::whole(name, path, text.as_str().len()) }];
        let distance = distance(number, files.len(), search.rules);
        found.push(Instruction { label, text, distance, loaded, entry: Entry::File });
    }
    search.fit(&mut found);
    if found.is_empty() {
        return search.unavailable.map_or(Answer::Absent, Answer::Unavailable);
    }
    search.report.loaded.extend(found.iter().flat_map(|file| file.loaded.iter().cloned()));
    Answer::Present(value_with(&found, |label| Origin::given(name, Some(label))))
}

impl Search<'_> {
    /// The text of a file that was given, as it enters the prompt. Why one is not used is reported.
    fn take(&mut self, label: &Arc<str>, text: &str) -> Option<Text> {
        let text = normalized(text, Origin::given(self.name, Some(label)));
        if self.rules.empty != Empty::Keep && text.as_str().trim().is_empty() {
            self.not_loaded(label, Why::Empty);
            return None;
        }
        match self.situation.permissions.hygiene.clean(text, &Subject::file(label), self.diagnostics) {
            Answer::Present(text) => self.bounded(text, Extent::Whole, label),
            Answer::Absent => None,
            Answer::Unavailable(reason) => self.cannot_use(label, reason),
        }
    }
}

/// Path and text of a file; the error says what is wrong with it.
fn read(file: &BTreeMap<String, String>) -> Result<(&str, &str), String> {
    if let Some(unknown) = file.keys().find(|key| !matches!(key.as_str(), "path" | "text")) {
        return Err(format!("has the key `{unknown}`, and a file has `path` and `text`"));
    }
    let part = |key: &str| file.get(key).map(String::as_str).ok_or_else(|| format!("has no `{key}`"));
    Ok((part("path")?, part("text")?))
}

/// How far from the working directory a file would be that has this place in the prompt.
fn distance(number: usize, count: usize, rules: &InstructionRules) -> usize {
    let nearest_is_first = rules.order == Order::NearestFirst || rules.walk == Walk::CwdAndHome;
    if nearest_is_first { number } else { count - number }
}
