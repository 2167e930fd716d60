//! How the file is opened, and how its log is.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Error, ErrorCode, OpenFlags};

use super::fault::Failure;
use super::probe;
use super::watch::{self, Displaced, InItsPlace, Names};
use crate::error::Fault;
use crate::freeze::StoreError;

/// How many statements a connection keeps prepared: all that there are.
const STATEMENTS: usize = 50;

/// How long a first look waits for somebody who puts a log right.
const READING: Duration = Duration::from_secs(5);

/// How long one sleeps before the journal mode is tried again.
const PAUSE: Duration = Duration::from_millis(5);

/// `journal_size_limit` gives the disk back what a long log took; `cell_size_check` notices damage sooner.
/// The cache is 2 MB: the upper pages of a ledger of a million epochs, and little enough to stay near the processor.
const SETTINGS: &str = "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; \
                        PRAGMA cell_size_check = ON; PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -2000;";

/// How the file can be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// As usual. Whether it may be written shows when somebody writes.
    Usual,
    /// Nothing can be written beside it, so that SQLite cannot keep its log there, and there is no log: it is read as
    /// if it never changed. A connection then answers one question, because it would not notice a change.
    Immutable,
}

/// Opens the file. No question waits longer than `patience` for others.
pub(super) fn open(path: &Path, access: Access, patience: Duration) -> Result<Connection, Failure> {
    // No mutex: a connection is never in two threads at once.
    let connection = match access {
        Access::Usual => {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(path, flags)?
        }
        Access::Immutable => open_unchanging(path)?,
    };
    match set_up(&connection, patience) {
        Ok(()) => Ok(connection),
        // While the connection is open: what it has may be the last descriptor.
        Err(error) => Err(Failure::from(error).looked_into(path)),
    }
}

/// Settings, and the first look into the file: here it shows whether it can be read.
fn set_up(connection: &Connection, patience: Duration) -> rusqlite::Result<()> {
    // Before anything is asked: the settings read the file, too.
    connection.busy_timeout(patience)?;
    // Whatever somebody wrote into the schema of a file, nothing of it runs.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    // A plan does not depend on the values asked for. Else SQLite makes it anew for each value, which takes five times as
    // long as the question itself.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.execute_batch(SETTINGS)?;
    super::schema::version(connection).map(drop)
}

/// Opens a file as one that never changes: nothing is written, beside it neither, and no lock is taken.
pub(super) fn open_unchanging(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(immutable(path), flags)
}

/// Opens a file to be read together with its log.
pub(super) fn open_reading(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(READING)?;
    Ok(connection)
}

/// The address of a file that is read as if it never changed.
fn immutable(path: &Path) -> String {
    let escaped = |byte: &u8| match byte {
        b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => char::from(*byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    let path: String = path.as_os_str().as_encoded_bytes().iter().map(escaped).collect();
    format!("file:{path}?immutable=1")
}

/// Sees to it that the file has a write-ahead log. A copy that somebody made with `VACUUM INTO`, and a file in which somebody
/// changed that, has another kind of journal, with which whoever reads waits for whoever writes.
///
/// A file that may not be written stays as it is: without writers nobody waits.
pub(super) fn use_log(connection: &Connection, path: &Path, deadline: Instant) -> Result<(), Failure> {
    let mode = |pragma: &str| connection.query_row(pragma, [], |row| row.get::<_, String>(0));
    if mode("PRAGMA journal_mode")? == "wal" {
        return Ok(());
    }
    loop {
        match mode("PRAGMA journal_mode = WAL") {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(mode) => {
                let message = format!(
                    "has a journal of the kind `{mode}`, and cannot have a write-ahead log: \
                     move it to a disk of this machine"
                );
                return Err(StoreError::new(Fault::Failed, message).into());
            }
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => return Ok(()),
            Err(error) if is_closed_off(&error) && probe::is_closed_off(path)? => return Ok(()),
            Err(error) if is_busy(&error) && Instant::now() < deadline => std::thread::sleep(PAUSE),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Whether the log beside the file is the one that those who use the file write: its index, which they all share, says how many
/// pages it has. Somebody may have removed it under them, and SQLite then makes an empty one.
pub(super) fn check_log(connection: &Connection, names: &Names) -> Result<(), Failure> {
    let pages: i64 = match connection.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| row.get(1)) {
        // Whoever may not write is not asked to.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => return Ok(()),
        pages => pages?,
    };
    let size: i64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
    // A header of 32 bytes, and one of 24 for each page.
    let expected = if pages > 0 { 32 + pages * (24 + size) } else { 0 };
    if names.log_length() >= expected.cast_unsigned() {
        return Ok(());
    }
    Err(StoreError::from(Displaced::Log(InItsPlace::Nothing)).into())
}

/// A look into the file, by which SQLite opens its log.
pub(super) fn readable(connection: &Connection) -> rusqlite::Result<()> {
    super::schema::version(connection).map(drop)
}

/// Lets a connection leave the log alone when it is closed. What has its name by now may belong to others.
pub(super) fn leave_log(connection: &Connection) {
    // It cannot fail: it sets a flag.
    let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
}

/// Whether others hold the file.
pub(super) fn is_busy(error: &Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

/// Whether SQLite could not make its own files beside the file, or could not open one for another reason.
pub(super) fn is_closed_off(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// Whether there is a log with something in it.
pub(super) fn has_log(path: &Path) -> bool {
    std::fs::metadata(watch::beside(path, "-wal")).is_ok_and(|log| log.len() > 0)
}
