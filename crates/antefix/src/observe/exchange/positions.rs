//! How many tokens there are up to each block of a request that was billed.
//!
//! Nobody outside can count a provider's tokens. The blocks are counted as well as they can be, and all of them together are as many as
//! the provider says.

use super::Exchange;
use crate::models::Model;
use crate::tokens::Tokenizer;

/// The tokens up to each block.
pub(super) struct Positions {
    ends: Vec<usize>,
    /// Whether they are as many as the provider says.
    pub(super) is_billed: bool,
}

impl Positions {
    pub(super) fn of(exchange: &Exchange, model: Option<&Model>) -> Positions {
        let tokenizer = model.map_or(&Tokenizer::Exact, |model| &model.tokenizer);
        let counts: Vec<usize> = exchange.request.tokens(tokenizer).iter().map(|tokens| tokens.count).collect();
        let all: usize = counts.iter().sum();
        let billed = exchange.usage.as_ref().and_then(|usage| usage.input).filter(|input| *input > 0 && all > 0);
        let mut sum = 0_usize;
        let ends = counts.iter().map(|count| {
            sum += count;
            billed.map_or(sum, |billed| usize::try_from(sum as u128 * billed as u128 / all as u128).unwrap_or(sum))
        });
        Positions { ends: ends.collect(), is_billed: billed.is_some() }
    }

    /// The tokens before a block.
    pub(super) fn before(&self, block: usize) -> usize {
        block.checked_sub(1).map_or(0, |last| self.upto(last))
    }

    /// The tokens up to the end of a block.
    pub(super) fn upto(&self, block: usize) -> usize {
        self.ends.get(block).or(self.ends.last()).copied().unwrap_or(0)
    }

    /// All tokens.
    pub(super) fn all(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }
}
