//! `cargo xtask bench`: speed against a floor and a goal.
//!
//! 1. Floor and figure are measured in one run: on shared machines a ratio says more than a time.
//! 2. Old results are removed first, and the figures are read from criterion's own files: what was not measured now
//!    cannot be printed.
//! 3. The program is measured as a whole process, from spawn to exit, turn by turn with a program that does nothing.
//! 4. The proxy and the server are measured between processes; see [`proxy`] and [`server`].
//! 5. Hostile projects are held against their bounds; see [`bounds`]. `--dense` makes the one that takes long to write.
//! 6. A goal that is missed fails the command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bounds::{self, Size};
use crate::postgres;
use crate::projects;
use crate::proxy;
use crate::server;
use crate::step::{Outcome, cargo, metadata, show};
use crate::transcripts;

/// How often the program is started.
const STARTS: usize = 100;
const WARM_UP: usize = 10;
/// A command that is measured as a whole process.
struct Start {
    name: &'static str,
    words: &'static [&'static str],
    /// Makes the project.
    fill: fn(&Path),
    /// How long it may take from spawn to exit.
    most: Duration,
}

/// What is measured so. What git costs is another question.
const STARTED: [Start; 4] = [
    Start {
        name: "antefix show, cold",
        words: &["show", "--layout", "dispatch", "--set", "git:branch=main", "--set", "git:status="],
        fill: |_| {},
        most: Duration::from_millis(15),
    },
    Start {
        name: "antefix show of 6 files and 51 skills, cold",
        words: &["show", "--layout", "coding-agent", "--set", "git:branch=main", "--set", "git:status="],
        fill: projects::around,
        most: Duration::from_millis(15),
    },
    Start {
        name: "antefix explain of about 20 KB, tokens counted for the first time",
        words: &["explain", "--layout", "coding-agent", "--set", "git:branch=main", "--set", "git:status="],
        fill: projects::around,
        most: Duration::from_millis(40),
    },
    Start {
        name: "antefix agents, all at once, without tokens",
        words: &["agents", "--no-tokens"],
        fill: projects::around,
        most: Duration::from_millis(30),
    },
];

/// One line of the table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) nanos: f64,
    /// The slow end, where it was measured.
    pub(crate) p95: Option<f64>,
    /// Bytes that one run works on.
    pub(crate) bytes: Option<f64>,
    pub(crate) floor: Option<(String, f64)>,
    pub(crate) goal: Option<Goal>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Goal {
    /// At most so many times the floor.
    Ratio(f64),
    /// At most so long.
    Nanos(f64),
}

/// What a turn of 60 KB with 50 tools may take to be delivered, also with the bytes of the request.
const DELIVER: Goal = Goal::Nanos(100_000.0);

/// What criterion measures.
const MEASURED: [Measure; 36] = [
    ("fixed/compose", None, None),
    ("bracket/parse", None, None),
    ("bracket/render", None, None),
    ("jinja-mixed/compose", Some("jinja-mixed/bare"), Some(Goal::Ratio(2.0))),
    ("jinja-dense/compose", Some("jinja-dense/bare"), Some(Goal::Ratio(2.0))),
    ("discover/and-compose", None, None),
    ("around/six-files-51-skills", Some("around/bare-reads"), Some(Goal::Nanos(600_000.0))),
    // Every agent at once, in a repository of a thousand.
    ("agents/repository", None, Some(Goal::Nanos(30_000_000.0))),
    ("tokens/count", None, None),
    ("tokens/remembered", None, None),
    ("store/standing", Some("store/select"), Some(Goal::Ratio(2.0))),
    ("store/standing-large", Some("store/standing"), None),
    ("store/text", Some("store/select"), None),
    ("store/open", None, Some(Goal::Nanos(2_000_000.0))),
    // What opening a conversation adds to composing its prompt.
    ("store/append", None, Some(Goal::Nanos(1_000_000.0))),
    ("turn/memory", None, Some(Goal::Nanos(20_000.0))),
    ("turn/memory-50-tools", None, Some(Goal::Nanos(20_000.0))),
    ("turn/sqlite", Some("store/select"), Some(Goal::Ratio(2.0))),
    ("turn/sqlite-50-tools", Some("store/select"), Some(Goal::Ratio(2.0))),
    ("turn/sqlite-many-epochs", Some("turn/sqlite-few-epochs"), Some(Goal::Ratio(1.5))),
    ("deliver/plain", Some("deliver/digest"), Some(DELIVER)),
    ("deliver/plain-request", Some("deliver/digest"), Some(DELIVER)),
    ("deliver/anthropic", Some("deliver/digest"), Some(DELIVER)),
    ("deliver/anthropic-request", Some("deliver/digest"), Some(DELIVER)),
    ("deliver/openai-chat", Some("deliver/digest"), Some(DELIVER)),
    ("deliver/openai-chat-request", Some("deliver/digest"), Some(DELIVER)),
    ("deliver/openai-responses", Some("deliver/digest"), Some(DELIVER)),
    ("deliver/openai-responses-request", Some("deliver/digest"), Some(DELIVER)),
    ("deliver/gemini", Some("deliver/digest"), Some(DELIVER)),
    ("deliver/gemini-request", Some("deliver/digest"), Some(DELIVER)),
    ("deliver/bedrock", Some("deliver/digest"), Some(DELIVER)),
    ("deliver/bedrock-request", Some("deliver/digest"), Some(DELIVER)),
    ("deliver/ollama", Some("deliver/digest"), Some(DELIVER)),
    ("deliver/ollama-request", Some("deliver/digest"), Some(DELIVER)),
    ("deliver/acp", Some("deliver/digest"), Some(DELIVER)),
    ("deliver/acp-request", Some("deliver/digest"), Some(DELIVER)),
];

