//! What the tests of all crates share.
//!
//! 1. A [`Scratch`] is a project with a home beside it. It runs the program there, which sees nothing else of the machine.
//!    The caller says where the program is, usually `env!("CARGO_BIN_EXE_antefix")`: only the crate that builds it knows.
//! 2. A [`Server`] is `antefix serve` as a process, and a client that sends whatever it is given.
//! 3. A [`Need`] is something that not every machine has. A test that cannot run fails, unless somebody left it out by name;
//!    `cargo xtask test` does that, and reports it.
//!
//! Nothing here knows the library: its own tests use this crate, too. No release contains it.
//!
//! ```no_run
//! # let program = "antefix";
//! use antefix_testing::Scratch;
//!
//! let scratch = Scratch::new(program).file("p/t.md", "On [git:branch].\n");
//! let ran = scratch.ok(&["show", "--template", "t.md", "--set", "git:branch=main"]);
//! assert_eq!(ran.stdout, "On main.\n");
//! ```

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by failing")]

mod ran;
mod scratch;

#[cfg(unix)]
mod client;
#[cfg(target_os = "linux")]
mod hanging;
#[cfg(unix)]
mod server;

pub mod memory;
mod need;
#[cfg(all(unix, feature = "postgres"))]
pub mod postgres;

#[cfg(unix)]
pub use client::Reply;
#[cfg(target_os = "linux")]
pub use hanging::Hanging;
pub use need::{LEFT_OUT, Need, Remedy, WITHOUT};
pub use ran::Ran;
pub use scratch::Scratch;
#[cfg(unix)]
pub use server::Server;
