//! Where the library runs: it blocks, so it gets threads of its own, and never more than so many.
//!
//! 1. Reading and composing have their own places: however much is composed, what stands is still read.
//! 2. Who finds no place waits, and not for long; when too many wait, the next one is told to come again.
//! 3. A request that takes longer than its time is answered. Its work goes on to its end and keeps its place until then:
//!    half of a write is worse than a late one.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use tokio::sync::Semaphore;

use super::Server;
use super::problem::{Answer, Problem};
use super::store::Distance;

/// How many readers there are at once.
const READERS: usize = 32;
/// How many may wait for each place.
const WAITING: usize = 16;
/// How long one waits for a place where the request was read.
const SOON: Duration = Duration::from_millis(5);
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
pub(super) struct Work {
    reading: Places,
    composing: Places,
    /// Those who work where their request was read.
    here: Semaphore,
    time: Duration,
}

impl Work {
    pub(super) fn new(composing: usize, time: Duration) -> Work {
        let here = Semaphore::new(Work::workers() - 1);
        Work { reading: Places::new(READERS), composing: Places::new(composing), here, time }
    }

    /// How many threads read requests: one is left when all that may work there do. More would only take turns.
    pub(super) fn workers() -> usize {
        cores().max(2)
    }

    /// How many threads that takes.
    pub(super) fn threads(composing: usize) -> usize {
        READERS + composing + 4
    }
}

/// Reads what is kept.
pub(super) async fn read<T: Send + 'static>(
    server: Arc<Server>,
    ask: impl FnOnce(&Server) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    run(server, |work| &work.reading, ask).await
}

/// Reads a row or two. A store of this machine answers sooner than another thread could be woken, so it is asked right here.
pub(super) async fn glance<T: Send + 'static>(
    server: Arc<Server>,
    ask: impl FnOnce(&Server) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    match server.kept.distance() {
        Distance::Here => ask(&server),
        Distance::Away => read(server, ask).await,
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, std::num::NonZero::get)
}

/// Takes a turn that is near, and any other one where turns are taken.
pub(super) async fn briefly<T: Send + 'static>(
    server: Arc<Server>,
    make: impl FnOnce(&Server) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    // Places are free again in no time, unless one of those who have them hangs.
    match tokio::time::timeout(SOON, server.work.here.acquire()).await {
        Ok(Ok(_place)) => make(&server),
        _ => compose(Arc::clone(&server), make).await,
    }
}

/// Composes, and may write.
pub(super) async fn compose<T: Send + 'static>(
    server: Arc<Server>,
    make: impl FnOnce(&Server) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    run(server, |work| &work.composing, make).await
}

async fn run<T: Send + 'static>(
    server: Arc<Server>,
    places: fn(&Work) -> &Places,
    work: impl FnOnce(&Server) -> Answer<T> + Send + 'static,
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
