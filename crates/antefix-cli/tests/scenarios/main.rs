//! One table of scenarios, all front ends: the same steps give the same bytes, epochs, causes, pending changes, findings
//! and errors through the library, the program, HTTP and the Agent Client Protocol.
//!
//! 1. A scenario is a list of [`step::Step`]s with the essentials of what must come of each, written by hand. The library
//!    is held against them; all other front ends are held against the library, row by row, and so is the ledger that each
//!    step leaves behind.
//! 2. Every front end has a project, a home and a store of its own with the same files in them. `in turns` has one for
//!    all: each step is another front end's.
//! 3. Where a front end differs, it is written down with its reason, and checked: by scenario with `except`, for all
//!    scenarios in [`lists`]. What is written down and differs no more fails as well.
//!
//! A new front end is a file that implements [`front_end::Adapter`], and a variant in [`front_end::FrontEnd`].

#![cfg(all(unix, feature = "serve"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by failing")]

// What an agent does is written once, beside the other tests of the proxy.
#[path = "../acp/fake.rs"]
mod fake;

mod step;

mod outcome;

mod expect;

mod scenario;

mod lists;

mod place;

mod front_end;

mod library;

mod document;

mod program;

mod http;

mod acp;

mod in_turns;

mod run;

mod table;
