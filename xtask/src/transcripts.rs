//! `antefix audit` of a day's transcripts: 100 MB, as Claude Code writes them.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::bench::{Goal, Row};
use crate::step::Outcome;

/// How large all of them are.
const BYTES: usize = 100 * 1024 * 1024;
/// How large one is: a day of work of one session.
const FILE: usize = 4 * 1024 * 1024;
/// How long reading them may take.
const GOAL: Goal = Goal::Nanos(1e9);
/// How often that is tried.
const TRIES: usize = 5;

/// The time of the whole process, from spawn to exit, with transcripts that were written just before.
pub(crate) fn measure(target: &Path) -> Outcome<Row> {
    let program = target.join("release").join(format!("antefix{}", std::env::consts::EXE_SUFFIX));
    let home = std::env::temp_dir().join(format!("antefix-bench-audit-{}", std::process::id()));
    let outcome = write(&home).and_then(|()| time(&program, &home));
    // Nothing but what was written here is in it.
    let _ = fs::remove_dir_all(&home);
    let mut times = outcome?;
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    let name = "antefix audit of 100 MB".to_owned();
    Ok(Row { name, nanos: median, p95: None, bytes: Some(BYTES as f64), floor: None, goal: Some(GOAL) })
}

fn time(program: &Path, home: &Path) -> Outcome<Vec<f64>> {
    eprintln!("\n▸ antefix audit, {TRIES} times");
    let once = || {
        let mut command = Command::new(program);
        command.args(["audit", "--json"]).env_clear().env("HOME", home).current_dir(home);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let begun = Instant::now();
        match command.status() {
            Ok(status) if status.success() => Ok(begun.elapsed().as_nanos() as f64),
            Ok(status) => Err(format!("antefix audit failed ({status}), so its time means nothing")),
            Err(error) => Err(format!("antefix audit did not start: {error}")),
        }
    };
    (0..TRIES).map(|_| once()).collect()
}

/// Sessions in which four fifths of the bytes are attachments and what tools printed, as in those that were seen.
fn write(home: &Path) -> Outcome {
    let directory = home.join(".claude/projects/-home-u-api");
    fs::create_dir_all(&directory).map_err(|error| format!("{} cannot be made: {error}", directory.display()))?;
    let printed = "fn main() {\\n    println!(\\\"hello\\\");\\n}\\n".repeat(150);
    for session in 0..BYTES / FILE {
        let mut text = String::with_capacity(FILE + 16 * 1024);
        let mut number = 0;
        while text.len() < FILE {
            number += 1;
            let (minute, second) = (number / 60 % 60, number % 60);
            let common = format!(
                "\"sessionId\":\"s{session}\",\"cwd\":\"/home/u/api\",\"version\":\"2.1.325\",\"timestamp\":\"2026-11-16T10:{minute:02}:{second:02}.000Z\""
            );
            let _ = writeln!(
                text,
                "{{\"type\":\"user\",{common},\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"tool_result\",\"content\":\"{printed}\"}}]}}}}"
            );
            for part in 0..2 {
                let _ = writeln!(
                    text,
                    "{{\"type\":\"assistant\",\"uuid\":\"{number}-{part}\",\"requestId\":\"r{session}-{number}\",{common},\"message\":{{\"id\":\"m{session}-{number}\",\"model\":\"claude-opus-5-5\",\"content\":[{{\"type\":\"text\",\"text\":\"{}\"}}],\"usage\":{{\"input_tokens\":3,\"cache_read_input_tokens\":{},\"cache_creation_input_tokens\":900,\"output_tokens\":40}}}}}}",
                    "Some words of an answer. ".repeat(20),
                    number * 900,
                );
            }
        }
        let path = directory.join(format!("s{session}.jsonl"));
        fs::write(&path, text).map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    }
    Ok(())
}
