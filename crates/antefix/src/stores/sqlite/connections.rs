//! Connections to the file, and whose turn it is to write.
//!
//! 1. A question gets a connection for itself and gives it back. There are never more than [`MOST`].
//! 2. One thread of a process writes at a time; the others wait here in a line, where they are woken in no time, and not
//!    in SQLite, which sleeps and tries again. Between processes SQLite's own lock decides.
//! 3. All waiting of one question together ends after the patience that the store was given.
//! 4. A connection that failed is closed: what it has in its memory may not be what is in the file.
//! 5. Nothing is written to files that have others in their places by now, or none: nobody would find it again. And nothing is
//!    written to a file that a newer antefix has brought to a newer schema meanwhile.
//! 6. Where no further connection can be opened, those that there are go from hand to hand.

use std::collections::VecDeque;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

use super::fault::Failure;
pub(super) use super::opening::leave_log;
use super::opening::{self, Access, is_busy, is_closed_off, open, readable};
use super::probe;
use super::schema;
use super::stamp::Stamps;
use super::watch::{Displaced, Names, Opened};
use crate::error::Fault;
use crate::freeze::StoreError;
use crate::freeze::store::Stamp;
use crate::stores::failpoint;

/// How many connections a store has at most: more readers than that would wait for processors anyway.
const MOST: usize = 8;

/// How long a writer sleeps before it tries again while another process writes.
const SHORTEST_PAUSE: Duration = Duration::from_micros(500);
const LONGEST_PAUSE: Duration = Duration::from_millis(5);

/// The connections of a store.
pub(super) struct Connections {
    path: PathBuf,
    pub(super) access: Access,
    pub(super) patience: Duration,
    /// The newest schema that this antefix knows.
    newest: i64,
    pub(super) names: Names,
    /// The files that were opened.
    opened: Mutex<Opened>,
    /// How many connections there are, however they end.
    alive: Arc<AtomicUsize>,
    state: Mutex<State>,
    /// Somebody gave a connection back, or its place.
    pub(super) freed: Condvar,
    /// The connection that only counts.
    pub(super) stamps: Stamps,
}

/// A connection that is counted as long as it is open.
pub(super) struct Live {
    connection: Connection,
    alive: Arc<AtomicUsize>,
}

impl Live {
    fn new(connection: Connection, alive: &Arc<AtomicUsize>) -> Live {
        alive.fetch_add(1, Ordering::SeqCst);
        Live { connection, alive: Arc::clone(alive) }
    }
}

impl Deref for Live {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.alive.fetch_sub(1, Ordering::SeqCst);
    }
}

#[derive(Default)]
pub(super) struct State {
    pub(super) idle: Vec<Live>,
    /// Those lent and those idle.
    pub(super) open: usize,
    /// Nobody gets a connection: somebody needs all of them.
    pub(super) curing: bool,
    /// How many wait for one. Waking nobody is a system call, too.
    waiting: usize,
    writing: bool,
    /// Who waits for writing, first come first served.
    line: VecDeque<Thread>,
}

impl Connections {
    /// Opens the first connection, and finds out how the file can be opened.
    pub(super) fn new(path: PathBuf, patience: Duration, newest: i64) -> Result<Connections, Failure> {
        let names = Names::of(&path)?;
        let (first, access) = match open(&path, Access::Usual, patience) {
            Ok(connection) => (connection, Access::Usual),
            Err(Failure::Sqlite(error))
                if is_closed_off(&error) && !opening::has_log(&path) && probe::is_closed_off(&path)? =>
            {
                (open(&path, Access::Immutable, patience)?, Access::Immutable)
            }
            Err(failure) => return Err(failure),
        };
        schema::known(schema::version(&first)?, newest)?;
        if access == Access::Usual {
            opening::check_log(&first, &names)?;
        }
        let alive = Arc::default();
        let state = State { idle: vec![Live::new(first, &alive)], open: 1, ..State::default() };
        let (opened, state) = (Mutex::new(names.look()), Mutex::new(state));
        let (freed, stamps) = (Condvar::new(), Stamps::default());
        Ok(Connections { path, access, patience, newest, names, opened, alive, state, freed, stamps })
    }

