//! `antefix help [TOPIC]`: the pages of the book's reference in the terminal, and the help of commands.
//!
//! 1. A command's name prints what `--help` prints of it. A topic's name prints its page.
//! 2. A page is as wide as the terminal, at most 100 columns, and goes through a pager if it is longer than the terminal is high.
//! 3. In a pipe it is plain text.

mod markdown;
mod pages;

use std::io::{IsTerminal, Write};
use std::process::{Command, ExitCode, Stdio};

use clap::CommandFactory;
use clap_complete::engine::CompletionCandidate;

use self::pages::{PAGES, Page};
use crate::args::{Args, HelpArgs};
use crate::table::Table;
use crate::{Failure, Outcome, terminal};

/// Lines that are longer are hard to read.
const WIDEST: usize = 100;

pub(crate) fn run(args: &HelpArgs) -> Outcome {
    let mut program = Args::command();
    let Some(first) = args.topic.first() else {
        let help = program.render_help().ansi().to_string();
        terminal::print_styled(&format!("{help}\n{}", topics()))?;
        return Ok(ExitCode::SUCCESS);
    };
    if let Some(help) = help_of_command(&mut program, &args.topic) {
        terminal::print_styled(&help)?;
        return Ok(ExitCode::SUCCESS);
    }
    let page = PAGES.iter().find(|page| page.topic == first).ok_or_else(|| {
        let names: Vec<&str> = PAGES.iter().map(|page| page.topic).collect();
        let hint = format!("the topics are {}; or name a command", names.join(", "));
        Failure::usage(format!("there is no help about `{first}`"), hint)
    })?;
    print(page)?;
    Ok(ExitCode::SUCCESS)
}

/// What may be asked about, for a shell.
pub(crate) fn candidates() -> Vec<CompletionCandidate> {
    let pages = PAGES.iter().map(|page| CompletionCandidate::new(page.topic).help(Some(page.about.into())));
    let program = Args::command();
    let commands =
        program.get_subcommands().map(|one| CompletionCandidate::new(one.get_name()).help(one.get_about().cloned()));
    pages.chain(commands).collect()
}

/// The topics that there are pages for.
fn topics() -> String {
    let mut table = Table::new(&["antefix help", "is about"]);
    for page in PAGES {
        table.row([page.topic.to_owned(), page.about.to_owned()]);
    }
    table.print()
}

fn help_of_command(program: &mut clap::Command, names: &[String]) -> Option<String> {
    program.build();
    let mut command = program;
    for name in names {
        command = command.find_subcommand_mut(name)?;
    }
    Some(command.render_long_help().ansi().to_string())
}

fn print(page: &Page) -> Result<(), Failure> {
    let width = terminal::width().unwrap_or(WIDEST).min(WIDEST);
    let text = markdown::rendered(&(page.text)(), width);
    let height = terminal_size::terminal_size().map_or(usize::MAX, |(_, height)| usize::from(height.0));
    if std::io::stdout().is_terminal() && text.lines().count() >= height && paged(&text) {
        return Ok(());
    }
    terminal::print_styled(&text)
}

/// Shows a text in the user's pager; whether there is one.
fn paged(text: &str) -> bool {
    let named = ["ANTEFIX_PAGER", "PAGER"].iter().find_map(|name| std::env::var(name).ok());
    let words = named.unwrap_or_else(|| "less".to_owned());
    let mut words = words.split_whitespace();
    let Some(program) = words.next() else { return false };
    let mut command = Command::new(program);
    // As git has it: colors, no pager for what fits, and the text stays where it was.
    command.args(words).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    let Ok(mut child) = command.spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // Who has read enough closes the pager.
        let _ = input.write_all(text.as_bytes());
    }
    child.wait().is_ok()
}
