//! `antefix check`: what is wrong?

use std::process::ExitCode;

use antefix::Level;

use crate::args::{CheckArgs, ComposeArgs};
use crate::counts::Counts;
use crate::document::{self, Finding, Findings};
use crate::setup::{Composed, Look};
use crate::terminal::{FAINT, STRONG};
use crate::{Failure, Outcome, setup, tally, terminal};

pub(crate) fn run(args: &CheckArgs) -> Outcome {
    let composed = match checked(&args.compose) {
        Ok(composed) => composed,
        // The first error ends composing; in JSON it is a finding like the others.
        Err(Failure::Input(error)) if args.json => {
            let findings = Findings { diagnostics: vec![Finding::of_error(&error)] };
            terminal::print_result(&document::print(&findings))?;
            return Ok(ExitCode::from(1));
        }
        Err(Failure::Plain { message, hint }) if args.json => {
            let findings = Findings { diagnostics: vec![Finding::plain(&message, hint.as_deref())] };
            terminal::print_result(&document::print(&findings))?;
            return Ok(ExitCode::from(1));
        }
        Err(failure) => return Err(failure),
    };
    let [errors, warnings, notes] = [Level::Error, Level::Warning, Level::Note]
        .map(|level| composed.diagnostics.iter().filter(|diagnostic| diagnostic.level == level).count());
    if args.json {
        let findings = Findings { diagnostics: composed.diagnostics.iter().map(Finding::of_diagnostic).collect() };
        terminal::print_result(&document::print(&findings))?;
    } else {
        terminal::print_by_file(&composed.diagnostics);
        let layout = terminal::visible(composed.prompt.layout());
        let mut verdict = format!("{STRONG}{}, {}{STRONG:#}", count(errors, "error"), count(warnings, "warning"));
        if notes > 0 {
            verdict.push_str(&format!(", {}", count(notes, "note")));
        }
        terminal::print_styled(&format!("{verdict} {FAINT}({layout}){FAINT:#}\n"))?;
    }
    Ok(ExitCode::from(u8::from(errors > 0)))
}

/// The prompt, with what its model says about it.
fn checked(args: &ComposeArgs) -> Result<Composed, Failure> {
    let mut composed = setup::composed(args, Look::Closely)?;
    if composed.prepared.model().is_some() {
        let counts = Counts::recall();
        let findings = tally::findings(&composed)?;
        composed.diagnostics.extend(findings);
        counts.keep();
    }
    Ok(composed)
}

fn count(number: usize, what: &str) -> String {
    match number {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        number => format!("{number} {what}s"),
    }
}
