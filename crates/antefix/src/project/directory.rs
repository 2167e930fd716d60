//! Where an agent works, and what its user calls that.

use std::path::{Path, PathBuf};

use crate::discover::{Workspace, World};

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

    /// Looks around from there.
    pub(super) fn workspace(&self, world: &dyn World) -> Workspace {
        let workspace = Workspace::find(world, &self.path);
        match &self.given {
            Some(given) => workspace.given_as(world, given),
            None => workspace,
        }
    }
}

impl AsRef<Path> for Directory {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}
