//! Making instruction files smaller once they are facts: for a prompt that does not fit its budget.

use std::collections::BTreeMap;

use super::fit::LEAST;
use super::policy::{Drop, InstructionRules, Order, Walk};
use super::text::body;
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::fact::Value;
use crate::discover::file::cut_to;
use crate::discover::report::FileLeft;
use crate::text::{Budget, Origin, Text};

/// Instruction files within a budget.
pub(crate) struct InstructionsWithin {
    pub(crate) value: Value,
    /// What is left of each file that has less than before.
    pub(crate) files: Vec<FileLeft>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// What a prompt without room keeps of instruction files. None if nothing stays.
///
/// As when files are found, they are served in the layout's order, each file counts by itself, and each cut or drop is
/// reported.
pub(crate) fn instructions_within(
    value: &Value,
    rules: &InstructionRules,
    budget: Budget,
    notice: &Text,
) -> Option<InstructionsWithin> {
    let mut findings = Vec::new();
    let Value::Maps(maps) = value else { return None };
    let Budget { most: mut left, unit } = budget;
    let mut kept = vec![None; maps.len()];
    let mut full = false;
    for (served, number) in in_order(maps.len(), rules).into_iter().enumerate() {
        let map = &maps[number];
        let (Some(path), Some(text)) = (map.get("path"), map.get("text")) else { continue };
        let size = unit.measure(text.as_str());
        let label = path.as_str();
        if size <= left && !full {
            left -= size;
            kept[number] = Some(map.clone());
            continue;
        }
        let hint = "shorten the file, or raise the `budget` of the layout";
        // A file that is served later does not outlive an earlier one, however short it is.
        let is_first = !std::mem::replace(&mut full, true);
        let is_worth_it = rules.drop == Drop::Last || served == 0 || left >= unit.come_to(LEAST);
        let cut = (is_first && is_worth_it)
            .then(|| cut_to(text, notice, &[Budget { most: left, unit }]))
            .filter(|cut| !cut.as_str().is_empty());
        let Some(cut) = cut else {
            let message = format!("{label} is left out: the prompt does not fit its budget");
            let finding = Diagnostic::warning(Code::OverBudget, message).about(Subject::file(label)).hint(hint);
            findings.push((number, finding));
            continue;
        };
        let mut map = map.clone();
        map.insert("body".into(), body(&cut));
        map.insert("text".into(), cut);
        kept[number] = Some(map);
        let message =
            format!("{label} has {size} {} and is cut to {left}: the prompt does not fit its budget", unit.name());
        findings.push((number, Diagnostic::warning(Code::Cut, message).about(Subject::file(label)).hint(hint)));
    }
    let maps: Vec<_> = kept.into_iter().flatten().collect();
    if maps.is_empty() {
        return None;
    }
    // They are reported as they come in the prompt.
    findings.sort_by_key(|(number, _)| *number);
    let diagnostics = findings.into_iter().map(|(_, finding)| finding).collect();
    let within = Value::Maps(maps);
    Some(InstructionsWithin { files: files_left(value, Some(&within)), value: within, diagnostics })
}

/// What is left of each file that has less than before. Without a value for afterwards, every file is dropped.
pub(crate) fn files_left(before: &Value, after: Option<&Value>) -> Vec<FileLeft> {
    let after = after.map(bytes_by_file).unwrap_or_default();
    let left = |(path, bytes): (&str, usize)| {
        let left = after.get(path).copied();
        (left != Some(bytes)).then(|| FileLeft { path: path.to_owned(), bytes: left })
    };
    bytes_by_file(before).into_iter().filter_map(left).collect()
}

/// How many bytes each file has, those that others import among them.
fn bytes_by_file(value: &Value) -> BTreeMap<&str, usize> {
    let mut files = BTreeMap::new();
    let Value::Maps(maps) = value else { return files };
    for map in maps {
        let (Some(path), Some(text)) = (map.get("path"), map.get("text")) else { continue };
        files.entry(path.as_str()).or_default();
        for piece in text.pieces() {
            // The notice of a cut belongs to no file of the project.
            if let (Origin::Fact { .. }, Some(path)) = (&piece.origin, piece.origin.path()) {
                *files.entry(path).or_default() += piece.range.len();
            }
        }
    }
    files
}

/// How much the files have together, each counted by itself.
pub(crate) fn size_of_instructions(value: &Value, budget: Budget) -> usize {
    match value {
        Value::Maps(maps) => {
            maps.iter().filter_map(|map| map.get("text")).map(|text| budget.unit.measure(text.as_str())).sum()
        }
        Value::Text(_) | Value::List(_) => 0,
    }
}

/// The files' numbers, the one first that is served first.
fn in_order(count: usize, rules: &InstructionRules) -> Vec<usize> {
    let nearest_is_first = rules.order == Order::NearestFirst || rules.walk == Walk::CwdAndHome;
    let first_is_served = rules.drop == Drop::Last || nearest_is_first;
    if first_is_served { (0..count).collect() } else { (0..count).rev().collect() }
}
