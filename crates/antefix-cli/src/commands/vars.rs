//! `antefix vars`: the catalog.

use std::process::ExitCode;

use antefix::discover::catalog::{CATALOG, Pace};
use antefix::document;

use crate::args::VarsArgs;
use crate::terminal::Table;
use crate::{Outcome, terminal};

pub(crate) fn run(args: &VarsArgs) -> Outcome {
    if args.json {
        terminal::print_result(&document::print(&document::variables()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["bracket", "jinja", "changes", "value"]);
    for entry in CATALOG {
        let changes = match entry.pace {
            Pace::Steady => "",
            Pace::Daily => "daily",
            Pace::Volatile => "every turn",
        };
        table.row([
            format!("[{}]", entry.key()),
            format!("{{{{ {} }}}}", entry.jinja),
            changes.to_owned(),
            entry.description.to_owned(),
        ]);
    }
    terminal::print_styled(&table.print())?;
    Ok(ExitCode::SUCCESS)
}
