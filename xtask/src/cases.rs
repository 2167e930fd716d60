//! `cargo xtask cases`: the case folders alone.

use crate::step::{Outcome, cargo, git, show};

const FOLDERS: &str = "crates/antefix/tests/cases";

/// Runs the cases. With `accept`, what came out becomes what is expected, and git shows what that changed.
pub(crate) fn run(accept: bool) -> Outcome {
    let mut test = cargo(&["test", "--package", "antefix", "--test", "it", "cases"]);
    if !accept {
        return show(&mut test);
    }
    let outcome = show(test.env("ANTEFIX_ACCEPT", "1"));
    // Shown even if a case failed, because others were written all the same; new folders are in the second list only.
    show(&mut git(&["diff", "--stat", "--", FOLDERS]))?;
    show(&mut git(&["status", "--short", "--", FOLDERS]))?;
    outcome
}
