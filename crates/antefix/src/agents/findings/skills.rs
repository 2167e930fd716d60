//! Findings about skills.

use std::collections::BTreeMap;

use super::{Asked, Looking, several, they, titles};
use crate::agents::{AgentView, FileState};
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::skills::{POLICY_FILE, RootWalk, SameName, policy_hides};

impl Looking<'_> {
    /// Skills that agents treat differently.
    pub(super) fn skills(&mut self) {
        let mut listed: BTreeMap<&str, Vec<&AgentView>> = BTreeMap::new();
        let mut unusable: BTreeMap<(&str, &str), Vec<&AgentView>> = BTreeMap::new();
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
        }
        for ((path, why), views) in &unusable {
            let hidden = why.contains("author hides it");
            match listed.get(path) {
                Some(others) if hidden => {
                    let message =
                        format!("{path} hides itself from the model, and {} it all the same", they(others, "offer"));
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
        self.hidden_by_policy(&listed);
        self.same_names();
        self.hidden_by_users();
        self.missed_from_below_root(&listed);
        self.shortened();
        self.roots(&listed);
    }

    /// Skills whose `agents/openai.yaml` takes them from the model, and who offers them all the same.
    fn hidden_by_policy(&mut self, listed: &BTreeMap<&str, Vec<&AgentView>>) {
        let mut found = Vec::new();
        for (path, views) in listed {
            let Some(directory) = path.strip_suffix("SKILL.md") else { continue };
            let policy = format!("{directory}{POLICY_FILE}");
            if self.text(&policy).is_some_and(|text| policy_hides(&text)) {
                found.push((policy, (*path).to_owned(), they(views, "offer")));
            }
        }
        for (policy, path, who) in found {
            let message = format!("{policy} keeps {path} from the model, and {who} it all the same");
            let hint = "say `disable-model-invocation: true` in SKILL.md as well; others obey that";
            self.add(Diagnostic::note(Code::AgentSkill, message), &policy, hint);
        }
    }

    /// Skills of the project that give way to the user's own.
    fn hidden_by_users(&mut self) {
        let mut hidden: BTreeMap<(String, String), Vec<&AgentView>> = BTreeMap::new();
        for view in self.views {
            for skill in &view.skills {
                if let FileState::Shadowed { by } = &skill.state
                    && is_users(by)
                    && !is_users(&skill.path)
                {
                    hidden.entry((skill.path.clone(), by.clone())).or_default().push(view);
                }
            }
        }
        for ((path, by), views) in hidden {
            let message = format!("{path} is not listed by {}: your own {by} has its name", titles(&views));
            self.add(Diagnostic::warning(Code::AgentSkill, message), &path, "give one of them another name");
        }
    }

    /// Skills of directories above that an agent looks for in the working directory alone.
    fn missed_from_below_root(&mut self, listed: &BTreeMap<&str, Vec<&AgentView>>) {
        let mut missed: BTreeMap<Vec<&str>, Vec<&AgentView>> = BTreeMap::new();
        for view in self.views {
            let only_here = view.layout.rules().skills.roots.iter().filter(|root| root.walk == RootWalk::Cwd);
            let roots: Vec<&str> = only_here.map(|root| root.path.as_str()).collect();
            let is_missed = |path: &str| {
                let whole = self.path(path);
                let above =
                    self.workspace.cwd.ancestors().skip(1).take_while(|at| at.starts_with(&self.workspace.root));
                above.into_iter().any(|at| roots.iter().any(|root| whole.starts_with(at.join(root))))
                    && !view.skills.iter().any(|skill| skill.path == path)
            };
            let skills: Vec<&str> = listed.keys().copied().filter(|path| is_missed(path)).collect();
            if !skills.is_empty() {
                missed.entry(skills).or_default().push(view);
            }
        }
        for (skills, views) in missed {
            let (first, names) = (skills[0].to_owned(), several(&skills, 2));
            let message =
                format!("{} for skills in the working directory alone: not for {names}", they(&views, "look"));
            self.add(Diagnostic::warning(Code::AgentSkill, message), &first, "start it in the project root");
        }
    }

    /// Lists of skills that lose their descriptions.
    fn shortened(&mut self) {
        let mut shortened: BTreeMap<&str, Vec<&AgentView>> = BTreeMap::new();
        for view in self.views {
            let of_list =
                |finding: &&Diagnostic| finding.code == Code::OverBudget && finding.message.contains("skills");
            for finding in view.diagnostics.iter().filter(of_list) {
                shortened.entry(finding.message.as_str()).or_default().push(view);
            }
        }
        let found: Vec<String> =
            shortened.iter().map(|(message, views)| format!("{message}, with {}", titles(views))).collect();
        for message in found {
            let hint = "shorten descriptions, or remove skills: a name alone does not say when to use one";
            self.found.push(Diagnostic::warning(Code::AgentSkill, message).hint(hint));
        }
    }

    /// One name in several roots.
    fn same_names(&mut self) {
        let mut found = Vec::new();
        for view in self.views {
            let rule = view.layout.rules().skills.same_name;
            let shadowed = view.skills.iter().filter(|skill| matches!(skill.state, FileState::Shadowed { .. })).count();
            let title = &view.agent.file.title;
            if rule == SameName::Unknown && shadowed > 0 {
                let names = if shadowed == 1 { "1 name" } else { &format!("{shadowed} names") };
                found.push(format!("{title} takes one of several skills of a name at random ({names} here)"));
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
                let again = count - all.len();
                let skills = if again == 1 { "a skill" } else { &format!("{again} skills") };
                found.push(format!("{title} lists {skills} more than once: one name is in several roots"));
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
            if !readers.is_empty() && !others.is_empty() && !has_other && self.asked == Asked::All {
                let message =
                    format!("skills in {root} are listed by {} agents; not by {}", readers.len(), titles(&others));
                let hint = format!("a link from {other} to {root} reaches most of the others");
                self.found.push(Diagnostic::note(Code::AgentSkill, message).hint(hint));
            }
        }
    }
}

/// Whether a file is the user's own and not the project's.
fn is_users(path: &str) -> bool {
    path.starts_with(['~', '/'])
}
