//! Findings about rules: files that say for which paths they apply.

use std::collections::BTreeMap;

use super::{Looking, they, titles};
use crate::agents::{AgentView, FileState};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::Paths;
use crate::discover::instructions::Beneath;

impl Looking<'_> {
    /// Patterns that match nothing, or other files, with some agents.
    pub(super) fn patterns(&mut self) {
        let mut useless: BTreeMap<(String, String), Vec<&AgentView>> = BTreeMap::new();
        for view in self.views {
            for finding in view.diagnostics.iter().filter(|finding| finding.code == Code::BadPattern) {
                let about = finding.about.as_ref().and_then(Subject::path).unwrap_or_default();
                let path = self.workspace.show(about.as_ref(), Paths::Portable);
                useless.entry((path, finding.message.clone())).or_default().push(view);
            }
        }
        let waits = self.by_file(|_, state| matches!(state, FileState::Waits { .. }));
        for ((path, message), views) in useless {
            let others: Vec<&AgentView> = waits.get(path.as_str()).into_iter().flatten().copied().collect();
            let is_same = |other: &&AgentView| !views.iter().any(|view| std::ptr::eq(*view, *other));
            let others: Vec<&AgentView> = others.into_iter().filter(is_same).collect();
            let but = if others.is_empty() { String::new() } else { format!("; {} it", they(&others, "use")) };
            let message = format!("{path}: {message}, with {}{but}", titles(&views));
            let hint = "write patterns as `src/**` and `**/*.py`, which all agents read alike";
            self.add(Diagnostic::warning(Code::AgentRule, message), &path, hint);
        }
        self.other_meanings();
    }

    /// One rule that waits for other files with each agent, or that one agent always applies.
    fn other_meanings(&mut self) {
        let mut meanings: BTreeMap<&str, BTreeMap<String, Vec<&AgentView>>> = BTreeMap::new();
        for view in self.views {
            for file in view.files.iter().filter(|file| is_rule(&file.path)) {
                let meaning = match &file.state {
                    FileState::Waits { until } => format!("waits {until}"),
                    state if state.is_given() => "always applies".to_owned(),
                    _ => continue,
                };
                meanings.entry(&file.path).or_default().entry(meaning).or_default().push(view);
            }
        }
        let meanings: Vec<(&str, BTreeMap<String, Vec<&AgentView>>)> =
            meanings.into_iter().filter(|(_, all)| all.len() > 1).collect();
        for (path, all) in meanings {
            let each: Vec<String> = all.iter().map(|(what, views)| format!("{what} with {}", titles(views))).collect();
            let message = format!("{path} means different things to agents: it {}", each.join("; it "));
            let hint = "name the paths that it is for as `src/**` or `**/*.py`, or `**` for all of them";
            self.add(Diagnostic::note(Code::AgentRule, message), path, hint);
        }
    }

    /// Rules that are links out of the working directory.
    pub(super) fn linked_rules(&mut self) {
        let linked = self.by_file(|view, state| {
            let asks = view.layout.rules().instructions.groups().any(|rules| rules.imports.beneath == Beneath::Cwd);
            asks && *state == FileState::Linked
        });
        for (path, views) in linked.into_iter().filter(|(path, _)| is_rule(path)) {
            let message =
                format!("{path} is a link to outside: {} it only after a person has approved", they(&views, "read"));
            let hint = "put the file itself there: in headless runs nobody is asked, and it is left out";
            self.add(Diagnostic::warning(Code::AgentRule, message), path, hint);
        }
    }
}

/// Whether a file is in a directory of rules.
fn is_rule(path: &str) -> bool {
    ["rules/", ".github/instructions/", ".clinerules/", ".kiro/steering/"].iter().any(|part| path.contains(part))
}
