//! `docs/explain/promises.md` and `cargo xtask promises`: what antefix promises about strangers and broken machines.
//!
//! 1. `tests/promises.toml` has one row a promise: what it says, the tests that would fail if it were broken, and where it is
//!    not kept. The page is printed from it, and a test that a row names must exist.
//! 2. The command runs those tests, and prints for each promise whether it held. One whose tests were not all run has not: those of
//!    the page have a command of their own, and a machine may lack what a test needs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::process::Stdio;

use antefix_testing::LEFT_OUT;

use crate::claims::{cell, exists, link};
use crate::step::{Outcome, cargo, root};
use crate::test;

/// Where the rows are.
const TABLE: &str = "tests/promises.toml";

/// One promise.
struct Promise {
    id: String,
    /// The rows of the tables of attacks and faults that it answers.
    rows: Vec<String>,
    /// Whose word it is about: the heading that it is under.
    about: String,
    says: String,
    tests: Vec<String>,
    /// Where it is not kept.
    except: Option<String>,
}

/// A row of those tables that no test here can try.
struct Untested {
    row: String,
    why: String,
}

/// The page.
pub(crate) fn page() -> Outcome<String> {
    let (promises, untested) = read()?;
    let mut page = String::from(HEAD);
    let mut about = "";
    for promise in &promises {
        if promise.about != about {
            about = &promise.about;
            let _ = write!(page, "\n## {about}\n\n| | promise | rows | seen in |\n|---|---|---|---|\n");
        }
        let tests: Vec<String> = promise.tests.iter().map(|test| link(test)).collect();
        let except = promise.except.as_ref().map(|except| format!(" *Not kept:* {except}")).unwrap_or_default();
        let rows = promise.rows.join(", ");
        let _ = writeln!(page, "| {} | {}{except} | {rows} | {} |", promise.id, promise.says, tests.join("; "));
    }
    page.push_str("\n## What no test here can try\n\n| row | why |\n|---|---|\n");
    for Untested { row, why } in &untested {
        let _ = writeln!(page, "| {row} | {why} |");
    }
    Ok(page)
}

const HEAD: &str = "# What antefix promises

<!-- Printed by `cargo xtask docs` from `tests/promises.toml`. -->

antefix reads repositories that strangers wrote, keeps prompts, and is asked by programs and pages. These are its promises about
that, each with the test that would fail if it were broken; `cargo xtask promises` runs them and prints what held. Rows are those of
our tables of attacks (S), faults (R) and findings (N).

## Who is trusted with what

| who | may | may not |
|---|---|---|
| you, at a terminal | everything: your settings name programs, addresses and directories, and you trust projects | |
| your own programs and those that you trust, by their bytes | run with your rights, see the prompt, change a turn | change what is stored |
| the author of a repository that you open | put text into the prompt, framed and bounded, or not even that (`untrusted_text = \"withhold\"`) | run anything, read files outside the project, change settings, reach the network |
| who has the server's token | read what its user can read under the roots; write templates and conversations; have trusted hooks run | leave the roots, trust a project |
| a page in your browser, another user of the machine | nothing | |
| a memory server, a hook, an agent, a provider | answer, within time and size | keep antefix waiting, or be mistaken for \"there is none\" |

Not defended: code that already runs as you, and whoever can write to your home directory.
";

fn read() -> Outcome<(Vec<Promise>, Vec<Untested>)> {
    let text = fs::read_to_string(root().join(TABLE)).map_err(|error| format!("{TABLE} cannot be read: {error}"))?;
    let table: toml::Table = text.parse().map_err(|error| format!("{TABLE}: {error}"))?;
    let rows = table.get("promise").and_then(toml::Value::as_array).ok_or(format!("{TABLE} has no [[promise]]"))?;
    let promises: Outcome<Vec<Promise>> = rows.iter().map(promise).collect();
    let promises = promises.map_err(|why| format!("{TABLE}: {why}"))?;
    let mut known = BTreeSet::new();
    match promises.iter().find(|promise| !known.insert(&promise.id)) {
        Some(twice) => Err(format!("{TABLE}: {} is there twice", twice.id)),
        None => Ok((promises, untested(&table)?)),
    }
}

