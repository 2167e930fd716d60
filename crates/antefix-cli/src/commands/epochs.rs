//! `antefix epochs`: the ledger.

use std::process::ExitCode;

use antefix::Antefix;
use antefix::document::{self, Bill};
use antefix::freeze::store::EpochRow;
use antefix::freeze::{ConversationId, Difference};
use antefix::keeper::Keeper;

use crate::args::EpochsArgs;
use crate::table::Columns;
use crate::terminal::{STRONG, number, visible};
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
    let headings = ["conversation", "#epoch", "cause", "opened", "digest", "in"];
    let cells = |row: &EpochRow| {
        let (number, cause) = (row.number.to_string(), row.cause.name().to_owned());
        vec![row.conversation.to_string(), number, cause, opened(row), row.digest.short(), row.cwd.clone()]
    };
    list(args, Columns::new(&headings), cells, |last| {
        let after = last.map(|row| &row.conversation);
        Ok(keeper.store().conversations(after, PAGE).map_err(antefix::Error::from)?)
    })
}

fn all(keeper: &Keeper, conversation: &ConversationId, args: &EpochsArgs) -> Outcome {
    keeper.standing(conversation)?;
    let headings = ["#epoch", "cause", "opened", "digest", "model", "in"];
    let cells = |row: &EpochRow| {
        let (cause, model) = (row.cause.name().to_owned(), row.model.clone().unwrap_or_default());
        vec![row.number.to_string(), cause, opened(row), row.digest.short(), model, row.cwd.clone()]
    };
    list(args, Columns::new(&headings), cells, |last| {
        Ok(keeper.history(conversation, last.map_or(0, |row| row.number), PAGE)?)
    })
}

fn opened(row: &EpochRow) -> String {
    row.opened_at.strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// Prints rows, page by page: a million of them take no more memory than a few. A table is read twice, because its columns are as wide
/// as their widest cells.
fn list(
    args: &EpochsArgs,
    mut columns: Columns,
    cells: impl Fn(&EpochRow) -> Vec<String>,
    page: impl Fn(Option<&EpochRow>) -> Result<Vec<EpochRow>, Failure>,
) -> Outcome {
    let each = |visit: &mut dyn FnMut(&[EpochRow]) -> Result<(), Failure>| {
        let mut last = None;
        loop {
            let mut rows = page(last.as_ref())?;
            visit(&rows)?;
            let Some(row) = rows.pop() else { return Ok::<_, Failure>(()) };
            last = Some(row);
        }
    };
    if args.json {
        let mut list = terminal::JsonList::begin()?;
        each(&mut |rows| rows.iter().try_for_each(|row| list.element(&document::ledger::row(row))))?;
        list.end()?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut count = 0;
    each(&mut |rows| {
        count += rows.len();
        rows.iter().for_each(|row| columns.measure(cells(row)));
        Ok(())
    })?;
    if count == 0 {
        terminal::print_plain_note("there are no conversations yet: `antefix turn ID` opens one");
        return Ok(ExitCode::SUCCESS);
    }
    let columns = columns.fit(terminal::width());
    terminal::print_styled(&columns.heading())?;
    each(&mut |rows| {
        let lines: String = rows.iter().map(|row| columns.line(cells(row))).collect();
        terminal::print_styled(&lines)
    })?;
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
    let bill = difference.as_ref().map(|difference| Bill::new(difference, after.body(), model, &models));
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
