//! `antefix vars`: the catalog.

use std::process::ExitCode;

use antefix::compose::template::HiddenFacts;
use antefix::discover::catalog::{CATALOG, Pace};
use antefix::project::{LayoutChoice, TemplateChoice};
use antefix::{Ask, document};

use crate::args::VarsArgs;
use crate::table::Table;
use crate::terminal::{FAINT, visible};
use crate::{Outcome, ask, terminal};

pub(crate) fn run(args: &VarsArgs) -> Outcome {
    let hidden = match &args.layout {
        Some(name) => {
            let antefix = ask::antefix(None)?;
            let layout = LayoutChoice::named(name, &ask::current()?);
            ask::project(&antefix, None)?.hidden_facts(&Ask::new().layout(layout).template(TemplateChoice::Own))?
        }
        None => HiddenFacts::default(),
    };
    if args.json {
        terminal::print_result(&document::print(&document::variables(&hidden)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["bracket", "jinja", "changes", "value"]);
    for entry in CATALOG.iter().filter(|entry| !hidden.hides(&entry.fact())) {
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
    let hidden: Vec<&str> = hidden.entries().collect();
    if !hidden.is_empty() {
        terminal::print_styled(&format!(
            "\n  {FAINT}hidden by the layout:{FAINT:#} {}\n",
            visible(&hidden.join(", "))
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}
