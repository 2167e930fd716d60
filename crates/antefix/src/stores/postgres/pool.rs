//! At most so many connections, each used by one caller at a time.
//!
//! 1. A caller waits for a free connection for a bounded time, and gets `Busy` after it. Whoever came first is served
//!    first: a caller that asks again and again cannot starve one that waits. Only the first one is woken: with many who wait,
//!    waking them all costs more than their questions.
//! 2. A connection that broke leaves the pool; the next caller opens another one.
//! 3. If one connection was lost, the idle ones are dropped too: they most likely lead to the same place.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::Instant;

use super::address::Address;
use super::fault::Trouble;
use super::session::{Deadline, Session};
use crate::error::Fault;
use crate::freeze::StoreError;

/// The connections of a store.
pub(super) struct Pool {
    pub(super) address: Address,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    idle: Vec<Session>,
    /// How many there are, idle or not.
    count: usize,
    /// Who waits, in the order of arrival.
    line: VecDeque<Thread>,
}

/// What a caller gets.
#[allow(clippy::large_enum_variant, reason = "it is taken apart where it is made")]
enum Place {
    Idle(Session),
    /// It may open a connection, and must give the place back if that fails.
    Free,
}

impl Open {
    fn place(&mut self, most: usize) -> Option<Place> {
        while let Some(session) = self.idle.pop() {
            if session.is_usable() {
                return Some(Place::Idle(session));
            }
            self.count -= 1;
        }
        (self.count < most).then(|| {
            self.count += 1;
            Place::Free
        })
    }

    fn is_first(&self, me: &Thread) -> bool {
        self.line.front().is_some_and(|first| first.id() == me.id())
    }

    /// Wakes the first in the line, who looks whether there is a place.
    fn wake_first(&self) {
        if let Some(first) = self.line.front() {
            first.unpark();
        }
    }
}

impl Pool {
    pub(super) fn new(address: Address) -> Pool {
        Pool { address, open: Mutex::default() }
    }

    /// A connection, idle or new.
    ///
    /// `introduce` runs once for each new one; if it fails, the connection does not enter the pool.
    pub(super) fn lease(
        &self,
        deadline: Deadline,
        introduce: impl Fn(&Session) -> Result<(), Trouble>,
    ) -> Result<Lease<'_>, Trouble> {
        let session = match self.place(deadline)? {
            Place::Idle(session) => session,
            Place::Free => match Session::open(&self.address, deadline).and_then(|new| introduce(&new).map(|()| new)) {
                Ok(session) => session,
                Err(trouble) => {
                    self.give_back(None);
                    return Err(trouble);
                }
            },
        };
        Ok(Lease { pool: self, session: Some(session) })
    }

    /// Waits for an idle connection or for the right to open one.
    fn place(&self, deadline: Deadline) -> Result<Place, Trouble> {
        let until = Instant::now() + deadline.left(self.address.pool_timeout);
        let me = std::thread::current();
        let mut open = self.open();
        if open.line.is_empty()
            && let Some(place) = open.place(self.address.connections)
        {
            return Ok(place);
        }
        open.line.push_back(me.clone());
        loop {
            let place = if open.is_first(&me) { open.place(self.address.connections) } else { None };
            let left = until.checked_duration_since(Instant::now());
            if place.is_some() || left.is_none() {
                open.line.retain(|waiting| waiting.id() != me.id());
                // The next one may be served as well; and who gives up may have been woken in its place.
                open.wake_first();
            }
            match (place, left) {
                (Some(place), _) => return Ok(place),
                (None, None) => break,
                (None, Some(left)) => {
                    drop(open);
                    std::thread::park_timeout(left);
                    open = self.open();
                }
            }
        }
        let (shown, count) = (self.address.shown(), self.address.connections);
        Err(StoreError::new(Fault::Busy, format!("all {count} connections to {shown} are in use")).into())
    }

    /// Drops the connections that nobody uses.
    pub(super) fn drop_idle(&self) {
        let mut open = self.open();
        open.count -= open.idle.len();
        open.idle.clear();
        open.wake_first();
    }

    /// Takes a connection back, or the place of one that is gone.
    fn give_back(&self, session: Option<Session>) {
        let mut open = self.open();
        match session {
            Some(session) => open.idle.push(session),
            None => open.count -= 1,
        }
        open.wake_first();
    }

    /// A caller that panicked gave its connection back by unwinding, and the numbers are right.
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection in use. It goes back to the pool when it is dropped, if it may be asked again.
pub(super) struct Lease<'a> {
    pool: &'a Pool,
    /// None only while it is dropped.
    session: Option<Session>,
}

impl Lease<'_> {
    pub(super) fn session(&self) -> Result<&Session, Trouble> {
        self.session.as_ref().ok_or(Trouble::Late)
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        self.pool.give_back(self.session.take().filter(Session::is_usable));
    }
}
