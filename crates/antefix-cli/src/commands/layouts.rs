//! `antefix layouts`: the built-in layouts, and their files to copy.

use std::process::ExitCode;

use antefix::compose::builtin::{self, LAYOUTS, PROMPTS};
use antefix::compose::description;

use crate::args::LayoutsArgs;
use crate::terminal::Table;
use crate::{Failure, Outcome, terminal};

pub(crate) fn run(args: &LayoutsArgs) -> Outcome {
    match args.name.as_deref() {
        None => terminal::print_styled(&list())?,
        Some(name) => terminal::print_result(find(name)?)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list() -> String {
    let mut table = Table::new(&["layout", "behaves like"]);
    for layout in LAYOUTS {
        table.row([layout.name.to_owned(), description(layout.text).unwrap_or_default()]);
    }
    table.print()
}

fn find(name: &str) -> Result<&'static str, Failure> {
    if let Some(path) = name.strip_prefix("$builtin/") {
        return builtin::prompt(path).ok_or_else(|| {
            let known = PROMPTS.iter().map(|(path, _)| format!("$builtin/{path}")).collect::<Vec<_>>().join(", ");
            Failure::with_hint(format!("there is no template `{name}`"), format!("there are {known}"))
        });
    }
    builtin::layout(name).map(|layout| layout.text).ok_or_else(|| {
        let known = LAYOUTS.iter().map(|layout| layout.name).collect::<Vec<_>>().join(", ");
        Failure::with_hint(format!("there is no built-in layout `{name}`"), format!("there are {known}"))
    })
}
