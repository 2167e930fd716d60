//! What tools take, the largest first.

use antefix::document::{DeferralTally, Tally, ToolTally};
use antefix::tokens::Tokens;

use crate::table::Table;
use crate::tally;
use crate::terminal::{FAINT, number};

/// Tools, and how many of them are listed.
pub(super) struct ToolList<'t> {
    pub(super) tools: &'t ToolTally,
    pub(super) shown: usize,
}

impl ToolList<'_> {
    /// The tools, largest first. Those that are not listed have one row together.
    pub(super) fn table(&self, tally: Option<&Tally>) -> Table {
        let mut table = Table::new(&["tool", "from", "#bytes", "#tokens", "#share"]);
        let largest = self.tools.largest_first();
        let (shown, more) = largest.split_at(self.shown.min(largest.len()));
        let tokens = |tokens: Option<Tokens>| {
            tally.zip(tokens).map(|(tally, tokens)| tally::short(tally, tokens)).unwrap_or_default()
        };
        let share = |share: usize| format!("{}.{} %", share / 10, share % 10);
        for tool in shown {
            let from = match tool.deferred {
                Some(_) => format!("{}, deferred", tool.origin.label()),
                None => tool.origin.label().to_owned(),
            };
            table.row([tool.name.clone(), from, number(tool.bytes), tokens(tool.tokens), share(tool.share)]);
        }
        if !more.is_empty() {
            let bytes = more.iter().map(|tool| tool.bytes).sum();
            let all = more.iter().map(|tool| tool.tokens).reduce(|one, other| Some(one? + other?)).flatten();
            let shares = more.iter().map(|tool| tool.share).sum();
            let name = format!("and {} more (--all lists them)", number(more.len()));
            table.row([name, String::new(), number(bytes), tokens(all), share(shares)]);
        }
        table
    }
}

/// What deferring tools saves, in a line.
pub(super) fn saving(deferral: &DeferralTally, tally: Option<&Tally>) -> String {
    if let Some(why) = deferral.refused {
        return format!("\n  {FAINT}deferred:{FAINT:#} none, they are sent as all others: {why}\n");
    }
    let tools = if deferral.tools == 1 { "1 tool".to_owned() } else { format!("{} tools", number(deferral.tools)) };
    let tokens = tally.zip(deferral.tokens).map(|(tally, tokens)| format!(", {} less", tally::long(tally, tokens)));
    let costs = deferral.costs.map(|(reading, writing)| {
        format!("; {reading} less for each turn that reads the cache, {writing} where it is written")
    });
    let line = format!("{tools}{}{}", tokens.unwrap_or_default(), costs.unwrap_or_default());
    format!("\n  {FAINT}deferred:{FAINT:#} {line}\n")
}
