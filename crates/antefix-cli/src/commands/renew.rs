//! `antefix renew`: begin a new epoch.

use std::process::ExitCode;

use antefix::keeper::{Began, Renewed};

use crate::args::RenewArgs;
use crate::{Outcome, document, ledger, setup, terminal};

pub(crate) fn run(args: &RenewArgs) -> Outcome {
    let conversation = ledger::conversation(&args.id)?;
    let prepared = setup::prepared(&args.compose)?;
    let keeper = ledger::keeper(&args.store)?;
    let (Renewed { epoch, began, diagnostics }, (hooks, announced)) = prepared.with_input(|input| {
        let renewed = keeper.renew(&conversation, args.cause, input)?;
        let told = match renewed.began {
            Began::Now => keeper.announce(&renewed.epoch, input),
            Began::Before => Default::default(),
        };
        Ok::<_, antefix::Error>((renewed, told))
    })?;
    let mut findings = prepared.diagnostics();
    findings.extend(diagnostics.into_iter().chain(announced));
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
