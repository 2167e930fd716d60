//! `antefix serve` as its clients see it: real processes, real ports, a real store.

#![cfg(all(unix, feature = "serve"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by failing")]

mod agents;
mod bodies;
mod broken;
mod browser;
mod carry;
mod cases;
mod cut_off;
mod deployed;
mod described;
mod dispatch;
mod every_turn_is_fresh;
mod family;
mod granted;
mod guard;
mod hooks;
mod hostile;
mod ledger;
mod limits;
mod many;
mod overload;
mod replicas;
mod side_by_side;
mod soak;
mod store_away;
mod template;
mod turns;

use antefix_testing::postgres::Database;
use antefix_testing::{Scratch, Server};

/// A scratch repository with a file of instructions.
fn project() -> Scratch {
    let scratch = Scratch::new(env!("CARGO_BIN_EXE_antefix"));
    scratch.file("p/.git/HEAD", "ref: refs/heads/main\n").file("p/AGENTS.md", "Use tabs.\n")
}

/// Several servers on one PostgreSQL, behind a proxy with one name.
fn replicas(scratch: &Scratch, database: &Database, count: usize) -> Vec<Server> {
    let args = ["--store", &database.url(""), "--no-link", "--host", "https://prompts.example"];
    (0..count).map(|_| scratch.serve_with(&args)).collect()
}
