//! antefix composes the system prompts of AI agents, freezes them per conversation so that providers' prompt caches
//! hold, delivers them in every provider's shape, and can account for every byte.
//!
//! ```text
//!  discover            compose                freeze               deliver
//!  world → Facts       Layout+Facts → Prompt   Prompt → Epoch       Turn → request fragment
//! ```
//!
//! ```
//! use std::path::Path;
//! use antefix::compose::{Dialect, Layout, compose};
//! use antefix::discover::{Shelves, Situation, Workspace, discover};
//! use antefix::worlds::MemoryWorld;
//! use antefix::{Source, SourceKind};
//!
//! // The world: here made of data, `worlds::OsWorld` on a machine.
//! let world = MemoryWorld::new().file("/p/.git/HEAD", "").file("/p/AGENTS.md", "Use tabs.");
//! let workspace = Workspace::find(&world, Path::new("/p"));
//!
//! // A layout: here of one template. It knows which facts it names.
//! let template = Source::new(SourceKind::Template, "greeting", "In [prompt:cwd]: [file:AGENTS.md]");
//! let shelves = Shelves::new(&world, &workspace, None);
//! let layout = Layout::of_template(&template.into(), None, Dialect::Bracket, &shelves)?;
//!
//! // Ask for those and nothing else, then compose.
//! let mut situation = Situation::new(workspace.clone());
//! situation.paths = layout.paths();
//! let discovery = discover(&world, &situation, &layout.facts());
//! let prompt = compose(&layout, &discovery.facts)?;
//! assert_eq!(prompt.text(), "In /p: Use tabs.");
//!
//! // Every byte has an origin.
//! let span = prompt.span_at(8).unwrap();
//! assert_eq!((span.origin.kind(), span.origin.path(), span.origin.line()), ("file", Some("/p/AGENTS.md"), Some(1)));
//! # Ok::<(), antefix::Error>(())
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

pub mod discover;

pub mod compose;

pub mod freeze;

pub mod hooks;

pub mod deliver;

pub mod keeper;

pub mod stores;

pub mod worlds;

pub mod contract;

pub mod models;
pub mod tokens;

mod budget;
mod diagnostic;
mod digest;
mod error;
mod place;
mod toml_words;

pub use budget::{Budget, Unit};
pub use diagnostic::{Diagnostic, Level};
pub use digest::{Digest, PrefixDigests};
pub use error::{Error, ErrorKind, Result};
pub use place::{Lines, Place, Source, SourceKind, Within};
