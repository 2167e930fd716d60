//! What a request's input was billed as, and the one place that prices it.

use crate::models::{Cost, Model, Price};

/// The input of one request, or of many, by the price that each token has.
///
/// Predictions, verdicts and the [`Simulator`](super::Simulator) all price by this type, so that they cannot disagree.
///
/// ```
/// use antefix::models::Models;
/// use antefix::observe::Billed;
///
/// let (opus, _) = Models::built_in().find("claude-opus-5").unwrap();
/// let billed = Billed { read: 20_000, written: 1_000, written_long: 0, plain: 100 };
/// // 0.50, 6.25 and 5 dollars for a million of each.
/// assert_eq!(billed.cost(&opus).unwrap().to_string(), "$0.01675");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Billed {
    /// Tokens that were read from the cache.
    pub read: usize,
    /// Tokens that were written to the cache for its shorter lifetime.
    pub written: usize,
    /// Tokens that were written to the cache for its longer lifetime.
    pub written_long: usize,
    /// All other tokens. Where writing costs nothing, what is not read is here.
    pub plain: usize,
}

impl Billed {
    /// All tokens of the input.
    pub fn input(&self) -> usize {
        self.anew() + self.read
    }

    /// The tokens that were not read from the cache.
    pub fn anew(&self) -> usize {
        self.plain + self.written + self.written_long
    }

    /// What it costs; none for a model without prices.
    pub fn cost(&self, model: &Model) -> Option<Cost> {
        let prices = model.prices?;
        // A model that charges nothing for writing has no such price, or that of its input. The price of OpenAI's longer
        // lifetime is not published: it is taken for the shorter one's.
        let short = prices.write.map_or(Price::Input, |_| Price::Write);
        let long = prices.write_1h.map_or(short, |_| Price::LongWrite);
        let read = prices.read.map_or(Price::Input, |_| Price::Read);
        let parts = [(self.read, read), (self.written, short), (self.written_long, long), (self.plain, Price::Input)];
        parts.into_iter().try_fold(Cost::default(), |sum, (tokens, price)| Some(sum + model.price(tokens, price)?))
    }

    /// What it costs more than if all of it had been read; none for a model that reads nothing.
    pub fn more_than_reading(&self, model: &Model) -> Option<Cost> {
        let read = model.price(self.input(), Price::Read)?;
        Some(self.cost(model)?.less(read))
    }
}

impl std::ops::AddAssign for Billed {
    fn add_assign(&mut self, other: Billed) {
        self.read += other.read;
        self.written += other.written;
        self.written_long += other.written_long;
        self.plain += other.plain;
    }
}
