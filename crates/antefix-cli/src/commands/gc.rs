//! `antefix gc`: texts that no epoch names any more.

use std::process::ExitCode;

use antefix::freeze::store::Sweep;

use antefix::document;

use crate::args::GcArgs;
use crate::terminal::{number, to_usize};
use crate::{Outcome, ask, terminal};

pub(crate) fn run(args: &GcArgs) -> Outcome {
    let antefix = ask::antefix(Some(&args.store))?;
    let keeper = antefix.keeper()?;
    let sweep = if args.delete { Sweep::Delete } else { Sweep::DryRun };
    let swept = keeper.store().sweep(sweep).map_err(antefix::Error::from)?;
    if args.json {
        let document = serde_json::json!({ "texts": swept.texts, "bytes": swept.bytes, "deleted": args.delete });
        terminal::print_result(&document::print(&document))?;
        return Ok(ExitCode::SUCCESS);
    }
    let (texts, bytes) = (number(to_usize(swept.texts)), number(to_usize(swept.bytes)));
    terminal::print_styled(&match (swept.texts, args.delete) {
        (0, _) => "every text is named by an epoch\n".to_owned(),
        (_, true) => format!("deleted {texts} texts of {bytes} bytes\n"),
        (_, false) => format!("{texts} texts of {bytes} bytes could go; --delete deletes them\n"),
    })?;
    Ok(ExitCode::SUCCESS)
}
