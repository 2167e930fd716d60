//! Whether somebody still waits for the answer.
//!
//! 1. Whoever asks may hand in a [`Stop`] and set it when nobody waits any more. No stage reads a clock for it.
//! 2. It is looked at between the steps of composing, in the loops that may be long, and by whoever looks for mistakes. What is
//!    written to a store is not stopped: it is done or not done.
//! 3. It changes no byte: what was not stopped is what it would have been without.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, ErrorKind, Result};

/// Stops work that nobody waits for any more. The one by default never does.
///
/// ```
/// use antefix::project::Look;
/// use antefix::{Antefix, Ask, ErrorKind, Stop, worlds::MemoryWorld};
///
/// # let world = MemoryWorld::new().file("/p/AGENTS.md", "Use tabs.");
/// # let project = Antefix::builder().world(world).store("memory").build()?.project("/p")?;
/// let stop = Stop::new();
/// stop.set(); // from another thread, mostly
/// let stopped = project.preview(Ask::new().stop(&stop), Look::Composing).err();
/// assert_eq!(stopped.map(|error| error.kind()), Some(ErrorKind::Stopped));
/// # Ok::<(), antefix::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Stop(Option<Arc<AtomicBool>>);

impl Stop {
    /// One that can be set. All its clones are set with it.
    pub fn new() -> Stop {
        Stop(Some(Arc::default()))
    }

    /// Nobody waits any more.
    pub fn set(&self) {
        if let Some(flag) = &self.0 {
            flag.store(true, Ordering::Relaxed);
        }
    }

    /// Whether nobody waits any more.
    pub fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// An error of the kind [`Stopped`](ErrorKind::Stopped) if nobody waits any more.
    pub fn check(&self) -> Result<()> {
        if !self.is_set() {
            return Ok(());
        }
        let error = Error::new(ErrorKind::Stopped, "the work was stopped: nobody waits for it any more");
        Err(error.with_hint("nothing was stored by it; asking again is safe"))
    }
}

/// How long somebody waits is no part of what they ask: all are equal.
impl PartialEq for Stop {
    fn eq(&self, _: &Stop) -> bool {
        true
    }
}

impl Eq for Stop {}
