//! `antefix layouts`: the built-in layouts, and their files to copy.

use std::process::ExitCode;

use antefix::compose::builtin::{self, LAYOUTS, PROMPTS};
use antefix::compose::{WordingKey, description};
use antefix::text::Digest;

use crate::args::LayoutsArgs;
use crate::table::Table;
use crate::{Failure, Outcome, terminal};

pub(crate) fn run(args: &LayoutsArgs) -> Outcome {
    match args.name.as_deref() {
        None => terminal::print_styled(&list())?,
        Some(name) => {
            let copy = find(name)?;
            terminal::print_result(&copy.text)?;
            if let Some(note) = &copy.note {
                terminal::print_note(note);
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A text to copy.
struct ToCopy {
    text: String,
    /// How to learn that the original changed, if the text itself cannot have a mark.
    note: Option<String>,
}

fn list() -> String {
    let mut table = Table::new(&["layout", "behaves like"]);
    for layout in LAYOUTS {
        table.row([layout.name.to_owned(), description(layout.text).unwrap_or_default()]);
    }
    table.print()
}

fn find(name: &str) -> Result<ToCopy, Failure> {
    if let Some(path) = name.strip_prefix("$builtin/") {
        let text = builtin::prompt(path).ok_or_else(|| {
            let known = PROMPTS.iter().map(|(path, _)| format!("$builtin/{path}")).collect::<Vec<_>>().join(", ");
            Failure::with_hint(format!("there is no template `{name}`"), format!("there are {known}"))
        })?;
        // Whatever was in a template would be in the prompt, so the layout has the mark.
        let from = format!("from = \"{name} {}\"", Digest::of(text));
        let message = format!("say `{from}` in the section of your copy, to be told when the original changes");
        return Ok(ToCopy { text: text.to_owned(), note: Some(message) });
    }
    if let Some(key) = name.strip_prefix("$wording/") {
        let key = WordingKey::parse(key)?;
        let text = format!(
            "[wording]\n{key} = \"\"\"\n{text}\"\"\"\n\n# To be told when the original changes.\n[from]\n{key} = \"{digest}\"\n",
            key = key.name(),
            text = key.built_in().replace('\\', "\\\\").replace("\"\"\"", "\"\"\\\""),
            digest = Digest::of(key.built_in())
        );
        return Ok(ToCopy { text, note: None });
    }
    let layout = builtin::layout(name).ok_or_else(|| {
        let known = LAYOUTS.iter().map(|layout| layout.name).collect::<Vec<_>>().join(", ");
        Failure::with_hint(format!("there is no built-in layout `{name}`"), format!("there are {known}"))
    })?;
    Ok(ToCopy { text: format!("{}{}", builtin::mark(layout), layout.text), note: None })
}
