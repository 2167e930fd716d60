//! Stores: what all of them promise, and what each does when its medium fails.
//!
//! Processes are this very binary, started again with `--exact …::worker` and what to do in its environment.
#![cfg(all(unix, feature = "sqlite"))]
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic, reason = "a test is outside of the library")]

#[path = "../current/mod.rs"]
mod current;
mod damage;
mod disk;
mod displaced;
mod files;
mod given;
mod growth;
mod histories;
mod journal;
mod kept;
mod kill;
mod locked;
mod past;
#[cfg(feature = "postgres")]
mod postgres;
mod race;
mod spans;
mod turns;
mod versions;
