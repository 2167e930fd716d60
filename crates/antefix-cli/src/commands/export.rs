//! `antefix export`: a ledger as JSON lines.

use std::process::ExitCode;

use crate::args::ExportArgs;
use crate::{Failure, Outcome, ask, terminal};

pub(crate) fn run(args: &ExportArgs) -> Outcome {
    let antefix = ask::antefix(Some(&args.store))?;
    antefix.export::<Failure>(&args.id, terminal::print_result)?;
    Ok(ExitCode::SUCCESS)
}
