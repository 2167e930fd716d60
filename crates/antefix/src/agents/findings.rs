//! What is worth knowing about what agents read here, one finding a file and kind, with the agents that it is true of.

mod files;
mod skills;

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::settings::Outcome;
use super::{AgentView, FileState};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::{Workspace, World, read_text};

/// What is worth knowing about what agents read, warnings first.
pub fn findings(world: &dyn World, workspace: &Workspace, views: &[AgentView]) -> Vec<Diagnostic> {
    let mut looking = Looking { world, workspace, views, found: Vec::new() };
    looking.shadowed();
    looking.cut();
    looking.different();
    looking.twice();
    looking.unread();
    looking.imports();
    looking.skills();
    looking.above();
    looking.order();
    looking.front_matter();
    looking.settings();
    let mut found = looking.found;
    found.sort_by_key(|finding| std::cmp::Reverse(finding.level));
    found
}

/// All that is looked at, and what was found.
struct Looking<'l> {
    world: &'l dyn World,
    workspace: &'l Workspace,
    views: &'l [AgentView],
    found: Vec<Diagnostic>,
}

/// How many agents are named one by one.
const NAMED: usize = 6;

impl<'l> Looking<'l> {
    fn add(&mut self, finding: Diagnostic, path: &str, hint: impl Into<String>) {
        self.found.push(finding.about(Subject::file(path)).hint(hint));
    }

    /// The files that a question is true of, each with the agents.
    fn by_file(&self, is: impl Fn(&AgentView, &FileState) -> bool) -> BTreeMap<&'l str, Vec<&'l AgentView>> {
        let mut files: BTreeMap<&str, Vec<&AgentView>> = BTreeMap::new();
        for view in self.views {
            for file in view.files.iter().filter(|file| is(view, &file.state)) {
                let agents = files.entry(file.path.as_str()).or_default();
                // A file that is there twice is told of once.
                if !agents.iter().any(|known| std::ptr::eq(*known, view)) {
                    agents.push(view);
                }
            }
        }
        files
    }

    fn path(&self, shown: &str) -> PathBuf {
        match shown.starts_with('/') {
            true => PathBuf::from(shown),
            false => self.workspace.unshow(shown).unwrap_or_default(),
        }
    }

    /// The text of a file, if it can be read.
    fn text(&self, shown: &str) -> Option<String> {
        let path = self.path(shown);
        let (directory, name) = (path.parent()?, path.file_name()?);
        Some(read_text(self.world, directory, name.as_ref(), 5_000_000).present()?.text)
    }

    fn settings(&mut self) {
        let mut told: Vec<(String, String)> = Vec::new();
        for view in self.views {
            for setting in &view.settings {
                let title = &view.agent.file.title;
                let message = match &setting.outcome {
                    Outcome::Followed => continue,
                    Outcome::NotFollowed => {
                        format!("{} sets `{}`, which is not followed here for {title}", setting.file, setting.key)
                    }
                    Outcome::Unreadable(why) => format!("{} cannot be read for {title}: {why}", setting.file),
                };
                told.push((setting.file.clone(), message));
            }
        }
        for (file, message) in told {
            self.add(Diagnostic::note(Code::AgentSetting, message), &file, "see what the agent itself lists");
        }
    }
}

/// The titles of agents, the first ones by name.
fn titles(views: &[&AgentView]) -> String {
    let names: Vec<&str> = views.iter().take(NAMED).map(|view| view.agent.file.title.as_str()).collect();
    match views.len().checked_sub(NAMED + 1) {
        Some(more) => format!("{} and {} more", names.join(", "), more + 1),
        None => match names.split_last() {
            Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
            _ => names.join(""),
        },
    }
}

/// A number of bytes in words.
fn bytes(count: usize) -> String {
    format!("{} bytes", crate::text::grouped(count))
}
