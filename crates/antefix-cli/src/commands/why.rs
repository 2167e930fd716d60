//! `antefix why`: whether a cache was hit as expected, and if not, why.

mod requests;

use std::path::Path;
use std::process::ExitCode;

use antefix::deliver::Receipt;
use antefix::document;
use antefix::project::BilledTurn;

use crate::args::WhyArgs;
use crate::terminal::visible;
use crate::{Failure, Outcome, ask, input, terminal};

pub(crate) fn run(args: &WhyArgs) -> Outcome {
    if !args.requests.is_empty() {
        return requests::run(args);
    }
    if args.receipt.is_none() && args.target.is_none() {
        return Err(Failure::usage("an epoch does not know where it was sent", "say it with --for TARGET"));
    }
    let turn = BilledTurn {
        receipt: args.receipt.as_deref().map(read).transpose()?,
        before: args.before.as_deref().map(read).transpose()?,
        usage: input::read(args.usage.as_deref().unwrap_or(Path::new("-")))?,
        conversation: args.conversation.clone(),
        epochs: args.epochs.as_deref().and_then(|epochs| Some((*epochs.first()?, *epochs.get(1)?))),
        target: args.target,
        model: args.model.clone(),
        elapsed: args.elapsed,
    };
    if let (Some(named), Some(receipt)) = (turn.target, &turn.receipt)
        && named.name() != receipt.target
    {
        let message = format!("the receipt is for {}", receipt.target);
        return Err(Failure::usage(message, "leave --for out: the receipt says it"));
    }
    let billing = ask::antefix(Some(&args.store))?.why(&turn)?;
    if args.json {
        terminal::print_result(&document::print(&document::verdict(&billing.verdict, &billing.diagnostics)))?;
        return Ok(ExitCode::SUCCESS);
    }
    terminal::print_diagnostics(&billing.diagnostics);
    terminal::print_styled(&format!("{}\n", visible(&billing.verdict.to_string())))?;
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> Result<Receipt, Failure> {
    let text = input::read(path)?;
    Receipt::parse(&text).map_err(|error| {
        let message = format!("{}: {}", path.display(), error.message());
        Failure::with_hint(message, error.hint().unwrap_or_default())
    })
}
