//! `antefix epochs`: the ledger.

use std::process::ExitCode;

use antefix::Antefix;
use antefix::document::{self, Bill};
use antefix::freeze::store::EpochRow;
use antefix::freeze::{ConversationId, Difference};
use antefix::keeper::Keeper;

use crate::args::EpochsArgs;
use crate::counts::Counts;
use crate::terminal::{STRONG, Table, number, visible};
use crate::{Failure, Outcome, ask, difference, terminal};

/// How many rows are read at a time.
const PAGE: usize = 1_000;

pub(crate) fn run(args: &EpochsArgs) -> Outcome {
    let antefix = ask::antefix(Some(&args.store))?;
    let keeper = antefix.keeper()?;
    let Some(id) = &args.id else { return conversations(keeper, args) };
    let conversation = ConversationId::parse(id)?;
    match (args.number, args.diff.as_deref()) {
        (Some(number), _) => one(keeper, &conversation, number, args),
        (None, Some([a, b])) => diff(&antefix, &conversation, (*a, *b), args),
        _ => all(keeper, &conversation, args),
    }
}

fn conversations(keeper: &Keeper, args: &EpochsArgs) -> Outcome {
    let mut rows: Vec<EpochRow> = Vec::new();
    loop {
        let after = rows.last().map(|row| row.conversation.clone());
        let page = keeper.store().conversations(after.as_ref(), PAGE).map_err(antefix::Error::from)?;
        if page.is_empty() {
            break;
        }
        rows.extend(page);
    }
    print_rows(&rows, "conversation", |row| row.conversation.to_string(), args)
}

fn all(keeper: &Keeper, conversation: &ConversationId, args: &EpochsArgs) -> Outcome {
    keeper.standing(conversation)?;
    let mut rows: Vec<EpochRow> = Vec::new();
    loop {
        let page = keeper.history(conversation, rows.last().map_or(0, |row| row.number), PAGE)?;
        if page.is_empty() {
            break;
        }
        rows.extend(page);
    }
    print_rows(&rows, "epoch", |row| row.number.to_string(), args)
}

fn print_rows(
    rows: &[EpochRow],
    title: &'static str,
    name: impl Fn(&EpochRow) -> String,
    args: &EpochsArgs,
) -> Outcome {
    if args.json {
        let rows: Vec<_> = rows.iter().map(document::ledger::row).collect();
        terminal::print_result(&document::print(&rows))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = if title == "epoch" {
        Table::new(&["#epoch", "cause", "opened", "digest", "model", "in"])
    } else {
        Table::new(&["conversation", "#epoch", "cause", "opened", "digest", "in"])
    };
    for row in rows {
        let opened = row.opened_at.strftime("%Y-%m-%d %H:%M:%S").to_string();
        let model = row.model.clone().unwrap_or_default();
        let (cause, digest, cwd) = (row.cause.name().to_owned(), row.digest.short(), row.cwd.clone());
        match title {
            "epoch" => table.row([name(row), cause, opened, digest, model, cwd]),
            _ => table.row([name(row), row.number.to_string(), cause, opened, digest, cwd]),
        }
    }
    if table.is_empty() {
        terminal::print_plain_note("there are no conversations yet: `antefix turn ID` opens one");
        return Ok(ExitCode::SUCCESS);
    }
    terminal::print_styled(&table.print())?;
    Ok(ExitCode::SUCCESS)
}

fn one(keeper: &Keeper, conversation: &ConversationId, number: u64, args: &EpochsArgs) -> Outcome {
    let (epoch, amendments) = keeper.epoch(conversation, number)?;
    if args.json {
        terminal::print_result(&document::print(&document::ledger::epoch(&epoch, &amendments)?))?;
    } else {
        terminal::print_result(epoch.text())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn diff(antefix: &Antefix, conversation: &ConversationId, (a, b): (u64, u64), args: &EpochsArgs) -> Outcome {
    let keeper = antefix.keeper()?;
    let (before, _) = keeper.epoch(conversation, a)?;
    let (after, _) = keeper.epoch(conversation, b)?;
    let difference = Difference::between(before.body(), after.body()).map_err(antefix::Error::from)?;
    let model = args.model.as_deref().or(after.row().model.as_deref());
    let (models, finding) = antefix.models();
    terminal::print_diagnostics(finding.as_slice());
    let counts = Counts::recall();
    let bill = difference.as_ref().map(|difference| Bill::new(difference, after.body(), model, &models));
    counts.keep();
    if args.json {
        let difference = difference.as_ref().map(|one| document::ledger::DifferenceOf::new(one, bill.as_ref()));
        terminal::print_result(&document::print(&difference))?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(difference) = difference else {
        terminal::print_styled(&format!("epochs {a} and {b} are the same to the model\n"))?;
        return Ok(ExitCode::SUCCESS);
    };
    let names = (format!("epoch {a}"), format!("epoch {b}"));
    let title = format!("{STRONG}{}{STRONG:#}, ", visible(conversation.as_str()));
    let words = difference::difference(&difference, (&names.0, &names.1), bill.as_ref());
    let sizes = format!("  {} and {} bytes\n", number(before.text().len()), number(after.text().len()));
    terminal::print_styled(&format!("{title}{words}{sizes}"))?;
    Ok::<_, Failure>(ExitCode::SUCCESS)
}
