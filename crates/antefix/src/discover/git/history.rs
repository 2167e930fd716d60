//! When files were edited, by the commits of a repository.

use jiff::Timestamp;

use super::{Git, GitLimits};
use crate::discover::world::Answer;

/// An edit of a file in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdit {
    /// The commit.
    pub commit: String,
    /// When it was made.
    pub at: Timestamp,
    /// The file, from the root of the repository.
    pub path: String,
    /// The first line that it changed, as it is now.
    pub line: usize,
}

/// How many commits are looked at.
const COMMITS: &str = "--max-count=2000";

impl Git<'_> {
    /// The edits of files of some names, wherever they are, since an instant; the newest first. Only commits are known: what was edited and
    /// not committed is not.
    pub fn edits(&mut self, names: &[&str], since: Timestamp) -> Answer<Vec<FileEdit>> {
        let since = format!("--since={}", since.as_second());
        let fixed = [
            "log",
            COMMITS,
            &since,
            "--no-color",
            "--no-ext-diff",
            "--no-textconv",
            "--no-renames",
            "-U0",
            "-p",
            "--format=%x00%H %ct",
            "--",
        ];
        let paths: Vec<String> = names.iter().map(|name| format!(":(top,glob)**/{name}")).collect();
        let args: Vec<&str> = fixed.into_iter().chain(paths.iter().map(String::as_str)).collect();
        let limits = GitLimits { output: 16 * 1024 * 1024, ..GitLimits::default() };
        self.plumbing(&args, limits).map(|output| parse(&String::from_utf8_lossy(&output.stdout)))
    }
}

/// The first edit of each file in each commit.
fn parse(text: &str) -> Vec<FileEdit> {
    let mut edits = Vec::new();
    for commit in text.split('\0').skip(1) {
        let mut lines = commit.lines();
        let Some((id, seconds)) = lines.next().and_then(|head| head.split_once(' ')) else { continue };
        let Some(at) = seconds.parse().ok().and_then(|seconds| Timestamp::from_second(seconds).ok()) else { continue };
        let mut path: Option<&str> = None;
        for line in lines {
            if let Some(name) = line.strip_prefix("+++ ") {
                path = name.strip_prefix("b/");
            } else if let (Some(name), Some(range)) = (path, line.strip_prefix("@@ ")) {
                let first = range.split(' ').find_map(|part| part.strip_prefix('+'));
                let first = first.and_then(|part| part.split(',').next()?.parse().ok()).unwrap_or(1);
                edits.push(FileEdit { commit: id.to_owned(), at, path: name.to_owned(), line: first });
                path = None;
            }
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_commit_names_the_first_line_that_it_changed_in_each_file() {
        let text = "\0abc 1794996000\n\ndiff --git a/AGENTS.md b/AGENTS.md\n--- a/AGENTS.md\n+++ b/AGENTS.md\n@@ -12 +12 @@\n-a\n+++ not a file\n@@ -20,0 +21,2 @@\n+x\n\0def 1794990000\n\n--- /dev/null\n+++ b/sub/CLAUDE.md\n@@ -0,0 +1,3 @@\n";
        let found: Vec<(String, String, usize)> =
            parse(text).into_iter().map(|edit| (edit.commit, edit.path, edit.line)).collect();
        let expected = [("abc", "AGENTS.md", 12), ("def", "sub/CLAUDE.md", 1)];
        assert_eq!(found, expected.map(|(commit, path, line)| (commit.to_owned(), path.to_owned(), line)));
    }
}
