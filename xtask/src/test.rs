//! `cargo xtask test`: everything that can fail.
//!
//! What could not run is not passed over: it is reported when it is noticed and again at the end, and fails the command
//! unless the caller allows it. What the system forbids, and no package could change, is reported and no failure.

use std::process::Command;

use antefix_testing::{Need, Remedy, WITHOUT};

use crate::agents;
use crate::fuzz;
use crate::postgres;
use crate::sdk;
use crate::step::{Outcome, cargo, show};
use crate::web;

/// How long each fuzz target runs.
const FUZZ_SECONDS: u32 = 5;

/// Runs the tests of all crates and, unless `quick`, the fuzz targets.
pub(crate) fn run(quick: bool, allow_missing: bool, which: agents::Which) -> Outcome {
    let mut not_run = NotRun::default();
    // Cargo runs the doc tests of libraries along with the rest.
    let mut tests = cargo(&["test", "--workspace"]);
    prepare(&mut tests, &mut not_run, which);
    show(&mut tests)?;
    if let Err(why) = web::test()? {
        not_run.missing("tests of the page in a browser", &why);
    }
    if quick {
        eprintln!("\n▸ --quick: the fuzz targets are left out");
    } else if let Err(why) = fuzz::prepare() {
        not_run.missing("fuzz targets", &why);
    } else {
        fuzz::run(&fuzz::TARGETS, FUZZ_SECONDS)?;
    }
    not_run.report(allow_missing)
}

/// The same for those who say themselves what did not run.
pub(crate) fn prepare_quietly(tests: &mut Command) {
    prepare(tests, &mut NotRun::default(), agents::Which::Usual);
}

/// Finds out what the machine lacks, and tells the tests to leave that out.
fn prepare(tests: &mut Command, not_run: &mut NotRun, which: agents::Which) {
    if let Err(why) = postgres::prepare() {
        not_run.missing("tests against PostgreSQL", &why);
        tests.env(postgres::VARIABLE, "none");
    }
    match sdk::prepare() {
        Ok(place) => drop(tests.env(sdk::VARIABLE, place)),
        Err(why) => {
            not_run.missing("tests with the providers' SDKs, of the clients and of the OpenAPI document", &why);
            tests.env(sdk::VARIABLE, "none");
        }
    }
    match agents::prepare(which) {
        Ok(installed) => {
            tests.env(agents::VARIABLE, installed.place);
            for (name, why) in &installed.missing {
                not_run.missing(&format!("the agent {name} behind a stand-in for its model"), why);
            }
            let names: Vec<&str> = installed.missing.iter().map(|(name, _)| name.as_str()).collect();
            tests.env(agents::WITHOUT, names.join(","));
        }
        Err(why) => {
            not_run.missing("real agents behind a stand-in for their model", &why);
            tests.env(agents::VARIABLE, "none");
        }
    }
    if which == agents::Which::All {
        tests.env(agents::ALL, "1");
    }
    match web::chromium() {
        Ok(browser) => drop(tests.env(web::VARIABLE, browser)),
        Err(why) => {
            not_run.missing("a hostile page in a browser", &why);
            tests.env(web::VARIABLE, "none");
        }
    }
    let lacking: Vec<(Need, String)> = Need::ALL.into_iter().filter_map(|need| Some((need, need.missing()?))).collect();
    for (need, why) in &lacking {
        match need.remedy {
            Remedy::Install(_) => not_run.missing(need.tests, why),
            Remedy::Forbidden(_) => not_run.forbidden(need.tests, why),
        }
    }
    let names: Vec<&str> = lacking.iter().map(|(need, _)| need.name).collect();
    if !names.is_empty() {
        tests.env(WITHOUT, names.join(","));
    }
}

/// What could not run.
#[derive(Default)]
struct NotRun {
    missing: Vec<String>,
    forbidden: Vec<String>,
}

impl NotRun {
    /// Something is not there that could be.
    fn missing(&mut self, what: &str, why: &str) {
        self.missing.push(noticed(what, why));
    }

    /// The system does not allow it, and nothing that could be installed would help.
    fn forbidden(&mut self, what: &str, why: &str) {
        self.forbidden.push(noticed(what, why));
    }

    /// Lists it all. What is missing is a failure, unless the caller allows it.
    fn report(self, allow_missing: bool) -> Outcome {
        let lines = [self.missing.as_slice(), &self.forbidden].concat();
        if lines.is_empty() {
            eprintln!("\nall that was asked for ran and is well");
            return Ok(());
        }
        eprintln!("\n{}", boxed(&lines));
        if self.missing.is_empty() || allow_missing {
            return Ok(());
        }
        Err("not everything could run; `--allow-missing` lets that pass".to_owned())
    }
}

/// Says at once that something cannot run, and gives the line for the end.
fn noticed(what: &str, why: &str) -> String {
    eprintln!("\n▸ NOT RUN  {what}: {why}");
    format!("{what}: {why}")
}

/// Lines in a frame that nobody overlooks. Only the first line of each message fits.
fn boxed(lines: &[String]) -> String {
    let lines: Vec<String> =
        lines.iter().map(|line| format!("NOT RUN  {}", line.lines().next().unwrap_or_default())).collect();
    let width = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let edge = "━".repeat(width + 2);
    let body: String = lines.iter().map(|line| format!("┃ {line:width$} ┃\n")).collect();
    format!("┏{edge}┓\n{body}┗{edge}┛")
}

#[cfg(test)]
mod tests {
    use super::{NotRun, boxed};

    #[test]
    fn what_is_missing_fails_unless_it_is_allowed_and_what_is_forbidden_does_not() {
        let mut forbidden = NotRun::default();
        forbidden.forbidden("namespaces", "no root");
        assert_eq!(forbidden.report(false), Ok(()));
        let missing = || {
            let mut missing = NotRun::default();
            missing.missing("syncs that fail", "no strace");
            missing
        };
        assert!(missing().report(false).is_err());
        assert_eq!(missing().report(true), Ok(()));
    }

    #[test]
    fn the_frame_fits_the_longest_line() {
        let text = boxed(&["a".to_owned(), "bcd\nsecond line".to_owned()]);
        assert_eq!(text, "┏━━━━━━━━━━━━━━┓\n┃ NOT RUN  a   ┃\n┃ NOT RUN  bcd ┃\n┗━━━━━━━━━━━━━━┛");
    }
}
