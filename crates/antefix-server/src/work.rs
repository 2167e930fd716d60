//! Where the library runs: it blocks, so it gets threads of its own, and never more than so many.
//!
//! 1. Reading and composing have places of their own: however much is composed, what is stored can still be read.
//! 2. Who finds no place waits, and not for long; when too many wait, the next one is told to come again.
//! 3. A request that takes longer than its time is answered. Its work goes on to its end and keeps its place until then:
//!    half of a write is worse than a late one.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use tokio::sync::Semaphore;

use crate::problem::{Answer, Problem};
use crate::{Limits, Shared};

/// How many requests read at once.
const READERS: usize = 32;
/// How many may wait for each place.
const WAITING: usize = 16;
/// How long one waits.
const PATIENCE: Duration = Duration::from_secs(5);

/// The places of one kind.
struct Places {
    free: Arc<Semaphore>,
    /// Those who work and those who wait.
    inside: Arc<Semaphore>,
}

impl Places {
    fn new(count: usize) -> Places {
        Places { free: Arc::new(Semaphore::new(count)), inside: Arc::new(Semaphore::new(count * (1 + WAITING))) }
    }
}

/// Where requests work.
pub(crate) struct Work {
    reading: Places,
    composing: Places,
    time: Duration,
}

impl Work {
    pub(crate) fn new(limits: &Limits) -> Work {
        Work { reading: Places::new(READERS), composing: Places::new(limits.concurrency.max(1)), time: limits.time }
    }

    /// How many threads that takes.
    pub(crate) fn threads(limits: &Limits) -> usize {
        READERS + limits.concurrency + 4
    }
}

/// Reads what is stored.
pub(crate) async fn read<T: Send + 'static>(
    server: Arc<Shared>,
    ask: impl FnOnce(&Shared) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    run(server, |work| &work.reading, ask).await
}

/// Composes, and may write.
pub(crate) async fn compose<T: Send + 'static>(
    server: Arc<Shared>,
    make: impl FnOnce(&Shared) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    run(server, |work| &work.composing, make).await
}

async fn run<T: Send + 'static>(
    server: Arc<Shared>,
    places: fn(&Work) -> &Places,
    work: impl FnOnce(&Shared) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let places = places(&server.work);
    let full = || Problem::busy("Too many requests at once").hint("try again in a moment");
    let Ok(inside) = Arc::clone(&places.inside).try_acquire_owned() else { return Err(full()) };
    let waited = tokio::time::timeout(PATIENCE, Arc::clone(&places.free).acquire_owned()).await;
    let Ok(Ok(place)) = waited else { return Err(full()) };
    let time = server.work.time;
    let done = tokio::task::spawn_blocking(move || {
        let _held = (inside, place);
        work(&server)
    });
    match tokio::time::timeout(time, done).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", "The request failed")),
        Err(_) => Err(Problem::busy(format!("The request took longer than {} seconds", time.as_secs()))
            .hint("it may still be done; asking again is safe")),
    }
}
