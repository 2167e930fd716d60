//! Findings about files that do not reach an agent from here: nobody's, those of other directories, and those above.

use std::collections::BTreeMap;
use std::path::Path;

use super::files::MAIN;
use super::{Asked, Looking, several, they, titles};
use crate::agents::survey::is_usual;
use crate::agents::{AgentView, FileState, Outcome, SettingRule};
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::Paths;
use crate::discover::instructions::{InstructionRules, Walk};
use crate::discover::world::Kind;

/// How many files are named one by one.
const NAMED: usize = 3;

impl<'l> Looking<'l> {
    /// Files that nobody reads, and those that only some read.
    pub(super) fn unread(&mut self) {
        if self.asked == Asked::Some {
            return;
        }
        let considered = self.by_file(|_, state| *state != FileState::Ignored);
        for (path, views) in self.by_file(|_, state| *state == FileState::Ignored) {
            let name = path.rsplit('/').next().unwrap_or(path);
            if views.len() == self.views.len() {
                self.nobody_reads(path);
            } else if let Some(usual) = usual_name(name).filter(|usual| *usual != name) {
                let readers = considered.get(path).map(|views| they(views, "read")).unwrap_or_default();
                let message = format!("{path} is written in other letters than agents expect: only {readers} it");
                self.add(Diagnostic::warning(Code::AgentUnread, message), path, format!("call it {usual}"));
            }
        }
        let given = self.by_file(|_, state| state.is_given());
        for path in MAIN.iter().filter(|path| given.contains_key(*path)) {
            let all = &given[path];
            let waits = considered.get(path).map_or(&[][..], Vec::as_slice);
            let others: Vec<&AgentView> =
                self.views.iter().filter(|view| !waits.iter().any(|known| std::ptr::eq(*known, *view))).collect();
            if !others.is_empty() && all.len() > others.len() {
                let message = format!(
                    "{path} is given to {} of {} agents; not to {}",
                    all.len(),
                    self.views.len(),
                    titles(&others)
                );
                let hint = name_it(&others);
                self.add(Diagnostic::note(Code::AgentUnread, message), path, hint);
            }
        }
    }

    fn nobody_reads(&mut self, path: &str) {
        // What only resembles a name that agents read may be meant for people.
        let finding = match is_usual(Path::new(path)) {
            true => Diagnostic::warning(Code::AgentUnread, format!("{path} is read by no agent that is started here")),
            false => {
                let message =
                    format!("{path} looks like instructions, and no agent reads a file of that name by itself");
                Diagnostic::note(Code::AgentUnread, message)
            }
        };
        self.add(finding, path, "rename it to a name that agents read, such as AGENTS.md, or remove it");
    }

    /// Files below the working directory that some agents never read.
    pub(super) fn below(&mut self) {
        let mut never: BTreeMap<Vec<&str>, Vec<&AgentView>> = BTreeMap::new();
        for view in self.views {
            let is_missed = |path: &str| {
                let whole = self.path(path);
                let directory = whole.parent().unwrap_or(Path::new(""));
                directory.starts_with(&self.workspace.cwd)
                    && directory != self.workspace.cwd
                    && !path.contains("/.")
                    && !path.starts_with('.')
                    && view.agent.names(&view.layout, self.workspace, path)
            };
            let ignored = view.files.iter().filter(|file| file.state == FileState::Ignored);
            let files: Vec<&str> = ignored.map(|file| file.path.as_str()).filter(|path| is_missed(path)).collect();
            if !files.is_empty() {
                never.entry(files).or_default().push(view);
            }
        }
        for (files, views) in never {
            let who = they(&views, "never read");
            let message = format!("{who} files below the working directory: {}", several(&files, NAMED));
            let hint = "say in the root's file where the others are, or start the agent there";
            self.add(Diagnostic::note(Code::AgentUnread, message), files[0], hint);
        }
    }

    /// Files of the project root that an agent does not read from a directory below.
    pub(super) fn missed_from_below(&mut self) {
        let (root, cwd) = (self.workspace.root.clone(), self.workspace.cwd.clone());
        if root == cwd {
            return;
        }
        let here = self.workspace.show(&cwd, Paths::Portable);
        let mut missed: BTreeMap<String, Vec<&AgentView>> = BTreeMap::new();
        for view in self.views {
            let groups: Vec<&InstructionRules> = view.layout.rules().instructions.groups().collect();
            let only_here = groups.iter().filter(|rules| rules.walk == Walk::Cwd);
            for (name, kind) in only_here.flat_map(|rules| places(rules)) {
                let shown = self.workspace.show(&root.join(name), Paths::Portable);
                let is_read = |state: &FileState| !matches!(state, FileState::Ignored);
                let is_there = self.world.kind(&root.join(name)).present() == Some(kind);
                if is_there
                    && !view.files.iter().any(|file| {
                        let inside = file.path.strip_prefix(&shown).is_some_and(|rest| rest.starts_with('/'));
                        (file.path == shown || inside) && is_read(&file.state)
                    })
                {
                    let views = missed.entry(shown).or_default();
                    if !views.iter().any(|known| std::ptr::eq(*known, view)) {
                        views.push(view);
                    }
                }
            }
        }
        for (path, views) in missed {
            let by = views.iter().find_map(|view| named_by(view));
            let named = by.map(|by| format!(", though {by} names it")).unwrap_or_default();
            let (s, it) = if views.len() == 1 { ("s", "it") } else { ("", "them") };
            let message = format!(
                "{path} of the project root is not read by {}, which look{s} in {here} alone{named}",
                titles(&views)
            );
            let hint = format!("start {it} in the project root, or let a file of that name in {here} be a link to it");
            self.add(Diagnostic::warning(Code::AgentUnread, message), &path, hint);
        }
    }

