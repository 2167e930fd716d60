//! `antefix why`: whether a cache was hit as expected, and if not, why.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use antefix::deliver::{Receipt, Target};
use antefix::diagnostic::Code;
use antefix::freeze::{ConversationId, Epoch};
use antefix::keeper::Keeper;
use antefix::models::{Model, Models};
use antefix::observe::{Comparison, Usage, Verdict};
use antefix::text::Digest;
use antefix::{Diagnostic, document};

use crate::args::WhyArgs;
use crate::counts::Counts;
use crate::terminal::visible;
use crate::{Failure, Outcome, ask, input, terminal};

/// How many rows are read at a time.
const PAGE: usize = 1_000;

/// Two turns, as far as they are known.
struct Turns {
    before: Option<Receipt>,
    now: Receipt,
    epochs: Option<(Arc<Epoch>, Arc<Epoch>)>,
    model: Option<Model>,
}

pub(crate) fn run(args: &WhyArgs) -> Outcome {
    let antefix = ask::antefix(Some(&args.store))?;
    let (models, finding) = antefix.models();
    terminal::print_diagnostics(finding.as_slice());
    let counts = Counts::recall();
    let turns = match &args.receipt {
        Some(receipt) => with_receipts(args, receipt, &models)?,
        None => from_ledger(args, &models)?,
    };
    let target = Target::parse(&turns.now.target);
    if args.target.is_some() && args.target != target {
        let message = format!("the receipt is for {}", turns.now.target);
        return Err(Failure::usage(message, "leave --for out: the receipt says it"));
    }
    let usage = Usage::parse(&input::read(&args.usage)?, target)?;
    let comparison = Comparison {
        before: turns.before.as_ref(),
        now: &turns.now,
        model: turns.model.as_ref(),
        epochs: turns.epochs.as_ref().map(|(before, now)| (before.body(), now.body())),
        elapsed: args.elapsed,
    };
    let verdict = Verdict::new(comparison.expectation()?, usage, args.elapsed);
    counts.keep();
    match args.json {
        true => terminal::print_result(&document::print(&document::verdict(&verdict)))?,
        false => terminal::print_styled(&format!("{}\n", visible(&verdict.to_string())))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The turns of two receipts, with the epochs of a ledger that has them.
fn with_receipts(args: &WhyArgs, receipt: &Path, models: &Models) -> Result<Turns, Failure> {
    let now = read(receipt)?;
    let before = args.before.as_deref().map(read).transpose()?;
    let model = known(args.model.as_deref().or(now.model.as_deref()), models);
    let mut turns = Turns { before, now, epochs: None, model };
    let Some(id) = &args.conversation else { return Ok(turns) };
    let conversation = ConversationId::parse(id)?;
    let antefix = ask::antefix(Some(&args.store))?;
    let keeper = antefix.keeper()?;
    let epoch = |receipt: &Receipt| find(keeper, &conversation, receipt.epoch);
    let (before, now) = (turns.before.as_ref().map(epoch).transpose()?, epoch(&turns.now)?);
    turns.epochs = before.flatten().zip(now);
    if turns.before.is_some() && turns.epochs.is_none() {
        let message = format!(
            "the ledger of {id} does not have the epochs of both receipts, so neither the byte nor its origin is known"
        );
        terminal::print_diagnostics(&[Diagnostic::note(Code::OtherLedger, message).about(id.as_str())]);
    }
    Ok(turns)
}

/// The turns of two epochs.
fn from_ledger(args: &WhyArgs, models: &Models) -> Result<Turns, Failure> {
    let Some(target) = args.target else {
        return Err(Failure::usage("an epoch does not know where it was sent", "say it with --for TARGET"));
    };
    let conversation = ConversationId::parse(args.conversation.as_deref().unwrap_or_default())?;
    let antefix = ask::antefix(Some(&args.store))?;
    let keeper = antefix.keeper()?;
    let (before, now) = match args.epochs.as_deref() {
        Some([a, b]) => (Some(keeper.epoch(&conversation, *a)?.0), keeper.epoch(&conversation, *b)?.0),
        _ => {
            let (now, _) = keeper.standing(&conversation)?;
            let before = now.number().checked_sub(1).filter(|number| *number > 0);
            (before.map(|number| keeper.epoch(&conversation, number)).transpose()?.map(|(epoch, _)| epoch), now)
        }
    };
    let named = |epoch: &Epoch| epoch.row().model.clone();
    let model = known(args.model.clone().or_else(|| named(&now)).as_deref(), models);
    let mut turns = Turns {
        before: before.as_deref().map(|epoch| document::receipt(epoch.body(), target, model.as_ref())).transpose()?,
        now: document::receipt(now.body(), target, model.as_ref())?,
        epochs: before.map(|before| (before, now)),
        model,
    };
    // The ledger knows for which model each epoch was composed.
    if let (None, Some(receipt), Some((before, _))) = (&args.model, &mut turns.before, &turns.epochs)
        && let Some(name) = named(before)
    {
        receipt.model = Some(models.find(&name).map_or(name, |(model, _)| model.name));
    }
    Ok(turns)
}

/// The row of a model; one that nobody knows is reported.
fn known(name: Option<&str>, models: &Models) -> Option<Model> {
    let name = name?;
    let found = models.find(name).map(|(model, _)| model);
    if found.is_none() {
        let message = format!("no model `{name}` is known, so no price, minimum and lifetime is");
        let hint = "add a row to models.json in your configuration directory";
        terminal::print_diagnostics(&[Diagnostic::note(Code::UnknownModel, message).about(name).hint(hint)]);
    }
    found
}

fn read(path: &Path) -> Result<Receipt, Failure> {
    let text = input::read(path)?;
    Receipt::parse(&text).map_err(|error| {
        let message = format!("{}: {}", path.display(), error.message());
        Failure::with_hint(message, error.hint().unwrap_or_default())
    })
}

/// The newest epoch of a conversation with a digest.
fn find(keeper: &Keeper, conversation: &ConversationId, digest: Option<Digest>) -> Result<Option<Arc<Epoch>>, Failure> {
    keeper.standing(conversation)?;
    let (mut after, mut found) = (0, None);
    loop {
        let rows = keeper.history(conversation, after, PAGE)?;
        let Some(last) = rows.last() else { break };
        after = last.number;
        found = rows.iter().rfind(|row| Some(row.digest) == digest).map(|row| row.number).or(found);
    }
    Ok(found.map(|number| keeper.epoch(conversation, number)).transpose()?.map(|(epoch, _)| epoch))
}
