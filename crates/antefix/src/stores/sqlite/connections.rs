//! Connections to the file, and whose turn it is to write.
//!
//! 1. A question gets a connection for itself and gives it back. There are never more than [`MOST`].
//! 2. One thread of a process writes at a time; the others wait here in a line, where they are woken in no time, and not
//!    in SQLite, which sleeps and tries again. Between processes SQLite's own lock decides.
//! 3. All waiting of one question together ends after the patience that the store was given.
//! 4. A connection that failed is closed: what it has in its memory may not be what is in the file.
//! 5. Nothing is written to a file that has another one in its place by now, or none: nobody would find it again.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Error, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use super::fault::Failure;
use crate::error::Fault;
use crate::freeze::StoreError;

/// How many connections a store has at most: more readers than that would wait for processors anyway.
const MOST: usize = 8;

/// How long a writer sleeps before it tries again while another process writes.
const SHORTEST_PAUSE: Duration = Duration::from_micros(500);
const LONGEST_PAUSE: Duration = Duration::from_millis(5);

/// How many statements a connection keeps prepared: all that there are.
const STATEMENTS: usize = 50;

/// `journal_size_limit` gives the disk back what a long log took; `cell_size_check` notices damage sooner.
/// The cache is 2 MB: the upper pages of a ledger of a million epochs, and little enough to stay near the processor.
const SETTINGS: &str = "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; \
                        PRAGMA cell_size_check = ON; PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -2000;";

/// The connections of a store.
pub(super) struct Connections {
    path: PathBuf,
    access: Access,
    pub(super) patience: Duration,
    /// What identifies the file, where the system has that.
    identity: Option<(u64, u64)>,
    state: Mutex<State>,
    /// Somebody gave a connection back, or its place.
    freed: Condvar,
}

/// How the file can be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Access {
    /// As usual. Whether it may be written shows when somebody writes.
    Usual,
    /// Nothing can be written beside it, so that SQLite cannot keep its log there, and there is no log: it is read as
    /// if it never changed. A connection then answers one question, because it would not notice a change.
    Immutable,
}

#[derive(Default)]
struct State {
    idle: Vec<Connection>,
    /// Those lent and those idle.
    open: usize,
    /// How many wait for one. Waking nobody is a system call, too.
    waiting: usize,
    writing: bool,
    /// Who waits for writing, first come first served.
    line: VecDeque<Thread>,
}

