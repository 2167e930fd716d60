//! Looking through the project for what waits for a path: rules that no file matches, and instruction files below the
//! working directory.
//!
//! 1. It is done only where the caller asks for it: a prompt does not need it.
//! 2. At most [`DIRECTORIES`] directories and [`NAMES`] names are looked at, those below the working directory first, and
//!    matching the patterns with them takes at most [`STEPS`] steps. Where that was not all, it is reported, and no rule is said to match nothing.
//! 3. Hidden directories that are not [`WRITTEN`] in by people, those that hold what programs made, and links to directories are
//!    passed over; of the first two only instruction files right in them are listed. A rule with a pattern for one of them is
//!    not said to match nothing either.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use super::Scoped;
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::instructions::{Nested, Place, Search, Whose};
use crate::discover::report::{Why, listed};
use crate::discover::world::{Answer, Kind, Link, Listing};

/// How many directories are searched.
const DIRECTORIES: usize = 5_000;
/// How many names are looked at.
const NAMES: usize = 50_000;
/// How many steps matching the patterns with them may take: a second or two.
const STEPS: usize = 300_000_000;
/// In how many directories nested instruction files are read, to say what would become of them.
const READ: usize = 500;
/// Directories that hold what programs made, or what others wrote.
const MADE: [&str; 9] =
    ["node_modules", "target", "dist", "build", "out", "venv", "__pycache__", "bower_components", "coverage"];
/// Hidden directories that people write in. Those of agents are not among them: what lies there is not what rules are about.
const WRITTEN: [&str; 10] = [
    ".cargo",
    ".circleci",
    ".config",
    ".devcontainer",
    ".forgejo",
    ".github",
    ".gitlab",
    ".husky",
    ".storybook",
    ".vscode",
];

/// Whether the project is searched for what waits for a path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Survey {
    /// It is not: only what discovery finds anyway is listed.
    #[default]
    Skip,
    /// It is, within bounds.
    Project,
}

