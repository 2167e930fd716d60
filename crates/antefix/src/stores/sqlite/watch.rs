//! Whether the files of a store are still those that were opened.
//!
//! 1. SQLite keeps descriptors and never looks at the names again. What is written through a descriptor whose file has lost its
//!    name is gone with the process; what is written under two names of one file goes to two logs, and one of them is lost.
//! 2. So the names are looked at before and behind every transaction that writes: three calls of the system each time. A name
//!    leads to the file that was opened if device and number are the same.
//! 3. What is left: a file that is removed after a write was acknowledged. As long as the process runs, the next write, or the
//!    next question whether the store is ready, notices it, and what a log held is put into the file before that is answered.
//!    Who kills the process in between has removed what was acknowledged. And between SQLite's opening of a new log and the first
//!    look at its name there are some microseconds in which another file may take the name.
//!
//! Where files have no number, as on Windows, nothing is looked at; there an open file cannot be removed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Fault;
use crate::freeze::StoreError;

/// The names of a store's files.
pub(super) struct Names {
    /// As it was given, links and all.
    file: PathBuf,
    log: PathBuf,
    index: PathBuf,
}

/// The files that were opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Opened {
    file: Option<Identity>,
    log: Option<Identity>,
    index: Option<Identity>,
}

/// What identifies a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    number: u64,
}

/// What happened to the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Displaced {
    /// The file is not there.
    Removed,
    /// Another file is in its place.
    Replaced,
    /// It has so many names.
    Linked(u64),
    /// The log, and whether anything is in its place.
    Log(InItsPlace),
    /// The log is there, and its index is not.
    Index,
}

/// What is where the log was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InItsPlace {
    Nothing,
    /// A file with nothing in it: SQLite makes one when it finds none.
    Empty,
    Something,
}

impl Names {
    /// The names of the store with this one. SQLite keeps log and index beside the file itself, wherever links lead.
    pub(super) fn of(path: &Path) -> std::io::Result<Names> {
        let real = fs::canonicalize(path)?;
        Ok(Names { file: path.to_owned(), log: beside(&real, "-wal"), index: beside(&real, "-shm") })
    }

    /// The files that these names lead to now.
    pub(super) fn look(&self) -> Opened {
        Opened { file: identity(&self.file), log: identity(&self.log), index: identity(&self.index) }
    }

    /// How long the log is.
    pub(super) fn log_length(&self) -> u64 {
        fs::metadata(&self.log).map_or(0, |log| log.len())
    }

    /// Whether the file itself is the one that was opened.
    pub(super) fn check_file(&self, opened: &Opened) -> Result<(), Displaced> {
        let Some(expected) = opened.file else { return Ok(()) };
        match found(&self.file) {
            None => Err(Displaced::Removed),
            Some((found, _)) if found != expected => Err(Displaced::Replaced),
            Some((_, names)) if names > 1 => Err(Displaced::Linked(names)),
            Some(_) => Ok(()),
        }
    }

    /// Whether all files are those that were opened.
    pub(super) fn check(&self, opened: &Opened) -> Result<(), Displaced> {
        self.check_file(opened)?;
        if opened.file.is_none() {
            return Ok(());
        }
        match identity(&self.log) {
            log if log == opened.log => {}
            None => return Err(Displaced::Log(InItsPlace::Nothing)),
            Some(_) if self.log_length() == 0 => return Err(Displaced::Log(InItsPlace::Empty)),
            Some(_) => return Err(Displaced::Log(InItsPlace::Something)),
        }
        if identity(&self.index) == opened.index { Ok(()) } else { Err(Displaced::Index) }
    }
}

impl Displaced {
    /// Whether the store can be put right by whoever has it open alone.
    pub(super) fn is_curable(self) -> bool {
        matches!(self, Displaced::Log(InItsPlace::Nothing | InItsPlace::Empty) | Displaced::Index)
    }

    fn message(self) -> String {
        match self {
            Displaced::Removed => "was removed or replaced while it was in use: put it back, or start again".to_owned(),
            Displaced::Replaced => {
                "was removed or replaced while it was in use: another file is in its place".to_owned()
            }
            Displaced::Linked(names) => {
                format!("has {names} names (hard links), and each would have a log of its own: remove the others")
            }
            Displaced::Log(InItsPlace::Something) => {
                "cannot be written: its log was replaced by another file (`-wal`); put the log back".to_owned()
            }
            Displaced::Log(_) => {
                "cannot be written: its log was removed (`-wal`) while others use it, too; end them".to_owned()
            }
            Displaced::Index => {
                "cannot be written: the index of its log was removed (`-shm`) while others use it, too; end them"
                    .to_owned()
            }
        }
    }
}

impl From<Displaced> for StoreError {
    fn from(displaced: Displaced) -> StoreError {
        StoreError::new(Fault::Displaced, displaced.message())
    }
}

/// The name of a file beside another one.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// How many names a file has.
pub(super) fn names(path: &Path) -> u64 {
    found(path).map_or(1, |(_, names)| names)
}

/// Whether two names lead to one file.
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    identity(one).is_some_and(|one| identity(other) == Some(one))
}

fn identity(path: &Path) -> Option<Identity> {
    found(path).map(|(identity, _)| identity)
}

/// What identifies the file with this name, and how many names it has.
#[cfg(unix)]
fn found(path: &Path) -> Option<(Identity, u64)> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::metadata(path).ok()?;
    Some((Identity { device: found.dev(), number: found.ino() }, found.nlink()))
}

#[cfg(not(unix))]
fn found(_: &Path) -> Option<(Identity, u64)> {
    None
}
