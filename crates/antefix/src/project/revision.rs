//! Projects as they were in a commit: what did a change do to what agents are told?

use std::path::Path;
use std::sync::Arc;

use super::{Antefix, Ask, CheckRules, Preview, Project};
use crate::discover::git::{Git, GitLimits};
use crate::discover::world::Answer;
use crate::error::{Error, ErrorKind, Result};
use crate::worlds::Revision;

/// Two states of a repository: `REV` and the work tree, or two revisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// The id of the earlier commit.
    pub before: String,
    /// The id of the later one; none for the work tree as it is.
    pub after: Option<String>,
}

/// A prompt in two states of a repository.
pub struct Compared {
    /// The commits.
    pub range: Range,
    /// The prompt of the earlier state, with its findings.
    pub before: Preview,
    /// The prompt of the later one.
    pub after: Preview,
}

impl Compared {
    /// What the two sides are called: as they were written, with the ids that were found.
    pub fn names(&self, written: &str) -> (String, String) {
        let short = |id: &str| id.chars().take(12).collect::<String>();
        let written = if written.is_empty() { "HEAD" } else { written };
        let after = self.range.after.as_deref().map_or("the work tree".to_owned(), short);
        match written.contains("..") {
            true => (short(&self.range.before), after),
            false => (format!("{written} ({})", short(&self.range.before)), after),
        }
    }
}

impl Project {
    /// What a prompt is in two states of the repository around the project, as [`Antefix::revisions`] reads them. Both sides
    /// have the same clock, settings and facts of the machine; no program is run but git.
    pub fn compare(&self, range: &str, mut ask: Ask) -> Result<Compared> {
        self.check_directory()?;
        let antefix = self.antefix();
        ask.now = ask.now.or(Some(antefix.world().now()));
        let directory = self.directory().to_owned();
        let directory = antefix.world().resolve(&directory).present().unwrap_or(directory);
        let range = antefix.revisions(&directory, range)?;
        let side = |antefix: Antefix| antefix.project(&directory)?.check(ask.clone(), &CheckRules::default());
        let before = side(antefix.at(&directory, Some(&range.before))?)?;
        let after = side(antefix.at(&directory, range.after.as_deref())?)?;
        Ok(Compared { range, before, after })
    }
}

impl Antefix {
    /// Reads what a person writes for two states of a repository: nothing (`HEAD` and the work tree), `REV`, `A..B`, or `A...B`
    /// for what `B` has changed since it left `A`.
    pub fn revisions(&self, directory: &Path, range: &str) -> Result<Range> {
        let mut git = Git::new(self.world(), directory, GitLimits::default());
        let or_head = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
        let mut commit = |name: &str| {
            let name = or_head(name);
            found(git.commit(&name), &name)
        };
        if let Some((one, other)) = range.split_once("...") {
            let (one, other) = (commit(one)?, commit(other)?);
            let base = found(git.merge_base(&one, &other), range)?;
            return Ok(Range { before: base, after: Some(other) });
        }
        match range.split_once("..") {
            Some((one, other)) => Ok(Range { before: commit(one)?, after: Some(commit(other)?) }),
            None => Ok(Range { before: commit(range)?, after: None }),
        }
    }

    /// The same user and the same settings, with the repository around a directory as a commit has it, or as it is. No program
    /// is run but git, so that the two can be compared.
    pub fn at(&self, directory: &Path, commit: Option<&str>) -> Result<Antefix> {
        let world = match commit {
            None => Revision::current(Arc::clone(&self.world)),
            Some(commit) => {
                let cwd = found(self.world().resolve(directory), &directory.display().to_string())?;
                let has_git = |directory: &&Path| !matches!(self.world().kind(&directory.join(".git")), Answer::Absent);
                let root = cwd.ancestors().find(has_git).ok_or_else(|| not_there(&directory.display().to_string()))?;
                let files = found(Git::new(self.world(), root, GitLimits::default()).tree(commit), commit)?;
                Revision::new(Arc::clone(&self.world), root, &cwd, files)
            }
        };
        Ok(Antefix { world: Arc::new(world), ..self.clone() })
    }
}

fn found<T>(answer: Answer<T>, what: &str) -> Result<T> {
    match answer {
        Answer::Present(found) => Ok(found),
        Answer::Absent => Err(not_there(what)),
        Answer::Unavailable(reason) => {
            Err(Error::new(reason.kind_or(ErrorKind::Input), format!("`{what}` cannot be read from git: {reason}")))
        }
    }
}

fn not_there(what: &str) -> Error {
    Error::new(ErrorKind::Input, format!("git knows no `{what}` here"))
        .with_hint("name a commit, a branch or a tag, or two of them as A..B")
}
