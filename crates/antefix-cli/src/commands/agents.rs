//! `antefix agents`: which agent reads which file here?

mod few;
mod grid;

use std::process::ExitCode;

use antefix::agents::{AgentView, FileView, How};
use antefix::document::{self, CountedTexts, Counting};

use self::grid::Extent;
use crate::args::AgentsArgs;
use crate::table::{Table, wrap};
use crate::terminal::{FAINT, HEADING, STRONG, number, visible};
use crate::{Outcome, ask, terminal};

/// So many agents have a column of words each.
const FEW: usize = 4;
/// So many findings are printed, unless all are asked for.
const FINDINGS: usize = 12;

/// Where the words begin behind their name.
const SET_IN: usize = 15;

pub(crate) fn run(args: &AgentsArgs) -> Outcome {
    let antefix = ask::antefix(None)?;
    let project = ask::project(&antefix, args.cwd.as_deref())?;
    let report = project.agents(&args.agents)?;
    let extent = if args.all { Extent::All } else { Extent::Screen };
    let counting = if args.no_tokens { Counting::Bytes } else { Counting::Tokens };
    let text = match (args.json, args.agents.len()) {
        (true, _) => document::print(&document::agents(&report, counting)),
        (false, 1) => report.views.iter().map(|view| one(view, counting)).collect(),
        (false, 2..=FEW) => few::print(&report.views, counting, extent),
        (false, _) => grid::print(&report.views, counting, extent),
    };
    match args.json {
        true => terminal::print_result(&text)?,
        false => {
            terminal::print_styled(&text)?;
            terminal::print_briefly(&report.diagnostics, if args.all { usize::MAX } else { FINDINGS });
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// One agent in full.
fn one(view: &AgentView, counting: Counting) -> String {
    let file = &view.agent.file;
    let mut text = format!("{STRONG}{}{STRONG:#} {}", visible(&file.title), visible(&file.version));
    text.push_str(&format!(" {FAINT}(checked {}){FAINT:#}\n\n", visible(&file.checked)));
    let mut table = Table::new(&["file", "what becomes of it", "#bytes", ""]);
    let mut skills = Table::new(&["skill", "what becomes of it", "#bytes", ""]);
    // Files that it does not look at say nothing about it.
    let row = |file: &FileView| {
        let bytes = if file.bytes == 0 { String::new() } else { number(file.bytes) };
        [file.path.clone(), file.state.name().to_owned(), bytes, file.state.detail().unwrap_or_default()]
    };
    let ignored = view.files.iter().filter(|file| file.state.name() == "ignored").count();
    view.files.iter().filter(|file| file.state.name() != "ignored").for_each(|file| table.row(row(file)));
    view.skills.iter().for_each(|file| skills.row(row(file)));
    for table in [table, skills] {
        if !table.is_empty() {
            text.push_str(&table.print());
            text.push('\n');
        }
    }
    let bytes: usize = view.texts.iter().map(|(_, text)| text.len()).sum();
    let room = terminal::width().map_or(usize::MAX, |width| width.saturating_sub(SET_IN).max(20));
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            let mut lines = wrap(&visible(value), room).into_iter();
            let first = lines.next().unwrap_or_default();
            text.push_str(&format!("  {HEADING}{name:<12}{HEADING:#} {first}\n"));
            lines.for_each(|line| text.push_str(&format!("{}{line}\n", " ".repeat(SET_IN))));
        }
    };
    let counted = CountedTexts::default().of(view, counting);
    let counted = counted.map(|tokens| format!(", {} tokens", number(tokens))).unwrap_or_default();
    line("given", &format!("{} files, {} bytes{counted}", view.texts.len(), number(bytes)));
    if ignored > 0 {
        line("ignored", &format!("{ignored} other files that look like instructions"));
    }
    if let Some(own) = file.own_bytes {
        line("own words", &format!("about {} bytes", number(own)));
    }
    line("they go into", &with_doubt(&file.place.instructions, file.known.place));
    line("skills go", &with_doubt(&file.place.skills, file.known.skills));
    line("read again", &file.read_again);
    line("trust", file.trust.as_deref().unwrap_or_default());
    line("to see it", file.prompt.see.as_deref().unwrap_or_default());
    for note in &file.notes {
        line("note", note);
    }
    if let Some(doubt) = file.known.instructions.doubt() {
        line("known", &format!("what it reads is {doubt}"));
    }
    for setting in &view.settings {
        line("setting", &format!("{} in {}", setting.key, setting.file));
    }
    text
}

fn with_doubt(text: &str, known: How) -> String {
    match known.doubt() {
        Some(doubt) => format!("{text} ({doubt})"),
        None => text.to_owned(),
    }
}
