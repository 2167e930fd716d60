//! Whether anybody has written since.
//!
//! 1. SQLite counts for each connection how often it found that others had written. So one connection is kept that is
//!    asked for nothing else and never writes: to it everybody is somebody else.
//! 2. Its count means nothing to another connection. One that takes its place has another number in front.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::Connection;

use super::connections::Connections;
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
    /// The stamp of now.
    pub(super) fn now(&self, connections: &Connections) -> Result<Option<Stamp>, Failure> {
        let mut counting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = match counting.take() {
            Some(counts) => counts,
            None => match Counting::open(connections)? {
                Some(counts) => counts,
                None => return Ok(None),
            },
        };
        let moment: i64 = counts.connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
        let stamp = Stamp::new(counts.number, moment.cast_unsigned());
        // One that failed is gone by now.
        *counting = Some(counts);
        Ok(Some(stamp))
    }
}

impl Counting {
    fn open(connections: &Connections) -> Result<Option<Counting>, Failure> {
        static OPENED: AtomicU64 = AtomicU64::new(0);
        let Some(connection) = connections.apart()? else { return Ok(None) };
        // Who would have to wait for it had better ask for the rows.
        connection.busy_timeout(Duration::ZERO)?;
        Ok(Some(Counting { connection, number: OPENED.fetch_add(1, Ordering::Relaxed) }))
    }
}
