//! What a change costs: tokens that a provider bills anew.

use crate::freeze::{Difference, EpochBody, Same};
use crate::models::{Match, Models, Reached};
use crate::observe::Billed;
use crate::tokens::Tokens;
use serde::Serialize;

/// The tokens of a difference, and their price where the model has one.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Bill {
    /// Those that stay as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_tokens: Option<Count>,
    /// Those that are billed anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost_tokens: Option<Count>,
    /// What the figures rest on.
    pub basis: String,
    /// What the lost tokens cost more than if they were read from the cache, in dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<String>,
}

/// A number of tokens, or an estimate of it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Count {
    /// The likeliest value.
    pub count: usize,
    /// The lowest value of an estimate; `count` if it is exact.
    pub low: usize,
    /// The highest value of an estimate; `count` if it is exact.
    pub high: usize,
}

impl Bill {
    /// The bill for going from one prefix to another.
    pub fn new(difference: &Difference, after: &EpochBody, model: Option<&str>, models: &Models) -> Bill {
        let found = model.and_then(|name| models.find(name));
        let tokenizer = models.tokenizer(model);
        let count = |text: &str| tokenizer.count(text);
        let kept = count(&after.text[..difference.kept]);
        let mut lost = count(&after.text[difference.kept..]);
        if let (Same::No, Some(tools)) = (difference.tools, &after.tools) {
            lost = lost.zip(count(tools)).map(|(lost, tools)| lost + tools);
        }
        let written = |tokens: usize| Billed { written: tokens, ..Billed::default() };
        let cost = found.as_ref().zip(lost).and_then(|((model, _), lost)| written(lost.count).more_than_reading(model));
        // What is too short is never read from a cache, so that it cannot cost more than that. Tools are cached with the text.
        let tools = after.tools.as_deref().map_or(Some(Tokens::default()), count);
        let all = count(&after.text).zip(tools).map(|(text, tools)| text + tools);
        let reached = found.as_ref().zip(all).map_or(Reached::Yes, |((model, _), all)| model.caches(all));
        let cost = cost.filter(|_| reached == Reached::Yes);
        let basis = match (&found, model) {
            (None, None) => "counted in o200k_base; --model names a price".to_owned(),
            (None, Some(name)) => format!("estimated from o200k_base; no model `{name}` is known"),
            (Some((model, found)), _) => {
                let counted = if tokenizer.is_exact() { "counted" } else { "estimated" };
                let taken = match found {
                    Match::Name => "",
                    Match::Variant | Match::Family => ", its nearest relative in the table",
                };
                let short = match reached {
                    Reached::Yes => "",
                    Reached::Perhaps => "; whether the prefix is long enough to be cached cannot be told",
                    Reached::No => "; the prefix is too short to be cached",
                };
                format!("{counted} for {}{taken}; prices of {}{short}", model.name, models.as_of())
            }
        };
        let of = |tokens: Tokens| Count { count: tokens.count, low: tokens.low, high: tokens.high };
        Bill { kept_tokens: kept.map(of), lost_tokens: lost.map(of), basis, cost: cost.map(|cost| cost.to_string()) }
    }
}
