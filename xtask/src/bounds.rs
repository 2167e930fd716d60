//! What hostile projects cost: a bounded time and a bounded memory, however large they are.
//!
//! 1. Each project is made anew and looked at in a process of its own, which says how long it took and what its peak of
//!    memory was.
//! 2. What was left out must have been reported, or the bound would be a silent cut.

use std::fs;
use std::path::Path;

use crate::projects::{self, Fill};
use crate::step::{Outcome, cargo};

/// A project, and what it may cost.
struct Bound {
    name: &'static str,
    make: fn(&Path),
    millis: f64,
    mebibytes: f64,
    reported: &'static str,
}

const GIBIBYTE: u64 = 1 << 30;

/// The dense file takes its time to be written, so it is only made when asked for.
const BOUNDS: [Bound; 3] = [
    Bound {
        name: "10,000 directories of skills",
        make: |root| projects::skills(root, 10_000, ""),
        millis: 500.0,
        mebibytes: 64.0,
        reported: "over-budget scan-limit",
    },
    Bound {
        name: "instruction and ignore files of 1 GiB, sparse",
        make: |root| projects::huge(root, GIBIBYTE, Fill::Sparse),
        millis: 100.0,
        mebibytes: 64.0,
        reported: "cut",
    },
    Bound {
        name: "instruction and ignore files of 1 GiB, dense",
        make: |root| projects::huge(root, GIBIBYTE, Fill::Dense),
        millis: 100.0,
        mebibytes: 64.0,
        reported: "cut",
    },
];

/// Which projects are made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    /// Those that are made quickly.
    Quick,
    /// All of them.
    Whole,
}

/// Measures and prints each; the names of those over their bounds are the answer.
pub(crate) fn measure(size: Size) -> Outcome<Vec<String>> {
    let mut missed = Vec::new();
    let count = if size == Size::Whole { BOUNDS.len() } else { BOUNDS.len() - 1 };
    println!();
    for bound in &BOUNDS[..count] {
        let place = std::env::temp_dir().join(format!("antefix-bounds-{}", std::process::id()));
        fs::create_dir_all(&place).map_err(|error| format!("{} cannot be made: {error}", place.display()))?;
        (bound.make)(&place);
        let outcome = look(&place);
        // What is left behind is in the system's own directory for such things.
        let _ = fs::remove_dir_all(&place);
        let (millis, mebibytes, reported) = outcome?;
        let passes = millis <= bound.millis && mebibytes <= bound.mebibytes && reported == bound.reported;
        println!(
            "{}: {millis:.1} ms (≤ {:.0} ms), peak {mebibytes:.1} MiB (≤ {:.0} MiB), reported: {reported}  {}",
            bound.name,
            bound.millis,
            bound.mebibytes,
            if passes { "pass" } else { "FAIL" }
        );
        if !passes {
            missed.push(bound.name.to_owned());
        }
    }
    Ok(missed)
}

/// Milliseconds, mebibytes and what was reported.
fn look(place: &Path) -> Outcome<(f64, f64, String)> {
    let output = cargo(&["bench", "--quiet", "--package", "antefix", "--bench", "compose"])
        .env("ANTEFIX_BENCH_LOOK", place)
        .output()
        .map_err(|error| format!("the benchmark did not start: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix("looked: "));
    let parts: Vec<&str> = line.ok_or_else(|| format!("nothing was measured: {text}"))?.split('\t').collect();
    let number = |at: usize| parts.get(at).and_then(|part| part.parse::<f64>().ok()).unwrap_or(f64::NAN);
    Ok((number(0) / 1e6, number(2) / f64::from(1 << 20), parts.get(3).copied().unwrap_or_default().to_owned()))
}
