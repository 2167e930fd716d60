//! Skills that an ignore file names.
//!
//! 1. The ignore files of a root and of the directories below it are obeyed, not those above: a project that keeps its
//!    skills out of its repository still uses them.
//! 2. Whether a skill is loaded is said by what is around it: its own directory's ignore files are not asked.
//! 3. An ignore file that cannot be read, or not as a whole, is reported, and so is a line that fits nothing.

use std::path::Path;

use super::rules::Ignore;
use super::scan::Scan;
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::file::read_shareable_to;
use crate::discover::ignore::{Entry, Fault, Ignores, PATTERNS};
use crate::discover::report::Why;
use crate::discover::world::{Answer, Kind, Listing, ReasonCode};

/// The names of ignore files; a later one takes precedence.
const NAMES: [&str; 3] = [".gitignore", ".ignore", ".fdignore"];
/// How much of one is read.
const LIMIT: usize = 64 * 1024;
/// How many faults of one file are reported one by one.
const REPORTED: usize = 5;

impl Scan<'_> {
    /// The ignore files above a directory, and those that lie in it.
    pub(super) fn with_ignore_files(
        &mut self,
        above: Ignores,
        root: &Path,
        inside: &Path,
        directory: &Path,
        listing: &Listing,
    ) -> Ignores {
        let mut ignores = above;
        if self.situation.rules.skills.ignore == Ignore::None {
            return ignores;
        }
        for name in NAMES {
            let is_there = listing.entries.binary_search_by(|entry| entry.name.as_str().cmp(name)).is_ok();
            if !is_there {
                continue;
            }
            let path = directory.join(name);
            let label = self.situation.workspace.show(&root.join(&path), self.situation.rules.skills.labels);
            let file = match read_shareable_to(self.world, root, &path, LIMIT) {
                Answer::Present(file) => file,
                Answer::Absent => continue,
                Answer::Unavailable(reason) => {
                    // Where nothing may be read, the skills say so themselves.
                    if reason.code != ReasonCode::Untrusted {
                        self.report(Code::IgnoreFile, &label, format!("{label} is not obeyed: {reason}"));
                    }
                    continue;
                }
            };
            let mut text = file.text.as_str();
            if file.more {
                // The last line may have been cut in two, and would say something else.
                text = text.rfind('\n').map_or("", |end| &text[..end]);
                self.report(
                    Code::Cut,
                    &label,
                    format!("{label} has more than {LIMIT} bytes: only its beginning is obeyed"),
                );
            }
            let depth = directory.strip_prefix(inside).map_or(0, |path| path.components().count());
            let (with, faults, too_many) = ignores.with(text, &label, depth);
            if let Some(line) = too_many {
                let shown = self.situation.workspace.show(&root.join(inside), self.situation.rules.skills.labels);
                let message = format!(
                    "{shown} has more than {PATTERNS} patterns of ignore files: {label}:{line} and what follows are \
                     not obeyed"
                );
                self.report(Code::ScanLimit, &shown, message);
            }
            self.report_faults(&label, &faults);
            ignores = with;
        }
        ignores
    }

    /// Which line of an ignore file names a path.
    pub(super) fn ignored_by(&mut self, ignores: &Ignores, inside: &Path, path: &Path, entry: Entry) -> Option<String> {
        if ignores.is_empty() {
            return None;
        }
        let below = path.strip_prefix(inside).ok()?;
        let names: Vec<&str> = below.iter().filter_map(|name| name.to_str()).collect();
        ignores.by(&names, entry, &mut self.steps)
    }

    /// Lists what an ignore file names: the skill, if it is one, else the directory that is not searched.
    pub(super) fn report_ignored(&mut self, root: &Path, path: &Path, by: String) {
        let is = |path: &Path| self.world.kind(&root.join(path)).present();
        let skill = path.join("SKILL.md");
        let path = match is(path) {
            Some(Kind::Directory) if is(&skill) == Some(Kind::File) => &skill,
            Some(_) => path,
            None => return,
        };
        let shown = self.situation.workspace.show(&root.join(path), self.situation.rules.skills.labels);
        self.not_loaded(&shown, Why::Ignored { by });
    }

    fn report_faults(&mut self, label: &str, faults: &[Fault]) {
        for Fault { line, pattern, why } in faults.iter().take(REPORTED) {
            let shown: String = pattern.chars().take(40).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
            let message = format!("{label}:{line} has the pattern `{shown}`, which fits nothing: {why}");
            self.report(Code::IgnorePattern, label, message);
        }
        if let Some(more) = faults.len().checked_sub(REPORTED + 1) {
            self.report(Code::IgnorePattern, label, format!("{label} has {} more patterns that fit nothing", more + 1));
        }
    }

    fn report(&mut self, code: Code, path: &str, message: String) {
        self.diagnostics.push(Diagnostic::warning(code, message).about(Subject::file(path)));
    }
}
