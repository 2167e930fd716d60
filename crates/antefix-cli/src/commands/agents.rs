//! `antefix agents`: which agent reads which file here?

mod grid;

use std::process::ExitCode;

use antefix::agents::{AgentView, FileView, How};
use antefix::document::{self, Counting, tokens_of};
use antefix::project::AgentsReport;

use crate::args::AgentsArgs;
use crate::table::Table;
use crate::terminal::{FAINT, HEADING, STRONG, number, visible};
use crate::{Outcome, ask, terminal};

pub(crate) fn run(args: &AgentsArgs) -> Outcome {
    let antefix = ask::antefix(None)?;
    let project = ask::project(&antefix, args.cwd.as_deref())?;
    let report = project.agents(&args.agents)?;
    let counting = if args.no_tokens { Counting::Bytes } else { Counting::Tokens };
    let text = match (args.json, args.agents.len()) {
        (true, _) => document::print(&document::agents(&report, counting)),
        (false, 1) => report.views.iter().map(|view| one(view, counting)).collect(),
        (false, _) => all(&report, counting),
    };
    match args.json {
        true => terminal::print_result(&text)?,
        false => {
            terminal::print_styled(&text)?;
            terminal::print_diagnostics(&report.diagnostics);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// All agents: files by agents, then what each is given.
fn all(report: &AgentsReport, counting: Counting) -> String {
    let mut text = grid::print(&report.views, grid::width());
    text.push('\n');
    let is_wide = grid::width() >= 100;
    let headings: &[&'static str] = match is_wide {
        true => &["agent", "#files", "#bytes", "#tokens", "they go into", "known by"],
        false => &["agent", "#files", "#bytes", "#tokens", "known by"],
    };
    let mut table = Table::new(headings);
    for view in &report.views {
        let bytes: usize = view.texts.iter().map(|(_, text)| text.len()).sum();
        let mut row = vec![view.agent.name.clone(), number(view.texts.len()), number(bytes), tokens(view, counting)];
        row.extend(is_wide.then(|| short(&view.agent.file.place.instructions)));
        let file = &view.agent.file;
        row.push(match file.known.instructions {
            How::Run => format!("a run of {}", file.version),
            How::Code => format!("code, {}", file.version),
            How::Doc => file.version.clone(),
        });
        table.row(row);
    }
    text.push_str(&table.print());
    text
}

/// What goes into a cell: the first words.
fn short(text: &str) -> String {
    text.split([',', ';']).next().unwrap_or(text).to_owned()
}

fn tokens(view: &AgentView, counting: Counting) -> String {
    match counting {
        Counting::Tokens => tokens_of(view).map(number).unwrap_or_default(),
        Counting::Bytes => String::new(),
    }
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
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            text.push_str(&format!("  {HEADING}{name:<12}{HEADING:#} {}\n", visible(value)));
        }
    };
    let counted = tokens(view, counting);
    let counted = if counted.is_empty() { String::new() } else { format!(", {counted} tokens") };
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
