//! A stack that is large enough.
//!
//! The template engine recurses, and a stack overflow aborts the process: it cannot be caught. What the guard lets
//! through needs little, but a caller's thread may have less, so everything that reaches the engine runs on a thread of
//! its own. The memory is only reserved; pages are used when they are touched.

use crate::error::{Error, ErrorKind, Result};

/// Enough for the deepest template that the guard lets through, in an unoptimized build with a sanitizer.
const STACK: usize = 32 * 1024 * 1024;

/// Runs `work` on a thread with room.
pub(crate) fn roomy<T: Send>(work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("antefix-compose".into()).stack_size(STACK);
        match thread.spawn_scoped(scope, work).map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            // A panic is a defect of ours; it goes on where it would have gone without the thread.
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => {
                Err(Error::new(ErrorKind::Limit, format!("the system gives no thread to compose on: {error}")))
            }
        }
    })
}
