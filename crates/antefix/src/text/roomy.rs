//! A stack that is large enough.
//!
//! The template engine recurses, and a stack overflow aborts the process: it cannot be caught. What the guard lets
//! through needs little, but a caller's thread may have less. Where less than [`NEEDED`] is left, the work runs on a stack
//! of its own.

/// Enough for the deepest template that the guard lets through, in an unoptimized build with a sanitizer.
const NEEDED: usize = 4 * 1024 * 1024;
/// The stack that is made where there is too little; its memory is used only as far as it is touched.
const STACK: usize = 16 * 1024 * 1024;

/// Runs `work` with room on the stack.
pub(crate) fn roomy<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(NEEDED, STACK, work)
}
