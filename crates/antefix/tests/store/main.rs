//! Stores: what all of them promise, and what each does when its medium fails.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic, reason = "a test is outside of the library")]

mod given;
mod kept;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "postgres")]
mod processes;
