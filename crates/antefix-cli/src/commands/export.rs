//! `antefix export`: a ledger as JSON lines.

use std::process::ExitCode;

use antefix::freeze::ConversationId;

use crate::args::ExportArgs;
use crate::{Failure, Outcome, ask, terminal};

pub(crate) fn run(args: &ExportArgs) -> Outcome {
    let conversation = ConversationId::parse(&args.id)?;
    let antefix = ask::antefix(Some(&args.store))?;
    let keeper = antefix.keeper()?;
    keeper.export::<Failure>(&conversation, |line| terminal::print_result(&format!("{line}\n")))?;
    Ok(ExitCode::SUCCESS)
}
