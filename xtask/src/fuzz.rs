//! `cargo xtask fuzz`: hostile inputs, found by watching which branches an input takes.
//!
//! 1. The targets are in `fuzz/fuzz_targets/`; what they start from is in `fuzz/seeds/`.
//! 2. cargo-fuzz is installed if it is missing.
//! 3. The sanitizer is a feature of the unstable compiler; `RUSTC_BOOTSTRAP` lets the pinned stable one have it.
//! 4. An input that breaks something is left in `fuzz/artifacts/`, and the way to run it again is printed.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::step::{Outcome, cargo, program, read, root, show};

/// The targets.
pub(crate) const TARGETS: [&str; 10] =
    ["bracket", "compose", "wording", "front_matter", "acp", "import", "requests", "usage", "bodies", "observed"];

const VERSION: &str = "0.13.2";

/// Reads the command line.
pub(crate) fn command(args: &[&str]) -> Outcome {
    let mut seconds = 60;
    let mut targets = Vec::new();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match *arg {
            "--seconds" => {
                let given = args.next().and_then(|text| text.parse().ok()).filter(|given| *given > 0);
                seconds = given.ok_or("`--seconds` takes a number")?;
            }
            target if TARGETS.contains(&target) => targets.push(target),
            other => return Err(format!("there is no target `{other}`; there are {}", TARGETS.join(", "))),
        }
    }
    prepare()?;
    run(if targets.is_empty() { &TARGETS } else { &targets }, seconds)
}

/// Makes sure that the targets can be built, or says why they cannot.
pub(crate) fn prepare() -> Outcome {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    read(&mut program(&compiler, &["--version"]))
        .map_err(|_| format!("there is no C++ compiler (`{compiler}`); install g++ or set CXX"))?;
    if let Ok(version) = read(&mut cargo(&["fuzz", "--version"])) {
        eprintln!("\n▸ {} is installed", version.trim_end());
        return Ok(());
    }
    show(&mut cargo(&["install", "cargo-fuzz", "--version", VERSION, "--locked"]))
        .map_err(|_| format!("cargo-fuzz {VERSION} is not installed and could not be"))
}

/// Builds the targets and runs each for so many seconds.
pub(crate) fn run(targets: &[&str], seconds: u32) -> Outcome {
    show(&mut bootstrapped(&["build"]))?;
    for target in targets {
        target_run(target, seconds)?;
    }
    Ok(())
}

fn target_run(target: &str, seconds: u32) -> Outcome {
    let corpus = format!("fuzz/corpus/{target}");
    fs::create_dir_all(root().join(&corpus)).map_err(|error| format!("{corpus} cannot be made: {error}"))?;
    eprintln!("\n▸ cargo fuzz run {target}, {seconds} s");
    let start = Instant::now();
    let output = bootstrapped(&["run", target, &corpus, &format!("fuzz/seeds/{target}"), "--"])
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-dict=fuzz/dict/{target}.dict"))
        // One input may take five seconds and half a gibibyte; the same seed makes runs alike.
        .args(["-timeout=5", "-rss_limit_mb=512", "-seed=1", "-max_len=16384", "-print_final_stats=1"])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cargo fuzz did not start: {error}"))?;
    let log = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        eprintln!("{}", last_lines(&log, 60));
        return Err(format!("fuzz target `{target}` found an input that breaks it; see above how to run it again"));
    }
    // A run without figures is not a run: a target that was killed early must not pass for a good one.
    let figure = |name| statistic(&log, name).ok_or_else(|| format!("fuzz target `{target}` printed no statistics"));
    eprintln!(
        "  done in {:.1} s: {} executions, {} a second, peak memory {} MB",
        start.elapsed().as_secs_f64(),
        figure("number_of_executed_units")?,
        figure("average_exec_per_sec")?,
        figure("peak_rss_mb")?
    );
    Ok(())
}

fn bootstrapped(args: &[&str]) -> Command {
    let mut command = cargo(&["fuzz"]);
    // Composing runs on threads with large stacks. Watching those for use after return more than halves the runs a
    // second, and code that is all safe cannot do it.
    command.args(args).env("RUSTC_BOOTSTRAP", "1").env("ASAN_OPTIONS", "detect_stack_use_after_return=0");
    command
}

/// A figure of libFuzzer's closing statistics.
fn statistic(log: &str, name: &str) -> Option<u64> {
    let line = log.lines().find_map(|line| line.strip_prefix("stat::")?.strip_prefix(name)?.strip_prefix(':'))?;
    line.trim().parse().ok()
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::{command, last_lines, statistic};

    #[test]
    fn statistics_are_read_by_their_whole_name() {
        let log = "Done 7 runs\nstat::number_of_executed_units: 561\nstat::average_exec_per_sec:     13\n";
        assert_eq!(statistic(log, "number_of_executed_units"), Some(561));
        assert_eq!(statistic(log, "average_exec_per_sec"), Some(13));
        assert_eq!(statistic(log, "average"), None);
        assert_eq!(statistic("", "peak_rss_mb"), None);
    }

    #[test]
    fn only_the_end_of_a_long_log_is_shown() {
        assert_eq!(last_lines("a\nb\nc", 2), "b\nc");
        assert_eq!(last_lines("a", 2), "a");
    }

    #[test]
    fn unknown_targets_and_times_are_refused() {
        assert!(command(&["nothing"]).is_err_and(|why| why.contains("no target `nothing`")));
        assert!(command(&["--seconds", "soon"]).is_err_and(|why| why.contains("takes a number")));
        assert!(command(&["--seconds", "0"]).is_err_and(|why| why.contains("takes a number")));
    }
}
