//! What a count in o200k_base says about a model.

use serde::{Deserialize, Serialize};

use crate::text::Digest;

/// How the tokens of a model follow from those of o200k_base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tokenizer {
    /// The model counts tokens as o200k_base does.
    Exact,
    /// Nobody outside can count them: they lie in a band.
    Estimate(Band),
}

/// A band around the count in o200k_base, in thousandths of it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Band {
    /// The lower bound.
    pub low: u32,
    /// The most likely value.
    pub likely: u32,
    /// The upper bound.
    pub high: u32,
    /// Where the band comes from.
    pub from: String,
}

/// How many tokens a text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Tokens {
    /// The lower bound.
    pub low: usize,
    /// Most likely: the count itself, if it is exact.
    pub count: usize,
    /// The upper bound.
    pub high: usize,
}

impl Tokenizer {
    /// Whether counts are exact.
    pub fn is_exact(&self) -> bool {
        *self == Tokenizer::Exact
    }

    /// The tokens of a text; none without the feature `tokens`.
    pub fn count(&self, text: &str) -> Option<Tokens> {
        super::count(text).map(|count| self.of(count))
    }

    /// The same for a text whose digest is known: it is asked for only if it was not counted before.
    pub(crate) fn count_known(&self, digest: Digest, text: impl FnOnce() -> Option<String>) -> Option<Tokens> {
        super::count_known(digest, text).map(|count| self.of(count))
    }

    /// Where a text comes to so many tokens, by the likeliest count, on a character boundary; none if it does not.
    pub fn reaches(&self, text: &str, tokens: usize) -> Option<usize> {
        if self.count(text)?.count < tokens {
            return None;
        }
        let counted = match self {
            Tokenizer::Exact => tokens,
            // The least that is rounded to it.
            Tokenizer::Estimate(band) => {
                let thousandths = tokens.saturating_mul(1000).saturating_sub(500);
                thousandths.div_ceil(band.likely.max(1) as usize)
            }
        };
        Some(super::end_within(text, counted))
    }

    /// The tokens of a text that has so many in o200k_base.
    pub fn of(&self, count: usize) -> Tokens {
        match self {
            Tokenizer::Exact => Tokens { low: count, count, high: count },
            Tokenizer::Estimate(band) => {
                let times = |thousandths: u32| count.saturating_mul(thousandths as usize);
                Tokens {
                    low: times(band.low) / 1000,
                    count: times(band.likely).saturating_add(500) / 1000,
                    high: times(band.high).div_ceil(1000),
                }
            }
        }
    }
}

impl std::ops::Add for Tokens {
    type Output = Tokens;

    fn add(self, other: Tokens) -> Tokens {
        Tokens { low: self.low + other.low, count: self.count + other.count, high: self.high + other.high }
    }
}

impl std::iter::Sum for Tokens {
    fn sum<I: Iterator<Item = Tokens>>(counts: I) -> Tokens {
        counts.fold(Tokens::default(), |sum, count| sum + count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "tokens")]
    #[test]
    fn a_text_reaches_a_count_where_its_beginning_has_it() {
        let text = "one two three four five six seven eight nine ten";
        let band = Band { low: 1150, likely: 1200, high: 1350, from: String::new() };
        let estimate = Tokenizer::Estimate(band);
        assert_eq!(Tokenizer::Exact.reaches(text, 3), Some("one two three".len()));
        assert_eq!(Tokenizer::Exact.reaches(text, 10), Some(text.len()));
        assert_eq!(Tokenizer::Exact.reaches(text, 11), None);
        // Five words are 6 tokens by the likeliest count, and four are 5.
        assert_eq!(estimate.reaches(text, 6), Some("one two three four five".len()));
        assert_eq!(estimate.reaches(text, 12), Some(text.len()));
        assert_eq!(estimate.reaches(text, 13), None);
    }

    #[test]
    fn a_band_is_rounded_outwards() {
        let band = Band { low: 1150, likely: 1200, high: 1350, from: String::new() };
        let of = |count: usize| {
            let tokens = Tokenizer::Estimate(band.clone()).of(count);
            (tokens.low, tokens.count, tokens.high)
        };
        // 7 × 1.15 = 8.05, × 1.2 = 8.4, × 1.35 = 9.45.
        assert_eq!([of(0), of(1), of(7), of(1000)], [(0, 0, 0), (1, 1, 2), (8, 8, 10), (1150, 1200, 1350)]);
    }
}
