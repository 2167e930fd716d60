//! `antefix compact`: compaction in two steps.

use std::process::ExitCode;

use antefix::keeper::Began;
use antefix::{Target, document};

use crate::args::{CompactArgs, CompactStep};
use crate::commands::turn::eprint_beside;
use crate::{Failure, Outcome, ask, terminal};

pub(crate) fn run(args: &CompactArgs) -> Outcome {
    let antefix = ask::antefix(Some(&args.store))?;
    let conversation = ask::conversation(&antefix, &args.id, args.compose.cwd.as_deref())?;
    let token = args.token.as_deref().unwrap_or_default();
    let is_delivered = args.deliver.target != Target::Plain || args.deliver.messages.is_some();
    match args.step {
        CompactStep::Commit | CompactStep::Abort if is_delivered => {
            return Err(Failure::with_hint(
                "--for and --messages are for `begin`",
                "leave them out: no request is made",
            ));
        }
        CompactStep::Begin if args.token.is_some() => {
            return Err(Failure::with_hint("`begin` takes no token: it makes one", "`commit` and `abort` take it"));
        }
        CompactStep::Begin => {
            let begun = conversation.begin_compaction(args.deliver.with_messages(args.compose.ask()?)?)?;
            let delivery = match args.deliver.target {
                Target::Plain => None,
                target => Some(begun.deliver(target)?),
            };
            if args.json {
                let delivery = delivery.map(|delivery| delivery.counted(&begun.tokenizer()));
                let document = document::ledger::compaction(&args.id, &begun, delivery.as_ref());
                terminal::print_result(&document::print(&document))?;
            } else {
                match &delivery {
                    Some(delivery) => terminal::print_result(&delivery.bytes())?,
                    None => terminal::print_result(&begun.prompt)?,
                }
                terminal::print_diagnostics(&begun.diagnostics);
                delivery.iter().for_each(eprint_beside);
                if begun.opened == Began::Now {
                    terminal::print_plain_note(&format!("{} was opened first: nobody had opened it", args.id));
                }
                terminal::print_plain_note(&format!("begun; end it with `commit {0}` or `abort {0}`", begun.token));
            }
        }
        CompactStep::Commit => {
            let done = conversation.commit_compaction(token, args.compose.ask()?)?;
            if args.json {
                let document = document::ledger::begun(&args.id, None, &done.epoch, &done.hooks, &done.diagnostics);
                terminal::print_result(&document::print(&document))?;
            } else {
                terminal::print_diagnostics(&done.diagnostics);
                let (number, digest) = (done.epoch.number(), done.epoch.digest().short());
                terminal::print_styled(&format!("epoch {number} stays ({digest})\n"))?;
            }
        }
        CompactStep::Abort => {
            conversation.abort_compaction(token)?;
            if !args.json {
                terminal::print_styled("aborted; the ledger is as it was\n")?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
