//! What tokens cost, in whole numbers.

use std::fmt;

use super::Model;

/// What a million tokens cost, in micro-dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prices {
    /// Tokens that are neither read from the cache nor written to it.
    pub input: u64,
    /// Tokens that are read from the cache; none where nothing is cached.
    pub read: Option<u64>,
    /// Tokens that are written to the cache.
    pub write: Option<u64>,
    /// Tokens that are written to the cache for an hour.
    pub write_1h: Option<u64>,
    /// Tokens that the model writes.
    pub output: Option<u64>,
}

/// What is paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Price {
    /// Tokens that have nothing to do with the cache.
    Input,
    /// Tokens that are read from the cache.
    Read,
    /// Tokens that are written to the cache.
    Write,
    /// Tokens that are written to the cache for an hour.
    LongWrite,
    /// Tokens that the model writes.
    Output,
}

/// An amount of money, exact: in millionths of a micro-dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Cost(u128);

impl Prices {
    /// What a million tokens cost, in micro-dollars.
    pub fn of(&self, price: Price) -> Option<u64> {
        match price {
            Price::Input => Some(self.input),
            Price::Read => self.read,
            Price::Write => self.write,
            Price::LongWrite => self.write_1h,
            Price::Output => self.output,
        }
    }

    /// A price in thousandths of the input's, rounded: 100 for a tenth.
    pub fn per_mille(&self, price: Price) -> Option<u64> {
        let input = self.input.max(1);
        self.of(price).map(|price| (price.saturating_mul(1000).saturating_add(input / 2)) / input)
    }
}

impl Model {
    /// What so many tokens cost, in a prompt of no more than [`long_above`](Model::long_above) tokens.
    ///
    /// ```
    /// use antefix::models::{Models, Price};
    /// let (opus, _) = Models::built_in().find("claude-opus-5").unwrap();
    /// // 20,000 tokens at 0.50 dollars for a million.
    /// assert_eq!(opus.price(20_000, Price::Read).unwrap().to_string(), "$0.01");
    /// ```
    pub fn price(&self, tokens: usize, price: Price) -> Option<Cost> {
        let per_million = self.prices?.of(price)?;
        Some(Cost(tokens as u128 * u128::from(per_million)))
    }

    /// What a prefix of so many tokens costs more when it is written afresh than when it is read from the cache.
    pub fn cost_of_a_miss(&self, tokens: usize) -> Option<Cost> {
        self.more_than_reading(tokens, Price::Write)
    }

    /// What so many tokens cost more at a price than when they are read from the cache.
    pub fn more_than_reading(&self, tokens: usize, price: Price) -> Option<Cost> {
        let paid = self.price(tokens, price)?;
        let read = self.price(tokens, Price::Read)?;
        Some(Cost(paid.0.saturating_sub(read.0)))
    }
}

impl Cost {
    /// What is left of it, and nothing if the other is more.
    pub(crate) fn less(self, other: Cost) -> Cost {
        Cost(self.0.saturating_sub(other.0))
    }

    /// So many micro-dollars.
    pub fn of_micro_dollars(micro: u128) -> Cost {
        Cost(micro.saturating_mul(1_000_000))
    }

    /// In micro-dollars, rounded.
    pub fn micro_dollars(self) -> u128 {
        (self.0 + 500_000) / 1_000_000
    }
}

impl std::ops::Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost(self.0.saturating_add(other.0))
    }
}

impl fmt::Display for Cost {
    /// Dollars, to a micro-dollar, without zeros that say nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micro = self.micro_dollars();
        let fraction = format!("{:06}", micro % 1_000_000);
        let digits = fraction.trim_end_matches('0').len().max(2);
        write!(f, "${}.{}", micro / 1_000_000, &fraction[..digits])
    }
}
