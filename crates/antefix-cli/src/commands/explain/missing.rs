//! What was not loaded: what somebody wrote in vain first, what waits next, what there is none of last.

use antefix::discover::world::ReasonCode;
use antefix::discover::{NotLoaded, Report, Why};

use crate::args::ExplainArgs;
use crate::table::Table;

/// So many of one kind are listed one by one; more are one line.
const LISTED: usize = 4;

pub(super) fn table(report: &Report, args: &ExplainArgs) -> Table {
    let mut table = Table::new(&["not loaded", "why", ""]);
    let mut missing: Vec<&NotLoaded> = report.not_loaded.iter().collect();
    missing.sort_by_key(|one| rank(&one.why));
    while let Some(first) = missing.first() {
        let (rank, why) = (rank(&first.why), first.why.name());
        let (group, rest): (Vec<&NotLoaded>, Vec<&NotLoaded>) =
            missing.iter().partition(|one| one.why.name() == why && self::rank(&one.why) == rank);
        missing = rest;
        if args.all || group.len() == 1 || (group.len() <= LISTED && rank != Rank::None) {
            for one in group {
                table.row([name(one), why.to_owned(), one.detail()]);
            }
        } else {
            table.row([together(&group), why.to_owned(), summary(&group)]);
        }
    }
    table
}

/// How much it matters that something is not there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Somebody wrote it, and it is not used.
    InVain,
    /// It is used later, or somewhere else.
    Waits,
    /// There is none.
    None,
}

fn rank(why: &Why) -> Rank {
    match why {
        Why::Absent => Rank::None,
        // Nobody has set it up.
        Why::Unavailable(reason) if reason.code == ReasonCode::Disabled => Rank::None,
        Why::Scoped { .. } | Why::Nested | Why::OnRequest | Why::ByHand | Why::Duplicate { .. } => Rank::Waits,
        _ => Rank::InVain,
    }
}

fn name(one: &NotLoaded) -> String {
    one.path.clone().unwrap_or_else(|| one.fact.to_string())
}

/// What many are called in one line.
fn together(group: &[&NotLoaded]) -> String {
    match group {
        [one] => name(one),
        group if group.iter().all(|one| one.path.is_some()) => format!("{} files", group.len()),
        group => group.iter().map(|one| name(one)).collect::<Vec<_>>().join(", "),
    }
}

/// Why many are not there, with the first of them.
fn summary(group: &[&NotLoaded]) -> String {
    let [first, second, ..] = group else { return group.first().map(|one| one.detail()).unwrap_or_default() };
    if group.iter().any(|one| one.path.is_none()) {
        return Why::Absent.detail();
    }
    let same = group.iter().all(|one| one.detail() == first.detail());
    let why = if same { format!("{}: ", first.detail()) } else { String::new() };
    format!("{why}{}, {}, … (--all lists them)", name(first), name(second))
}
