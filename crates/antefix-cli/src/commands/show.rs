//! `antefix show`: the prompt, byte for byte.

use std::process::ExitCode;

use crate::args::{Part, ShowArgs};
use crate::setup::Look;
use crate::{Outcome, setup, terminal};

pub(crate) fn run(args: &ShowArgs) -> Outcome {
    let composed = setup::composed(&args.compose, Look::Composing)?;
    let text = match args.part {
        Part::Prefix => composed.prompt.prefix(),
        Part::Suffix => composed.prompt.suffix(),
        Part::All => composed.prompt.text(),
    };
    terminal::print_result(text)?;
    terminal::print_diagnostics(&composed.diagnostics);
    Ok(ExitCode::SUCCESS)
}
