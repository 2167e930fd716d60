//! Repositories for those who must not read above a directory: a server's root.
//!
//! 1. Git looks for a repository no higher than that directory.
//! 2. What `.git` leads to must be in that directory as well: where the repository really is, where the one that it shares its
//!    objects with is, and where it borrows objects from. `git diff` prints what these contain.

use std::path::{Path, PathBuf};

use super::recipe;
use crate::discover::workspace::normalize;
use crate::discover::world::{Answer, Kind, Reason, ReasonCode, World};

/// How much of a file that names another place is read; a path is shorter.
const LIMIT: usize = 16 * 1024;

/// The variable that keeps git from looking above a directory.
pub(super) fn ceiling(bound: &Path) -> Option<(String, String)> {
    let above = std::env::join_paths([bound.parent()?]).ok()?.into_string().ok()?;
    Some(("GIT_CEILING_DIRECTORIES".to_owned(), above))
}

/// Refuses a repository that is, or reads, outside of the bound.
pub(super) fn check(world: &dyn World, cwd: &Path, bound: &Path) -> Result<(), Reason> {
    let Some(repository) = recipe::repository(world, cwd, Some(bound)) else { return Ok(()) };
    let mut git = repository.join(".git");
    if matches!(world.kind(&git), Answer::Present(Kind::File)) {
        let text = text(world, &repository, Path::new(".git"))?.unwrap_or_default();
        let Some(named) = text.strip_prefix("gitdir:") else { return Ok(()) };
        git = repository.join(named.trim());
    }
    let git = beneath(world, &git, bound)?;
    let common = match text(world, &git, Path::new("commondir"))? {
        Some(named) => beneath(world, &git.join(named.trim()), bound)?,
        None => git,
    };
    let alternates = text(world, &common, Path::new("objects/info/alternates"))?.unwrap_or_default();
    for borrowed in alternates.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        beneath(world, &common.join("objects").join(borrowed), bound)?;
    }
    Ok(())
}

/// The real path of a directory, if it is in the bound.
fn beneath(world: &dyn World, path: &Path, bound: &Path) -> Result<PathBuf, Reason> {
    match world.resolve(path) {
        Answer::Present(real) if real.starts_with(bound) => Ok(real),
        // What is not there is not read. Git says so itself.
        Answer::Absent if normalize(path).starts_with(bound) => Ok(path.to_owned()),
        Answer::Present(_) | Answer::Absent => Err(outside()),
        Answer::Unavailable(reason) => Err(reason),
    }
}

fn text(world: &dyn World, root: &Path, path: &Path) -> Result<Option<String>, Reason> {
    match world.read(root, path, LIMIT) {
        Answer::Present(contents) if !contents.more => Ok(String::from_utf8(contents.bytes).ok()),
        Answer::Present(_) => Err(outside()),
        Answer::Absent => Ok(None),
        Answer::Unavailable(reason) => Err(reason),
    }
}

fn outside() -> Reason {
    Reason { code: ReasonCode::OutsideRoot, detail: "the repository of this directory".to_owned() }
}
