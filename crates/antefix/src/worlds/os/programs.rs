//! The programs that run at the moment, and their end before their time.
//!
//! Whoever stops the process asks for it: a program that is running is killed by the thread that waits for it, and no
//! other one is started.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// All programs that copies of one world run.
#[derive(Debug, Clone, Default)]
pub(super) struct Programs(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    is_ending: bool,
}

/// How long the end of all programs is waited for. A program that the kernel does not let go is not waited for longer.
const PATIENCE: Duration = Duration::from_secs(3);

impl Programs {
    /// Counts a program that is about to start; none if no program may start any more.
    pub(super) fn begin(&self) -> Option<Running> {
        let mut state = self.lock();
        if state.is_ending {
            return None;
        }
        state.running += 1;
        Some(Running(self.clone()))
    }

    /// Ends all programs, and comes back when they are gone.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.is_ending = true;
        drop(self.0.changed.wait_timeout_while(state, PATIENCE, |state| state.running > 0));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A program that runs until this is dropped.
pub(super) struct Running(Programs);

impl Running {
    /// Whether it must end now.
    pub(super) fn must_end(&self) -> bool {
        self.0.lock().is_ending
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.lock().running -= 1;
        self.0.0.changed.notify_all();
    }
}
