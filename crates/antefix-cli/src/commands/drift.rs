//! `antefix drift`: what composing now would change.

use std::process::ExitCode;

use antefix::document::{self, Bill};
use antefix::keeper::Drift;
use antefix::models::Models;
use antefix::observe::Expectation;
use antefix::{Result, Target};

use crate::args::DriftArgs;
use crate::terminal::{STRONG, visible};
use crate::{Outcome, ask, difference, terminal};

pub(crate) fn run(args: &DriftArgs) -> Outcome {
    let antefix = ask::antefix(Some(&args.store))?;
    let conversation = ask::conversation(&antefix, &args.id, args.compose.cwd.as_deref())?;
    let drift = conversation.drift(args.compose.ask()?)?;
    let model = args.compose.model.as_deref().or(drift.epoch.row().model.as_deref());
    let (models, _) = antefix.models();
    let bill = drift.difference.as_ref().map(|one| Bill::new(one, &drift.next, model, &models));
    let prediction = args.target.map(|target| predicted(&drift, target, model, &models)).transpose()?;
    if args.json {
        let document = document::ledger::drift(&args.id, &drift, bill.as_ref()).predicting(prediction.as_ref());
        terminal::print_result(&document::print(&document))?;
        return Ok(ExitCode::SUCCESS);
    }
    let epoch = &drift.epoch;
    let mut text = format!(
        "{STRONG}{}{STRONG:#}, epoch {} ({}, {})",
        visible(&args.id),
        epoch.number(),
        epoch.cause().name(),
        epoch.digest().short()
    );
    if drift.difference.is_none() && drift.changes.is_empty() {
        text.push_str(": nothing has changed\n");
    } else {
        text.push('\n');
    }
    text.push_str(&difference::changes("change", &drift.changes));
    match &drift.difference {
        Some(difference) => {
            text.push_str("\na renewal now would part from it here\n");
            text.push_str(&difference::difference(difference, ("now", "renewed"), bill.as_ref()));
        }
        None if !drift.changes.is_empty() => text.push_str("\na renewal now would give the same bytes\n"),
        None => {}
    }
    if let Some(prediction) = &prediction {
        text.push_str(&format!("\n{}\n", visible(&prediction.prediction())));
    }
    terminal::print_styled(&text)?;
    terminal::print_diagnostics(&drift.diagnostics);
    Ok(ExitCode::SUCCESS)
}

/// What sending the renewed prefix to a target would do there.
fn predicted(drift: &Drift, target: Target, model: Option<&str>, models: &Models) -> Result<Expectation> {
    let model = model.and_then(|name| models.find(name)).map(|(model, _)| model);
    document::prediction(drift.epoch.body(), &drift.next, target, model.as_ref())
}
