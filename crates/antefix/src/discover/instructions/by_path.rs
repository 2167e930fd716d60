//! Instruction files and rules that somebody wants, or does not want, by their paths: the layout, or the user's own settings.
//!
//! 1. `exclude` leaves out what would be used. It wins over `include`.
//! 2. `include` adds files that nothing else would find, before those of the project's directories. A layout names files of the
//!    project; only the user's own settings name others, from `~/`.
//! 3. Directories are searched for patterns within bounds. A path without a pattern that is not there is reported.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Instruction, Place, Search, Whose};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::Paths;
use crate::discover::rules::{Glob, GlobLimits};
use crate::discover::world::{Answer, Kind, Link};

/// How many names are looked at for one pattern, and how deep.
const NAMES: usize = 5_000;
const DEPTH: usize = 8;

/// A pattern of paths from the project root, or from `~/`, such as `sub/deep/AGENTS.md` or `vendor/**`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PathPattern(Glob);

impl TryFrom<String> for PathPattern {
    type Error = String;

    fn try_from(written: String) -> Result<PathPattern, String> {
        let read = Glob::read(&written, &mut GlobLimits::default());
        read.map(PathPattern).map_err(|wrong| format!("`{written}`: {wrong}"))
    }
}

/// Who names a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Layout,
    User,
}

impl By {
    fn name(self) -> &'static str {
        match self {
            By::Layout => "the layout",
            By::User => "your settings",
        }
    }
}

impl Search<'_> {
    /// Who excludes a file, if somebody does.
    pub(in crate::discover) fn excluded_by(&self, path: &Path) -> Option<String> {
        let shown = self.path_from_root(path);
        let excludes = |patterns: &[PathPattern], by: By| {
            let pattern = patterns.iter().find(|pattern| pattern.0.matches(&shown))?;
            Some(format!("`{}` in {}", pattern.0.written(), by.name()))
        };
        let layout = excludes(&self.rules.exclude, By::Layout);
        layout.or_else(|| excludes(&self.situation.permissions.exclude, By::User))
    }

    /// Looks for the files that the layout includes, and, with the first rules, for those that the user's settings include.
    pub(super) fn look_for_included(&mut self, found: &mut Vec<Instruction>) {
        let is_first = std::ptr::eq(self.rules, &raw const self.situation.rules.instructions);
        let users = if is_first { self.situation.permissions.include.as_slice() } else { &[] };
        let all = self.rules.include.iter().map(|one| (one, By::Layout)).chain(users.iter().map(|one| (one, By::User)));
        for (PathPattern(glob), by) in all {
            self.include(glob, by, found);
        }
    }

    fn include(&mut self, glob: &Glob, by: By, found: &mut Vec<Instruction>) {
        let written = glob.written().trim_start_matches("./");
        let (base, inside) = match written.strip_prefix("~/") {
            Some(_) if by == By::Layout => {
                let message = format!("`{written}` is not included: a layout includes files of the project alone");
                let hint = "name it in `include` in your settings.toml";
                self.diagnostics.push(Diagnostic::warning(Code::FileUnavailable, message).hint(hint));
                return;
            }
            Some(inside) => match &self.situation.workspace.home {
                Some(home) => (home.clone(), inside),
                None => return,
            },
            None => (self.situation.workspace.root.clone(), written.trim_start_matches('/')),
        };
        let is_pattern = inside.contains(['*', '?', '[', '{']);
        let files = if is_pattern { self.matching(glob, &base, inside) } else { vec![PathBuf::from(inside)] };
        for file in files {
            let (Some(name), directory) = (file.file_name(), file.parent().unwrap_or(Path::new(""))) else { continue };
            if !is_pattern && matches!(self.world.kind(&base.join(&file)), Answer::Absent) {
                let message = format!("{written} is not there, and `include` in {} names it", by.name());
                let finding = Diagnostic::warning(Code::FileUnavailable, message).about(Subject::file(written));
                self.diagnostics.push(finding.hint("make the file, or take it out of `include`"));
                continue;
            }
            let place = Place {
                root: base.clone(),
                inside: directory.to_owned(),
                distance: usize::MAX - 1,
                whose: Whose::Directory,
                only: Some(name.to_string_lossy().into_owned()),
            };
            self.look(&place, found);
        }
    }

    /// The files that a pattern matches, by their paths from `base`, sorted.
    fn matching(&self, glob: &Glob, base: &Path, inside: &str) -> Vec<PathBuf> {
        let literal = inside.split(['*', '?', '[', '{']).next().unwrap_or_default();
        let start = literal.rsplit_once('/').map_or("", |(directory, _)| directory);
        let mut waiting = vec![(PathBuf::from(start), 0)];
        let (mut files, mut names) = (Vec::new(), 0);
        while let Some((directory, depth)) = waiting.pop() {
            let Answer::Present(listing) = self.world.list(base, &directory, NAMES.saturating_sub(names)) else {
                continue;
            };
            names += listing.entries.len();
            for entry in listing.entries {
                let path = directory.join(&entry.name);
                match entry.kind {
                    Some(Kind::Directory) if entry.link == Link::Symbolic || depth == DEPTH || entry.name == ".git" => {
                    }
                    Some(Kind::Directory) => waiting.push((path, depth + 1)),
                    _ if glob.matches(&self.path_from_root(&base.join(&path))) => files.push(path),
                    _ => {}
                }
            }
            if names >= NAMES {
                break;
            }
        }
        files.sort();
        files
    }

    /// A path as patterns name it: from the project root, else from `~/`.
    fn path_from_root(&self, path: &Path) -> String {
        let workspace = self.situation.workspace;
        match path.strip_prefix(&workspace.root) {
            Ok(inside) => inside.to_string_lossy().into_owned(),
            Err(_) => workspace.show(path, Paths::Portable),
        }
    }
}
