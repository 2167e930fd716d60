//! Where an agent works, and what its user calls that.

use std::path::{Path, PathBuf};

use super::confined::outside;
use crate::discover::{Workspace, World};
use crate::error::Result;

/// Where an agent works, and what its user calls that.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Directory {
    /// Where it works.
    pub(super) path: PathBuf,
    /// What prompts call it, where that is another path.
    pub(super) given: Option<PathBuf>,
}

impl Directory {
    pub(super) fn new(path: PathBuf, given: Option<PathBuf>) -> Directory {
        let given = given.filter(|given| *given != path);
        Directory { path, given }
    }
}

/// A directory, and the root that its project must not leave.
#[derive(Debug, Clone, Copy)]
pub(super) struct Location<'d> {
    pub(super) directory: &'d Directory,
    pub(super) bound: Option<&'d Path>,
}

impl Location<'_> {
    /// Looks around from there. A directory that is not in its root by now is refused.
    pub(super) fn workspace(&self, world: &dyn World) -> Result<Workspace> {
        let workspace = Workspace::find_within(world, &self.directory.path, self.bound);
        if self.bound.is_some_and(|bound| !workspace.cwd.starts_with(bound)) {
            return Err(outside());
        }
        Ok(match &self.directory.given {
            Some(given) => workspace.given_as(world, given),
            None => workspace,
        })
    }
}

impl AsRef<Path> for Directory {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}
