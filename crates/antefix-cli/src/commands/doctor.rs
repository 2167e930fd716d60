//! `antefix doctor`: what is around, and what to do about it.

use std::process::ExitCode;

use antefix::document;
use antefix::project::{Check, Health};

use crate::args::DoctorArgs;
use crate::table::wrap;
use crate::terminal::{BAD, FAINT, GOOD, WARN, visible, width};
use crate::{Outcome, ask, machine, terminal};

/// How wide the column of subjects is.
const SUBJECTS: usize = 10;

pub(crate) fn run(args: &DoctorArgs) -> Outcome {
    let mut builder = antefix::Antefix::builder().world(machine::world());
    if let Some(address) = &args.store.store {
        builder = builder.store(address);
    }
    // Files that others can write to are lines of their own here.
    let antefix = builder.build()?;
    let checks = ask::project(&antefix, args.cwd.as_deref())?.doctor();
    let text = match args.json {
        true => document::print(&document::doctor(&checks)),
        false => checks.iter().map(line).collect(),
    };
    terminal::print_styled(&text)?;
    let broken = checks.iter().filter(|check| check.health == Health::Broken).count();
    if broken > 0 {
        return Ok(ExitCode::from(1));
    }
    if !args.json {
        terminal::print_styled(&format!("\n{FAINT}nothing is broken; `antefix show` prints the prompt{FAINT:#}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn line(check: &Check) -> String {
    let (style, mark) = match check.health {
        Health::Good => (GOOD, "✓"),
        Health::Note => (WARN, "!"),
        Health::Broken => (BAD, "✗"),
    };
    let indent = 4 + SUBJECTS;
    let room = width().map_or(usize::MAX, |width| width.saturating_sub(indent).max(30));
    let gap = format!("\n{}", " ".repeat(indent));
    let says = wrap(&visible(&check.says), room).join(&gap);
    let about = check.about;
    let mut text = format!("{style}{mark}{style:#} {about:<width$}  {says}\n", width = SUBJECTS);
    if let Some(hint) = &check.hint {
        let hint = wrap(&visible(hint), room.saturating_sub(2)).join(&format!("{gap}  "));
        text.push_str(&format!("{}{FAINT}→ {hint}{FAINT:#}\n", " ".repeat(indent)));
    }
    text
}
