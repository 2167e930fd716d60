//! What could come next on a command line: names that only the program knows.
//!
//! 1. Layouts, agents, conversations, targets, models, finding codes and topics of help are offered where an argument takes one.
//! 2. A question of a shell changes nothing: no ledger is begun, and what cannot be asked for is not offered.

use std::ffi::OsStr;

use antefix::Antefix;
use antefix::agents::Agent;
use antefix::compose::builtin::LAYOUTS;
use antefix::compose::description;
use antefix::deliver::Target;
use antefix::diagnostic::Code;
use clap::{Command, CommandFactory};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};

use crate::args::Args;
use crate::commands::help;
use crate::machine;

/// The variable by which a shell asks what could come next.
pub(crate) const VARIABLE: &str = "ANTEFIX_COMPLETE";

/// As many conversations are offered.
const CONVERSATIONS: usize = 1_000;

/// The program's arguments, each with what it may be.
pub(crate) fn program() -> Command {
    with_values(Args::command())
}

/// Arguments are known by their names, in every command alike: one that is called `model` takes a model.
fn with_values(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let command = command.mut_args(|arg| {
        let completer = match (name.as_str(), arg.get_id().as_str()) {
            (_, "layout") => ArgValueCompleter::new(layouts_and_files),
            ("layouts", "name") => ArgValueCompleter::new(beginning_with(layouts)),
            (_, "as_agent" | "agent" | "agents") if name != "acp" => ArgValueCompleter::new(beginning_with(agents)),
            (_, "id" | "conversation") => ArgValueCompleter::new(beginning_with(conversations)),
            (_, "target") => ArgValueCompleter::new(beginning_with(targets)),
            (_, "model") => ArgValueCompleter::new(beginning_with(models)),
            (_, "deny") => ArgValueCompleter::new(beginning_with(codes)),
            ("help", "topic") => ArgValueCompleter::new(beginning_with(help::candidates)),
            _ => return arg,
        };
        arg.add(completer)
    });
    command.mut_subcommands(with_values)
}

/// Those of some names that begin as what was typed.
fn beginning_with(all: fn() -> Vec<CompletionCandidate>) -> impl Fn(&OsStr) -> Vec<CompletionCandidate> {
    move |typed| {
        let typed = typed.as_encoded_bytes();
        let begins = |one: &CompletionCandidate| one.get_value().as_encoded_bytes().starts_with(typed);
        all().into_iter().filter(begins).collect()
    }
}

fn layouts_and_files(typed: &OsStr) -> Vec<CompletionCandidate> {
    let mut found = beginning_with(layouts)(typed);
    found.extend(PathCompleter::file().complete(typed));
    found
}

fn layouts() -> Vec<CompletionCandidate> {
    let one = |name: &str, text: &str| CompletionCandidate::new(name).help(description(text).map(Into::into));
    LAYOUTS.iter().map(|layout| one(layout.name, layout.text)).collect()
}

fn agents() -> Vec<CompletionCandidate> {
    let names = here().and_then(|antefix| antefix.project(".").ok()?.agent_names().ok());
    let title = |name: &str| {
        let known = Agent::built_in().iter().find(|agent| agent.name == name);
        known.map(|agent| agent.file.title.clone().into())
    };
    names.unwrap_or_default().iter().map(|name| CompletionCandidate::new(name).help(title(name))).collect()
}

fn conversations() -> Vec<CompletionCandidate> {
    let ids = here().and_then(|antefix| antefix.known_conversations(CONVERSATIONS).ok());
    ids.unwrap_or_default().iter().map(|id| CompletionCandidate::new(id.as_str())).collect()
}

fn targets() -> Vec<CompletionCandidate> {
    Target::ALL.iter().map(|target| CompletionCandidate::new(target.name())).collect()
}

fn models() -> Vec<CompletionCandidate> {
    let Some(antefix) = here() else { return Vec::new() };
    antefix.models().0.names().map(CompletionCandidate::new).collect()
}

fn codes() -> Vec<CompletionCandidate> {
    let codes = Code::ALL.iter().map(|code| CompletionCandidate::new(code.name()));
    std::iter::once(CompletionCandidate::new("warnings")).chain(codes).collect()
}

fn here() -> Option<Antefix> {
    Antefix::builder().world(machine::world()).build().ok()
}
