//! A log, or its index, that lost its name.
//!
//! 1. Descriptors of a log without a name are the last place of what was written and not yet put into the file. So nobody closes
//!    all of them before that is done.
//! 2. It is done by whoever is alone: while another process has the file open, nothing is changed and nothing is written. That
//!    process may have another log, or the same one without a name, and would not notice that there is a new one.
//! 3. Reading goes on meanwhile with the connections that there are. No other is opened: it would find another log.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use super::connections::{Connections, Live, left};
use super::fault::Failure;
use super::opening::{self, Access};
use super::watch::Displaced;
use crate::freeze::StoreError;
use crate::stores::failpoint;

/// How long somebody who asks whether the store is ready waits for it to be put right.
const SOON: Duration = Duration::from_secs(1);

impl Connections {
    /// Whether all files are those that were opened.
    pub(super) fn check(&self) -> Result<(), Displaced> {
        match self.access {
            Access::Usual => self.names.check(&self.opened()),
            // It is never written.
            Access::Immutable => Ok(()),
        }
    }

    /// Whether a write would find the files in their places. They are put right if that is possible.
    pub(super) fn ready(&self) -> Result<(), Failure> {
        match self.check() {
            Ok(()) => return Ok(()),
            Err(displaced) if !displaced.is_curable() => return Err(StoreError::from(displaced).into()),
            Err(_) => {}
        }
        let deadline = Instant::now() + SOON;
        let _permit = self.permit(deadline)?;
        self.check().or_else(|displaced| self.cure(displaced, deadline))
    }

    /// Puts the files right. Whoever calls it has the right to write, and no connection.
    pub(super) fn cure(&self, displaced: Displaced, deadline: Instant) -> Result<(), Failure> {
        if !displaced.is_curable() {
            return Err(StoreError::from(displaced).into());
        }
        let all = self.gather(deadline)?;
        let (kept, cured) = self.cure_with(all, displaced, deadline);
        let mut state = self.state();
        state.open = kept.len();
        state.idle = kept;
        state.curing = false;
        drop(state);
        self.freed.notify_all();
        cured
    }

    /// All connections, once nobody uses one.
    fn gather(&self, deadline: Instant) -> Result<Vec<Live>, Failure> {
        let mut state = self.state();
        state.curing = true;
        while state.idle.len() < state.open {
            let left = match left(deadline) {
                Ok(left) => left,
                Err(busy) => {
                    state.curing = false;
                    drop(state);
                    self.freed.notify_all();
                    return Err(busy);
                }
            };
            state = self.freed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(std::mem::take(&mut state.idle))
    }

    /// The connections that are left, and whether it was done.
    fn cure_with(
        &self,
        mut all: Vec<Live>,
        displaced: Displaced,
        deadline: Instant,
    ) -> (Vec<Live>, Result<(), Failure>) {
        self.stamps.close();
        let Some(last) = all.pop() else {
            // Nobody has the old log any more, and whoever opens the file next makes another.
            return (Vec::new(), Ok(()));
        };
        drop(all);
        let refused = |failure: Failure| match failure {
            // Others have the file open.
            Failure::Sqlite(error) if opening::is_busy(&error) => StoreError::from(displaced).because(error).into(),
            other => other,
        };
        if displaced == Displaced::Index {
            return match self.is_alone(&last) {
                Ok(()) => {
                    // The log is in its place, and may hold what others wrote and this index does not know.
                    opening::leave_log(&last);
                    drop(last);
                    (Vec::new(), Ok(()))
                }
                Err(failure) => (vec![last], Err(refused(failure))),
            };
        }
        let cured = self.take_in(&last, deadline).map_err(refused);
        (vec![last], cured)
    }

    /// Puts what the log holds into the file, and makes another log. SQLite refuses that while anybody else has the file open.
    fn take_in(&self, last: &Live, deadline: Instant) -> Result<(), Failure> {
        last.busy_timeout(Duration::ZERO)?;
        failpoint::reach("a log without a name is looked after by one connection")?;
        last.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get::<_, String>(0))?;
        failpoint::reach("a log without a name is in the file")?;
        let mut opened = self.opened();
        opening::use_log(last, self.path(), deadline)?;
        opening::readable(last)?;
        *opened = self.names.look();
        Ok(failpoint::reach("there is a new log")?)
    }

    /// Whether nobody else has the file open: then it can be locked as a whole.
    fn is_alone(&self, last: &Live) -> Result<(), Failure> {
        last.busy_timeout(Duration::ZERO)?;
        let locked = last.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; ROLLBACK");
        // The lock ends with the next question, or with the connection.
        last.execute_batch("PRAGMA locking_mode = NORMAL")?;
        Ok(locked?)
    }
}
