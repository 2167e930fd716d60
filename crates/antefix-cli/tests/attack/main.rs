//! What a stranger's repository, or a client of the server, tries: each test is an attack, done for real, that must not succeed.

#![cfg(all(target_os = "linux", feature = "serve"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by failing")]

mod hanging;
mod hidden;
mod roots;
mod trust;

use std::os::unix::fs::symlink;

use antefix_testing::Scratch;

/// What must never be in an answer.
const SECRET: &str = "bytes from outside";

fn scratch() -> Scratch {
    Scratch::new(env!("CARGO_BIN_EXE_antefix"))
}

/// Makes a link in a scratch directory.
fn link(scratch: &Scratch, name: &str, target: &str) {
    symlink(target, scratch.path(name)).unwrap();
}
