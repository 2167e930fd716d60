//! Threads on which the library runs.
//!
//! 1. One thread is there from the start, or there is no server.
//! 2. Others are started when they are needed, up to so many. Where the system grants no other one, the work waits for one that is
//!    there: a thread that cannot be started is never a failure of a request that could have waited.
//! 3. Work waits in one line. A thread that has ended one piece of it takes the next one without going to sleep: under load that is
//!    what it costs to hand work over.
//! 4. Work that panics is told apart from work that ended, and its thread goes on.

use std::any::Any;
use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

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
    jobs: Arc<Jobs>,
}

#[derive(Default)]
struct Jobs {
    line: Mutex<Line>,
    changed: Condvar,
}

#[derive(Default)]
struct Line {
    waiting: VecDeque<Arc<Place>>,
    /// How many threads there are, and how many of them have nothing to do.
    threads: usize,
    idle: usize,
    /// Whether nobody brings any more.
    is_over: bool,
}

/// A piece of work in the line.
struct Place(Mutex<State>);

enum State {
    Waiting(Job),
    Begun(Instant),
    GivenUp,
}

impl Place {
    fn replace(&self, state: State) -> State {
        std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), state)
    }

    /// Takes the work out of the line, unless it has begun: then since when.
    fn give_up(&self) -> Option<Instant> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*state {
            State::Begun(since) => Some(*since),
            State::Waiting(_) | State::GivenUp => {
                let given_up = std::mem::replace(&mut *state, State::GivenUp);
                drop(state);
                drop(given_up);
                None
            }
        }
    }

    fn begun(&self) -> Option<Instant> {
        match &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Begun(since) => Some(*since),
            State::Waiting(_) | State::GivenUp => None,
        }
    }
}

/// Work that somebody waits for. Where nobody does any more, it is taken out of the line; once it has begun, it goes on to its end.
pub(crate) struct Running<T> {
    place: Arc<Place>,
    queued: Instant,
    ended: oneshot::Receiver<Ended<T>>,
}

/// Why work has no end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Late {
    /// No thread was free.
    NotBegun,
    /// It still goes on.
    NotEnded,
}

impl<T> Running<T> {
    /// Waits for the end: so long for a thread, and so long from then on.
    pub(crate) async fn end(mut self, patience: Duration, time: Duration) -> Result<Ended<T>, Late> {
        let mut until = self.queued + patience.min(time);
        loop {
            if let Ok(ended) = timeout_at(until, &mut self.ended).await {
                // Nobody drops work that has begun without an answer.
                return Ok(ended.unwrap_or_else(|_| Err(Box::new("the work was dropped"))));
            }
            let now = Instant::now();
            until = match self.place.begun() {
                Some(begun) if begun + time <= now => return Err(Late::NotEnded),
                Some(begun) => begun + time,
                None if self.queued + patience > now => self.queued + patience,
                None => match self.place.give_up() {
                    Some(begun) => begun + time,
                    None => return Err(Late::NotBegun),
                },
            };
        }
    }
}

impl<T> Drop for Running<T> {
    fn drop(&mut self) {
        self.place.give_up();
    }
}

impl Pool {
    /// A pool with its first thread.
    pub(crate) fn new(name: &'static str, most: usize) -> io::Result<Pool> {
        let pool = Pool { name, most: most.max(1), jobs: Arc::default() };
        pool.grow()?;
        Ok(pool)
    }

    /// Starts another thread, unless there are enough or one has nothing to do.
    pub(crate) fn grow(&self) -> io::Result<()> {
        let mut line = self.jobs.lock();
        if line.threads < self.most && line.idle <= line.waiting.len() {
            let jobs = Arc::clone(&self.jobs);
            let thread = std::thread::Builder::new().name(self.name.to_owned()).stack_size(STACK);
            thread.spawn(move || jobs.work())?;
            line.threads += 1;
            // It looks for work first of all.
            line.idle += 1;
        }
        Ok(())
    }

    /// Puts some work into the line.
    pub(crate) fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Running<T> {
        let (send, ended) = oneshot::channel();
        let job = Box::new(move || {
            let ended = catch_unwind(AssertUnwindSafe(work));
            // Nobody may wait for it any more.
            let _ = send.send(ended);
        });
        let place = Arc::new(Place(Mutex::new(State::Waiting(job))));
        let mut line = self.jobs.lock();
        line.waiting.push_back(Arc::clone(&place));
        let is_idle = line.idle > 0;
        drop(line);
        // Waking nobody is a system call, too.
        if is_idle {
            self.jobs.changed.notify_one();
        }
        Running { place, queued: Instant::now(), ended }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.jobs.lock().is_over = true;
        self.jobs.changed.notify_all();
    }
}

