//! `antefix check`: what is wrong?

use std::process::ExitCode;

use antefix::Level;
use antefix::document::{self, Finding, Findings};
use antefix::project::{Look, Preview};

use crate::args::{CheckArgs, ComposeArgs};
use crate::counts::Counts;
use crate::terminal::{FAINT, STRONG};
use crate::{Failure, Outcome, ask, terminal};

pub(crate) fn run(args: &CheckArgs) -> Outcome {
    let preview = match checked(&args.compose) {
        Ok(preview) => preview,
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
        .map(|level| preview.diagnostics.iter().filter(|diagnostic| diagnostic.level == level).count());
    if args.json {
        let findings = Findings { diagnostics: preview.diagnostics.iter().map(Finding::of_diagnostic).collect() };
        terminal::print_result(&document::print(&findings))?;
    } else {
        terminal::print_by_file(&preview.diagnostics);
        let layout = terminal::visible(preview.prompt.layout());
        let mut verdict = format!("{STRONG}{}, {}{STRONG:#}", count(errors, "error"), count(warnings, "warning"));
        if notes > 0 {
            verdict.push_str(&format!(", {}", count(notes, "note")));
        }
        terminal::print_styled(&format!("{verdict} {FAINT}({layout}){FAINT:#}\n"))?;
    }
    Ok(ExitCode::from(u8::from(errors > 0)))
}

/// The prompt, with what its model says about it.
fn checked(args: &ComposeArgs) -> Result<Preview, Failure> {
    let antefix = ask::antefix(None)?;
    let project = ask::project(&antefix, args.cwd.as_deref())?;
    let ask = args.ask()?;
    let counts = (ask.model.is_some() || project.counts_tokens(&ask)?).then(Counts::recall);
    let preview = project.preview(ask, Look::Closely)?;
    if let Some(counts) = counts {
        counts.keep();
    }
    Ok(preview)
}

fn count(number: usize, what: &str) -> String {
    match number {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        number => format!("{number} {what}s"),
    }
}
