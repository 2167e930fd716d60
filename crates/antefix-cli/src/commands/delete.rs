//! `antefix delete`: the end of a conversation.

use std::process::ExitCode;

use antefix::document;

use crate::args::DeleteArgs;
use crate::terminal::{number, to_usize, visible};
use crate::{Outcome, ask, terminal};

pub(crate) fn run(args: &DeleteArgs) -> Outcome {
    let antefix = ask::antefix(Some(&args.store))?;
    let deleted = antefix.delete(&args.id)?;
    if args.json {
        terminal::print_result(&document::print(&document::carry::deleted(&args.id, &deleted)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let (epochs, texts) = (number(to_usize(deleted.epochs)), number(to_usize(deleted.swept.texts)));
    terminal::print_styled(&format!(
        "{} is deleted: {epochs} epochs, and {texts} texts that no other conversation has\n",
        visible(&args.id)
    ))?;
    Ok(ExitCode::SUCCESS)
}
