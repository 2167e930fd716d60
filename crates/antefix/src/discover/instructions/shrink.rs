//! Making instruction files smaller once they are facts: for a prompt that does not fit its budget.

use super::fit::LEAST;
use super::policy::{InstructionRules, Order, Walk};
use super::text::body;
use crate::diagnostic::Diagnostic;
use crate::discover::fact::Value;
use crate::discover::file::cut_to;
use crate::text::{Budget, Text};

/// What a prompt without room gives away: the value within a budget, and what is worth knowing. None if nothing stays.
///
/// As when files are found, the file nearest to the working directory is served first, each file counts by itself, and
/// each cut or drop is told.
pub(crate) fn instructions_within(
    value: &Value,
    rules: &InstructionRules,
    budget: Budget,
    notice: &Text,
) -> (Option<Value>, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    let Value::Maps(maps) = value else { return (None, findings) };
    let Budget { most: mut left, unit } = budget;
    let mut kept = vec![None; maps.len()];
    let mut full = false;
    for (served, number) in nearest_first(maps.len(), rules).into_iter().enumerate() {
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
        // What is less specific does not outlive what is more so, however short it is.
        let is_first = !std::mem::replace(&mut full, true);
        let cut = (is_first && (served == 0 || left >= unit.come_to(LEAST)))
            .then(|| cut_to(text, notice, &[Budget { most: left, unit }]))
            .filter(|cut| !cut.as_str().is_empty());
        let Some(cut) = cut else {
            let message = format!("{label} is left out: the prompt does not fit its budget");
            findings.push(Diagnostic::warning("over-budget", message).about(label).hint(hint));
            continue;
        };
        let mut map = map.clone();
        map.insert("body".into(), body(&cut));
        map.insert("text".into(), cut);
        kept[number] = Some(map);
        let message =
            format!("{label} has {size} {} and is cut to {left}: the prompt does not fit its budget", unit.name());
        findings.push(Diagnostic::warning("cut", message).about(label).hint(hint));
    }
    let maps: Vec<_> = kept.into_iter().flatten().collect();
    let value = (!maps.is_empty()).then_some(Value::Maps(maps));
    // The least specific file was told last, and stands first in the prompt.
    findings.reverse();
    (value, findings)
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

/// The files' numbers, the most specific first.
fn nearest_first(count: usize, rules: &InstructionRules) -> Vec<usize> {
    let nearest_stands_first = rules.order == Order::NearestFirst || rules.walk == Walk::CwdAndHome;
    if nearest_stands_first { (0..count).collect() } else { (0..count).rev().collect() }
}
