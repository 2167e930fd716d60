//! `antefix turn`: open a conversation, or go on with it.

use std::process::ExitCode;

use antefix::diagnostic::Code;
use antefix::freeze::InsertionKind;
use antefix::{Delivery, Diagnostic, Target, Turn, document};

use crate::args::{Part, TurnArgs};
use crate::{Outcome, ask, input, terminal};

pub(crate) fn run(args: &TurnArgs) -> Outcome {
    let antefix = ask::antefix(Some(&args.store))?;
    let conversation = ask::conversation(&antefix, &args.id, args.compose.cwd.as_deref())?;
    let mut ask = args.deliver.with_messages(args.compose.ask()?)?;
    ask.turn.clone_from(&args.turn);
    ask.touch.clone_from(&args.touch);
    ask.replacement = args.replace.as_deref().map(input::read).transpose()?;
    let is_counted = args.json && args.deliver.target != Target::Plain;
    let turn = conversation.turn(ask)?;
    let delivery = match args.deliver.target {
        Target::Plain => None,
        target => Some(turn.deliver(target)?),
    };
    let delivery = if is_counted { delivery.map(|one| one.counted(&turn.tokenizer())) } else { delivery };
    if args.json {
        let document = document::ledger::turn(&args.id, &turn, delivery.as_ref());
        terminal::print_result(&document::print(&document))?;
        return Ok(ExitCode::SUCCESS);
    }
    match &delivery {
        Some(delivery) => terminal::print_json(&delivery.bytes())?,
        None => terminal::print_result(&plain(&turn, args.part))?,
    }
    terminal::print_diagnostics(&turn.diagnostics);
    delivery.iter().for_each(eprint_beside);
    eprint_pending(&turn);
    Ok(ExitCode::SUCCESS)
}

/// Says what is to be sent beside a fragment.
pub(crate) fn eprint_beside(delivery: &Delivery) {
    let beside = [to_append(delivery), to_head(delivery)].into_iter().flatten();
    terminal::print_diagnostics(&beside.collect::<Vec<_>>());
}

/// What is worth knowing about a fragment that is not all of the request.
pub(crate) fn to_append(delivery: &Delivery) -> Option<Diagnostic> {
    let append = delivery.append.as_ref().filter(|append| !append.is_empty())?;
    let message =
        format!("{} messages are to be appended to those of the request, and are not in the fragment", append.len());
    let hint = "hand the conversation over with --messages, or take them from `append` of --json or --receipt";
    Some(Diagnostic::note(Code::Append, message).hint(hint))
}

/// What to send with the request's own headers, if there is any.
fn to_head(delivery: &Delivery) -> Option<Diagnostic> {
    let headers: Vec<String> = delivery.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    let message = format!("the request needs headers that are not in the fragment: {}", headers.join(", "));
    let hint = "send them with your own, and join values of one name with a comma";
    (!headers.is_empty()).then(|| Diagnostic::note(Code::Headers, message).hint(hint))
}

/// The prefix, the notices, the suffix.
fn plain(turn: &Turn, part: Part) -> String {
    let mut text = String::new();
    if part != Part::Suffix {
        text.push_str(turn.prefix());
    }
    if part != Part::Prefix {
        for amendment in turn.amendments.iter().filter(|amendment| amendment.body.tools.is_empty()) {
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
        let note = Diagnostic::note(Code::Pending, message).hint("it applies from the next renewal on");
        terminal::print_diagnostics(&[note]);
    }
    for message in &turn.messages {
        let what = match message.kind {
            InsertionKind::Queued => "queued for this turn",
            InsertionKind::Touched(_) => "applies since a path was touched",
            InsertionKind::Live(_) => "has changed",
        };
        let note = Diagnostic::note(Code::Message, format!("{what}: {}", message.text));
        terminal::print_diagnostics(&[note]);
    }
}
