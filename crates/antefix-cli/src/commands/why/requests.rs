//! `antefix why --requests`: two requests, or a recording of many, of any agent.

use std::path::Path;
use std::process::ExitCode;

use antefix::document;
use antefix::observe::{Known, Outcome as CacheOutcome, Recording, SentOrigin};
use antefix::project::{Observed, ObservedRequest, TwoRequests};

use crate::args::WhyArgs;
use crate::table::Table;
use crate::terminal::{FAINT, HEADING, number, visible};
use crate::{Failure, Outcome, ask, input, terminal};

pub(super) fn run(args: &WhyArgs) -> Outcome {
    let antefix = ask::antefix(Some(&args.store))?;
    // What is sent may have been sent from anywhere: without a project nothing is found in it, and all else is told.
    let texts = match ask::project(&antefix, args.cwd.as_deref()).and_then(|project| Ok(project.known_texts()?)) {
        Ok(texts) => texts,
        Err(failure) if args.cwd.is_some() => return Err(failure),
        Err(_) => Known::default(),
    };
    let read = |path: &Path| input::read_large(path);
    let observed = match &args.requests[..] {
        [before, now] => {
            let said = |path: &Option<std::path::PathBuf>| path.as_deref().map(input::read).transpose();
            let pair = TwoRequests {
                before: Some(read(before)?),
                now: read(now)?,
                usage_before: said(&args.usage_before)?,
                usage: said(&args.usage)?,
                target: args.target,
                model: args.model.clone(),
                elapsed: args.elapsed,
            };
            antefix.why_requests(&pair, &texts)?
        }
        [file, ..] => {
            let recording = Recording::parse(&read(file)?).map_err(|error| {
                Failure::with_hint(format!("{}: {}", file.display(), error.message()), error.hint().unwrap_or_default())
            })?;
            antefix.why_recording(recording, &texts)
        }
        [] => Observed::default(),
    };
    if args.json {
        terminal::print_result(&document::print(&document::observed(&observed, &texts)))?;
        return Ok(ExitCode::SUCCESS);
    }
    terminal::print_diagnostics(&observed.diagnostics);
    let text = match &observed.requests[..] {
        [_, last] if args.requests.len() == 2 => one(last),
        _ => many(&observed),
    };
    terminal::print_styled(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// One request: what became of it, and what fills it.
fn one(request: &ObservedRequest) -> String {
    let mut text = format!("{}\n\n", visible(&request.judgment.to_string()));
    let mut table = Table::new(&["what fills it", "#tokens"]);
    for (origin, tokens) in &request.shares {
        table.row([said(origin), number(tokens.count)]);
    }
    text.push_str(&table.print());
    text
}

/// Every request of a recording, and each miss with its cause.
fn many(observed: &Observed) -> String {
    let mut table = Table::new(&["#", "at", "#conversation", "kind", "model", "#read", "#expected", "what happened"]);
    let count = |count: Option<usize>| count.map(number).unwrap_or_default();
    for (place, request) in observed.requests.iter().enumerate() {
        let judgment = &request.judgment;
        let causes: Vec<&str> = judgment.causes.iter().map(|cause| cause.name()).collect();
        let happened = match judgment.outcome {
            CacheOutcome::Hit => "hit".to_owned(),
            CacheOutcome::Written if judgment.difference.is_none() => "first".to_owned(),
            outcome if causes.is_empty() => outcome.name().to_owned(),
            outcome => format!("{}: {}", outcome.name(), causes.join(", ")),
        };
        table.row([
            (place + 1).to_string(),
            request.exchange.at.map(|at| at.strftime("%H:%M:%S").to_string()).unwrap_or_default(),
            (request.link.conversation + 1).to_string(),
            request.kind.name().to_owned(),
            request.exchange.request.model.clone().unwrap_or_default(),
            count(judgment.read),
            count(judgment.expected),
            happened,
        ]);
    }
    let mut text = table.print();
    for (place, request) in observed.requests.iter().enumerate().filter(|(_, request)| request.judgment.lost.is_some())
    {
        text.push_str(&format!("\n{HEADING}{}{HEADING:#} {}\n", place + 1, visible(&request.judgment.to_string())));
    }
    if observed.others > 0 {
        text.push_str(&format!("\n{FAINT}{} other entries are no requests to a model{FAINT:#}\n", observed.others));
    }
    text
}

fn said(origin: &SentOrigin) -> String {
    visible(&origin.to_string())
}