impl Search<'_> {
    /// Lists the rules that wait for a path, and with a survey also the instruction files that do.
    pub(in crate::discover) fn list_waiting(&mut self) {
        let scoped = std::mem::take(&mut self.scoped);
        let mut unmatched: Vec<usize> = (0..scoped.len()).collect();
        let complete = match self.situation.survey {
            Survey::Project => self.survey(&scoped, &mut unmatched),
            Survey::Skip => Complete::No,
        };
        for (number, rule) in scoped.iter().enumerate() {
            let patterns = rule.patterns.written();
            let beyond = patterns.iter().any(|pattern| names_passed_over(pattern));
            if complete == Complete::No || beyond || !unmatched.contains(&number) {
                self.not_loaded(&rule.label, Why::Scoped { patterns });
                continue;
            }
            // The user's own rules are for all projects.
            if rule.whose == Whose::Directory {
                let message =
                    format!("{} never applies: no file of the project matches {}", rule.label, listed(&patterns));
                let diagnostic = Diagnostic::warning(Code::RuleNeverMatches, message).about(Subject::file(&rule.label));
                self.diagnostics.push(diagnostic.hint("fix the patterns, or remove the rule"));
            }
            self.not_loaded(&rule.label, Why::NeverMatched { patterns });
        }
    }

    fn survey(&mut self, scoped: &[Scoped], unmatched: &mut Vec<usize>) -> Complete {
        let workspace = &self.situation.workspace;
        let (root, cwd) = (workspace.root.clone(), workspace.cwd.clone());
        let mut waiting: VecDeque<PathBuf> = [cwd.clone()].into();
        let (mut directories, mut names) = (0, 0);
        let mut steps = STEPS;
        let mut at_root = false;
        let mut read = 0;
        // Directories of which nothing is known.
        let mut linked: Vec<PathBuf> = Vec::new();
        loop {
            if directories == DIRECTORIES || names >= NAMES {
                let message = format!(
                    "the project has more than {DIRECTORIES} directories or {NAMES} names: the rest is not searched \
                     for what the rules match, nor for nested instruction files"
                );
                self.diagnostics.push(Diagnostic::note(Code::ScanLimit, message).about(self.name.as_str()));
                return Complete::No;
            }
            if steps == 0 {
                let message = "the patterns of the rules take too long to match: the rest of the project is not searched \
                     for what they match, nor for nested instruction files";
                self.diagnostics.push(Diagnostic::note(Code::ScanLimit, message).about(self.name.as_str()));
                return Complete::No;
            }
            let Some(directory) = waiting.pop_front() else {
                if std::mem::replace(&mut at_root, true) || cwd == root {
                    // What a rule may match there is not known.
                    unmatched
                        .retain(|number| !linked.iter().any(|path| scoped[*number].patterns.may_match_below(path)));
                    return Complete::Yes;
                }
                waiting.push_back(root.clone());
                continue;
            };
            let Ok(inside) = directory.strip_prefix(&root) else { continue };
            let listing = match self.world.list(&root, inside, NAMES - names) {
                Answer::Present(listing) => listing,
                Answer::Absent => continue,
                Answer::Unavailable(_) => {
                    linked.push(directory);
                    continue;
                }
            };
            directories += 1;
            names += listing.entries.len() + usize::from(listing.more);
            if directory != cwd && directory.starts_with(&cwd) {
                self.list_nested(&directory, &listing, &mut read);
            }
            for entry in &listing.entries {
                let path = directory.join(&entry.name);
                match entry.kind {
                    Some(Kind::Directory) if entry.link == Link::Symbolic => linked.push(path),
                    Some(Kind::Directory) if is_passed_over(&entry.name) => {
                        if path.starts_with(&cwd) {
                            self.list_passed_over(&path);
                        }
                    }
                    // Below the working directory everything was seen first.
                    Some(Kind::Directory) if at_root && path == cwd => {}
                    Some(Kind::Directory) => waiting.push_back(path),
                    _ => unmatched.retain(|number| !scoped[*number].patterns.match_path(&path, &mut steps)),
                }
            }
        }
    }

    /// Instruction files of a directory that is not searched: touching something in it brings them all the same.
    fn list_passed_over(&mut self, directory: &Path) {
        if self.rules.nested() == Nested::Never {
            return;
        }
        let is_file = |path: &PathBuf| self.world.kind(path) == Answer::Present(Kind::File);
        let first = self.rules.names.iter().map(|name| directory.join(name)).find(is_file);
        first.iter().for_each(|path| self.not_loaded(&self.label(path), Why::Nested));
    }

    /// Instruction files and rules of a directory below the working directory.
    fn list_nested(&mut self, directory: &Path, listing: &Listing, read: &mut usize) {
        // A layout that looks at the working directory alone means just that.
        if self.rules.nested() == Nested::Never {
            return;
        }
        let rules = self.rules;
        let has = |name: &str| {
            let first = name.split('/').next().unwrap_or_default();
            let entry = listing.entries.iter().find(|entry| entry.name == first)?;
            if first == name { entry.kind } else { self.world.kind(&directory.join(name)).present() }
        };
        // A link that leads elsewhere is listed as well, with its reason.
        let listed_here = |name: &str| {
            let first = name.split('/').next().unwrap_or_default();
            listing.entries.iter().any(|entry| entry.name == first)
        };
        let any = rules.names.iter().any(|name| listed_here(name));
        let below =
            rules.rules.iter().map(|rules| rules.path.as_str()).filter(|name| has(name) == Some(Kind::Directory));
        let below: Vec<PathBuf> = below.map(|name| directory.join(name)).collect();
        if any && *read < READ {
            *read += 1;
            self.look_at_nested(directory);
        } else if any {
            let first = rules.names.iter().find(|name| listed_here(name)).map(|name| directory.join(name));
            first.iter().for_each(|path| self.not_loaded(&self.label(path), Why::Nested));
        }
        for path in below {
            let label = self.label(&path);
            self.not_loaded(&label, Why::Nested);
        }
    }

    /// Lists what would become of the instruction files of a directory, once something in it is touched.
    fn look_at_nested(&mut self, directory: &Path) {
        let root = &self.situation.workspace.root;
        let Ok(inside) = directory.strip_prefix(root) else { return };
        let (root, inside) = (root.clone(), inside.to_owned());
        let place = Place { root, inside, distance: 0, whose: Whose::Directory, only: None };
        let (findings, unavailable) = (self.diagnostics.len(), self.unavailable.clone());
        let others = self.report.not_loaded.len();
        let mut found = Vec::new();
        self.look(&place, &mut found);
        // They are reported when it comes to that.
        self.diagnostics.truncate(findings);
        self.unavailable = unavailable;
        let others = self.report.not_loaded.split_off(others);
        found.iter().for_each(|file| self.not_loaded(&file.label, Why::Nested));
        self.report.not_loaded.extend(others);
    }
}

/// Whether everything was looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Complete {
    Yes,
    No,
}

fn is_passed_over(name: &str) -> bool {
    (name.starts_with('.') && !WRITTEN.contains(&name)) || MADE.contains(&name)
}

/// Whether a pattern names a directory that is passed over.
fn names_passed_over(pattern: &str) -> bool {
    let mut parts = pattern.split(['/', '{', '}', ',']).filter(|part| !part.is_empty() && *part != ".");
    parts.any(is_passed_over)
}
