//! `antefix diff`: what a change in git does to what agents are told.

mod changes;
mod lines;
mod print;

use std::process::ExitCode;

use antefix::project::{CheckRules, Range};
use antefix::{Antefix, document};

use self::changes::Changes;
use crate::args::{DiffArgs, DiffFormat};
use crate::{Failure, Outcome, ask, terminal};

pub(crate) fn run(args: &DiffArgs) -> Outcome {
    let antefix = ask::antefix(None)?;
    // What was asked for in words is asked for once: both sides have the same clock.
    let mut asked = args.compose.ask()?;
    asked.now = asked.now.or(Some(antefix.world().now()));
    let directory = ask::project(&antefix, args.compose.cwd.as_deref())?.directory().to_owned();
    let directory = antefix.world().resolve(&directory).present().unwrap_or(directory);
    let range = antefix.revisions(&directory, args.range.as_deref().unwrap_or_default())?;
    let side = |antefix: &Antefix| -> Result<_, Failure> {
        Ok(antefix.project(&directory)?.check(asked.clone(), &CheckRules::default())?)
    };
    let before = side(&antefix.at(&directory, Some(&range.before))?)?;
    let after = side(&antefix.at(&directory, range.after.as_deref())?)?;
    let changes = Changes::between(&before, &after, names(&range, args));
    let format = if args.json { DiffFormat::Json } else { args.format };
    match format {
        DiffFormat::Human => terminal::print_styled(&print::human(&changes))?,
        DiffFormat::Markdown => terminal::print_result(&print::markdown(&changes))?,
        DiffFormat::Json => terminal::print_result(&document::print(&changes))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What the two sides are called: as they were named, with the ids that were found.
fn names(range: &Range, args: &DiffArgs) -> (String, String) {
    let short = |id: &str| id.chars().take(12).collect::<String>();
    let said = args.range.as_deref().unwrap_or("HEAD");
    let after = range.after.as_deref().map_or("the work tree".to_owned(), short);
    match said.contains("..") {
        true => (short(&range.before), after),
        false => (format!("{said} ({})", short(&range.before)), after),
    }
}
