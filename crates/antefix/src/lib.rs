//! antefix composes the system prompts of AI agents, freezes them per conversation so that providers' prompt caches
//! hold, delivers them in every provider's shape, and can account for every byte.
//!
//! ```text
//!  discover            compose                freeze               deliver
//!  world → Facts       Layout+Facts → Prompt   Prompt → Epoch       Turn → request fragment
//! ```
//!
//! # Invariants
//!
//! 1. [`compose`], [`freeze`] and [`deliver`] read no clock, environment, file, process or network.
//! 2. "There is none" and "could not ask" are different answers everywhere.
//! 3. Substitution is single-pass: what a fact contains is data, never template.
//! 4. Everything injected is bounded, a cut is visible in the text, and the user is told.
//! 5. Same inputs, same bytes: on any machine, in any locale, time zone, directory order or process.
//!
//! `ARCHITECTURE.md` lists all of them with their guards.

// The modules stand in the order of the flow; the blank lines keep them from being sorted.

pub mod text;

pub mod discover;

pub mod compose;

pub mod freeze;

pub mod hooks;

pub mod deliver;

pub mod observe;

pub mod keeper;

pub mod project;

pub mod document;

pub mod stores;

pub mod worlds;

pub mod contract;

pub mod models;
pub mod tokens;

pub mod diagnostic;

mod error;
mod recent;
mod toml_words;

pub use deliver::{Delivery, Target};
pub use diagnostic::{Diagnostic, Level};
pub use error::{Error, ErrorKind, Fault, Result};
pub use keeper::Turn;
pub use project::{Antefix, Ask, Builder, Conversation, Project};
