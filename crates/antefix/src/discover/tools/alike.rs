//! `tools-alike`: names that a model takes for one another.

use std::collections::BTreeMap;

use super::{Tool, single_line};
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::hygiene::Hygiene;

/// How many groups of names are reported.
const REPORTED: usize = 5;
/// How many names of a group are said.
const NAMED: usize = 3;

/// The names that differ only in case, or in `_` and `-`.
pub(super) fn findings(tools: &[Tool], hygiene: Hygiene) -> Vec<Diagnostic> {
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for tool in tools {
        groups.entry(folded(&tool.name)).or_default().push(&tool.name);
    }
    let alike: Vec<Vec<&str>> = groups.into_values().filter(|names| names.len() > 1).collect();
    let hint = "give each tool a name of its own, or take one away";
    let finding = |names: &Vec<&str>| {
        let said: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{}`", single_line(name))).collect();
        let more = match names.len() - said.len() {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        let message = format!("the tools {}{more} differ only in case, or in `_` and `-`", said.join(", "));
        Diagnostic::warning(Code::ToolsAlike, hygiene.reportable(message)).hint(hint)
    };
    let mut findings: Vec<Diagnostic> = alike.iter().take(REPORTED).map(finding).collect();
    if let Some(more) = alike.len().checked_sub(REPORTED + 1) {
        let message = format!("{} more groups of tools have names that are almost the same", more + 1);
        findings.push(Diagnostic::warning(Code::ToolsAlike, message).hint(hint));
    }
    findings
}

/// A name without what is easily taken for something else.
fn folded(name: &str) -> String {
    name.to_lowercase().replace('-', "_")
}
