//! Findings about skills.

use std::collections::BTreeMap;

use super::{Looking, titles};
use crate::agents::{AgentView, FileState};
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::skills::SameName;

impl Looking<'_> {
    /// Skills that agents treat differently.
    pub(super) fn skills(&mut self) {
        let mut listed: BTreeMap<&str, Vec<&AgentView>> = BTreeMap::new();
        let mut unusable: BTreeMap<(&str, &str), Vec<&AgentView>> = BTreeMap::new();
        let mut dropped: BTreeMap<usize, Vec<&AgentView>> = BTreeMap::new();
        for view in self.views {
            for skill in &view.skills {
                match &skill.state {
                    FileState::Loaded => listed.entry(skill.path.as_str()).or_default().push(view),
                    FileState::Unusable { why } => {
                        unusable.entry((skill.path.as_str(), why.as_str())).or_default().push(view)
                    }
                    _ => {}
                }
            }
            let count = view.skills.iter().filter(|skill| skill.state == FileState::Dropped).count();
            if count > 0 {
                dropped.entry(count).or_default().push(view);
            }
        }
        for ((path, why), views) in &unusable {
            let hidden = why.contains("author hides it");
            match listed.get(path) {
                Some(others) if hidden => {
                    let message =
                        format!("{path} hides itself from the model, and {} offer it all the same", titles(others));
                    let hint = "disable-model-invocation means nothing to them; keep the skill out of their roots";
                    self.add(Diagnostic::warning(Code::AgentSkill, message), path, hint);
                }
                None if hidden => {}
                _ => {
                    let message = format!("{path} is not listed by {}: {why}", titles(views));
                    self.add(Diagnostic::warning(Code::AgentSkill, message), path, "fix its front matter");
                }
            }
        }
        for (count, views) in dropped {
            let message = format!("{count} skills do not fit the list of {}", titles(&views));
            let hint = "shorten the descriptions, or remove skills";
            self.found.push(Diagnostic::warning(Code::AgentSkill, message).hint(hint));
        }
        self.same_names();
        self.roots(&listed);
    }

    /// One name in several roots.
    fn same_names(&mut self) {
        let mut found = Vec::new();
        for view in self.views {
            let rule = view.layout.rules().skills.same_name;
            let shadowed = view.skills.iter().filter(|skill| matches!(skill.state, FileState::Shadowed { .. })).count();
            let title = &view.agent.file.title;
            if rule == SameName::Unknown && shadowed > 0 {
                found.push(format!("{title} takes one of several skills of a name at random ({shadowed} names here)"));
            }
            let names = |path: &str| path.rsplit('/').nth(1).map(str::to_owned);
            let mut all: Vec<String> = view
                .skills
                .iter()
                .filter(|skill| skill.state == FileState::Loaded)
                .filter_map(|skill| names(&skill.path))
                .collect();
            let count = all.len();
            all.sort();
            all.dedup();
            if rule == SameName::Each && all.len() < count {
                found.push(format!(
                    "{title} lists {} skills several times: their names are in several roots",
                    count - all.len()
                ));
            }
        }
        for message in found {
            self.found.push(Diagnostic::note(Code::AgentSkill, message).hint("keep each skill in one root"));
        }
    }

    /// Roots that only some agents read.
    fn roots(&mut self, listed: &BTreeMap<&str, Vec<&AgentView>>) {
        for root in [".claude/skills/", ".agents/skills/"] {
            let readers: Vec<&AgentView> =
                self.views.iter().filter(|view| view.skills.iter().any(|skill| skill.path.starts_with(root))).collect();
            let is_reader = |view: &&AgentView| readers.iter().any(|known| std::ptr::eq(*known, *view));
            let others: Vec<&AgentView> = self.views.iter().filter(|view| !is_reader(view)).collect();
            let other = if root.starts_with(".claude") { ".agents/skills/" } else { ".claude/skills/" };
            let has_other = listed.keys().any(|path| path.starts_with(other));
            if !readers.is_empty() && !others.is_empty() && !has_other && self.views.len() > 1 {
                let message =
                    format!("skills in {root} are listed by {} agents; not by {}", readers.len(), titles(&others));
                let hint = format!("a link from {other} to {root} reaches most of the others");
                self.found.push(Diagnostic::note(Code::AgentSkill, message).hint(hint));
            }
        }
    }
}