    /// Files whose name an agent reads in other directories only.
    pub(super) fn elsewhere(&mut self) {
        let mut missed: BTreeMap<String, Vec<&AgentView>> = BTreeMap::new();
        for view in self.views {
            let groups: Vec<&InstructionRules> = view.layout.rules().instructions.groups().collect();
            let between = groups.iter().filter(|rules| rules.walk == Walk::Between);
            for name in between.flat_map(|rules| rules.all_names()) {
                let elsewhere =
                    |rules: &&InstructionRules| rules.walk != Walk::Between && rules.all_names().any(|one| one == name);
                if groups.iter().any(elsewhere) {
                    continue;
                }
                for directory in [&self.workspace.root, &self.workspace.cwd] {
                    let path = directory.join(name);
                    let shown = self.workspace.show(&path, Paths::Portable);
                    let is_given = view.files.iter().any(|file| file.path == shown && file.state.is_given());
                    let views = missed.get(&shown).map_or(&[][..], Vec::as_slice);
                    let is_known = views.iter().any(|known| std::ptr::eq(*known, view));
                    if !is_given && !is_known && self.world.kind(&path).present() == Some(Kind::File) {
                        missed.entry(shown).or_default().push(view);
                    }
                }
            }
        }
        for (path, views) in missed {
            let message = format!(
                "{path} is not read by {}: between the project root and the working directory it would be",
                titles(&views)
            );
            let hint = "put the text into a file that is read there, such as CLAUDE.md or AGENTS.md";
            self.add(Diagnostic::warning(Code::AgentUnread, message), &path, hint);
        }
    }

    /// Files that an agent reads with some models only.
    pub(super) fn for_models(&mut self) {
        let mut found = Vec::new();
        for view in self.views {
            for file in view.files.iter().filter(|file| file.state.is_given()) {
                let name = file.path.rsplit('/').next().unwrap_or(&file.path);
                if let Some(models) = view.agent.file.only_with.get(name) {
                    let title = &view.agent.file.title;
                    found.push((file.path.clone(), format!("{} is read by {title} with {models} alone", file.path)));
                }
            }
        }
        for (path, message) in found {
            let hint = "put what holds for all models into AGENTS.md";
            self.add(Diagnostic::note(Code::AgentUnread, message), &path, hint);
        }
    }

    /// Files above the project.
    pub(super) fn above(&mut self) {
        for (path, views) in self.by_file(|_, state| state.is_given()) {
            let whole = self.path(path);
            let is_above = whole.parent().is_some_and(|directory| {
                self.workspace.root.starts_with(directory) && directory != self.workspace.root
            });
            if is_above {
                let message = format!("{path} is above the project and is read by {}", titles(&views));
                let hint = "it counts in every project beneath it; move it if that is not meant";
                self.add(Diagnostic::note(Code::AgentAboveRoot, message), path, hint);
            }
        }
    }
}

/// What is looked for in a directory: files, and directories of rules.
fn places(rules: &InstructionRules) -> impl Iterator<Item = (&str, Kind)> {
    let files = rules.all_names().map(|name| (name.as_str(), Kind::File));
    let directories = rules.rules.iter().filter(|directory| !directory.is_users());
    files.chain(directories.map(|directory| (directory.path.as_str(), Kind::Directory)))
}

/// The setting that names the files of an agent, and whether it was followed.
fn named_by(view: &AgentView) -> Option<String> {
    let is_followed =
        |key: &str| view.settings.iter().find(|setting| setting.key == key && setting.outcome == Outcome::Followed);
    let setting = view.agent.file.setting.iter().filter(|setting| sets_names(setting));
    let followed = setting.filter_map(|setting| is_followed(&setting.key)).next()?;
    Some(format!("`{}` in {}", followed.key, followed.file))
}

fn sets_names(setting: &SettingRule) -> bool {
    setting.replace.iter().chain(&setting.append).any(|key| key.ends_with(".names"))
}

/// What lets agents read a file of another name: their own settings, where they have one.
fn name_it(views: &[&AgentView]) -> String {
    let own = views.iter().filter_map(|view| {
        let setting = view.agent.file.setting.iter().find(|setting| sets_names(setting))?;
        Some(format!("`{}` in {} ({})", setting.key, setting.files.last()?, view.agent.file.title))
    });
    let own: Vec<String> = own.collect();
    match own.is_empty() {
        true => "give the agent a file of a name that it reads, which imports or links to this one".to_owned(),
        false => format!("name it by {}, or give the agent a file of its own name that links to it", own.join(", ")),
    }
}

/// How agents write a name that is written in other letters.
fn usual_name(name: &str) -> Option<&'static str> {
    ["AGENTS.md", "CLAUDE.md", "GEMINI.md"].into_iter().find(|known| known.eq_ignore_ascii_case(name))
}
