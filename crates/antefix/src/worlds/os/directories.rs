//! Listing one directory beneath a root.

use std::io;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, FileType};

use super::answer;
use super::files::{is_escape, outside, relative_to_root, stays_beneath};
use super::straight::{self, Straight, Target};
use crate::discover::{Answer, Kind, Link, ListedEntry, Listing};

/// How many names are read before the rest is only known to be there. The order in which a system lists a directory is
/// its own, so that what is left out past this number differs from machine to machine; no sane directory gets there.
const NAMES: usize = 100_000;

/// The first `limit` names in the directory at `path` beneath `root`, sorted by their bytes.
pub(super) fn list(root: &Path, path: &Path, limit: usize) -> Answer<Listing> {
    if path.as_os_str().as_encoded_bytes().contains(&0) {
        return Answer::Absent;
    }
    if !stays_beneath(path) {
        return outside();
    }
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    match straight::open(root, path, Target::Directory) {
        Straight::Opened(directory) => answer(names(root, path, &Dir::from_std_file(directory), limit)),
        Straight::Absent => Answer::Absent,
        Straight::Blocked => list_carefully(root, path, limit),
    }
}

/// Lists beneath a descriptor of the root.
fn list_carefully(root: &Path, path: &Path, limit: usize) -> Answer<Listing> {
    answer(Dir::open_ambient_dir(root, ambient_authority())).and_then(|dir| {
        let opened = match dir.open_dir(path) {
            Err(error) if is_escape(&error) => match relative_to_root(root, path) {
                Answer::Present(inside) => dir.open_dir(inside),
                Answer::Absent => return Answer::Absent,
                Answer::Unavailable(reason) => return Answer::Unavailable(reason),
            },
            opened => opened,
        };
        answer(opened).and_then(|directory| answer(names(root, path, &directory, limit)))
    })
}

fn names(root: &Path, path: &Path, directory: &Dir, limit: usize) -> io::Result<Listing> {
    let mut found = Vec::new();
    let mut more = false;
    for entry in directory.entries()? {
        let entry = entry?;
        if found.len() == NAMES {
            more = true;
            break;
        }
        if let Ok(name) = entry.file_name().into_string() {
            found.push((name, entry.file_type()?));
        }
    }
    found.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    more |= found.len() > limit;
    found.truncate(limit);
    let entries = found.into_iter().map(|(name, listed)| {
        // The directory itself says what is no link.
        if !listed.is_symlink() {
            return ListedEntry { name, kind: Some(kind(listed)), link: Link::None };
        }
        let metadata = match directory.metadata(&name) {
            // An absolute link may still come back in.
            Err(error) if is_escape(&error) => {
                let inside = relative_to_root(root, &path.join(&name)).present();
                let dir = Dir::open_ambient_dir(root, ambient_authority()).ok();
                dir.zip(inside).and_then(|(dir, inside)| dir.metadata(inside).ok())
            }
            metadata => metadata.ok(),
        };
        ListedEntry { name, kind: metadata.map(|metadata| kind(metadata.file_type())), link: Link::Symbolic }
    });
    Ok(Listing { entries: entries.collect(), more })
}

fn kind(listed: FileType) -> Kind {
    if listed.is_file() {
        Kind::File
    } else if listed.is_dir() {
        Kind::Directory
    } else {
        Kind::Other
    }
}
