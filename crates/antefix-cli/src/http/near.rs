//! Turns that were quick last time, and are therefore taken right where their request was read.
//!
//! 1. A turn of a standing epoch takes some thirty microseconds, and waking another thread for it takes as long again.
//! 2. A turn is near if its store is on this machine, its conversation stands, its layout has no hooks and names nothing
//!    that a program or a server is asked for, and if the last turn in its directory was quick.
//! 3. A directory that hangs is found out by one turn. There are more workers than turns that are taken here at once, so
//!    that others go on being answered; see `work.rs`.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What took longer is not near.
const QUICK: Duration = Duration::from_millis(2);

/// How many directories are remembered. Beyond that all are forgotten, and found out once more.
const MOST: usize = 1_000;

/// The directories in which turns are quick, as requests name them.
#[derive(Default)]
pub(super) struct Near(Mutex<BTreeSet<Option<String>>>);

impl Near {
    /// Whether a turn in a directory was quick.
    pub(super) fn has(&self, cwd: &Option<String>) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(cwd)
    }

    /// Remembers how long a turn took.
    pub(super) fn note(&self, cwd: Option<String>, took: Duration) {
        let mut near = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if took > QUICK {
            near.remove(&cwd);
        } else if !near.contains(&cwd) {
            if near.len() >= MOST {
                near.clear();
            }
            near.insert(cwd);
        }
    }
}
