//! `antefix gc`: conversations that nobody uses, and texts that no epoch names any more.

use std::process::ExitCode;

use antefix::document;
use antefix::freeze::store::Sweep;

use crate::args::GcArgs;
use crate::terminal::{number, to_usize};
use crate::{Outcome, ask, terminal};

pub(crate) fn run(args: &GcArgs) -> Outcome {
    let antefix = ask::antefix(Some(&args.store))?;
    let sweep = if args.delete { Sweep::Delete } else { Sweep::DryRun };
    let collected = antefix.collect(args.older_than, sweep)?;
    if args.json {
        let document = document::carry::collected(&collected, args.older_than, sweep);
        terminal::print_result(&document::print(&document))?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.older_than.is_some() {
        let conversations = number(to_usize(collected.conversations));
        terminal::print_styled(&match (collected.conversations, args.delete) {
            (0, _) => "every conversation was used since\n".to_owned(),
            (_, true) => format!("deleted {conversations} conversations\n"),
            (_, false) => format!("{conversations} conversations could go, with their texts; --delete deletes them\n"),
        })?;
    }
    let swept = collected.swept;
    let (texts, bytes) = (number(to_usize(swept.texts)), number(to_usize(swept.bytes)));
    terminal::print_styled(&match (swept.texts, args.delete) {
        (0, _) => "every text is named by an epoch\n".to_owned(),
        (_, true) => format!("deleted {texts} texts of {bytes} bytes\n"),
        (_, false) => format!("{texts} texts of {bytes} bytes could go; --delete deletes them\n"),
    })?;
    Ok(ExitCode::SUCCESS)
}
