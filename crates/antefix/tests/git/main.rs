//! Git's facts: the same words as plain git in a friendly repository, and nothing executed in a hostile one.
#![cfg(all(unix, feature = "os"))]
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::panic, reason = "a fixture is a real repository")]

mod besides;
mod fixture;
mod ignored;
#[path = "../parts/mod.rs"]
mod parts;
mod plain;
mod policy;
mod together;
mod vectors;
