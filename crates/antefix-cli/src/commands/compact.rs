//! `antefix compact`: compaction in two steps.

use std::process::ExitCode;

use antefix::keeper::Compacted;

use crate::args::{CompactArgs, CompactStep};
use crate::{Failure, Outcome, document, ledger, setup, terminal};

pub(crate) fn run(args: &CompactArgs) -> Outcome {
    let conversation = ledger::conversation(&args.id)?;
    let prepared = setup::prepared(&args.compose)?;
    let keeper = ledger::keeper(&args.store)?;
    let token = args.token.as_deref().unwrap_or_default();
    match args.step {
        CompactStep::Begin if args.token.is_some() => {
            return Err(Failure::with_hint("`begin` takes no token: it makes one", "`commit` and `abort` take it"));
        }
        CompactStep::Begin => {
            let begun = prepared.with_input(|input| keeper.compaction().begin(&conversation, input))?;
            let mut findings = prepared.diagnostics();
            findings.extend(begun.diagnostics.iter().cloned());
            if args.json {
                let document = ledger::document::compaction(&args.id, &begun, &findings);
                terminal::print_result(&document::print(&document))?;
            } else {
                terminal::print_result(&begun.prompt)?;
                terminal::print_diagnostics(&findings);
                terminal::print_plain_note(&format!("begun; end it with `commit {0}` or `abort {0}`", begun.token));
            }
        }
        CompactStep::Commit => {
            let Compacted { epoch, hooks, diagnostics, .. } =
                prepared.with_input(|input| keeper.compaction().commit(&conversation, token, input))?;
            let mut findings = prepared.diagnostics();
            findings.extend(diagnostics);
            if args.json {
                let document = ledger::document::begun(&args.id, None, &epoch, &hooks, &findings);
                terminal::print_result(&document::print(&document))?;
            } else {
                terminal::print_diagnostics(&findings);
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
