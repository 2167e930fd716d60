//! The straight way to a file: one system call where no link is in the way.
//!
//! 1. The kernel walks the path and refuses every link in it, those of the root included, and nothing in the path leads
//!    up: what was opened lies beneath the root, at the path that was asked for, whatever is swapped in meanwhile.
//! 2. There the path is its own answer to where the file really lies, so that neither descriptor must be named.
//! 3. Whatever is neither opened nor missing is left to the careful way, which knows links, refusals and old kernels.
//!
//! Most files of a project are reached like this, with half the system calls.

use std::fs::File;
use std::path::{Component, Path, PathBuf};

use super::held::Base;

/// What the straight way leads to.
pub(super) enum Straight {
    /// A file, or whatever else lies at the path.
    Opened(File),
    /// Nothing: no link could lead elsewhere.
    Absent,
    /// It cannot be gone.
    Blocked,
}

/// Whether something in a path leads up. Hardly any path has two dots in a row, so that its parts need not be looked at.
pub(super) fn climbs(path: &Path) -> bool {
    let text = path.as_os_str().as_encoded_bytes();
    let dots = memchr::memchr_iter(b'.', text).any(|at| text.get(at + 1) == Some(&b'.'));
    dots && path.components().any(|component| component == Component::ParentDir)
}

/// What is to be opened.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// Anything; opening neither waits for a writer nor takes a terminal.
    File,
    /// Nothing but a directory.
    Directory,
}

/// Opens what is at `path` beneath `base`, if no link is on the way.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn open(base: Base<'_>, path: &Path, target: Target) -> Straight {
    use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    if climbs(base.root) || climbs(path) || path.as_os_str().is_empty() {
        return Straight::Blocked;
    }
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::LARGEFILE;
    let flags = match target {
        Target::File => flags | OFlags::NONBLOCK | OFlags::NOCTTY,
        Target::Directory => flags | OFlags::DIRECTORY,
    };
    match openat2(base.descriptor(), base.path(path).as_path(), flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(descriptor) => Straight::Opened(File::from(descriptor)),
        Err(Errno::NOENT) => Straight::Absent,
        Err(_) => Straight::Blocked,
    }
}

/// Whether there is nothing at `path` beneath `base`, not even a link that leads nowhere.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn is_absent(base: Base<'_>, path: &Path) -> bool {
    use rustix::fs::{AtFlags, statat};

    let status = statat(base.descriptor(), base.path(path).as_path(), AtFlags::SYMLINK_NOFOLLOW);
    matches!(status, Err(rustix::io::Errno::NOENT))
}

/// Whether a path is there and is its own real path: absolute, as plain as it can be written, and without a link in it.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn is_real(path: &Path) -> bool {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};

    let plain = path.is_absolute() && !climbs(path) && location(path).as_os_str() == path.as_os_str();
    plain && openat2(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), ResolveFlags::NO_SYMLINKS).is_ok()
}

/// Whether a path can be walked to its end, or to where there is nothing, without following a link.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn has_no_link(path: &Path) -> bool {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
    use rustix::io::Errno;

    let opened = openat2(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), ResolveFlags::NO_SYMLINKS);
    matches!(opened, Ok(_) | Err(Errno::NOENT | Errno::NOTDIR))
}

/// Elsewhere no system call refuses links all along a path.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn open(_: Base<'_>, _: &Path, _: Target) -> Straight {
    Straight::Blocked
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn is_absent(_: Base<'_>, _: &Path) -> bool {
    false
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn is_real(_: &Path) -> bool {
    false
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn has_no_link(_: &Path) -> bool {
    false
}

/// A path that was gone straight, as it would be written by whoever followed its links: without `.`, nor two slashes.
pub(super) fn location(path: &Path) -> PathBuf {
    let text = path.as_os_str().as_encoded_bytes();
    let mut slashes = memchr::memchr_iter(b'/', text);
    if text.last().is_some_and(u8::is_ascii_alphanumeric)
        && !slashes.any(|at| at > 0 && matches!(text[at - 1], b'.' | b'/'))
    {
        return path.to_owned();
    }
    path.components().filter(|component| *component != Component::CurDir).collect()
}