/// The same, if there is a PostgreSQL to measure.
const ON_POSTGRESQL: [Measure; 2] =
    [("postgres/standing", Some("postgres/select"), Some(Goal::Ratio(2.0))), ("postgres/append", None, None)];

/// A benchmark, its floor if it has one, its goal if one is promised.
type Measure = (&'static str, Option<&'static str>, Option<Goal>);

/// Reads the command line.
pub(crate) fn command(args: &[&str]) -> Outcome {
    let (mut quick, mut report, mut size) = (false, None, Size::Quick);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match *arg {
            "--quick" => quick = true,
            "--dense" => size = Size::Whole,
            "--proxy" => return proxy_alone(),
            "--json" => report = Some(PathBuf::from(args.next().ok_or("`--json` takes a file")?)),
            other => {
                return Err(format!("does not know `{other}`; it takes --quick, --dense, --proxy and --json FILE"));
            }
        }
    }
    run(quick, size, report.as_deref())
}

/// The proxy alone, for whoever works on it.
fn proxy_alone() -> Outcome {
    show(&mut cargo(&["build", "--release", "--package", "antefix-cli"]))?;
    let metadata = metadata(&["--no-deps"])?;
    let target = Path::new(metadata["target_directory"].as_str().ok_or("cargo does not say where it builds")?);
    let (rows, mut missed) = proxy::measure(&target.join("release/antefix"))?;
    println!("\n{}", table(&rows));
    missed.extend(rows.iter().filter(|row| !row.passes()).map(|row| row.name.clone()));
    if missed.is_empty() { Ok(()) } else { Err(format!("goals missed: {}", missed.join(", "))) }
}

fn run(quick: bool, size: Size, report: Option<&Path>) -> Outcome {
    let metadata = metadata(&["--no-deps"])?;
    let target =
        Path::new(metadata["target_directory"].as_str().ok_or("cargo does not say where it builds")?).to_owned();
    let results = target.join("criterion");
    if results.exists() {
        fs::remove_dir_all(&results).map_err(|error| format!("old results cannot be removed: {error}"))?;
    }
    let length: &[&str] = if quick {
        &["--warm-up-time", "0.3", "--measurement-time", "1", "--sample-size", "20"]
    } else {
        &["--warm-up-time", "1", "--measurement-time", "4", "--sample-size", "60"]
    };
    show(&mut cargo(&["build", "--release", "--package", "antefix-cli"]))?;
    // A ledger of a million epochs takes a while to make.
    let epochs = if quick { "100000" } else { "1000000" };
    let bench = |names: &[&str]| {
        let mut command = cargo(&["bench", "--package", "antefix"]);
        show(
            command
                .args(names)
                .args(["--", "--noplot"])
                .args(length)
                .env("CRITERION_HOME", &results)
                .env("ANTEFIX_BENCH_EPOCHS", epochs),
        )
    };
    bench(&["--bench", "compose"])?;
    bench(&["--bench", "deliver"])?;
    bench(&["--bench", "store"])?;
    let mut measures = MEASURED.to_vec();
    if postgres::is_there() {
        bench(&["--bench", "postgres", "--features", "postgres"])?;
        measures.extend(ON_POSTGRESQL);
    } else {
        eprintln!("\n▸ there is no PostgreSQL, so its store is not measured");
    }
    let mut rows = Vec::new();
    for (name, floor, goal) in measures {
        let (nanos, bytes) = measured(&results, name)?;
        let floor = floor.map(|floor| Ok::<_, String>((floor.to_owned(), measured(&results, floor)?.0))).transpose()?;
        rows.push(Row { name: name.to_owned(), nanos, p95: None, bytes, floor, goal });
    }
    for start in STARTED {
        rows.push(cold_start(&target, start)?);
    }
    rows.push(transcripts::measure(&target)?);
    let (proxied, mut missed) = proxy::measure(&target.join("release/antefix"))?;
    rows.extend(proxied);
    let (served, too_large) = server::measure(quick, &results)?;
    rows.extend(served);
    missed.extend(too_large);

    println!("\n{}", table(&rows));
    if let Some(path) = report {
        let text = format!("{:#}\n", json!({ "rows": rows.iter().map(as_json).collect::<Vec<_>>() }));
        fs::write(path, text).map_err(|error| format!("{} cannot be written: {error}", path.display()))?;
    }
    let slow = rows.iter().filter(|row| !row.passes()).map(|row| row.name.clone());
    missed.extend(slow);
    missed.extend(bounds::measure(size)?);
    if missed.is_empty() { Ok(()) } else { Err(format!("goals missed: {}", missed.join(", "))) }
}