impl Jobs {
    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a thread does until the pool is gone.
    fn work(&self) {
        let mut line = self.lock();
        loop {
            let nothing = |line: &mut Line| line.waiting.is_empty() && !line.is_over;
            line = self.changed.wait_while(line, nothing).unwrap_or_else(PoisonError::into_inner);
            let Some(place) = line.waiting.pop_front() else { return };
            line.idle -= 1;
            drop(line);
            if let State::Waiting(job) = place.replace(State::Begun(Instant::now())) {
                job();
            }
            line = self.lock();
            line.idle += 1;
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
    const AT_ONCE: Duration = Duration::from_millis(10);

    #[tokio::test]
    async fn work_waits_for_a_thread_and_not_for_a_new_one() {
        let pool = Pool::new("test", 2).unwrap();
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let slow = pool.run(move || wait.recv().is_ok());
        while slow.place.begun().is_none() {
            tokio::task::yield_now().await;
        }
        // There is one thread, and it works.
        assert_eq!(pool.run(|| 2).end(AT_ONCE, SOON).await.unwrap_err(), Late::NotBegun);
        pool.grow().unwrap();
        assert_eq!(pool.run(|| 2).end(SOON, SOON).await.unwrap().unwrap(), 2);
        let (go_too, wait) = std::sync::mpsc::channel::<()>();
        let slow_too = pool.run(move || wait.recv().is_ok());
        while slow_too.place.begun().is_none() {
            tokio::task::yield_now().await;
        }
        // There are enough.
        pool.grow().unwrap();
        assert_eq!(pool.run(|| 3).end(AT_ONCE, SOON).await.unwrap_err(), Late::NotBegun);
        let third = pool.run(|| 3);
        go.send(()).unwrap();
        assert!(slow.end(SOON, SOON).await.unwrap().unwrap());
        assert_eq!(third.end(SOON, SOON).await.unwrap().unwrap(), 3);
        go_too.send(()).unwrap();
        assert!(slow_too.end(SOON, SOON).await.unwrap().unwrap());
    }

    #[tokio::test]
    async fn work_that_takes_too_long_goes_on_and_frees_its_thread() {
        let pool = Pool::new("test", 1).unwrap();
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let slow = pool.run(move || wait.recv().is_ok());
        assert_eq!(slow.end(SOON, AT_ONCE).await.unwrap_err(), Late::NotEnded);
        let next = pool.run(|| 2);
        go.send(()).unwrap();
        assert_eq!(next.end(SOON, SOON).await.unwrap().unwrap(), 2);
    }

    #[tokio::test]
    async fn work_that_panics_is_told_and_its_thread_goes_on() {
        let pool = Pool::new("test", 1).unwrap();
        let ended = pool.run(|| if pool_is_wrong() { 1 } else { panic!("told") }).end(SOON, SOON).await.unwrap();
        assert_eq!(ended.unwrap_err().downcast_ref(), Some(&"told"));
        assert_eq!(pool.run(|| 2).end(SOON, SOON).await.unwrap().unwrap(), 2);
    }

    fn pool_is_wrong() -> bool {
        false
    }

    #[tokio::test]
    async fn work_that_nobody_waits_for_is_done_if_it_has_begun_and_dropped_at_once_if_not() {
        let pool = Pool::new("test", 1).unwrap();
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let (done, is_done) = std::sync::mpsc::channel();
        let begun = pool.run(move || {
            let _ = wait.recv();
            done.send(())
        });
        while begun.place.begun().is_none() {
            tokio::task::yield_now().await;
        }
        drop(begun);
        let (held, is_held) = std::sync::mpsc::channel::<()>();
        drop(pool.run(move || held.send(())));
        // What the work had is gone before a thread comes to it.
        assert_eq!(is_held.try_recv(), Err(std::sync::mpsc::TryRecvError::Disconnected));
        go.send(()).unwrap();
        is_done.recv_timeout(SOON).unwrap();
        assert_eq!(pool.run(|| 2).end(SOON, SOON).await.unwrap().unwrap(), 2);
    }

    #[test]
    fn threads_that_the_system_does_not_grant_are_an_error() {
        assert!(try_threads(4, 64 * 1024).is_ok());
        // More address space than there is.
        assert!(try_threads(1, 1 << 62).is_err());
    }
}
