//! Whether anybody has written since.
//!
//! 1. SQLite counts for each connection how often it found that others had written. So one connection is kept that is
//!    asked for nothing else and never writes: to it everybody is somebody else.
//! 2. Its count means nothing to another connection. One that takes its place has another number in front.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};

use rusqlite::Connection;

use super::connections::leave_log;
use super::fault::Failure;
use crate::freeze::store::Stamp;

/// The connection that counts.
#[derive(Default)]
pub(super) struct Stamps(Mutex<Option<Counting>>);

struct Counting {
    connection: Connection,
    number: u64,
}

impl Stamps {
    /// The stamp of now; none if `open` gives no connection, or somebody else asks at this moment: whoever would have to wait
    /// had better ask for the rows.
    pub(super) fn now(
        &self,
        open: impl FnOnce() -> Result<Option<Connection>, Failure>,
    ) -> Result<Option<Stamp>, Failure> {
        let mut counting = match self.0.try_lock() {
            Ok(counting) => counting,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(None),
        };
        let counts = match counting.take() {
            Some(counts) => counts,
            None => match open()? {
                Some(connection) => Counting::new(connection),
                None => return Ok(None),
            },
        };
        let moment: i64 = counts.connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        let stamp = Stamp::new(counts.number, moment.cast_unsigned());
        // One that failed is gone by now.
        *counting = Some(counts);
        Ok(Some(stamp))
    }

    /// Closes the connection.
    pub(super) fn close(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Lets the connection leave the log alone when it is closed.
    pub(super) fn leave_log(&self) {
        if let Some(counting) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            leave_log(&counting.connection);
        }
    }
}

impl Counting {
    fn new(connection: Connection) -> Counting {
        static OPENED: AtomicU64 = AtomicU64::new(0);
        Counting { connection, number: OPENED.fetch_add(1, Ordering::Relaxed) }
    }
}
