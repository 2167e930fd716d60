//! The file: how it comes into being, and whether it is one of ours.
//!
//! 1. It appears whole: it is made under another name and linked into place, so that nobody meets half of it and of
//!    several who make it one wins.
//! 2. It can be read by its owner alone, at every moment and under any umask.
//! 3. A file that is not ours is not opened with SQLite at all, because that might already change it.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::fault::Failure;
use super::watch::Displaced;
use super::{opening, schema, watch};
use crate::error::Fault;
use crate::freeze::StoreError;
use crate::stores::failpoint;

/// `AFix` in the header says whose file it is.
pub(super) const APPLICATION: u32 = u32::from_be_bytes(*b"AFix");

/// What follows a file's name in the name that it is made under.
const NEW: &str = ".new-";

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
///
/// It is SQLite that reads it, as a file that never changes. A descriptor of our own would, when it is closed, take along all
/// locks that this process has on the file: another process could then remove the log under us.
fn check(path: &Path, steps: &[&str]) -> Result<(), Failure> {
    let corrupt = |what: &str| Err(StoreError::new(Fault::Corrupt, what).into());
    match fs::metadata(path)?.len() {
        0 => return corrupt("is empty and so no store of antefix; remove it, and it is made anew"),
        1..100 => return corrupt("is cut off, or no store of antefix"),
        _ => {}
    }
    let header = |connection: rusqlite::Result<Connection>| {
        let connection = connection?;
        let number = |pragma: &str| connection.query_row(pragma, [], |row| row.get::<_, i64>(0));
        Ok((number("PRAGMA application_id")?, number("PRAGMA user_version")?))
    };
    let found = match header(opening::open_unchanging(path)) {
        // Part of a log is in the file, by somebody who is at it or was killed: only together they are whole.
        Err(error) if is_corrupt(&error) && opening::has_log(path) => header(opening::open_reading(path)),
        found => found,
    };
    let version = match found {
        Ok((application, version)) if application == i64::from(APPLICATION.cast_signed()) => version,
        Ok(_) => return corrupt("is not a store of antefix"),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            return corrupt("is not a store of antefix");
        }
        Err(error) => return Err(error.into()),
    };
    schema::known(version, steps.len() as i64)?;
    check_names(path)
}

fn is_corrupt(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt)
}

/// Whether the file has one name. Under another one it would have another log.
fn check_names(path: &Path) -> Result<(), Failure> {
    if watch::names(path) > 1 {
        remove_leftovers(path);
    }
    match watch::names(path) {
        ..2 => Ok(()),
        names => Err(StoreError::from(Displaced::Linked(names)).into()),
    }
}

/// Removes the names that the file was made under by processes that were killed then, or have not come to remove them yet.
fn remove_leftovers(path: &Path) {
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else { return };
    let Ok(entries) = fs::read_dir(directory) else { return };
    let beginning = [name.as_encoded_bytes(), NEW.as_bytes()].concat();
    for entry in entries.flatten() {
        if entry.file_name().as_encoded_bytes().starts_with(&beginning) && watch::is_same(&entry.path(), path) {
            // What cannot be removed is found by whoever counts the names again.
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn make(path: &Path, steps: &[&str]) -> Result<(), Failure> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    if fs::metadata(directory).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        let message = format!("cannot be made: there is no directory {}", directory.display());
        let hint = format!("make it first (`mkdir -p -m 700 {}`), or name another file", directory.display());
        return Err(StoreError::new(Fault::Failed, message).with_hint(hint).into());
    }
    let new = beside(path);
    let made = fill(&new, steps).and_then(|()| {
        failpoint::reach("a file is made under another name")?;
        match fs::hard_link(&new, path) {
            // Somebody else was faster, and theirs is as good.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => check(path, steps),
            linked => Ok(linked?),
        }?;
        Ok(failpoint::reach("a file has its name")?)
    });
    // What cannot be removed is an empty store under a name that nobody asks for.
    let _ = fs::remove_file(&new);
    made?;
    failpoint::reach("a file has lost its other name")?;
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
    failpoint::reach("a new file has its schema")?;
    connection.execute_batch("PRAGMA journal_mode = WAL;")?;
    connection.close().map_err(|(_, error)| error)?;
    file.sync_all()?;
    Ok(())
}

/// A name that nobody else uses.
fn beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut name = path.as_os_str().to_owned();
    name.push(format!("{NEW}{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
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

/// A new name in a directory lasts only once the directory is on the disk.
fn sync(directory: &Path) -> Result<(), Failure> {
    if cfg!(unix) {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}
