//! `antefix drift`: what composing now would change.

use std::process::ExitCode;

use crate::args::DriftArgs;
use crate::counts::Counts;
use crate::ledger::price::Bill;
use crate::terminal::{STRONG, visible};
use crate::{Outcome, document, ledger, setup, terminal};

pub(crate) fn run(args: &DriftArgs) -> Outcome {
    let conversation = ledger::conversation(&args.id)?;
    let prepared = setup::prepared(&args.compose)?;
    let keeper = ledger::keeper(&args.store)?;
    let mut drift = prepared.with_input(|input| keeper.drift(&conversation, input))?;
    drift.diagnostics.splice(0..0, prepared.diagnostics());
    let model = args.compose.model.as_deref().or(drift.epoch.row().model.as_deref());
    let models = prepared.models()?;
    let counts = Counts::recall();
    let bill = drift.difference.as_ref().map(|one| Bill::new(one, &drift.next, model, &models));
    counts.keep();
    if args.json {
        terminal::print_result(&document::print(&ledger::document::drift(&args.id, &drift, bill.as_ref())))?;
        return Ok(ExitCode::SUCCESS);
    }
    let epoch = &drift.epoch;
    let mut text = format!(
        "{STRONG}{}{STRONG:#}, epoch {} ({}, {})",
        visible(&args.id),
        epoch.number(),
        epoch.cause().name(),
        epoch.digest().short()
    );
    if drift.difference.is_none() && drift.changes.is_empty() {
        text.push_str(": nothing has changed\n");
    } else {
        text.push('\n');
    }
    text.push_str(&ledger::words::changes("change", &drift.changes));
    match &drift.difference {
        Some(difference) => {
            text.push_str("\na renewal now would part from it here\n");
            text.push_str(&ledger::words::difference(difference, ("now", "renewed"), bill.as_ref()));
        }
        None if !drift.changes.is_empty() => text.push_str("\na renewal now would give the same bytes\n"),
        None => {}
    }
    terminal::print_styled(&text)?;
    terminal::print_diagnostics(&drift.diagnostics);
    Ok(ExitCode::SUCCESS)
}
