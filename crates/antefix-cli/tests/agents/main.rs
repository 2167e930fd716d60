//! Real agents behind a stand-in for their model: what reaches it is compared with what our data says.
//!
//! 1. A world is a home with a project in it, full of canaries: texts that name the file they are in.
//! 2. The agent is started there as its user would start it, in a network that has nobody but `tests/agents/recorder.py`, which keeps
//!    what the agent sends.
//! 3. `antefix explain --as` and `antefix agents` are asked about the same world. The same canaries must have arrived, in the same
//!    order, said by whom the data names; and each section must be in the request byte for byte.
//!
//! 4. Behind `antefix acp`, an agent is told what it reads itself once, and what only antefix reads once.
//!
//! `cargo xtask test` installs the agents into `target/agents`, from the lock files in `tests/agents`, and says so where that fails.
//! Three are run by default; `--all-agents` runs all. `ANTEFIX_TEST_AGENTS=none` leaves these tests out.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by failing")]

mod acp;
mod compare;
mod request;
mod start;
mod worlds;

use compare::agrees;
use start::Start;

/// Runs an agent in every world that is meant for it.
#[track_caller]
fn reads_what_its_file_says(start: &Start) {
    if start.is_left_out() {
        return;
    }
    let only = std::env::var("ANTEFIX_TEST_WORLD").unwrap_or_default();
    let mut failures = Vec::new();
    for world in worlds::worlds().iter().filter(|world| world.name.contains(&only)) {
        failures.extend(agrees(start, world).into_iter().map(|failure| format!("{}: {failure}", world.name)));
    }
    assert!(failures.is_empty(), "{} differs from its file:\n\n{}", start.agent, failures.join("\n\n"));
}

#[test]
fn claude_code_reads_what_its_file_says() {
    reads_what_its_file_says(&start::CLAUDE_CODE);
}

#[test]
fn codex_reads_what_its_file_says() {
    reads_what_its_file_says(&start::CODEX);
}

#[test]
fn gemini_cli_reads_what_its_file_says() {
    reads_what_its_file_says(&start::GEMINI_CLI);
}

#[test]
fn opencode_reads_what_its_file_says() {
    reads_what_its_file_says(&start::OPENCODE);
}

#[test]
fn qwen_code_reads_what_its_file_says() {
    reads_what_its_file_says(&start::QWEN_CODE);
}

#[test]
fn copilot_cli_reads_what_its_file_says() {
    reads_what_its_file_says(&start::COPILOT_CLI);
}

#[test]
fn cline_reads_what_its_file_says() {
    reads_what_its_file_says(&start::CLINE);
}

#[test]
fn gemini_cli_behind_the_proxy_is_told_once() {
    acp::is_told_once(&start::GEMINI_ACP, None);
}

#[test]
fn claude_code_behind_the_proxy_is_told_once() {
    acp::is_told_once(&start::CLAUDE_ACP, None);
}

#[test]
fn codex_behind_the_proxy_is_told_once() {
    acp::is_told_once(&start::CODEX_ACP, Some("api-key"));
}
