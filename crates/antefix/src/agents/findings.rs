//! What is worth knowing about what agents read here, one finding a file and kind, with the agents that it is true of.

mod files;
mod imports;
mod reach;
mod rules;
mod skills;
mod text;

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::settings::Outcome;
use super::{AgentView, FileState};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::trust::Trust;
use crate::discover::{Workspace, World, read_text};

/// Whether somebody asked about all agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// About all.
    All,
    /// About some: what these do not read, others may.
    Some,
}

/// What is worth knowing about what agents read, warnings first.
pub fn findings(
    world: &dyn World,
    workspace: &Workspace,
    (views, asked): (&[AgentView], Asked),
    trust: Trust,
) -> Vec<Diagnostic> {
    let mut looking = Looking { world, workspace, views, asked, found: Vec::new() };
    looking.shadowed();
    looking.cut();
    looking.different();
    looking.twice();
    looking.unread();
    looking.below();
    looking.missed_from_below();
    looking.elsewhere();
    looking.for_models();
    looking.imports();
    looking.imports_in_comments();
    looking.patterns();
    looking.linked_rules();
    looking.skills();
    looking.above();
    looking.order();
    looking.front_matter();
    looking.nameless();
    looking.trust(trust);
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
    asked: Asked,
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

    /// Agents that read a project which the user does not trust.
    fn trust(&mut self, trust: Trust) {
        let readers: Vec<&AgentView> = self.views.iter().filter(|view| !view.texts.is_empty()).collect();
        if trust == Trust::Trusted || readers.is_empty() {
            return;
        }
        let message = format!("you do not trust this project, and {} its files all the same", they(&readers, "read"));
        let hint = "look at the files before you start an agent here; `antefix agents NAME` says what trust changes";
        self.found.push(Diagnostic::warning(Code::AgentTrust, message).hint(hint));
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

/// What agents do: the verb follows their number.
fn they(views: &[&AgentView], verb: &str) -> String {
    let ending = match (views.len(), verb) {
        (1, verb) if verb.ends_with("ss") => "es",
        (1, _) => "s",
        _ => "",
    };
    format!("{} {verb}{ending}", titles(views))
}

/// Some of many names, and how many more there are.
fn several(names: &[&str], most: usize) -> String {
    match names.len().checked_sub(most) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names[..most].join(", ")),
    }
}

/// A number of bytes in words.
fn bytes(count: usize) -> String {
    format!("{} bytes", crate::text::grouped(count))
}
