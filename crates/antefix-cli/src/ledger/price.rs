//! What a change costs: tokens that a provider bills anew.

use antefix::freeze::{Difference, EpochBody, Same};
use antefix::models::{Match, Models};
use antefix::tokens::Tokens;
use serde::Serialize;

use crate::terminal::{FAINT, number};

/// The tokens of a difference, and their price where the model has one.
#[derive(Serialize)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
pub(crate) struct Bill {
    #[serde(skip_serializing_if = "Option::is_none")]
    kept_tokens: Option<Count>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lost_tokens: Option<Count>,
    /// What the figures rest on.
    basis: String,
    /// What the lost tokens cost more than if they were read from the cache, in dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<String>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "serve", derive(utoipa::ToSchema))]
struct Count {
    count: usize,
    low: usize,
    high: usize,
}

impl Bill {
    /// The bill for going from one prefix to another.
    pub(crate) fn new(difference: &Difference, after: &EpochBody, model: Option<&str>, models: &Models) -> Bill {
        let found = model.and_then(|name| models.find(name));
        let tokenizer = models.tokenizer(model);
        let count = |text: &str| tokenizer.count(text);
        let kept = count(&after.text[..difference.kept]);
        let mut lost = count(&after.text[difference.kept..]);
        if let (Same::No, Some(tools)) = (difference.tools, &after.tools) {
            lost = lost.zip(count(tools)).map(|(lost, tools)| lost + tools);
        }
        let cost = found.as_ref().zip(lost).and_then(|((model, _), lost)| model.cost_of_a_miss(lost.count));
        let basis = match (&found, model) {
            (None, None) => "counted in o200k_base; --model names a price".to_owned(),
            (None, Some(name)) => format!("estimated from o200k_base; no model `{name}` is known"),
            (Some((model, found)), _) => {
                let counted = if tokenizer.is_exact() { "counted" } else { "estimated" };
                let taken = match found {
                    Match::Name => "",
                    Match::Variant | Match::Family => ", its nearest relative in the table",
                };
                format!("{counted} for {}{taken}; prices of {}", model.name, models.as_of())
            }
        };
        let of = |tokens: Tokens| Count { count: tokens.count, low: tokens.low, high: tokens.high };
        Bill { kept_tokens: kept.map(of), lost_tokens: lost.map(of), basis, cost: cost.map(|cost| cost.to_string()) }
    }

    /// For people.
    pub(crate) fn words(&self) -> String {
        let mut text = String::new();
        let mut row = |name: &str, what: String| text.push_str(&format!("  {FAINT}{name:<10}{FAINT:#} {what}\n"));
        if let (Some(kept), Some(lost)) = (&self.kept_tokens, &self.lost_tokens) {
            row("tokens", format!("{} kept, {} lost ({})", kept.words(), lost.words(), self.basis));
        }
        if let Some(cost) = &self.cost {
            row("cost", format!("{cost} more than reading them from the cache, once"));
        }
        text
    }
}

impl Count {
    fn words(&self) -> String {
        if self.low == self.high {
            return number(self.count);
        }
        format!("~{} [{}–{}]", number(self.count), number(self.low), number(self.high))
    }
}
