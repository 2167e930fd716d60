//! `antefix send`: queue a message for the next turn.

use std::process::ExitCode;

use crate::args::SendArgs;
use crate::{Outcome, ledger, terminal};

pub(crate) fn run(args: &SendArgs) -> Outcome {
    let conversation = ledger::conversation(&args.id)?;
    let keeper = ledger::keeper(&args.store)?;
    let number = keeper.send(&conversation, &args.message, jiff::Timestamp::now())?;
    terminal::print_styled(&format!("message {number} waits for the next turn\n"))?;
    Ok(ExitCode::SUCCESS)
}
