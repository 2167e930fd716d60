//! `cargo xtask test`: everything that can fail.
//!
//! What could not run is not passed over: it is told when it is noticed, told again at the end, and fails the command
//! unless the caller allows it. Only what the system forbids, and no package could change, is told and nothing more.

use crate::fuzz;
use crate::postgres;
use crate::sdk;
use crate::step::{Outcome, cargo, program, read, show};
use crate::web;

/// How long each fuzz target runs.
const FUZZ_SECONDS: u32 = 5;

/// Runs the tests of all crates and, unless `quick`, the fuzz targets.
pub(crate) fn run(quick: bool, allow_missing: bool) -> Outcome {
    let (mut missing, mut forbidden) = (Vec::new(), Vec::new());
    // Cargo runs the doc tests of libraries along with the rest.
    let mut tests = cargo(&["test", "--workspace"]);
    if let Err(why) = postgres::prepare() {
        eprintln!("\n▸ the tests against PostgreSQL cannot run: {why}");
        missing.push(format!("tests against PostgreSQL: {why}"));
        tests.env(postgres::VARIABLE, "none");
    }
    match sdk::prepare() {
        Ok(place) => drop(tests.env(sdk::VARIABLE, place)),
        Err(why) => {
            eprintln!(
                "\n▸ the tests with the providers' SDKs, of the clients and of the OpenAPI document cannot run: {why}"
            );
            missing.push(format!("tests with the providers' SDKs, of the clients and of the OpenAPI document: {why}"));
            tests.env(sdk::VARIABLE, "none");
        }
    }
    match web::chromium() {
        Ok(browser) => drop(tests.env(web::VARIABLE, browser)),
        Err(why) => {
            eprintln!("\n▸ the test of a hostile page cannot run: {why}");
            missing.push(format!("a hostile page in a browser: {why}"));
            tests.env(web::VARIABLE, "none");
        }
    }
    if let Err(why) = read(&mut program("strace", &["-o", "/dev/null", "true"])) {
        eprintln!("\n▸ the tests with syncs that fail cannot run: {why}");
        missing.push(format!("tests with syncs that fail, for which strace is needed: {why}"));
    }
    if let Err(why) = read(&mut program("unshare", &["--net", "ip", "link", "show", "lo"])) {
        // Nothing that could be installed would help where the system forbids it.
        eprintln!("\n▸ the test of a replica that is cut off cannot run: {why}");
        forbidden.push(format!("a replica that is cut off, for which network namespaces are needed: {why}"));
    }
    show(&mut tests)?;
    if let Err(why) = web::test()? {
        eprintln!("\n▸ the tests of the page cannot run: {why}");
        missing.push(format!("tests of the page in a browser: {why}"));
    }
    if quick {
        eprintln!("\n▸ --quick: the fuzz targets are left out");
    } else if let Err(why) = fuzz::prepare() {
        eprintln!("\n▸ the fuzz targets cannot run: {why}");
        missing.push(format!("fuzz targets: {why}"));
    } else {
        fuzz::run(&fuzz::TARGETS, FUZZ_SECONDS)?;
    }
    let told: Vec<String> = missing.iter().chain(&forbidden).cloned().collect();
    if told.is_empty() {
        eprintln!("\nall that was asked for ran and is well");
        return Ok(());
    }
    eprintln!("\n{}", boxed(&told));
    if missing.is_empty() {
        return Ok(());
    }
    if allow_missing { Ok(()) } else { Err("not everything could run; `--allow-missing` lets that pass".to_owned()) }
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
    use super::boxed;

    #[test]
    fn the_frame_fits_the_longest_line() {
        let text = boxed(&["a".to_owned(), "bcd\nsecond line".to_owned()]);
        assert_eq!(text, "┏━━━━━━━━━━━━━━┓\n┃ NOT RUN  a   ┃\n┃ NOT RUN  bcd ┃\n┗━━━━━━━━━━━━━━┛");
    }
}
