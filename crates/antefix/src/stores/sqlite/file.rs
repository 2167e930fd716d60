//! The file: how it comes into being, and whether it is one of ours.
//!
//! 1. It appears whole: it is made under another name and linked into place, so that nobody meets half of it and of
//!    several who make it one wins.
//! 2. It can be read by its owner alone, at every moment and under any umask; so can the directories made for it.
//! 3. A file that is not ours is not opened with SQLite at all, because that might already change it.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::{Connection, OpenFlags};

use super::fault::Failure;
use super::schema;
use crate::error::Fault;
use crate::freeze::StoreError;

/// `AFix` in the header says whose file it is.
pub(super) const APPLICATION: u32 = u32::from_be_bytes(*b"AFix");

/// Makes the file if there is none, and checks that it is ours.
pub(super) fn ensure(path: &Path, steps: &[&str]) -> Result<(), Failure> {
    match fs::metadata(path) {
        Ok(found) if found.is_file() => check(path, steps),
        Ok(_) => Err(StoreError::new(Fault::Corrupt, "is not a file").into()),
        Err(error) if error.kind() == ErrorKind::NotFound => make(path, steps),
        Err(error) => Err(error.into()),
    }
}

/// Whether the file says of itself that it is ours. The log beside it cannot change that: the mark is set before the file
/// appears.
fn check(path: &Path, steps: &[&str]) -> Result<(), Failure> {
    let mut header = [0; 100];
    let corrupt = |what: &str| Err(StoreError::new(Fault::Corrupt, what).into());
    match File::open(path)?.read_exact(&mut header) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::UnexpectedEof && fs::metadata(path)?.len() == 0 => {
            return corrupt("is empty and so no store of antefix; remove it, and it is made anew");
        }
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return corrupt("is cut off, or no store of antefix"),
        Err(error) => return Err(error.into()),
    }
    let number = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if !header.starts_with(b"SQLite format 3\0") || number(68) != APPLICATION {
        return corrupt("is not a store of antefix");
    }
    schema::known(i64::from(number(60).cast_signed()), steps.len() as i64)?;
    Ok(())
}

fn make(path: &Path, steps: &[&str]) -> Result<(), Failure> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    make_directories(directory)?;
    let new = beside(path);
    let made = fill(&new, steps).and_then(|()| match fs::hard_link(&new, path) {
        // Somebody else was faster, and theirs is as good.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => check(path, steps),
        linked => Ok(linked?),
    });
    // What cannot be removed is an empty store under a name that nobody asks for.
    let _ = fs::remove_file(&new);
    made?;
    sync(directory)
}

/// An empty store.
fn fill(path: &Path, steps: &[&str]) -> Result<(), Failure> {
    let file = only_ours(path)?;
    let mut connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // Nobody else knows the file, and a torn one is thrown away: neither a journal nor many syncs are needed.
    connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")?;
    connection.pragma_update(None, "application_id", APPLICATION.cast_signed())?;
    schema::bring_up(&mut connection, steps)?;
    connection.execute_batch("PRAGMA journal_mode = WAL;")?;
    connection.close().map_err(|(_, error)| error)?;
    file.sync_all()?;
    Ok(())
}

/// A name that nobody else uses.
fn beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".new-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    name.into()
}

/// A new file that its owner alone can read. SQLite gives its other files the same permissions.
fn only_ours(path: &Path) -> Result<File, Failure> {
    // What a process that was killed long ago left under this very name.
    let _ = fs::remove_file(path);
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    // A umask can only have taken permissions away; here they come back.
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(file)
}

/// Makes the directories that are missing. Those that are there stay as they are.
fn make_directories(directory: &Path) -> Result<(), Failure> {
    if directory.is_dir() {
        return Ok(());
    }
    if let Some(parent) = directory.parent() {
        make_directories(parent)?;
    }
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(directory) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(()),
        made => made?,
    }
    #[cfg(unix)]
    fs::set_permissions(directory, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    directory.parent().map_or(Ok(()), sync)
}

/// A new name in a directory lasts only once the directory is on the disk.
fn sync(directory: &Path) -> Result<(), Failure> {
    if cfg!(unix) {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}