/// The median of a benchmark in nanoseconds, and the bytes that it worked on, from criterion's files.
fn measured(results: &Path, name: &str) -> Outcome<(f64, Option<f64>)> {
    let read = |file: &str| -> Outcome<Value> {
        let path = results.join(name).join("new").join(file);
        let text = fs::read_to_string(path).map_err(|error| format!("{name} was not measured: {error}"))?;
        serde_json::from_str(&text).map_err(|error| format!("{name} has no readable result: {error}"))
    };
    let median = read("estimates.json")?["median"]["point_estimate"].as_f64();
    let bytes = read("benchmark.json")?["throughput"]["Bytes"].as_f64();
    Ok((median.ok_or_else(|| format!("{name} has no median"))?, bytes))
}

/// A command as a whole process, in a project and with a home of its own.
fn cold_start(target: &Path, start: Start) -> Outcome<Row> {
    let program = target.join("release").join(format!("antefix{}", std::env::consts::EXE_SUFFIX));
    let place = std::env::temp_dir().join(format!("antefix-bench-{}", std::process::id()));
    fs::create_dir_all(&place).map_err(|error| format!("{} cannot be made: {error}", place.display()))?;
    (start.fill)(&place);
    let outcome = time_starts(&program, start.words, &place);
    // The directory is empty or holds what the program left; neither is worth failing for.
    let _ = fs::remove_dir_all(&place);
    let (mut shown, mut floor) = outcome?;
    let (median, p95) = quantiles(&mut shown);
    let (floor, _) = quantiles(&mut floor);
    Ok(Row {
        name: start.name.to_owned(),
        nanos: median,
        p95: Some(p95),
        bytes: None,
        floor: Some(("/bin/true".to_owned(), floor)),
        goal: Some(Goal::Nanos(start.most.as_nanos() as f64)),
    })
}

/// The times of many starts, of the program and of one that does nothing, in turns.
fn time_starts(program: &Path, words: &[&str], place: &Path) -> Outcome<(Vec<f64>, Vec<f64>)> {
    eprintln!("\n▸ antefix {} --cwd DIR, {STARTS} times in turns with /bin/true", words.join(" "));
    let cwd = place.as_os_str();
    let mut show = Command::new(program);
    show.args(words).arg("--cwd").arg(cwd);
    let mut nothing = Command::new("/bin/true");
    for command in [&mut show, &mut nothing] {
        command.current_dir(cwd).env("HOME", cwd).env_remove("XDG_CONFIG_HOME");
    }
    let (mut shown, mut floor) = (Vec::new(), Vec::new());
    for turn in 0..WARM_UP + STARTS {
        let times = (time(&mut show)?, time(&mut nothing)?);
        if turn >= WARM_UP {
            shown.push(times.0);
            floor.push(times.1);
        }
    }
    Ok((shown, floor))
}

fn time(command: &mut Command) -> Outcome<f64> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    let status = command.status();
    let took = start.elapsed().as_nanos() as f64;
    let words = command.get_program().to_string_lossy();
    match status {
        // A program that fails fast would look fast.
        Ok(status) if status.success() => Ok(took),
        Ok(status) => Err(format!("{words} failed ({status}), so its time means nothing")),
        Err(error) => Err(format!("{words} did not start: {error}")),
    }
}

