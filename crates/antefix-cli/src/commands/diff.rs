//! `antefix diff`: what a change in git does to what agents are told.

mod print;

use std::process::ExitCode;

use antefix::document::{self, Changes};

use crate::args::{DiffArgs, DiffFormat};
use crate::{Outcome, ask, terminal};

pub(crate) fn run(args: &DiffArgs) -> Outcome {
    let antefix = ask::antefix(None)?;
    let project = ask::project(&antefix, args.compose.cwd.as_deref())?;
    let range = args.range.as_deref().unwrap_or_default();
    let compared = project.compare(range, args.compose.ask()?)?;
    let changes = Changes::between(&compared.before, &compared.after, compared.names(range));
    let format = if args.json { DiffFormat::Json } else { args.format };
    match format {
        DiffFormat::Human => terminal::print_styled(&print::human(&changes))?,
        DiffFormat::Markdown => terminal::print_result(&print::markdown(&changes))?,
        DiffFormat::Json => terminal::print_result(&document::print(&changes))?,
    }
    Ok(ExitCode::SUCCESS)
}
