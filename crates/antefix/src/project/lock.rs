//! The lock: digests of what agents are told from outside the repository, so that a change there is noticed.
//!
//! 1. Locked are the instruction files and skills of a prompt that do not lie in the project. What lies in it is in git.
//! 2. `.antefix/lock.toml` has a line a file: its path as messages show it, and the digest of its bytes, as `sha256sum` prints it. Of a
//!    skill that is its SKILL.md.
//! 3. A check compares, if there is a lock. It changes no prompt.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

use super::{Ask, Look, Preview, Project};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::discover::world::Answer;
use crate::error::{Error, ErrorKind, Result};
use crate::text::{Digest, Source};

/// Where the lock is, from the project root.
pub const LOCK_FILE: &str = ".antefix/lock.toml";

/// No more of a file is digested.
const LIMIT: usize = 4 * 1024 * 1024;

/// Digests of files outside the repository, by their paths as messages show them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lock {
    /// The files.
    pub files: BTreeMap<String, Digest>,
}

/// How a lock is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    files: BTreeMap<String, String>,
}

impl Project {
    /// The files from outside the repository that a prompt is made of, as they are now.
    pub fn lock(&self, ask: Ask) -> Result<Lock> {
        self.locked(&self.preview(ask, Look::Composing)?)
    }

    /// The same for a prompt that is composed.
    pub(super) fn locked(&self, preview: &Preview) -> Result<Lock> {
        let workspace = &preview.context.workspace;
        let mut files = BTreeMap::new();
        for loaded in &preview.report.loaded {
            let is_locked = matches!(loaded.fact.namespace(), "instructions" | "skills");
            let is_given = preview.report.by_caller.contains(&loaded.fact);
            let Some(label) = loaded.path.as_deref().filter(|_| is_locked && !is_given) else { continue };
            let Some(path) = absolute(label, workspace.home.as_deref()) else { continue };
            if path.starts_with(&workspace.root) {
                continue;
            }
            let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { continue };
            match self.antefix.world().read(directory, Path::new(name), LIMIT) {
                Answer::Present(file) => drop(files.insert(label.to_owned(), Digest::of_bytes(&file.bytes))),
                // It went away after it was read.
                Answer::Absent => {}
                Answer::Unavailable(reason) => {
                    let message = format!("{label} cannot be locked: {reason}");
                    return Err(Error::new(reason.kind_or(ErrorKind::Input), message));
                }
            }
        }
        Ok(Lock { files })
    }
}

/// The path of a label that is not relative to the project.
fn absolute(label: &str, home: Option<&Path>) -> Option<PathBuf> {
    match label.strip_prefix("~/") {
        Some(at_home) => Some(home?.join(at_home)),
        None => Some(PathBuf::from(label)).filter(|path| path.is_absolute()),
    }
}

impl Lock {
    /// Reads what [`Lock::print`] wrote.
    pub(super) fn of(source: &Arc<Source>) -> Result<Lock> {
        let written: Written = toml::from_str(&source.text)
            .map_err(|error| Error::of_toml(ErrorKind::Settings, source, error.message(), error.span()))?;
        let digest = |(path, digest): (String, String)| match Digest::parse(&digest) {
            Some(digest) => Ok((path, digest)),
            None => {
                let message = format!("{}: `{digest}` of `{path}` is not a digest", source.label());
                Err(Error::new(ErrorKind::Settings, message).with_hint("run `antefix lock` again"))
            }
        };
        Ok(Lock { files: written.files.into_iter().map(digest).collect::<Result<_>>()? })
    }

    /// The text of a `lock.toml`.
    pub fn print(&self) -> String {
        let mut text = String::from(
            "# Written by `antefix lock`: what agents are told here from outside the repository. `antefix check` compares.\n[files]\n",
        );
        for (path, digest) in &self.files {
            text.push_str(&format!("{} = \"{digest}\"\n", toml_string(path)));
        }
        text
    }

    /// Where what is there now is not what was locked.
    pub(super) fn compare(&self, now: &Lock) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        let mut find = |path: &str, what: &str| {
            let message = format!("{path} {what} {LOCK_FILE}");
            let finding = Diagnostic::warning(Code::LockMismatch, message).about(Subject::file(path));
            findings.push(finding.hint("look at what changed, then run `antefix lock`"));
        };
        for (path, digest) in &now.files {
            match self.files.get(path) {
                Some(locked) if locked == digest => {}
                Some(_) => find(path, "has other bytes than the ones in"),
                None => find(path, "is used and is not in"),
            }
        }
        for path in self.files.keys().filter(|path| !now.files.contains_key(*path)) {
            find(path, "is not used any more and is in");
        }
        findings
    }
}

/// A key of TOML in quotes.
fn toml_string(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
            c => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::SourceKind;

    #[test]
    fn a_lock_is_read_as_it_was_written_and_each_difference_is_found() {
        let lock = |files: &[(&str, &str)]| Lock {
            files: files.iter().map(|(path, text)| ((*path).to_owned(), Digest::of(text))).collect(),
        };
        let before = lock(&[("~/a \"b\"\\c.md", "a"), ("/x/gone.md", "b"), ("/x/same.md", "c")]);
        let read = Lock::of(&Arc::new(Source::new(SourceKind::Layout, LOCK_FILE, before.print()))).unwrap();
        assert_eq!(read, before);
        let now = lock(&[("~/a \"b\"\\c.md", "other"), ("/x/new.md", "d"), ("/x/same.md", "c")]);
        let found: Vec<String> = before.compare(&now).into_iter().map(|finding| finding.message).collect();
        let expected = [
            "/x/new.md is used and is not in .antefix/lock.toml",
            "~/a \"b\"\\c.md has other bytes than the ones in .antefix/lock.toml",
            "/x/gone.md is not used any more and is in .antefix/lock.toml",
        ];
        assert_eq!(found, expected);
    }
}
