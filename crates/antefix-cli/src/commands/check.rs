//! `antefix check`: what is wrong?

use std::process::ExitCode;

use antefix::deliver::Target;
use antefix::deliver::rules::{self, Breach};
use antefix::document::{self, Finding, Findings};
use antefix::project::CheckRules;
use antefix::{Ask, Diagnostic, Level, Project};

use crate::args::{CheckArgs, CheckFormat};
use crate::terminal::{FAINT, STRONG};
use crate::{Failure, Outcome, ask, input, terminal};

/// What was looked at, and what was found.
struct Checked {
    /// The layout, and the rules that a request was held against.
    what: String,
    diagnostics: Vec<Diagnostic>,
}

pub(crate) fn run(args: &CheckArgs) -> Outcome {
    let format = if args.json { CheckFormat::Json } else { args.format };
    let checked = match checked(args) {
        Ok(checked) => checked,
        Err(failure) if format == CheckFormat::Human => return Err(failure),
        // The first error ends composing; to a program it is a finding like the others.
        Err(Failure::Input(error)) => {
            print(format, vec![Finding::of_error(&error)])?;
            return Ok(ExitCode::from(1));
        }
        Err(Failure::Plain { message, hint }) => {
            print(format, vec![Finding::plain(&message, hint.as_deref())])?;
            return Ok(ExitCode::from(1));
        }
        Err(failure) => return Err(failure),
    };
    let Checked { what, diagnostics } = checked;
    let [errors, warnings, notes] = [Level::Error, Level::Warning, Level::Note]
        .map(|level| diagnostics.iter().filter(|diagnostic| diagnostic.level == level).count());
    if format == CheckFormat::Human {
        terminal::print_by_file(&diagnostics);
        let mut verdict = format!("{STRONG}{}, {}{STRONG:#}", count(errors, "error"), count(warnings, "warning"));
        if notes > 0 {
            verdict.push_str(&format!(", {}", count(notes, "note")));
        }
        terminal::print_styled(&format!("{verdict} {FAINT}({}){FAINT:#}\n", terminal::visible(&what)))?;
    } else {
        print(format, diagnostics.iter().map(Finding::of_diagnostic).collect())?;
    }
    Ok(ExitCode::from(u8::from(errors > 0)))
}

/// Prints findings for a program.
fn print(format: CheckFormat, diagnostics: Vec<Finding<'_>>) -> Result<(), Failure> {
    terminal::print_result(&match format {
        CheckFormat::Human | CheckFormat::Json => document::print(&Findings { diagnostics }),
        CheckFormat::Sarif => document::print(&document::sarif(&diagnostics)),
        CheckFormat::Github => document::github(&diagnostics),
    })
}

fn checked(args: &CheckArgs) -> Result<Checked, Failure> {
    let antefix = ask::antefix(None)?;
    match (&args.request, args.target) {
        (Some(path), Some(target)) => {
            let request = input::request(path)?;
            let diagnostics = antefix.check_request(&request, target, args.compose.model.as_deref());
            Ok(Checked { what: rules_of(target), diagnostics })
        }
        _ => composed(&antefix, args),
    }
}

/// The prompt, with findings that matter as much as project, user and arguments say, and what the provider would say to the request.
fn composed(antefix: &antefix::Antefix, args: &CheckArgs) -> Result<Checked, Failure> {
    let project = ask::project(antefix, args.compose.cwd.as_deref())?;
    let mut ask = args.compose.ask()?;
    ask.messages = args.messages.as_deref().map(input::messages).transpose()?.map(Into::into);
    let mut rules = CheckRules::default();
    rules.deny.clone_from(&args.deny);
    rules.max_tokens = args.max_tokens;
    if let Some(agents) = &args.compose.as_agent {
        return of_agents(&project, agents, &ask, &rules);
    }
    let preview = project.check(ask, &rules)?;
    let mut what = preview.prompt.layout().to_owned();
    let mut diagnostics = preview.diagnostics.clone();
    if let Some(target) = args.target {
        what.push_str(&format!(", {}", rules_of(target)));
        diagnostics.extend(preview.breaches(target)?.iter().map(Breach::to_diagnostic));
    }
    Ok(Checked { what, diagnostics })
}

/// What agents are given that compose their own prompts: some by their names, or `all`.
fn of_agents(project: &Project, agents: &str, ask: &Ask, rules: &CheckRules) -> Result<Checked, Failure> {
    let names: Vec<&str> = match agents {
        "all" => Vec::new(),
        names => names.split(',').map(str::trim).filter(|name| !name.is_empty()).collect(),
    };
    let what = if names.is_empty() { "all agents".to_owned() } else { names.join(", ") };
    let mut ask = ask.clone();
    ask.layout = None;
    Ok(Checked { what, diagnostics: project.check_as(&names, &ask, rules)? })
}

/// How many rules a request was held against: with none, nothing was looked at.
fn rules_of(target: Target) -> String {
    format!("{} of {}", count(rules::names(target).count(), "rule"), target.name())
}

fn count(number: usize, what: &str) -> String {
    match number {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        number => format!("{number} {what}s"),
    }
}
