//! `antefix compact`: compaction in two steps.

use std::process::ExitCode;

use antefix::document;
use antefix::keeper::Began;

use crate::args::{CompactArgs, CompactStep};
use crate::{Failure, Outcome, ask, terminal};

pub(crate) fn run(args: &CompactArgs) -> Outcome {
    let antefix = ask::antefix(Some(&args.store))?;
    let conversation = ask::conversation(&antefix, &args.id, args.compose.cwd.as_deref())?;
    let token = args.token.as_deref().unwrap_or_default();
    match args.step {
        CompactStep::Begin if args.token.is_some() => {
            return Err(Failure::with_hint("`begin` takes no token: it makes one", "`commit` and `abort` take it"));
        }
        CompactStep::Begin => {
            let begun = conversation.begin_compaction(args.compose.ask()?)?;
            if args.json {
                let document = document::ledger::compaction(&args.id, &begun, &begun.diagnostics);
                terminal::print_result(&document::print(&document))?;
            } else {
                terminal::print_result(&begun.prompt)?;
                terminal::print_diagnostics(&begun.diagnostics);
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
