//! `antefix renew`: begin a new epoch.

use std::process::ExitCode;

use antefix::keeper::Began;

use crate::args::RenewArgs;
use crate::{Outcome, document, ledger, setup, terminal};

pub(crate) fn run(args: &RenewArgs) -> Outcome {
    let conversation = ledger::conversation(&args.id)?;
    let prepared = setup::prepared(&args.compose)?;
    let keeper = ledger::keeper(&args.store)?;
    let (epoch, began) = prepared.with_input(|input| {
        let renewed = keeper.renew(&conversation, args.cause, input)?;
        if renewed.1 == Began::Now {
            let (_, diagnostics) = keeper.announce(&renewed.0, input);
            terminal::print_diagnostics(&diagnostics);
        }
        Ok::<_, antefix::Error>(renewed)
    })?;
    if args.json {
        let epoch = ledger::document::EpochOf::new(&epoch);
        let document = serde_json::json!({
            "conversation": args.id,
            "began": began == Began::Now,
            "epoch": epoch,
        });
        terminal::print_result(&document::print(&document))?;
        return Ok(ExitCode::SUCCESS);
    }
    let number = epoch.number();
    terminal::print_styled(&match began {
        Began::Now => format!("epoch {number} began ({}, {})\n", epoch.cause().name(), epoch.digest().short()),
        Began::Before => format!("epoch {number} stands: composing now gives the same bytes\n"),
    })?;
    Ok(ExitCode::SUCCESS)
}
