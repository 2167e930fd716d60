//! Projects in some directories alone: what a server's roots mean.
//!
//! 1. A directory is in a root if its real path is. What is not is refused with one answer, whether it exists or not.
//! 2. The root is held open for as long as the [`Project`] is used, and everything beneath it is read through that descriptor:
//!    a directory that is swapped for a link after it was checked leads nowhere.
//! 3. A project never begins above its root: `file:`, instruction files, `.antefix/` and git end there.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::directory::Directory;
use super::remembered::Remembered;
use super::{Antefix, Project};
use crate::discover::world::{Answer, Kind};
use crate::discover::{Workspace, normalize};
use crate::error::{Error, ErrorKind, Result};

impl Antefix {
    /// The same, for projects in these directories alone, with all that is below them. An error of the kind
    /// [`Outside`](ErrorKind::Outside) refuses every other one.
    pub fn confined_to(&self, roots: &[PathBuf]) -> Result<Antefix> {
        let real = |root: &PathBuf| match self.world().resolve(root) {
            Answer::Present(real) => {
                self.check_directory(&real, root)?;
                Ok(real)
            }
            Answer::Absent => Err(unusable(root, &"there is no such directory")),
            Answer::Unavailable(reason) => Err(unusable(root, &reason)),
        };
        let roots: Result<Arc<[PathBuf]>> = roots.iter().map(real).collect();
        Ok(Antefix { roots: roots?, ..self.clone() })
    }

    /// The directories that projects may be in, by their real paths; none if they may be anywhere.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The roots that are inside of a project, each with where that project begins: nothing above the root is read.
    pub fn projects_above_roots(&self) -> Vec<(&Path, PathBuf)> {
        let found = |root: &'_ PathBuf| Workspace::find(self.world(), root).root;
        let all = self.roots.iter().map(|root| (root.as_path(), found(root)));
        all.filter(|(root, project)| root != project).collect()
    }

    /// Whether a path is in a root, wherever its links lead.
    pub fn may_name(&self, path: &Path) -> bool {
        self.roots.is_empty() || self.world().resolve(path).present().is_some_and(|real| self.root_of(&real).is_some())
    }

    /// The root that a real path is in: the innermost, where one is in another.
    pub(super) fn root_of(&self, real: &Path) -> Option<&Path> {
        let around = self.roots.iter().filter(|root| real.starts_with(root));
        around.max_by_key(|root| root.as_os_str().len()).map(PathBuf::as_path)
    }

    /// The project of a directory in one of the roots.
    pub(super) fn project_in_root(&self, given: PathBuf) -> Result<Project> {
        let real = match self.world().resolve(&given) {
            Answer::Present(real) => real,
            // That a file system does not answer is said of what is in a root alone.
            Answer::Unavailable(reason) if self.root_of(&normalize(&given)).is_some() => {
                return Err(Error::new(reason.kind_or(ErrorKind::Outside), format!("the working directory: {reason}")));
            }
            Answer::Absent | Answer::Unavailable(_) => return Err(outside()),
        };
        let holding = self.holding_root_of(&real)?;
        if holding.world().kind(&real) != Answer::Present(Kind::Directory) {
            return Err(outside());
        }
        Ok(Project::new(&holding, Directory::new(real, Some(given))))
    }

    /// The project that a conversation works in. A directory that is gone, or does not answer, is where it was.
    pub(super) fn remembered_project(&self, remembered: &Remembered) -> Result<Project> {
        let directory = remembered.directory.clone();
        if self.roots.is_empty() {
            return Ok(Project::new(self, directory));
        }
        // Whatever became of it, nothing is read but through the root that is held open.
        let real = self.world().resolve(&directory.path).present().unwrap_or_else(|| directory.path.clone());
        match self.holding_root_of(&real) {
            Ok(holding) => Ok(Project::new(&holding, directory)),
            // The machine may be out of descriptors now. What is open goes on with what is stored.
            Err(error) if error.kind() == ErrorKind::Machine => {
                Ok(Project { unusable: Some(error), ..Project::new(self, directory) })
            }
            Err(error) => Err(error),
        }
    }

    /// The same, with the root of a real path held open.
    fn holding_root_of(&self, real: &Path) -> Result<Antefix> {
        let root = self.root_of(real).ok_or_else(outside)?;
        let world = match self.world().hold(root) {
            Answer::Present(Some(world)) => world.into(),
            // A root that is gone has nothing in it, and conversations that worked there go on.
            Answer::Present(None) | Answer::Absent => Arc::clone(&self.world),
            Answer::Unavailable(reason) => {
                return Err(Error::new(reason.kind_or(ErrorKind::Input), format!("{}: {reason}", root.display())));
            }
        };
        Ok(Antefix { world, bound: Some(root.into()), ..self.clone() })
    }
}

pub(super) fn outside() -> Error {
    Error::new(ErrorKind::Outside, "the working directory is not in a directory that projects may be in")
}

fn unusable(root: &Path, why: &dyn std::fmt::Display) -> Error {
    Error::new(ErrorKind::Input, format!("{}: {why}", root.display()))
}
