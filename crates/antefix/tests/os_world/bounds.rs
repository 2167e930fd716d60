//! Hostile projects cost a bounded time and memory, and what was left out is reported.
//!
//! Each is looked at in a process of its own, so that its peak of memory is its own.

use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use crate::projects::{self, Fill};

/// The variable that names the project to a child.
const PROJECT: &str = "ANTEFIX_TEST_PROJECT";

/// What a child prints: milliseconds, the bytes of the prompt, the peak of memory, and what was reported.
fn looked_at(root: &std::path::Path) -> (Duration, usize, u64, String) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "bounds::a_child_looks_at_the_project_that_it_is_given", "--nocapture"])
        .env(PROJECT, root)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| line.split_once("looked: ")).unwrap_or_else(|| panic!("{text}")).1;
    let parts: Vec<&str> = line.split('\t').collect();
    let number = |at: usize| parts[at].parse::<u64>().unwrap();
    (Duration::from_millis(number(0)), number(1) as usize, number(2), parts[3].to_owned())
}

/// The child; in a run of all tests it has nothing to do.
#[test]
fn a_child_looks_at_the_project_that_it_is_given() {
    let Ok(root) = std::env::var(PROJECT) else { return };
    let cost = projects::look(root.as_ref());
    let peak = cost.peak.unwrap_or_default();
    println!("\nlooked: {}\t{}\t{peak}\t{}", cost.time.as_millis(), cost.prompt, cost.reported.join(" "));
}

#[test]
fn many_directories_of_skills_take_a_bounded_time() {
    let project = TempDir::new().unwrap();
    projects::skills(project.path(), 2_100, "");
    let (time, prompt, _, reported) = looked_at(project.path());
    assert!(time < Duration::from_secs(10), "{time:?}");
    assert!(prompt < 64 * 1024, "{prompt}");
    assert_eq!(reported, "over-budget scan-limit");
}

#[test]
fn a_huge_instruction_file_takes_bounded_memory() {
    let (small, large) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    projects::huge(small.path(), 8 << 20, Fill::Sparse);
    projects::huge(large.path(), 1 << 30, Fill::Sparse);
    let (_, _, base, _) = looked_at(small.path());
    let (time, prompt, peak, reported) = looked_at(large.path());
    assert!(time < Duration::from_secs(10), "{time:?}");
    assert!(prompt < 128 * 1024, "{prompt}");
    assert!(peak < base + (4 << 20), "{} KiB beside {} KiB", peak >> 10, base >> 10);
    assert_eq!(reported, "cut");
}
