//! Ledgers in one file, with SQLite.
//!
//! 1. Acknowledged means on the disk: write-ahead log, `synchronous = FULL`. A process may be killed at any moment.
//! 2. Any number of threads and processes of one machine may use the file. Who reads waits for nobody; who writes waits
//!    for others for a bounded time, 5 seconds unless told otherwise.
//! 3. A file that is not a store, is damaged or is newer is recognized and left as it is. A text that does not have the digest
//!    it is kept under is damage, too.
//! 4. What was acknowledged is in files that can be found again: a file, log or index that somebody removed, replaced or linked
//!    is noticed before a write is acknowledged, and put right where that is possible. See [`watch`].
//! 5. Where nothing may be written the file is read, if that is possible at all.
//! 6. Space that a sweep frees is used again, and is not given back to the disk.
//!
//! A network file system is no place for it: the log needs memory that all users of the file share.

#![allow(clippy::disallowed_methods, reason = "an adapter touches the machine")]

mod connections;
mod copies;
mod cure;
mod fault;
mod file;
mod insertions;
mod opencode;
mod opening;
mod probe;
mod rows;
mod schema;
mod stamp;
mod store;
mod sweep;
mod templates;
#[cfg(test)]
mod tests;
mod uses;
mod watch;

pub(crate) use self::opencode::opencode_rows;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use self::connections::Connections;
use self::fault::Failure;
use self::uses::DeferredUses;
use crate::error::Fault;
use crate::freeze::store::{StoreError, StoreResult};
use crate::stores::private_directory;
use crate::text::Digest;

/// How long a question waits for others.
const PATIENCE: Duration = Duration::from_secs(5);

/// The first SQLite in which a write that meets a checkpoint cannot damage the file.
const OLDEST: i32 = 3_051_003;

/// A store in a file.
pub struct SqliteStore {
    connections: Connections,
    /// Texts that were checked against their digests; see [`SqliteStore::texts`].
    checked: Mutex<BTreeSet<Digest>>,
    /// Uses that somebody who wrote kept from being noted; see [`SqliteStore::note_use`](crate::freeze::Store::note_use).
    uses: DeferredUses,
}

impl SqliteStore {
    /// Opens the store in this file, and makes the file if there is none. Its directory must be there: one that is not is mostly
    /// a slip of the pen, and would hide a new, empty ledger.
    pub fn open(path: impl AsRef<Path>) -> StoreResult<SqliteStore> {
        SqliteStore::patient(path, PATIENCE)
    }

    /// The same, and makes the file's directories, for their user alone: for a place that nobody had to write down.
    pub fn open_with_directories(path: impl AsRef<Path>) -> StoreResult<SqliteStore> {
        let path = path.as_ref();
        let made = path.parent().map_or(Ok(()), private_directory);
        made.map_err(|error| Failure::from(error).of(path))?;
        SqliteStore::open(path)
    }

    /// Opens it with another patience: how long a question waits for others before it fails as busy.
    pub fn patient(path: impl AsRef<Path>, patience: Duration) -> StoreResult<SqliteStore> {
        SqliteStore::with_steps(path.as_ref(), patience, schema::STEPS)
    }

    fn with_steps(path: &Path, patience: Duration, steps: &[&str]) -> StoreResult<SqliteStore> {
        let connections = connect(path, patience, steps).map_err(|failure| failure.of(path))?;
        Ok(SqliteStore { connections, checked: Mutex::default(), uses: DeferredUses::default() })
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SqliteStore").field(&self.connections.path()).finish()
    }
}

fn connect(path: &Path, patience: Duration, steps: &[&str]) -> Result<Connections, Failure> {
    if rusqlite::version_number() < OLDEST {
        let message = format!("needs SQLite 3.51.3 or newer, and {} is linked", rusqlite::version());
        return Err(StoreError::new(Fault::Failed, message).into());
    }
    // SQLite has names with a meaning, `:memory:` for one. None of them begins with a slash.
    let path = std::path::absolute(path)?;
    file::ensure(&path, steps)?;
    let connections = Connections::new(path, patience, steps.len() as i64)?;
    connections.alter(|connection| schema::bring_up(connection, steps))?;
    connections.use_log()?;
    Ok(connections)
}