/// The median and the 95th percentile.
pub(crate) fn quantiles(times: &mut [f64]) -> (f64, f64) {
    times.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| times.get((times.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN);
    (at(0.5), at(0.95))
}

impl Row {
    fn ratio(&self) -> Option<f64> {
        self.floor.as_ref().map(|(_, floor)| self.nanos / floor)
    }

    /// Whether the goal is met; without a goal there is nothing to miss.
    fn passes(&self) -> bool {
        match self.goal {
            None => true,
            Some(Goal::Ratio(most)) => self.ratio().is_some_and(|ratio| ratio <= most),
            Some(Goal::Nanos(most)) => self.nanos <= most,
        }
    }

    /// Megabytes a second.
    fn speed(&self) -> Option<f64> {
        self.bytes.map(|bytes| bytes * 1e3 / self.nanos)
    }
}

fn as_json(row: &Row) -> Value {
    json!({
        "name": row.name,
        "median_ns": row.nanos,
        "p95_ns": row.p95,
        "bytes": row.bytes,
        "mb_per_s": row.speed(),
        "floor": row.floor.as_ref().map(|(name, nanos)| json!({ "name": name, "median_ns": nanos })),
        "ratio": row.ratio(),
        "goal": match row.goal {
            None => Value::Null,
            Some(Goal::Ratio(most)) => json!({ "ratio": most }),
            Some(Goal::Nanos(most)) => json!({ "median_ns": most }),
        },
        "pass": row.goal.map(|_| row.passes()),
    })
}

fn table(rows: &[Row]) -> String {
    let dash = || "–".to_owned();
    let mut cells = vec![["", "median", "p95", "MB/s", "floor", "ratio", "goal", ""].map(str::to_owned)];
    for row in rows {
        let goal = match row.goal {
            None => dash(),
            Some(Goal::Ratio(most)) => format!("≤ {most:.2}×"),
            Some(Goal::Nanos(most)) => format!("≤ {}", duration(most)),
        };
        cells.push([
            row.name.clone(),
            duration(row.nanos),
            row.p95.map_or_else(dash, duration),
            row.speed().map_or_else(dash, |speed| format!("{speed:.0}")),
            row.floor.as_ref().map_or_else(dash, |(name, nanos)| format!("{} ({name})", duration(*nanos))),
            row.ratio().map_or_else(dash, |ratio| format!("{ratio:.2}×")),
            goal,
            row.goal.map_or("", |_| if row.passes() { "pass" } else { "FAIL" }).to_owned(),
        ]);
    }
    let widths: [usize; 8] =
        std::array::from_fn(|column| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    let line = |row: &[String; 8]| {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    cells.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn duration(nanos: f64) -> String {
    match nanos {
        nanos if nanos < 1e6 => format!("{:.1} µs", nanos / 1e3),
        nanos => format!("{:.2} ms", nanos / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(nanos: f64, floor: f64, goal: Goal) -> Row {
        let floor = Some(("floor".to_owned(), floor));
        Row { name: "a".to_owned(), nanos, p95: None, bytes: Some(1000.0), floor, goal: Some(goal) }
    }

    #[test]
    fn goals_are_met_or_missed() {
        assert!(row(200.0, 100.0, Goal::Ratio(2.0)).passes());
        assert!(!row(201.0, 100.0, Goal::Ratio(2.0)).passes());
        assert!(row(15.0, 1.0, Goal::Nanos(15.0)).passes());
        assert!(!row(16.0, 1.0, Goal::Nanos(15.0)).passes());
        assert!(!row(f64::NAN, 1.0, Goal::Nanos(15.0)).passes());
    }

    #[test]
    fn the_table_tells_what_was_missed() {
        let text = table(&[row(2_500_000.0, 1_000_000.0, Goal::Ratio(2.0))]);
        let cells: Vec<&str> = text.lines().nth(1).unwrap_or_default().split("  ").map(str::trim).collect();
        let cells: Vec<&str> = cells.into_iter().filter(|cell| !cell.is_empty()).collect();
        assert_eq!(cells, ["a", "2.50 ms", "–", "0", "1.00 ms (floor)", "2.50×", "≤ 2.00×", "FAIL"]);
    }

    #[test]
    fn what_was_not_measured_is_an_error() {
        assert!(measured(Path::new("no/such/directory"), "a/b").is_err_and(|why| why.contains("was not measured")));
    }

    #[test]
    fn a_program_that_fails_has_no_time() {
        assert!(time(&mut Command::new("/bin/false")).is_err());
        assert!(time(&mut Command::new("/no/such/program")).is_err());
    }

    #[test]
    fn quantiles_are_taken_from_the_sorted_times() {
        let mut times: Vec<f64> = (0..100).rev().map(f64::from).collect();
        assert_eq!(quantiles(&mut times), (50.0, 95.0));
    }
}
