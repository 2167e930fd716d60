//! The real machine, with everything that a file system or a program can do to a reader.
#![cfg(all(unix, feature = "os"))]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a fixture is a real file system, or a real server"
)]

mod bounds;
mod files;
#[cfg(target_os = "linux")]
mod hanging;
#[path = "../homeless/mod.rs"]
mod homeless;
mod hooks;
#[path = "../parts/mod.rs"]
mod parts;
mod programs;
#[path = "../projects/mod.rs"]
mod projects;
#[cfg(feature = "http")]
mod servers;
mod torn;

use antefix::discover::world::{Answer, ReasonCode, SystemText, World};
use antefix::worlds::OsWorld;

/// How much is read of a file, or kept of a program's output.
const LIMIT: usize = 1024;

#[track_caller]
fn assert_unavailable<T: std::fmt::Debug>(answer: Answer<T>, code: ReasonCode, detail: &str) {
    match answer {
        Answer::Unavailable(reason) => assert_eq!((reason.code, reason.detail.as_str()), (code, detail)),
        other => panic!("{other:?}"),
    }
}

fn run_plainly(program: &str, args: &[&str]) {
    assert!(std::process::Command::new(program).args(args).status().unwrap().success(), "{program} {args:?}");
}

/// What `ps` says about a process; nothing if there is none with that number.
#[track_caller]
fn process_state(pid: &str) -> String {
    let output = std::process::Command::new("ps").args(["-o", "stat=", "-p", pid.trim()]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Whether a state is that of no process, or of one that only its parent has not waited for.
fn is_dead(state: &str) -> bool {
    state.is_empty() || state.starts_with('Z')
}

#[test]
fn the_machine_describes_itself() {
    let world = OsWorld::new();
    assert!(world.hostname().present().is_some_and(|name| !name.is_empty()));
    assert_eq!(world.env("ANTEFIX_SURELY_NOT_SET"), Answer::Absent);
    assert_eq!(world.env("PATH").present(), std::env::var("PATH").ok());
    assert_ne!(world.platform(), "macos");
    if cfg!(target_os = "linux") {
        assert_eq!(world.platform(), "linux");
        assert!(world.system_text(SystemText::KernelVersion).present().is_some_and(|text| text.starts_with("Linux")));
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
        assert_eq!(world.system_text(SystemText::KernelRelease), Answer::Present(release.trim_end().to_owned()));
    }
    let now = "2026-03-07T12:00:00Z".parse().unwrap();
    assert_eq!(OsWorld::at(now).now(), now);
    let before = jiff::Timestamp::now();
    assert!(world.now() >= before);
}
