//! Points at which a test lets the work fail, or the process end: one behind every step that a store takes.
//!
//! 1. Outside of this crate's own tests a point is nothing at all, not even a branch.
//! 2. A test does not name points. It lets the first one fail, then the second one, until the work ends without having met its
//!    point: so a step that is added is tested without a word.
//! 3. Points are counted by thread, so that tests do not meet each other's.

#[cfg(test)]
pub(crate) use armed::{Action, reach, reached};

#[cfg(not(test))]
#[inline(always)]
#[allow(clippy::unnecessary_wraps, reason = "with tests it may fail")]
pub(crate) fn reach(_: &'static str) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod armed {
    use std::cell::RefCell;
    use std::io;

    /// What happens at a point.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum Action {
        /// The step fails.
        Fail,
        /// The process ends, as if it were killed.
        Abort,
    }

    #[derive(Default)]
    struct Armed {
        /// Which point it is, from 1, and what happens there.
        at: Option<(usize, Action)>,
        met: Vec<&'static str>,
    }

    thread_local! {
        static ARMED: RefCell<Armed> = RefCell::default();
    }

    /// Does some work whose so many-th point fails, and answers with the points that were met.
    pub(crate) fn reached<T>(at: Option<(usize, Action)>, work: impl FnOnce() -> T) -> (T, Vec<&'static str>) {
        ARMED.set(Armed { at, met: Vec::new() });
        let done = work();
        (done, ARMED.take().met)
    }

    pub(crate) fn reach(point: &'static str) -> io::Result<()> {
        ARMED.with_borrow_mut(|armed| {
            armed.met.push(point);
            match armed.at {
                Some((number, Action::Fail)) if number == armed.met.len() => {
                    Err(io::Error::other(format!("a test lets `{point}` fail")))
                }
                Some((number, Action::Abort)) if number == armed.met.len() => std::process::abort(),
                _ => Ok(()),
            }
        })
    }
}