    /// Sees to it that there is a write-ahead log, once it is known that the file is a store and nothing is missing in it.
    pub(super) fn use_log(&self) -> Result<(), Failure> {
        let deadline = Instant::now() + self.patience;
        self.lend(MOST, deadline, |connection| {
            if self.access == Access::Usual {
                opening::use_log(connection, &self.path, deadline)?;
                readable(connection)?;
            }
            *self.opened() = self.names.look();
            Ok(())
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Which moment it is. This waits for nobody.
    pub(super) fn stamp(&self) -> Result<Option<Stamp>, Failure> {
        self.stamps.now(|| self.apart())
    }

    /// A connection outside of the line; none where it would not notice a change, or somebody is opening one or looking at the
    /// files at this moment.
    fn apart(&self) -> Result<Option<Connection>, Failure> {
        let Ok(opened) = self.opened.try_lock() else { return Ok(None) };
        if self.access == Access::Immutable || self.names.check(&opened).is_err() {
            return Ok(None);
        }
        Ok(Some(open(&self.path, self.access, Duration::ZERO)?))
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
        let mut work = Some(work);
        loop {
            // Whoever may write does not wait for those who read.
            let tried = self.lend(MOST + 1, deadline, |connection| {
                let mut pause = Duration::ZERO;
                loop {
                    if let Some(answer) = meanwhile(connection)? {
                        return Ok(Tried::NotNeeded(answer));
                    }
                    match begin(connection) {
                        Ok(transaction) => return self.transact(transaction, &mut work),
                        Err(error) if is_busy(&error) && Instant::now() < deadline => {
                            pause = (pause + SHORTEST_PAUSE).min(LONGEST_PAUSE);
                            std::thread::sleep(pause);
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
            })?;
            match tried {
                Tried::NotNeeded(answer) => return Ok(answer),
                Tried::Displaced(displaced) => self.cure(displaced, deadline)?,
                Tried::Written(answer) => {
                    if let Err(displaced) = self.check() {
                        self.cure(displaced, deadline).map_err(not_known)?;
                    }
                    return Ok(answer);
                }
            }
        }
    }

    /// Writes if nobody else does at this moment, and the files are in their places; none if it was not written.
    pub(super) fn write_at_once<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        let Some(_permit) = self.permit_at_once() else { return Ok(None) };
        let mut work = Some(work);
        let tried = self.lend(MOST + 1, Instant::now(), |connection| self.transact(begin(connection)?, &mut work));
        match tried {
            Ok(Tried::Written(answer)) if self.check().is_ok() => Ok(Some(answer)),
            Ok(_) => Ok(None),
            Err(failure) if failure.fault() == Fault::Busy => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// Does the work in a transaction that was begun, if it may be written at all.
    fn transact<T>(
        &self,
        transaction: Transaction<'_>,
        work: &mut Option<impl FnOnce(&Transaction<'_>) -> Result<T, Failure>>,
    ) -> Result<Tried<T>, Failure> {
        if let Err(displaced) = self.check() {
            return Ok(Tried::Displaced(displaced));
        }
        schema::known(schema::version(&transaction)?, self.newest)?;
        let Some(work) = work.take() else {
            return Err(StoreError::new(Fault::Failed, "was asked to write the same twice").into());
        };
        failpoint::reach("a transaction has begun")?;
        let answer = work(&transaction)?;
        failpoint::reach("all is written and not committed")?;
        transaction.commit()?;
        failpoint::reach("a transaction is committed")?;
        Ok(Tried::Written(answer))
    }

    /// Does what needs a connection to itself, with at most so many connections.
    fn lend<T>(
        &self,
        most: usize,
        deadline: Instant,
        work: impl FnOnce(&mut Connection) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let (place, mut live) = self.live(most, deadline)?;
        live.busy_timeout(deadline.saturating_duration_since(Instant::now()))?;
        let answer = work(&mut live.connection);
        let good = match &answer {
            Ok(_) | Err(Failure::Ours(_)) => true,
            Err(failure) => failure.fault() == Fault::Busy,
        };
        if good && self.access == Access::Usual && live.is_autocommit() {
            place.give_back(live);
            return answer;
        }
        let answer = answer.map_err(|failure| failure.looked_into(&self.path));
        // The connection first: whoever gets its place may open another.
        drop(live);
        drop(place);
        answer
    }

    /// A connection, idle or new. Where no new one can be opened, it is one that somebody else gives back.
    fn live(&self, most: usize, deadline: Instant) -> Result<(Place<'_>, Live), Failure> {
        let (place, idle) = self.place(most, deadline)?;
        if let Some(live) = idle {
            return Ok((place, live));
        }
        match self.another(deadline) {
            Ok(live) => Ok((place, live)),
            Err(failure) if is_worth_waiting(&failure) && self.alive.load(Ordering::SeqCst) > 0 => {
                drop(place);
                match self.place(0, deadline) {
                    Ok((place, Some(live))) => Ok((place, live)),
                    _ => Err(failure),
                }
            }
            Err(failure) => Err(failure),
        }
    }

    /// Opens a connection to the files that the others have open. The first one opens what is there, if the file is the same.
    fn another(&self, deadline: Instant) -> Result<Live, Failure> {
        let patience = deadline.saturating_duration_since(Instant::now());
        if self.access == Access::Immutable {
            return Ok(Live::new(open(&self.path, self.access, patience)?, &self.alive));
        }
        let mut opened = self.opened();
        let is_first = self.alive.load(Ordering::SeqCst) == 0;
        if is_first {
            // It may have an index without a name, which SQLite would use again.
            self.stamps.close();
            self.names.check_file(&opened).map_err(StoreError::from)?;
        } else {
            self.names.check(&opened).map_err(StoreError::from)?;
        }
        let connection = open(&self.path, self.access, patience)?;
        if is_first {
            opening::use_log(&connection, &self.path, deadline)?;
            opening::check_log(&connection, &self.names)?;
            let file = self.names.check_file(&opened);
            *opened = self.names.look();
            file.map_err(StoreError::from)?;
        } else {
            self.names.check(&opened).map_err(StoreError::from)?;
        }
        Ok(Live::new(connection, &self.alive))
    }

    pub(super) fn opened(&self) -> MutexGuard<'_, Opened> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // Every change of the state is one statement, so a panic leaves nothing half-done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives something back, and wakes whoever waits for it.
    fn free(&self, give: impl FnOnce(&mut State)) {
        let mut state = self.state();
        give(&mut state);
        let (waiting, curing) = (state.waiting > 0, state.curing);
        drop(state);
        if curing {
            self.freed.notify_all();
        } else if waiting {
            self.freed.notify_one();
        }
    }

    /// Changes the shape of the file.
    pub(super) fn alter(&self, work: impl FnOnce(&mut Connection) -> Result<(), Failure>) -> Result<(), Failure> {
        self.check().map_err(StoreError::from)?;
        self.lend(MOST, Instant::now() + self.patience, work)?;
        Ok(self.check().map_err(StoreError::from)?)
    }

    /// An idle connection, or the place for another one.
    fn place(&self, most: usize, deadline: Instant) -> Result<(Place<'_>, Option<Live>), Failure> {
        let mut state = self.state();
        loop {
            if !state.curing {
                let idle = state.idle.pop();
                if idle.is_some() || state.open < most {
                    state.open += usize::from(idle.is_none());
                    return Ok((Place(self), idle));
                }
            }
            let left = left(deadline)?;
            state.waiting += 1;
            state = self.freed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
            state.waiting -= 1;
        }
    }

    /// The right to write, if nobody has it or waits for it.
    fn permit_at_once(&self) -> Option<Permit<'_>> {
        let mut state = self.state();
        if state.writing || !state.line.is_empty() {
            return None;
        }
        state.writing = true;
        Some(Permit(self))
    }

    /// Waits for the right to write.
    pub(super) fn permit(&self, deadline: Instant) -> Result<Permit<'_>, Failure> {
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

impl Drop for Connections {
    fn drop(&mut self) {
        // Whoever closes a file last removes the log beside its name, which belongs to others if the file does.
        if self.names.check_file(&self.opened()).is_err() {
            self.state().idle.iter().for_each(|live| leave_log(live));
            self.stamps.leave_log();
        }
    }
}

/// How a try to write ended.
enum Tried<T> {
    /// There was nothing to write.
    NotNeeded(T),
    /// It is committed.
    Written(T),
    /// Nothing was written, because of this.
    Displaced(Displaced),
}

/// A write that was committed to files that nobody may find again.
fn not_known(failure: Failure) -> Failure {
    match failure {
        Failure::Ours(error) => {
            let more = "it is not known whether the write lasts, and asking again is safe";
            StoreError { message: format!("{}; {more}", error.message), ..error }.into()
        }
        other => other,
    }
}

/// Whether a connection that cannot be opened now may be made up for by one that there is.
fn is_worth_waiting(failure: &Failure) -> bool {
    match failure {
        Failure::Sqlite(error) => {
            matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::OutOfMemory))
        }
        Failure::Ours(error) => matches!(error.fault, Fault::Displaced | Fault::Descriptors | Fault::Memory),
        Failure::Io(_) => false,
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
pub(super) fn left(deadline: Instant) -> Result<Duration, Failure> {
    match deadline.saturating_duration_since(Instant::now()) {
        Duration::ZERO => Err(StoreError::new(Fault::Busy, "is held by other threads for too long").into()),
        left => Ok(left),
    }
}

/// The right to write.
pub(super) struct Permit<'c>(&'c Connections);

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
    fn give_back(self, live: Live) {
        self.0.free(|state| state.idle.push(live));
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
