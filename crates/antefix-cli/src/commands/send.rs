//! `antefix send`: queue a message for the next turn.

use std::process::ExitCode;

use antefix::freeze::ConversationId;

use crate::args::SendArgs;
use crate::{Outcome, ask, terminal};

pub(crate) fn run(args: &SendArgs) -> Outcome {
    let conversation = ConversationId::parse(&args.id)?;
    let antefix = ask::antefix(Some(&args.store))?;
    let keeper = antefix.keeper()?;
    let number = keeper.send(&conversation, &args.message, jiff::Timestamp::now())?;
    terminal::print_styled(&format!("message {number} waits for the next turn\n"))?;
    Ok(ExitCode::SUCCESS)
}