fn untested(table: &toml::Table) -> Outcome<Vec<Untested>> {
    let rows = table.get("untested").and_then(toml::Value::as_array).into_iter().flatten();
    let needs = |row: &toml::Value, key: &str| {
        row.get(key).and_then(toml::Value::as_str).map(cell).ok_or(format!("{TABLE}: an [[untested]] has no `{key}`"))
    };
    rows.map(|row| Ok(Untested { row: needs(row, "row")?, why: needs(row, "why")? })).collect()
}

fn promise(row: &toml::Value) -> Outcome<Promise> {
    let id = row.get("id").and_then(toml::Value::as_str).ok_or("a promise has no `id`")?.to_owned();
    let known = ["id", "rows", "about", "says", "tests", "except"];
    if let Some(key) = row.as_table().and_then(|row| row.keys().find(|key| !known.contains(&key.as_str()))) {
        return Err(format!("{id} has an unknown key `{key}`"));
    }
    let text = |key: &str| row.get(key).and_then(toml::Value::as_str).map(cell);
    let needs = |key: &str| text(key).ok_or(format!("{id} has no `{key}`"));
    let list = |key: &str| -> Vec<String> {
        let items = row.get(key).and_then(toml::Value::as_array).into_iter().flatten();
        items.filter_map(toml::Value::as_str).map(str::to_owned).collect()
    };
    let (tests, rows) = (list("tests"), list("rows"));
    if tests.is_empty() {
        return Err(format!("{id} names no test"));
    }
    for test in &tests {
        exists(test).map_err(|why| format!("{id}: {why}"))?;
    }
    Ok(Promise { about: needs("about")?, says: needs("says")?, except: text("except"), id, rows, tests })
}

/// A binary of tests: the package, and its target or none for the library.
type Binary = (String, Option<String>);

/// Runs the tests of all promises, and prints what held.
pub(crate) fn run() -> Outcome {
    let (promises, untested) = read()?;
    let mut wanted: BTreeMap<Binary, BTreeSet<&str>> = BTreeMap::new();
    for test in promises.iter().flat_map(|promise| &promise.tests) {
        if let Some((binary, function)) = located(test) {
            wanted.entry(binary).or_default().insert(function);
        }
    }
    let mut outcomes: BTreeMap<String, TestOutcome> = BTreeMap::new();
    for ((package, target), functions) in &wanted {
        let mut tests = cargo(&["test", "--quiet", "--no-fail-fast", "--all-features", "--package", package]);
        match target {
            Some(target) => tests.args(["--test", target]),
            None => tests.arg("--lib"),
        };
        test::prepare_quietly(&mut tests);
        tests.args(["--", "--format=pretty", "--show-output"]).args(functions).stderr(Stdio::inherit());
        let said = tests.output().map_err(|error| format!("cargo did not start: {error}"))?;
        collect(&String::from_utf8_lossy(&said.stdout), &mut outcomes);
    }
    let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for promise in &promises {
        let verdict = verdict(promise, &outcomes);
        *counts.entry(verdict).or_default() += 1;
        println!("{:8} {:4} {:12} {}", verdict.name(), promise.id, promise.rows.join(" "), promise.says);
    }
    println!();
    for Untested { row, why } in &untested {
        println!("{:8} {row:4} {why}", "untested");
    }
    let count = |verdict| counts.get(&verdict).copied().unwrap_or(0);
    let (held, broken, not_run) = (count(Verdict::Held), count(Verdict::Broken), count(Verdict::NotRun));
    println!("\n{} promises: {held} held, {broken} broken, {not_run} not run", promises.len());
    if broken == 0 { Ok(()) } else { Err("not every promise held".to_owned()) }
}

/// What became of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TestOutcome {
    Passed,
    /// It said itself that it was left out, or it is ignored.
    LeftOut,
    Failed,
}

/// Reads what the harness of tests printed. Of several tests of one name the worst counts.
fn collect(printed: &str, outcomes: &mut BTreeMap<String, TestOutcome>) {
    let function = |name: &str| name.rsplit("::").next().unwrap_or(name).to_owned();
    let mut note = |name: String, outcome: TestOutcome| {
        let known = outcomes.entry(name).or_insert(outcome);
        *known = (*known).max(outcome);
    };
    let mut speaking = None;
    for line in printed.lines() {
        if let Some((name, outcome)) = line.strip_prefix("test ").and_then(|line| line.rsplit_once(" ... ")) {
            let outcome = match outcome {
                "ok" => TestOutcome::Passed,
                outcome if outcome.starts_with("ignored") => TestOutcome::LeftOut,
                _ => TestOutcome::Failed,
            };
            note(function(name), outcome);
        } else if let Some(name) = line.strip_prefix("---- ").and_then(|line| line.strip_suffix(" stdout ----")) {
            speaking = Some(function(name));
        } else if let Some(name) = speaking.clone().filter(|_| line.starts_with(LEFT_OUT)) {
            note(name, TestOutcome::LeftOut);
        }
    }
}

