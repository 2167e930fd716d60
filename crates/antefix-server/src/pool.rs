//! Threads on which the library runs.
//!
//! 1. One thread is there from the start, or there is no server.
//! 2. Others are started when they are needed, up to so many. Where the system grants no other one, the work waits for one that is
//!    there: a thread that cannot be started is never a failure of a request that could have waited.
//! 3. Work that panics is told apart from work that ended, and its thread goes on.

use std::any::Any;
use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// The stack of a thread, in bytes; only what is used of it takes memory. The template engine wants half of it: with less it would
/// make a stack of its own several times a turn.
pub(crate) const STACK: usize = 8 * 1024 * 1024;

type Job = Box<dyn FnOnce() + Send>;

/// Work that came to its end, or what it said when it panicked.
pub(crate) type Ended<T> = Result<T, Box<dyn Any + Send>>;

/// Threads of one kind.
pub(crate) struct Pool {
    name: &'static str,
    most: usize,
    started: Mutex<usize>,
    /// As many as threads have nothing to do.
    free: Arc<Semaphore>,
    jobs: Arc<Jobs>,
}

/// A thread that waits for work.
pub(crate) struct Place(OwnedSemaphorePermit);

#[derive(Default)]
struct Jobs {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    jobs: VecDeque<Job>,
    /// Whether nobody brings any more.
    is_over: bool,
}

impl Pool {
    /// A pool with its first thread.
    pub(crate) fn new(name: &'static str, most: usize) -> io::Result<Pool> {
        let free = Arc::new(Semaphore::new(0));
        let pool = Pool { name, most: most.max(1), started: Mutex::new(0), free, jobs: Arc::default() };
        pool.grow()?;
        Ok(pool)
    }

    /// A thread that is free, if there is one at once.
    pub(crate) fn free(&self) -> Option<Place> {
        Arc::clone(&self.free).try_acquire_owned().ok().map(Place)
    }

    /// A thread that is free within a while.
    pub(crate) async fn wait(&self, patience: Duration) -> Option<Place> {
        let waited = tokio::time::timeout(patience, Arc::clone(&self.free).acquire_owned()).await;
        waited.ok()?.ok().map(Place)
    }

    /// Starts another thread, unless there are enough.
    pub(crate) fn grow(&self) -> io::Result<()> {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        if *started < self.most {
            let jobs = Arc::clone(&self.jobs);
            let thread = std::thread::Builder::new().name(self.name.to_owned()).stack_size(STACK);
            thread.spawn(move || jobs.work())?;
            *started += 1;
            self.free.add_permits(1);
        }
        Ok(())
    }

    /// Does some work. The place is free when it has ended, whether or not somebody still waits for it.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        place: Place,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> oneshot::Receiver<Ended<T>> {
        let (send, receive) = oneshot::channel();
        self.jobs.lock().jobs.push_back(Box::new(move || {
            let ended = catch_unwind(AssertUnwindSafe(work));
            // Nobody may wait for it any more.
            let _ = send.send(ended);
            drop(place.0);
        }));
        self.jobs.changed.notify_one();
        receive
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.jobs.lock().is_over = true;
        self.jobs.changed.notify_all();
    }
}

impl Jobs {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a thread does until the pool is gone.
    fn work(&self) {
        loop {
            let nothing = |waiting: &mut Waiting| waiting.jobs.is_empty() && !waiting.is_over;
            let waited = self.changed.wait_while(self.lock(), nothing);
            let Some(job) = waited.unwrap_or_else(PoisonError::into_inner).jobs.pop_front() else { return };
            job();
        }
    }
}

/// Whether the system grants so many threads at once. They end again.
pub(crate) fn try_threads(count: usize, stack: usize) -> io::Result<()> {
    let all_are_there = Arc::new((Mutex::new(false), Condvar::new()));
    let mut threads = Vec::new();
    let mut tried = Ok(());
    for _ in 0..count {
        let over = Arc::clone(&all_are_there);
        let wait = move || {
            let is_over = over.0.lock().unwrap_or_else(PoisonError::into_inner);
            drop(over.1.wait_while(is_over, |is_over| !*is_over));
        };
        match std::thread::Builder::new().stack_size(stack).spawn(wait) {
            Ok(thread) => threads.push(thread),
            Err(error) => {
                tried = Err(error);
                break;
            }
        }
    }
    *all_are_there.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
    all_are_there.1.notify_all();
    for thread in threads {
        // It only waits.
        let _ = thread.join();
    }
    tried
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(5);

    #[tokio::test]
    async fn work_waits_for_a_thread_and_not_for_a_new_one() {
        let pool = Pool::new("test", 2).unwrap();
        let first = pool.free().unwrap();
        assert!(pool.free().is_none(), "there is one thread");
        pool.grow().unwrap();
        let second = pool.free().unwrap();
        // There are enough.
        pool.grow().unwrap();
        assert!(pool.free().is_none());
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let slow = pool.run(first, move || wait.recv().is_ok());
        assert_eq!(pool.run(second, || 2).await.unwrap().unwrap(), 2);
        let third = pool.wait(SOON).await.unwrap();
        assert!(pool.wait(Duration::from_millis(10)).await.is_none(), "the other one still works");
        go.send(()).unwrap();
        assert!(slow.await.unwrap().unwrap());
        assert_eq!(pool.run(third, || 3).await.unwrap().unwrap(), 3);
    }

    #[tokio::test]
    async fn work_that_panics_is_told_and_its_thread_goes_on() {
        let pool = Pool::new("test", 1).unwrap();
        let place = pool.free().unwrap();
        let ended = pool.run(place, || if pool_is_wrong() { 1 } else { panic!("told") }).await.unwrap();
        assert_eq!(ended.unwrap_err().downcast_ref(), Some(&"told"));
        let place = pool.wait(SOON).await.unwrap();
        assert_eq!(pool.run(place, || 2).await.unwrap().unwrap(), 2);
    }

    fn pool_is_wrong() -> bool {
        false
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_is_done_and_frees_its_place() {
        let pool = Pool::new("test", 1).unwrap();
        let (done, is_done) = std::sync::mpsc::channel();
        drop(pool.run(pool.free().unwrap(), move || done.send(())));
        is_done.recv_timeout(SOON).unwrap();
        assert!(pool.wait(SOON).await.is_some());
    }

    #[test]
    fn threads_that_the_system_does_not_grant_are_an_error() {
        assert!(try_threads(4, 64 * 1024).is_ok());
        // More address space than there is.
        assert!(try_threads(1, 1 << 62).is_err());
    }
}
