//! Directories that are held open, and where the way to a file begins.
//!
//! 1. A directory is opened once, and held for as long as the world that has it: a server's root for one request.
//! 2. Whatever has a path beneath it is reached through its descriptor. The kernel walks from there and refuses to leave, so
//!    that a link which is swapped in after a path was checked leads nowhere.
//! 3. Everything else begins at the root of the file system, as paths do.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::files::open_root;
use crate::discover::world::Answer;

/// A directory that is held open, and its real path.
#[derive(Debug)]
pub(super) struct Held {
    path: PathBuf,
    directory: Dir,
}

impl Held {
    /// Opens a directory by its real path.
    pub(super) fn open(path: &Path) -> io::Result<Held> {
        Ok(Held { path: path.to_owned(), directory: Dir::open_ambient_dir(path, ambient_authority())? })
    }
}

/// Where the way to a file begins: at a directory by its path, or at a descriptor and a path from there.
#[derive(Clone, Copy)]
pub(super) struct Base<'b> {
    /// The directory in full.
    pub(super) root: &'b Path,
    /// The directory from where the way begins.
    from_start: &'b Path,
    held: Option<&'b Held>,
}

impl<'b> Base<'b> {
    pub(super) fn new(held: Option<&'b Held>, root: &'b Path) -> Base<'b> {
        let inside = held.and_then(|held| Some((held, root.strip_prefix(&held.path).ok()?)));
        match inside {
            Some((held, from_start)) => Base { root, from_start, held: Some(held) },
            None => Base { root, from_start: root, held: None },
        }
    }

    /// The path to take from [`descriptor`](Base::descriptor).
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn path(&self, inside: &Path) -> PathBuf {
        crate::discover::workspace::join(self.from_start, inside)
    }

    /// Where the kernel begins to walk.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn descriptor(&self) -> std::os::fd::BorrowedFd<'b> {
        use std::os::fd::AsFd;

        self.held.map_or(rustix::fs::CWD, |held| held.directory.as_fd())
    }

    /// The directory itself.
    pub(super) fn open(&self) -> io::Result<Dir> {
        match self.held {
            Some(held) if self.from_start.as_os_str().is_empty() => held.directory.try_clone(),
            Some(held) => held.directory.open_dir(self.from_start),
            None => Dir::open_ambient_dir(self.root, ambient_authority()),
        }
    }

    /// Whether the way begins at a directory that is held open.
    pub(super) fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Runs `work` with a path that leads to the directory through its descriptor, for those who take nothing else than a path;
    /// none where the directory is reached by its path anyway.
    pub(super) fn lead_to<T>(&self, work: impl FnOnce(Option<PathBuf>) -> Answer<T>) -> Answer<T> {
        if !self.is_held() {
            return work(None);
        }
        open_root(*self).and_then(|directory| work(descriptor_path(&directory)))
    }
}

/// Only Linux has paths for descriptors; elsewhere a directory can be swapped between the check and its use as a working
/// directory.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn descriptor_path(directory: &Dir) -> Option<PathBuf> {
    use std::os::fd::AsRawFd;

    Some(PathBuf::from(format!("/proc/self/fd/{}", directory.as_raw_fd())))
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn descriptor_path(_: &Dir) -> Option<PathBuf> {
    None
}