impl Connections {
    /// Opens the first connection, and finds out how the file can be opened.
    pub(super) fn new(path: PathBuf, patience: Duration) -> Result<Connections, Failure> {
        let first = open(&path, Access::Usual).and_then(|connection| {
            connection.busy_timeout(patience)?;
            readable(&connection)?;
            Ok(connection)
        });
        let (first, access) = match first {
            Ok(connection) => (connection, Access::Usual),
            Err(error) if is_closed_off(&error) && !has_log(&path) => {
                let connection = open(&path, Access::Immutable)?;
                readable(&connection)?;
                (connection, Access::Immutable)
            }
            Err(error) => return Err(error.into()),
        };
        let state = State { idle: vec![first], open: 1, ..State::default() };
        let identity = identity(&path);
        Ok(Connections { path, access, patience, identity, state: Mutex::new(state), freed: Condvar::new() })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// A connection outside of the line, for whoever keeps it; none where a connection would not notice a change.
    pub(super) fn apart(&self) -> Result<Option<Connection>, Failure> {
        match self.access {
            Access::Usual => Ok(Some(open(&self.path, self.access)?)),
            Access::Immutable => Ok(None),
        }
    }

    /// Asks without writing.
    pub(super) fn read<T>(&self, ask: impl FnOnce(&Connection) -> Result<T, Failure>) -> Result<T, Failure> {
        let deadline = Instant::now() + self.patience;
        self.lend(MOST, deadline, |connection| ask(connection))
    }

    /// Writes all or nothing. While somebody else writes, `meanwhile` looks whether there is still anything to do.
    pub(super) fn write<T>(
        &self,
        meanwhile: impl Fn(&Connection) -> Result<Option<T>, Failure>,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let deadline = Instant::now() + self.patience;
        let _permit = self.permit(deadline)?;
        // Whoever may write does not wait for those who read.
        self.lend(MOST + 1, deadline, |connection| {
            let mut pause = Duration::ZERO;
            loop {
                if let Some(answer) = meanwhile(connection)? {
                    return Ok(answer);
                }
                match begin(connection) {
                    Ok(transaction) => {
                        if identity(&self.path) != self.identity {
                            let message = "was removed or replaced while it was in use: put it back, or start again";
                            return Err(StoreError::new(Fault::Failed, message).into());
                        }
                        let answer = work(&transaction)?;
                        transaction.commit()?;
                        return Ok(answer);
                    }
                    Err(error) if is_busy(&error) && Instant::now() < deadline => {
                        pause = (pause + SHORTEST_PAUSE).min(LONGEST_PAUSE);
                        std::thread::sleep(pause);
                    }
                    Err(error) => return Err(error.into()),
                }
            }
        })
    }

    /// Does what needs a connection to itself, with at most so many connections.
    fn lend<T>(
        &self,
        most: usize,
        deadline: Instant,
        work: impl FnOnce(&mut Connection) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let (place, idle) = self.place(most, deadline)?;
        let mut connection = match idle {
            Some(connection) => connection,
            None => open(&self.path, self.access)?,
        };
        connection.busy_timeout(deadline.saturating_duration_since(Instant::now()))?;
        let answer = work(&mut connection);
        let good = match &answer {
            Ok(_) | Err(Failure::Ours(_)) => true,
            Err(failure) => failure.fault() == Fault::Busy,
        };
        if good && self.access == Access::Usual && connection.is_autocommit() {
            place.give_back(connection);
        }
        answer
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Every change of the state is one statement, so a panic leaves nothing half-done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives something back, and wakes whoever waits for it.
    fn free(&self, give: impl FnOnce(&mut State)) {
        let mut state = self.state();
        give(&mut state);
        let waiting = state.waiting > 0;
        drop(state);
        if waiting {
            self.freed.notify_one();
        }
    }

    /// Changes the shape of the file.
    pub(super) fn alter(&self, work: impl FnOnce(&mut Connection) -> Result<(), Failure>) -> Result<(), Failure> {
        self.lend(MOST, Instant::now() + self.patience, work)
    }

    /// An idle connection, or the place for another one.
    fn place(&self, most: usize, deadline: Instant) -> Result<(Place<'_>, Option<Connection>), Failure> {
        let mut state = self.state();
        loop {
            let idle = state.idle.pop();
            if idle.is_some() || state.open < most {
                state.open += usize::from(idle.is_none());
                return Ok((Place(self), idle));
            }
            let left = left(deadline)?;
            state.waiting += 1;
            state = self.freed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
            state.waiting -= 1;
        }
    }

    /// Waits for the right to write.
    fn permit(&self, deadline: Instant) -> Result<Permit<'_>, Failure> {
        let me = std::thread::current();
        let mut state = self.state();
        if !state.writing && state.line.is_empty() {
            state.writing = true;
            return Ok(Permit(self));
        }
        state.line.push_back(me.clone());
        loop {
            if !state.writing && state.line.front().is_some_and(|first| first.id() == me.id()) {
                state.line.pop_front();
                state.writing = true;
                return Ok(Permit(self));
            }
            let left = match left(deadline) {
                Ok(left) => left,
                Err(busy) => {
                    state.line.retain(|waiting| waiting.id() != me.id());
                    // It may have been woken just now, and would have gone.
                    state.wake_first();
                    return Err(busy);
                }
            };
            drop(state);
            std::thread::park_timeout(left);
            state = self.state();
        }
    }
}

impl State {
    fn wake_first(&self) {
        if let Some(first) = self.line.front().filter(|_| !self.writing) {
            first.unpark();
        }
    }
}

/// How long it may still take.
fn left(deadline: Instant) -> Result<Duration, Failure> {
    match deadline.saturating_duration_since(Instant::now()) {
        Duration::ZERO => Err(StoreError::new(Fault::Busy, "is held by other threads for too long").into()),
        left => Ok(left),
    }
}

/// The right to write.
struct Permit<'c>(&'c Connections);

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.writing = false;
        state.wake_first();
    }
}

/// The place of an open connection.
struct Place<'c>(&'c Connections);

impl Place<'_> {
    /// The connection keeps its place.
    fn give_back(self, connection: Connection) {
        self.0.free(|state| state.idle.push(connection));
        std::mem::forget(self);
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.free(|state| state.open -= 1);
    }
}

/// Takes the lock for writing, or fails at once. SQLite's own way of waiting sleeps for up to a tenth of a second, which
/// is many writes long.
fn begin(connection: &Connection) -> rusqlite::Result<Transaction<'_>> {
    connection.busy_timeout(Duration::ZERO)?;
    Transaction::new_unchecked(connection, TransactionBehavior::Immediate)
}

fn is_busy(error: &Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}

fn open(path: &Path, access: Access) -> rusqlite::Result<Connection> {
    // No mutex: a connection is never in two threads at once.
    let connection = match access {
        Access::Usual => {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(path, flags)?
        }
        Access::Immutable => {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            Connection::open_with_flags(immutable(path), flags | OpenFlags::SQLITE_OPEN_URI)?
        }
    };
    // Whatever somebody wrote into the schema of a file, nothing of it runs.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    // A plan does not depend on the values asked for. Else SQLite makes it anew for each value, which takes five times as
    // long as the question itself.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.execute_batch(SETTINGS)?;
    Ok(connection)
}

/// What identifies a file.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(_: &Path) -> Option<(u64, u64)> {
    None
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

/// The first look into the file: here it shows whether it can be read.
fn readable(connection: &Connection) -> rusqlite::Result<()> {
    super::schema::version(connection).map(drop)
}

/// Whether SQLite could not make its own files beside the file.
fn is_closed_off(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// Whether there is a log with something in it.
fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    std::fs::metadata(log).is_ok_and(|log| log.len() > 0)
}
