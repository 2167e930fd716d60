//! `antefix renew`: begin a new epoch.

use std::process::ExitCode;

use antefix::keeper::{Began, Renewed};

use crate::args::RenewArgs;
use crate::{Outcome, document, ledger, setup, terminal};

pub(crate) fn run(args: &RenewArgs) -> Outcome {
    let conversation = ledger::conversation(&args.id)?;
    let prepared = setup::prepared(&args.compose)?;
    let keeper = ledger::keeper(&args.store)?;
    let Renewed { epoch, began, hooks, diagnostics } =
        prepared.with_input(|input| keeper.renew(&conversation, args.cause, input))?;
    let mut findings = prepared.diagnostics();
    findings.extend(diagnostics);
    if args.json {
        let document = ledger::document::begun(&args.id, Some(began), &epoch, &hooks, &findings);
        terminal::print_result(&document::print(&document))?;
        return Ok(ExitCode::SUCCESS);
    }
    terminal::print_diagnostics(&findings);
    let number = epoch.number();
    terminal::print_styled(&match began {
        Began::Now => format!("epoch {number} began ({}, {})\n", epoch.cause().name(), epoch.digest().short()),
        Began::Before => format!("epoch {number} stands: composing now gives the same bytes\n"),
    })?;
    Ok(ExitCode::SUCCESS)
}
