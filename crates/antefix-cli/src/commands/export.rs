//! `antefix export`: a ledger as JSON lines.

use std::process::ExitCode;

use crate::args::ExportArgs;
use crate::{Failure, Outcome, ledger, terminal};

pub(crate) fn run(args: &ExportArgs) -> Outcome {
    let conversation = ledger::conversation(&args.id)?;
    let keeper = ledger::keeper(&args.store)?;
    keeper.export::<Failure>(&conversation, |line| terminal::print_result(&format!("{line}\n")))?;
    Ok(ExitCode::SUCCESS)
}
