//! Listing one directory beneath a root.

use std::io;
use std::path::Path;

use cap_std::fs::{Dir, Metadata};

use super::answer;
use super::files::{is_escape, open_root, outside, relative_to_root, stays_beneath};
use super::held::Base;
use super::straight::{self, Straight, Target};
use crate::discover::world::{Answer, Kind, Link, ListedEntry, Listing, ReasonCode};

/// How many names are read before the rest is only known to be there. The order in which a system lists a directory is
/// its own, so that what is left out past this number differs from machine to machine; no sane directory gets there.
const NAMES: usize = 100_000;

/// The first `limit` names in the directory at `path` beneath `base`, sorted by their bytes.
pub(super) fn list(base: Base<'_>, path: &Path, limit: usize) -> Answer<Listing> {
    if memchr::memchr(0, path.as_os_str().as_encoded_bytes()).is_some() {
        return Answer::Absent;
    }
    if !stays_beneath(path) {
        return outside();
    }
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    // Most directories that are asked for are not there, which is known in half the time of trying to open them.
    if straight::is_absent(base, path) {
        return Answer::Absent;
    }
    match straight::open(base, path, Target::Directory) {
        Straight::Opened(directory) => {
            let directory = Dir::from_std_file(directory);
            answer(listed(&directory).map(|found| names(found, limit)))
        }
        Straight::Absent => Answer::Absent,
        Straight::Blocked => list_carefully(base, path, limit),
    }
}

/// Lists beneath a descriptor of the root.
fn list_carefully(base: Base<'_>, path: &Path, limit: usize) -> Answer<Listing> {
    let root = base.root;
    open_root(base).and_then(|dir| {
        let opened = match dir.open_dir(path) {
            Err(error) if is_escape(&error) => match relative_to_root(root, path) {
                Answer::Present(inside) => dir.open_dir(inside),
                Answer::Absent => return Answer::unavailable(ReasonCode::Failed, "the link is broken"),
                Answer::Unavailable(reason) => return Answer::Unavailable(reason),
            },
            opened => opened,
        };
        if let Err(error) = &opened {
            if dir.metadata(path).is_ok_and(|metadata| !metadata.is_dir()) {
                return Answer::unavailable(ReasonCode::NotRegular, "no directory");
            }
            let is_link = || dir.symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink());
            if error.kind() == io::ErrorKind::NotFound && is_link() {
                return Answer::unavailable(ReasonCode::Failed, "the link is broken");
            }
        }
        answer(opened).and_then(|directory| answer(reopened(&directory).map(|found| names(found, limit))))
    })
}

/// What a directory lists, and whether there is more.
type Found = (Vec<(String, Listed)>, bool);

/// The first names. What links lead to is not asked here: it may be on another file system, which may never answer.
fn names(found: Found, limit: usize) -> Listing {
    let (mut found, mut more) = found;
    found.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    more |= found.len() > limit;
    found.truncate(limit);
    let entries = found.into_iter().map(|(name, listed)| match listed {
        Listed::Kind(kind) => ListedEntry { name, kind: Some(kind), link: Link::None },
        Listed::Link => ListedEntry { name, kind: None, link: Link::Symbolic },
    });
    Listing { entries: entries.collect(), more }
}

/// What the link at `path` beneath `base` leads to, if it stays there.
pub(super) fn kind_behind(base: Base<'_>, path: &Path) -> Answer<Kind> {
    open_root(base).and_then(|dir| {
        let metadata = match dir.metadata(path) {
            // An absolute link may still come back in.
            Err(error) if is_escape(&error) => match relative_to_root(base.root, path) {
                Answer::Present(inside) => dir.metadata(inside),
                Answer::Absent => return Answer::Absent,
                Answer::Unavailable(reason) => return Answer::Unavailable(reason),
            },
            metadata => metadata,
        };
        answer(metadata).map(|metadata| kind(&metadata))
    })
}

pub(super) fn kind(metadata: &Metadata) -> Kind {
    if metadata.is_file() {
        Kind::File
    } else if metadata.is_dir() {
        Kind::Directory
    } else {
        Kind::Other
    }
}

/// What a directory says of a name in it.
enum Listed {
    Kind(Kind),
    Link,
}

/// The names in a directory that was opened as a path alone, which cannot be read.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn reopened(directory: &Dir) -> io::Result<Found> {
    use rustix::fs::{Mode, OFlags, openat};

    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    listed(openat(directory, ".", flags, Mode::empty())?)
}

/// The names in an open directory as the system lists them, and whether there are more.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn listed(directory: impl std::os::fd::AsFd) -> io::Result<Found> {
    use rustix::fs::{AtFlags, FileType, RawDir, statat};

    let mut found = Vec::new();
    let mut buffer = Vec::with_capacity(BUFFER);
    let mut entries = RawDir::new(&directory, buffer.spare_capacity_mut());
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let Ok(name) = entry.file_name().to_str() else { continue };
        if matches!(name, "." | "..") {
            continue;
        }
        if found.len() == NAMES {
            return Ok((found, true));
        }
        let kind = match entry.file_type() {
            // Some file systems keep the kind elsewhere. A name that is gone by now was never there.
            FileType::Unknown => match statat(&directory, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) {
                Ok(status) => FileType::from_raw_mode(status.st_mode),
                Err(_) => continue,
            },
            kind => kind,
        };
        let listed = match kind {
            FileType::Symlink => Listed::Link,
            FileType::RegularFile => Listed::Kind(Kind::File),
            FileType::Directory => Listed::Kind(Kind::Directory),
            _ => Listed::Kind(Kind::Other),
        };
        found.push((name.to_owned(), listed));
    }
    Ok((found, false))
}

/// How many bytes of a directory the system is asked for at once.
#[cfg(any(target_os = "linux", target_os = "android"))]
const BUFFER: usize = 8 * 1024;

/// The names in a directory as the system lists them, and whether there are more.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn reopened(directory: &Dir) -> io::Result<Found> {
    listed(directory)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn listed(directory: &Dir) -> io::Result<Found> {
    let mut found = Vec::new();
    for entry in directory.entries()? {
        let entry = entry?;
        if found.len() == NAMES {
            return Ok((found, true));
        }
        let Ok(name) = entry.file_name().into_string() else { continue };
        let kind = entry.file_type()?;
        let listed = if kind.is_symlink() {
            Listed::Link
        } else if kind.is_file() {
            Listed::Kind(Kind::File)
        } else if kind.is_dir() {
            Listed::Kind(Kind::Directory)
        } else {
            Listed::Kind(Kind::Other)
        };
        found.push((name, listed));
    }
    Ok((found, false))
}
