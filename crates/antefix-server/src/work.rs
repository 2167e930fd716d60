//! Where the library runs: it blocks, so it gets threads of its own, and never more than so many.
//!
//! 1. Reading, turns of open conversations, writing and looking at drafts have threads of their own: however much is composed,
//!    what is stored can still be read; however long writers wait for the store, open conversations go on; and however many look
//!    at large drafts, turns do not wait for them.
//! 2. Who finds no thread free waits, and not for long; when too many wait, the next one is told to come again.
//! 3. A request that takes longer than its time is answered, and one whose client has gone is not. What it composes is stopped
//!    then; what it writes goes on to its end and keeps its place until then: half of a write is worse than a late one.

use std::cell::Cell;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use antefix::Stop;
use tokio::sync::Semaphore;

use crate::machine::Share;
use crate::pool::{Late, Pool};
use crate::problem::{Answer, Problem};
use crate::{Shared, bodies, panics};

/// How many requests read at once.
pub(crate) const READERS: usize = 32;
/// How many may wait for each thread.
const WAITING: usize = 16;
/// How long one waits.
const PATIENCE: Duration = Duration::from_secs(5);

/// The places of one kind.
struct Places {
    pool: Pool,
    /// Those who work and those who wait.
    inside: Arc<Semaphore>,
    /// Whether the last try to start a thread failed, which is told once.
    is_short: AtomicBool,
}

impl Places {
    fn new(name: &'static str, count: usize) -> io::Result<Places> {
        Ok(Places {
            pool: Pool::new(name, count)?,
            inside: Arc::new(Semaphore::new(count * (1 + WAITING))),
            is_short: AtomicBool::new(false),
        })
    }

    /// Sees to it that there is another thread, if all have something to do.
    fn grow(&self, server: &Shared) {
        match self.pool.grow() {
            Ok(()) => self.is_short.store(false, Ordering::Relaxed),
            Err(error) if !self.is_short.swap(true, Ordering::Relaxed) => {
                server.log.event("no other thread", &error.to_string());
            }
            Err(_) => {}
        }
    }
}

/// Where requests work.
pub(crate) struct Work {
    reading: Places,
    composing: Places,
    writing: Places,
    looking: Places,
    time: Duration,
}

impl Work {
    /// Fails if not one thread of each kind can be started.
    pub(crate) fn new(share: &Share, time: Duration) -> io::Result<Work> {
        Ok(Work {
            reading: Places::new("antefix-read", share.reading)?,
            composing: Places::new("antefix-compose", share.composing)?,
            writing: Places::new("antefix-write", share.composing)?,
            // A draft is composed, looked through for what seems wrong, and explained byte by byte: several times a turn's work.
            looking: Places::new("antefix-look", share.composing.div_ceil(2))?,
            time,
        })
    }
}

/// Reads what is stored.
pub(crate) async fn read<T: Send + 'static>(
    server: Arc<Shared>,
    ask: impl FnOnce(&Shared) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    run(server, |work| &work.reading, ask).await
}

/// Composes for a conversation that is open, and mostly writes nothing.
pub(crate) async fn compose<T: Send + 'static>(
    server: Arc<Shared>,
    make: impl FnOnce(&Shared) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    run(server, |work| &work.composing, make).await
}

/// Writes, and may compose what it writes. It may have to wait until others have written.
pub(crate) async fn write<T: Send + 'static>(
    server: Arc<Shared>,
    make: impl FnOnce(&Shared) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    run(server, |work| &work.writing, make).await
}

/// Composes for somebody who looks, and writes nothing.
pub(crate) async fn look<T: Send + 'static>(
    server: Arc<Shared>,
    make: impl FnOnce(&Shared) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    run(server, |work| &work.looking, make).await
}

thread_local! {
    /// Whether somebody waits for what this thread does.
    static STOP: Cell<Stop> = Cell::default();
}

/// Ends what the request of this thread composes once nobody waits for it any more.
pub(crate) fn stop() -> Stop {
    let stop = STOP.take();
    STOP.set(stop.clone());
    stop
}

/// As long as somebody waits. It is dropped at the end of the request's time, and when its client has gone.
struct Waited(Stop);

impl Drop for Waited {
    fn drop(&mut self) {
        self.0.set();
    }
}

async fn run<T: Send + 'static>(
    server: Arc<Shared>,
    places: fn(&Work) -> &Places,
    work: impl FnOnce(&Shared) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let shared = Arc::clone(&server);
    let places = places(&shared.work);
    let full = || Problem::busy("Too many requests at once").hint("try again in a moment");
    let inside = Arc::clone(&places.inside).try_acquire_owned().map_err(|_| full())?;
    places.grow(&shared);
    let body = bodies::held();
    let waited = Waited(Stop::new());
    let stop = waited.0.clone();
    let running = places.pool.run(move || {
        let _held = (inside, body);
        STOP.set(stop);
        work(&server)
    });
    let time = shared.work.time;
    match running.end(PATIENCE, time).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => Err(panics::problem()),
        Err(Late::NotBegun) => Err(full()),
        Err(Late::NotEnded) => Err(Problem::busy(format!("The request took longer than {} seconds", time.as_secs()))
            .hint("it may still be done; asking again is safe")),
    }
}
