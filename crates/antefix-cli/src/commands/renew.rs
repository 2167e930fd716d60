//! `antefix renew`: begin a new epoch.

use std::process::ExitCode;

use antefix::document;
use antefix::keeper::{Began, Renewed};

use crate::args::RenewArgs;
use crate::{Outcome, ask, terminal};

pub(crate) fn run(args: &RenewArgs) -> Outcome {
    let antefix = ask::antefix(Some(&args.store))?;
    let conversation = ask::conversation(&antefix, &args.id, args.compose.cwd.as_deref())?;
    let Renewed { epoch, began, hooks, diagnostics } = conversation.renew(args.cause, args.compose.ask()?)?;
    if args.json {
        let document = document::ledger::begun(&args.id, Some(began), &epoch, &hooks, &diagnostics);
        terminal::print_result(&document::print(&document))?;
        return Ok(ExitCode::SUCCESS);
    }
    terminal::print_diagnostics(&diagnostics);
    let number = epoch.number();
    terminal::print_styled(&match began {
        Began::Now => format!("epoch {number} began ({}, {})\n", epoch.cause().name(), epoch.digest().short()),
        Began::Before => format!("epoch {number} stays: composing now gives the same bytes\n"),
    })?;
    Ok(ExitCode::SUCCESS)
}
