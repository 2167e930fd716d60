//! Whether others could have written a file that can name programs to run.
//!
//! 1. Others can write it, or put another in its place: they can write to it, to its directory, or to the one that this is in. Where it
//!    is a link, the same counts for the file that it leads to.
//! 2. Who can write is decided by the owner and the mode; see [`World::access`].

use std::path::{Path, PathBuf};

use super::world::{Others, World};

/// How many directories above a file are looked at: its own, and the one that its own is in.
const ABOVE: usize = 2;

/// What others can write to, of a file and the directories above it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shared {
    pub(crate) path: PathBuf,
    pub(crate) others: Others,
}

impl Shared {
    /// What others can write to, if they could have written this file.
    pub(crate) fn find(world: &dyn World, file: &Path) -> Option<Shared> {
        let real = world.resolve(file).present();
        [Some(file), real.as_deref()].into_iter().flatten().find_map(|file| {
            let above = file.ancestors().take(ABOVE + 1).filter(|path| path.parent().is_some());
            above.into_iter().find_map(|path| {
                let others = world.access(path).present().map(|access| access.write).unwrap_or_default();
                (others != Others::None).then(|| Shared { path: path.to_owned(), others })
            })
        })
    }

    /// What to do about it; `rights` are those to take away.
    pub(crate) fn remedy(&self, rights: &str) -> String {
        let path = self.path.display();
        match self.others {
            Others::Owner(_) => format!("see what it says, then take it over with `chown`, or remove it: {path}"),
            _ => format!("see what it says, then run `chmod {rights} {path}`"),
        }
    }
}
