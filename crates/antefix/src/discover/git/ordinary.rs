//! Repositories whose status needs no listing of their configuration first.
//!
//! Most repositories define nothing that must be overridden. To hear this from git costs as much as the status itself,
//! so their configuration is searched for a few words instead. No override is missed, because:
//!
//! 1. Only what the repository itself defines as `filter.*`, `hook.*` or `core.worktree` needs one. Git knows no escapes
//!    in the names of sections and keys, so a file that defines one of them has the word in it. The user's own filters
//!    run by design, and the user's own hooks are not reached: `git status` writes no index without optional locks. (`git
//!    diff` does, so it is never asked this way.)
//! 2. All that the repository defines is in `.git/config`. Other files are read only because of `include`, `includeIf`,
//!    `extensions.worktreeConfig` or a file `commondir`; each of them makes a repository unusual.
//! 3. Git uses this repository and no other. No link is on the way to the working directory or to the file, the nearest
//!    `.git` is that directory, nothing on the way up to it can be taken for a bare repository, and if git does not accept
//!    it after all, a ceiling keeps git from looking further up.
//! 4. A git before 2.31, which would not listen to the overrides that are always set, gives up: see [`Place::variables`].
//!
//! Whatever is unusual in any of this is asked the thorough way, and so is everything that git does not answer.

use std::path::{Path, PathBuf};

use super::recipe;
use crate::discover::{Answer, ReasonCode, World};

/// A working directory in an ordinary repository, or in none.
pub(super) struct Place {
    /// The directory that holds `.git`.
    pub(super) repository: Option<PathBuf>,
    /// The directory at which git stops looking for a repository.
    ceiling: String,
}

impl Place {
    /// Looks at the files around a working directory; none if something is unusual.
    pub(super) fn find(world: &dyn World, cwd: &Path, bound: Option<&Path>) -> Option<Place> {
        // Git for Windows writes paths in its own way, so a ceiling might not be understood.
        if world.platform() == "win32" || world.resolve(cwd).present()? != cwd {
            return None;
        }
        let repository = recipe::repository(world, cwd, bound);
        let top = repository.as_deref();
        let below = cwd.ancestors().take_while(|directory| Some(*directory) != top);
        if below.chain(top).any(|directory| may_be_bare(world, directory)) {
            return None;
        }
        if top.is_some_and(|top| !is_ordinary(world, top)) {
            return None;
        }
        let ceiling = std::env::join_paths([top.unwrap_or(cwd).parent()?]).ok()?.into_string().ok()?;
        Some(Place { repository, ceiling })
    }

    /// What git gets in its environment besides.
    pub(super) fn variables(&self) -> [(String, String); 2] {
        [
            ("GIT_CEILING_DIRECTORIES".to_owned(), self.ceiling.clone()),
            // Git writes keys and values apart like this since 2.31, the version that also learned to listen to
            // `GIT_CONFIG_COUNT`. An older git refuses the form, and ends before it looks at a file.
            ("GIT_CONFIG_PARAMETERS".to_owned(), "'safe.bareRepository'='explicit'".to_owned()),
        ]
    }
}

/// Whether git could take the directory itself for a repository. It must have `refs`, or a file that says where they are.
fn may_be_bare(world: &dyn World, directory: &Path) -> bool {
    ["refs", "commondir"].iter().any(|name| !is_absent(world, &directory.join(name)))
}

/// Whether `.git` is a directory with a configuration of its own that needs no override.
fn is_ordinary(world: &dyn World, repository: &Path) -> bool {
    is_absent(world, &repository.join(".git/commondir"))
        && read(world, repository, ".git/config", recipe::CONFIGURATION_LIMIT)
            .present()
            .is_some_and(|configuration| !is_unusual(&configuration))
}

/// What cannot be missing from a configuration that must be looked at by git. A hook is looked for as a section, because
/// `core.hooksPath` is in many repositories and always overridden. `extensions` may also change where branches are kept.
const WORDS: [&str; 5] = ["filter", "[hook", "worktree", "include", "extensions"];

fn is_unusual(configuration: &[u8]) -> bool {
    let configuration = configuration.to_ascii_lowercase();
    WORDS.iter().any(|word| memchr::memmem::find(&configuration, word.as_bytes()).is_some())
}

pub(super) fn is_absent(world: &dyn World, path: &Path) -> bool {
    matches!(world.kind(path), Answer::Absent)
}

/// All bytes of a file that is reached without any link; unavailable if there is more than the limit.
pub(super) fn read(world: &dyn World, repository: &Path, path: &str, limit: usize) -> Answer<Vec<u8>> {
    world.read(repository, Path::new(path), limit).and_then(|contents| {
        if contents.more || contents.resolved != Path::new(path) {
            return Answer::unavailable(ReasonCode::NotRegular, path);
        }
        Answer::Present(contents.bytes)
    })
}