/// What is known of a promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Held,
    Broken,
    NotRun,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Verdict::Held => "held",
            Verdict::Broken => "BROKEN",
            Verdict::NotRun => "not run",
        }
    }
}

/// A promise has held if each of its tests ran and passed. Tests of the page and case folders have commands of their own, and
/// are not run here.
fn verdict(promise: &Promise, outcomes: &BTreeMap<String, TestOutcome>) -> Verdict {
    let outcome = |test: &String| located(test).and_then(|(_, function)| outcomes.get(function).copied());
    let mut verdict = Verdict::Held;
    for test in &promise.tests {
        match outcome(test) {
            Some(TestOutcome::Failed) => return Verdict::Broken,
            Some(TestOutcome::Passed) => {}
            Some(TestOutcome::LeftOut) | None => verdict = Verdict::NotRun,
        }
    }
    verdict
}

/// Where a test of Rust is; none for one of the page, and for the folder of a case.
fn located(test: &str) -> Option<(Binary, &str)> {
    let (file, function) = test.split_once('#').filter(|(file, _)| file.ends_with(".rs"))?;
    let mut parts = file.strip_prefix("crates/")?.split('/');
    let (package, kind, target) = (parts.next()?.to_owned(), parts.next()?, parts.next()?);
    let target = (kind == "tests").then(|| target.trim_end_matches(".rs").to_owned());
    Some(((package, target), function))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Promise, TestOutcome, Verdict, collect, located, page, verdict};

    /// A test that was left out ends with "ok" like any other.
    #[test]
    fn what_was_not_run_has_not_held() {
        let printed = "\
test a::passes ... ok
test a::fails ... FAILED
test a::left ... ok
test a::skipped ... ignored, takes long

successes:

---- a::passes stdout ----
all well

---- a::left stdout ----
left out: ANTEFIX_TEST_WITHOUT names `chown`
";
        let mut outcomes: BTreeMap<String, TestOutcome> = BTreeMap::new();
        collect(printed, &mut outcomes);
        let of = |tests: &[&str]| {
            let tests = tests.iter().map(|test| (*test).to_owned()).collect();
            let (id, about, says) = (String::new(), String::new(), String::new());
            verdict(&Promise { id, rows: Vec::new(), about, says, tests, except: None }, &outcomes)
        };
        let (passes, fails) = ("crates/x/tests/a.rs#passes", "crates/x/tests/a.rs#fails");
        assert_eq!(of(&[passes]), Verdict::Held);
        assert_eq!(of(&[passes, fails]), Verdict::Broken);
        assert_eq!(of(&["crates/x/web/a.test.js#page", fails]), Verdict::Broken);
        for other in [
            "crates/x/tests/a.rs#left",
            "crates/x/tests/a.rs#skipped",
            "crates/x/tests/a.rs#missing",
            "crates/x/web/a.test.js#page",
            "crates/x/tests/cases/c",
        ] {
            assert_eq!(of(&[passes, other]), Verdict::NotRun, "{other}");
        }
    }

    #[test]
    fn a_test_is_found_by_its_file() {
        let rows = [
            ("crates/antefix/tests/store/race.rs#f", Some(("antefix", Some("store")))),
            ("crates/antefix-cli/tests/trust.rs#f", Some(("antefix-cli", Some("trust")))),
            ("crates/antefix/src/worlds/os/mounts.rs#f", Some(("antefix", None))),
            ("crates/antefix-server/web/tests/safety.test.js#f", None),
            ("crates/antefix/tests/cases/compose/x", None),
        ];
        for (test, expected) in rows {
            let found = located(test).map(|((package, target), _)| (package, target));
            let expected = expected.map(|(package, target)| (package.to_owned(), target.map(str::to_owned)));
            assert_eq!(found, expected, "{test}");
        }
    }

    #[test]
    fn every_promise_names_tests_that_exist() {
        page().unwrap();
    }
}
