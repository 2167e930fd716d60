//! `antefix compact`: compaction in two steps.

use std::process::ExitCode;

use crate::args::{CompactArgs, CompactStep};
use crate::{Outcome, document, ledger, setup, terminal};

pub(crate) fn run(args: &CompactArgs) -> Outcome {
    let conversation = ledger::conversation(&args.id)?;
    let prepared = setup::prepared(&args.compose)?;
    let keeper = ledger::keeper(&args.store)?;
    let token = args.token.as_deref().unwrap_or_default();
    match args.step {
        CompactStep::Begin => {
            let begun = prepared.with_input(|input| keeper.compaction().begin(&conversation, input))?;
            if args.json {
                let document = serde_json::json!({
                    "conversation": args.id,
                    "token": begun.token,
                    "prompt": begun.prompt,
                    "epoch": begun.epoch.number(),
                    "renews": begun.next.is_some(),
                });
                terminal::print_result(&document::print(&document))?;
            } else {
                terminal::print_result(&begun.prompt)?;
                terminal::print_plain_note(&format!("begun; commit or abort it with --token {}", begun.token));
            }
        }
        CompactStep::Commit => {
            let epoch = prepared.with_input(|input| {
                let epoch = keeper.compaction().commit(&conversation, token, input)?;
                if epoch.cause() == antefix::freeze::Cause::Compacted {
                    let (_, diagnostics) = keeper.announce(&epoch, input);
                    terminal::print_diagnostics(&diagnostics);
                }
                Ok::<_, antefix::Error>(epoch)
            })?;
            if args.json {
                let epoch = ledger::document::EpochOf::new(&epoch);
                let document = serde_json::json!({ "conversation": args.id, "epoch": epoch });
                terminal::print_result(&document::print(&document))?;
            } else {
                terminal::print_styled(&format!("epoch {} stands ({})\n", epoch.number(), epoch.digest().short()))?;
            }
        }
        CompactStep::Abort => {
            keeper.compaction().abort(&conversation, token)?;
            if !args.json {
                terminal::print_styled("aborted; the ledger is as it was\n")?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
