//! Counts of tokens for people.

use antefix::document::{Bill, Count, Tally};
use antefix::tokens::{Tokenizer, Tokens};

use crate::terminal::{FAINT, number};

/// A count, which looks like one only if it is one.
pub(crate) fn short(tally: &Tally, tokens: Tokens) -> String {
    let sign = if tally.tokenizer.is_exact() { "" } else { "~" };
    format!("{sign}{}", number(tokens.count))
}

/// A count with its unit, and with its band if it is an estimate.
pub(crate) fn long(tally: &Tally, tokens: Tokens) -> String {
    match tally.tokenizer {
        Tokenizer::Exact => format!("{} tokens", number(tokens.count)),
        Tokenizer::Estimate(_) => {
            format!("~{} tokens, {} to {}", number(tokens.count), number(tokens.low), number(tokens.high))
        }
    }
}

/// A bill in two lines.
pub(crate) fn bill(bill: &Bill) -> String {
    let mut text = String::new();
    let mut row = |name: &str, what: String| text.push_str(&format!("  {FAINT}{name:<10}{FAINT:#} {what}\n"));
    if let (Some(kept), Some(lost)) = (&bill.kept_tokens, &bill.lost_tokens) {
        row("tokens", format!("{} kept, {} lost ({})", count(kept), count(lost), bill.basis));
    }
    if let Some(cost) = &bill.cost {
        row("cost", format!("{cost} more than reading them from the cache, once"));
    }
    text
}

fn count(count: &Count) -> String {
    if count.low == count.high {
        return number(count.count);
    }
    format!("~{} [{}–{}]", number(count.count), number(count.low), number(count.high))
}
