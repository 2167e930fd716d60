//! `antefix completions`: for a shell.

use std::process::ExitCode;

use clap_complete::env::Shells;

use crate::args::CompletionsArgs;
use crate::complete::VARIABLE;
use crate::{Failure, Outcome, terminal};

/// Prints a script that asks this program, so that it knows what is here now.
pub(crate) fn run(args: &CompletionsArgs) -> Outcome {
    let failed = |what: String| Failure::plain(format!("the completions cannot be written: {what}"));
    let name = args.shell.to_string();
    let shells = Shells::builtins();
    let shell = shells.completer(&name).ok_or_else(|| failed(format!("no `{name}` is known")))?;
    let mut script = Vec::new();
    let written = shell.write_registration(VARIABLE, "antefix", "antefix", "antefix", &mut script);
    written.map_err(|error| failed(error.to_string()))?;
    terminal::print_result(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
