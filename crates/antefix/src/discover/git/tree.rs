//! What a commit holds, read through git's plumbing.
//!
//! 1. Names are turned into ids first, and everything else goes by ids: what looks like an option is refused.
//! 2. No filter, text conversion or replacement is applied: what is read is what was committed.
//! 3. What is missing in a partial clone is not fetched. It is unavailable.

use std::time::Duration;

use super::{Git, GitLimits, complaint, recipe, succeeded};
use crate::discover::world::{Answer, Output, Reason, ReasonCode};

/// How long a listing may take, and how large it may be: a repository of a million files has about 100 MB.
const LIMITS: GitLimits = GitLimits { time: Duration::from_secs(20), output: 128 * 1024 * 1024 };

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// From the root of the repository.
    pub path: String,
    /// What it is.
    pub kind: TreeKind,
    /// The id of its contents.
    pub id: String,
}

/// What a commit holds at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeKind {
    /// A file.
    File,
    /// A symbolic link; its contents are where it leads.
    Link,
    /// Another repository, of which the commit has the name alone.
    Submodule,
}

impl Git<'_> {
    /// The id of a commit that a person names: a branch, a tag, `HEAD~2`.
    pub fn commit(&mut self, name: &str) -> Answer<String> {
        if name.is_empty() || name.starts_with('-') || name.chars().any(|c| c.is_control() || c == ' ') {
            return Answer::unavailable(ReasonCode::Failed, "it is not the name of a revision");
        }
        let wanted = format!("{name}^{{commit}}");
        self.plumbing(&["rev-parse", "--verify", "--quiet", &wanted], GitLimits::default()).and_then(line)
    }

    /// The id of the last commit that two have in common.
    pub fn merge_base(&mut self, one: &str, other: &str) -> Answer<String> {
        self.plumbing(&["merge-base", one, other], LIMITS).and_then(line)
    }

    /// The files of a commit, by its id. One whose name is not UTF-8 is left out.
    pub fn tree(&mut self, commit: &str) -> Answer<Vec<TreeEntry>> {
        self.plumbing(&["ls-tree", "-r", "-z", "--full-tree", commit], LIMITS).and_then(|output| {
            if output.more {
                return Answer::unavailable(ReasonCode::Failed, "the commit has too many files");
            }
            Answer::Present(output.stdout.split(|byte| *byte == 0).filter_map(entry).collect())
        })
    }

    /// The first bytes of a file's contents, by their id, and whether there are more.
    pub fn blob(&mut self, id: &str, limit: usize) -> Answer<(Vec<u8>, bool)> {
        let limits = GitLimits { output: limit, ..LIMITS };
        self.plumbing(&["cat-file", "blob", id], limits).map(|output| (output.stdout, output.more))
    }

    pub(super) fn plumbing(&mut self, args: &[&str], limits: GitLimits) -> Answer<Output> {
        let overrides = match self.overrides() {
            Ok(overrides) => overrides,
            Err(reason) => return Answer::Unavailable(reason),
        };
        let mut variables = recipe::configuration(&overrides);
        variables.push(("GIT_NO_REPLACE_OBJECTS".to_owned(), "1".to_owned()));
        match self.run(args, variables, limits) {
            Answer::Present(output) if succeeded(&output) => Answer::Present(output),
            // With `--quiet` a name that is none is said by the exit code alone.
            Answer::Present(output) if output.code == Some(1) => Answer::Absent,
            Answer::Present(output) => Answer::Unavailable(complaint(&output)),
            Answer::Absent => Answer::Absent,
            Answer::Unavailable(reason) => Answer::Unavailable(reason),
        }
    }
}

/// The one line that git printed.
fn line(output: Output) -> Answer<String> {
    match String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()) {
        Some(text) => Answer::Present(text),
        None => Answer::Unavailable(Reason { code: ReasonCode::Failed, detail: "git printed nothing".to_owned() }),
    }
}

/// `100644 blob <id>\t<path>`
fn entry(record: &[u8]) -> Option<TreeEntry> {
    let (head, path) = std::str::from_utf8(record).ok()?.split_once('\t')?;
    let mut words = head.split(' ');
    let kind = match (words.next()?, words.next()?) {
        ("120000", "blob") => TreeKind::Link,
        (_, "blob") => TreeKind::File,
        _ => TreeKind::Submodule,
    };
    Some(TreeEntry { path: path.to_owned(), kind, id: words.next()?.to_owned() })
}
