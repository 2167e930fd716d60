//! Finding the files of rules.
//!
//! 1. A directory of rules is searched [`DEPTH`] levels deep; all of them together have at most [`DIRECTORIES`]
//!    directories and [`RULES`] rules. What lies beyond is reported.
//! 2. Names that begin with a dot are passed over, and so is `node_modules`.
//! 3. A link is followed within the root, and a directory is searched once, whatever leads there.

use std::path::{Path, PathBuf};

use super::{Hidden, RULES, RuleDirectory};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::Paths;
use crate::discover::instructions::Search;
use crate::discover::report::Why;
use crate::discover::world::{Answer, Kind, Link, Reason, ReasonCode};

/// How deep below a directory of rules they are looked for.
pub(super) const DEPTH: usize = 6;
/// How many directories are searched.
const DIRECTORIES: usize = 2_000;
/// How many names of a directory are looked at.
const NAMES: usize = 10_000;

/// What has been used of the bounds.
#[derive(Default)]
pub(in crate::discover) struct Bounds {
    directories: usize,
    rules: usize,
}

/// A directory that is waiting: its path, where it really lies, and how deep.
type Waiting = (PathBuf, PathBuf, usize);

impl Search<'_> {
    /// The files of the rules in a directory, sorted by path.
    pub(super) fn rule_files(&mut self, root: &Path, inside: &Path, rules: &RuleDirectory) -> Vec<PathBuf> {
        let mut files = Vec::new();
        let mut waiting: Vec<Waiting> = vec![(inside.to_owned(), PathBuf::new(), 0)];
        // What a link leads to comes last, so that a file goes by its own name where it has one here.
        let mut links: Vec<Waiting> = Vec::new();
        let mut visited: Vec<PathBuf> = Vec::new();
        while let Some((directory, mut real, depth)) = waiting.pop().or_else(|| links.pop()) {
            if visited.contains(&real) {
                continue;
            }
            if self.bounds.directories == DIRECTORIES {
                self.report_scan(root, inside, &format!("more than {DIRECTORIES} directories of rules"));
                break;
            }
            let listing = match self.world.list(root, &directory, NAMES) {
                Answer::Present(listing) => listing,
                Answer::Absent => continue,
                Answer::Unavailable(reason) => {
                    let label = self.label(&root.join(&directory));
                    let message = format!("{label} is not searched: {reason}");
                    let finding = Diagnostic::warning(Code::FileUnavailable, message).about(Subject::file(&label));
                    self.diagnostics.extend(reason.unless_withheld(finding));
                    self.cannot_use::<()>(&label, reason);
                    continue;
                }
            };
            self.bounds.directories += 1;
            if depth == 0 {
                real = self.world.resolve(&root.join(&directory)).present().unwrap_or_else(|| root.join(&directory));
            }
            if listing.more {
                self.report_scan(root, &directory, &format!("more than {NAMES} names"));
            }
            for entry in
                listing.entries.iter().filter(|entry| rules.hidden == Hidden::Read || !entry.name.starts_with('.'))
            {
                let path = directory.join(&entry.name);
                match (entry.kind, entry.link) {
                    (Some(Kind::Directory), _) if entry.name == "node_modules" => {}
                    (Some(Kind::Directory), _) if depth >= rules.depth && rules.depth < DEPTH => {}
                    (Some(Kind::Directory), _) if depth == DEPTH => {
                        self.report_scan(root, inside, &format!("directories more than {DEPTH} levels deep"));
                    }
                    (Some(Kind::Directory), Link::None) => {
                        waiting.push((path, real.join(&entry.name), depth + 1));
                    }
                    (Some(Kind::Directory), Link::Symbolic) => {
                        let target = self.world.resolve(&root.join(&path)).present();
                        links.extend(target.map(|target| (path, target, depth + 1)));
                    }
                    _ if rules.has(&entry.name) => files.push(path),
                    (None, Link::Symbolic) => self.report_link(root, &path),
                    _ => {}
                }
            }
            visited.push(real);
        }
        files.sort();
        let room = RULES - self.bounds.rules;
        if files.len() > room {
            self.report_scan(root, inside, &format!("more rules than the {RULES} that are read"));
            files.truncate(room);
        }
        self.bounds.rules += files.len();
        files
    }

    /// Lists a link that is not followed, because it leads nowhere, or to a directory out of what may be read.
    fn report_link(&mut self, root: &Path, path: &Path) {
        let path = root.join(path);
        let (code, detail) = match self.world.kind(&path) {
            Answer::Present(Kind::Directory) => (ReasonCode::OutsideRoot, "the link leads elsewhere"),
            Answer::Absent => (ReasonCode::Failed, "the link is broken"),
            Answer::Present(_) | Answer::Unavailable(_) => return,
        };
        let (label, reason) = (self.label(&path), Reason { code, detail: detail.to_owned() });
        let message = format!("{label} is not searched: {reason}");
        self.diagnostics.push(Diagnostic::warning(Code::FileUnavailable, message).about(Subject::file(&label)));
        self.not_loaded(&label, Why::Unavailable(reason));
    }

    fn report_scan(&mut self, root: &Path, directory: &Path, what: &str) {
        let shown = self.situation.workspace.show(&root.join(directory), Paths::Portable);
        let message = format!("{shown} has {what}: the rest is not searched");
        let diagnostic = Diagnostic::warning(Code::ScanLimit, message).about(Subject::file(shown));
        // A wide tree would say the same of every directory.
        if !self.diagnostics.contains(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }
}
