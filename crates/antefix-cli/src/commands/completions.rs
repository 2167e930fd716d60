//! `antefix completions`: for a shell.

use std::process::ExitCode;

use clap::CommandFactory;

use crate::args::{Args, CompletionsArgs};
use crate::{Outcome, terminal};

pub(crate) fn run(args: &CompletionsArgs) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "antefix", &mut script);
    terminal::print_result(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
