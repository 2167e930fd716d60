//! `docs/promises.md` and `cargo xtask promises`: what antefix promises about strangers and broken machines.
//!
//! 1. `tests/promises.toml` has one row a promise: what it says, the tests that would fail if it were broken, and where it is
//!    not kept. The page is printed from it, and a test that a row names must exist.
//! 2. The command runs those tests, and prints for each promise whether it held.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::process::Stdio;

use crate::claims::{cell, exists, link};
use crate::step::{Outcome, cargo, root};
use crate::test;

/// Where the rows are.
const TABLE: &str = "tests/promises.toml";

/// One promise.
struct Promise {
    id: String,
    /// Whose word it is about: the heading that it is under.
    about: String,
    says: String,
    tests: Vec<String>,
    /// Where it is not kept.
    except: Option<String>,
}

/// The page.
pub(crate) fn page() -> Outcome<String> {
    let promises = read()?;
    let mut page = String::from(HEAD);
    let mut about = "";
    for promise in &promises {
        if promise.about != about {
            about = &promise.about;
            let _ = write!(page, "\n## {about}\n\n| | promise | seen in |\n|---|---|---|\n");
        }
        let tests: Vec<String> = promise.tests.iter().map(|test| link(test)).collect();
        let except = promise.except.as_ref().map(|except| format!(" *Not kept:* {except}")).unwrap_or_default();
        let _ = writeln!(page, "| {} | {}{except} | {} |", promise.id, promise.says, tests.join("; "));
    }
    Ok(page)
}

const HEAD: &str = "# What antefix promises

<!-- Printed by `cargo xtask docs` from `tests/promises.toml`. -->

antefix reads repositories that strangers wrote, keeps prompts, and is asked by programs and pages. These are its promises about
that, each with the test that would fail if it were broken; `cargo xtask promises` runs them and prints what held.

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

fn read() -> Outcome<Vec<Promise>> {
    let text = fs::read_to_string(root().join(TABLE)).map_err(|error| format!("{TABLE} cannot be read: {error}"))?;
    let table: toml::Table = text.parse().map_err(|error| format!("{TABLE}: {error}"))?;
    let rows = table.get("promise").and_then(toml::Value::as_array).ok_or(format!("{TABLE} has no [[promise]]"))?;
    let promises: Outcome<Vec<Promise>> = rows.iter().map(promise).collect();
    let promises = promises.map_err(|why| format!("{TABLE}: {why}"))?;
    let mut known = BTreeSet::new();
    match promises.iter().find(|promise| !known.insert(&promise.id)) {
        Some(twice) => Err(format!("{TABLE}: {} is there twice", twice.id)),
        None => Ok(promises),
    }
}

fn promise(row: &toml::Value) -> Outcome<Promise> {
    let id = row.get("id").and_then(toml::Value::as_str).ok_or("a promise has no `id`")?.to_owned();
    let known = ["id", "about", "says", "tests", "except"];
    if let Some(key) = row.as_table().and_then(|row| row.keys().find(|key| !known.contains(&key.as_str()))) {
        return Err(format!("{id} has an unknown key `{key}`"));
    }
    let text = |key: &str| row.get(key).and_then(toml::Value::as_str).map(cell);
    let needs = |key: &str| text(key).ok_or(format!("{id} has no `{key}`"));
    let tests = row.get("tests").and_then(toml::Value::as_array).into_iter().flatten();
    let tests: Vec<String> = tests.filter_map(toml::Value::as_str).map(str::to_owned).collect();
    if tests.is_empty() {
        return Err(format!("{id} names no test"));
    }
    for test in &tests {
        exists(test).map_err(|why| format!("{id}: {why}"))?;
    }
    Ok(Promise { about: needs("about")?, says: needs("says")?, except: text("except"), id, tests })
}

/// A binary of tests: the package, and its target or none for the library.
type Binary = (String, Option<String>);

/// Runs the tests of all promises, and prints what held.
pub(crate) fn run() -> Outcome {
    let promises = read()?;
    let mut wanted: BTreeMap<Binary, BTreeSet<&str>> = BTreeMap::new();
    for test in promises.iter().flat_map(|promise| &promise.tests) {
        if let Some((binary, function)) = located(test) {
            wanted.entry(binary).or_default().insert(function);
        }
    }
    let mut outcomes: BTreeMap<String, bool> = BTreeMap::new();
    for ((package, target), functions) in &wanted {
        let mut tests = cargo(&["test", "--quiet", "--no-fail-fast", "--all-features", "--package", package]);
        match target {
            Some(target) => tests.args(["--test", target]),
            None => tests.arg("--lib"),
        };
        test::prepare_quietly(&mut tests);
        tests.args(["--", "--format=pretty"]).args(functions).stderr(Stdio::inherit());
        let said = tests.output().map_err(|error| format!("cargo did not start: {error}"))?;
        for line in String::from_utf8_lossy(&said.stdout).lines() {
            let Some((name, outcome)) = line.strip_prefix("test ").and_then(|line| line.rsplit_once(" ... ")) else {
                continue;
            };
            let function = name.rsplit("::").next().unwrap_or(name).to_owned();
            *outcomes.entry(function).or_insert(true) &= outcome == "ok";
        }
    }
    let mut broken = 0;
    for promise in &promises {
        let verdict = verdict(promise, &outcomes);
        broken += usize::from(verdict == "BROKEN" || verdict == "not run");
        println!("{verdict:8} {:4} {}", promise.id, promise.says);
    }
    println!("\n{} promises, {} held, {broken} did not", promises.len(), promises.len() - broken);
    if broken == 0 { Ok(()) } else { Err("not every promise held".to_owned()) }
}

fn verdict(promise: &Promise, outcomes: &BTreeMap<String, bool>) -> &'static str {
    let mut seen =
        promise.tests.iter().filter_map(|test| Some(located(test)?.1)).map(|function| outcomes.get(function));
    match (promise.tests.iter().any(|test| located(test).is_some()), seen.clone().any(|one| one == Some(&false))) {
        // Tests of the page and case folders have commands of their own.
        (false, _) => "elsewhere",
        (true, true) => "BROKEN",
        (true, false) if seen.any(|one| one.is_none()) => "not run",
        (true, false) => "held",
    }
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
    use super::{located, page};

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
