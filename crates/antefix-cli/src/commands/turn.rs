//! `antefix turn`: open a conversation, or go on with it.

use std::process::ExitCode;

use antefix::deliver::Target;
use antefix::freeze::Watch;
use antefix::keeper::Turn;

use crate::args::{Part, TurnArgs};
use crate::{Outcome, delivery, document, ledger, setup, terminal};

pub(crate) fn run(args: &TurnArgs) -> Outcome {
    let conversation = ledger::conversation(&args.id)?;
    let prepared = setup::prepared(&args.compose)?;
    let keeper = ledger::keeper(&args.store)?;
    let messages = delivery::messages(&args.deliver)?;
    let replacement = args.replace.as_deref().map(setup::read).transpose()?;
    let mut turn = prepared.with_input(|input| {
        let mut input = *input;
        input.watch = Watch::All;
        input.id = args.turn.as_deref();
        input.messages = args.deliver.messages.as_ref().map(|_| messages.len());
        input.replacement = replacement.as_deref();
        input.history = args.deliver.messages.as_ref().map(|_| messages.as_slice());
        keeper.turn(&conversation, &input)
    })?;
    turn.diagnostics.splice(0..0, prepared.diagnostics());
    let messages = turn.passed_on();
    let delivery = match args.deliver.target {
        Target::Plain => None,
        target => Some(delivery::deliver(turn.content(prepared.tools(), &messages), target, &prepared)?),
    };
    if args.json {
        let delivery = delivery.map(|delivery| delivery::counted(delivery, &prepared)).transpose()?;
        let document = ledger::document::turn(&args.id, &turn, delivery.as_ref());
        terminal::print_result(&document::print(&document))?;
        return Ok(ExitCode::SUCCESS);
    }
    match &delivery {
        Some(delivery) => terminal::print_result(&delivery.bytes())?,
        None => terminal::print_result(&plain(&turn, args.part))?,
    }
    terminal::print_diagnostics(&turn.diagnostics);
    eprint_pending(&turn);
    Ok(ExitCode::SUCCESS)
}

/// The prefix, the notices, the suffix.
fn plain(turn: &Turn, part: Part) -> String {
    let mut text = String::new();
    if part != Part::Suffix {
        text.push_str(turn.prefix());
    }
    if part != Part::Prefix {
        for amendment in &turn.amendments {
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str(&amendment.body.text);
        }
        text.push_str(turn.suffix.text());
    }
    text
}

fn eprint_pending(turn: &Turn) {
    for change in &turn.pending {
        let message = format!("held back: {}", change.detail);
        let note = antefix::Diagnostic::note("pending", message).hint("it counts from the next renewal on");
        terminal::print_diagnostics(&[note]);
    }
    for message in &turn.messages {
        let note = antefix::Diagnostic::note("message", format!("queued for this turn: {}", message.text));
        terminal::print_diagnostics(&[note]);
    }
}
