//! Budgets: the most that a text may have, in bytes, characters or tokens.
//!
//! 1. There is one place that says where a text is cut: [`Budget::end`]. It falls on a character boundary.
//! 2. The text and the notice of its cut fit the budget together. Where the notice alone does not, nothing stays.
//! 3. A layout writes `4000` or `{ bytes = 4000 }`, `{ characters = 4000 }`, or `{ tokens = 1000 }`. Tokens are those of
//!    o200k_base whatever the model is, so that a layout gives the same bytes for all of them.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::text::floor_char_boundary;
use crate::tokens;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// Bytes of UTF-8.
    Bytes,
    /// Unicode characters.
    Characters,
    /// Tokens of o200k_base.
    Tokens,
}

impl Unit {
    /// The name in layouts and messages.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Bytes => "bytes",
            Unit::Characters => "characters",
            Unit::Tokens => "tokens",
        }
    }

    /// How much a text has.
    pub fn measure(self, text: &str) -> usize {
        match self {
            Unit::Bytes => text.len(),
            Unit::Characters => text.chars().count(),
            // A token has at least a byte: without counts, the bytes are on the safe side.
            Unit::Tokens => tokens::count(text).unwrap_or(text.len()),
        }
    }

    /// What so many bytes of prose come to, about.
    pub(crate) fn come_to(self, bytes: usize) -> usize {
        match self {
            Unit::Bytes | Unit::Characters => bytes,
            Unit::Tokens => bytes / 4,
        }
    }
}

/// The most that a text may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The most units that a text may have.
    pub most: usize,
    /// The unit that is counted.
    pub unit: Unit,
}

impl Budget {
    /// A budget of `most` bytes.
    pub const fn bytes(most: usize) -> Budget {
        Budget { most, unit: Unit::Bytes }
    }

    /// Whether a text is within the budget.
    pub fn fits(&self, text: &str) -> bool {
        // No unit is smaller than a byte, so a short text needs no counting.
        text.len() <= self.most || self.unit.measure(text) <= self.most
    }

    /// Where the longest beginning of a text ends that fits together with a notice; none if the notice alone does not.
    ///
    /// ```
    /// use antefix::text::{Budget, Unit};
    /// let budget = Budget { most: 5, unit: Unit::Characters };
    /// assert_eq!(budget.end("日本語日本語", "…"), Some("日本語日".len()));
    /// assert_eq!(budget.end("日本", "…"), Some("日本".len()));
    /// assert_eq!(Budget::bytes(2).end("日本", "…"), None);
    /// ```
    pub fn end(&self, text: &str, notice: &str) -> Option<usize> {
        match self.unit {
            Unit::Bytes => self.most.checked_sub(notice.len()).map(|room| floor_char_boundary(text, room)),
            Unit::Characters => {
                let room = self.most.checked_sub(notice.chars().count())?;
                Some(text.char_indices().nth(room).map_or(text.len(), |(at, _)| at))
            }
            Unit::Tokens => {
                let mut room = self.most.checked_sub(Unit::Tokens.measure(notice))?;
                // Where text and notice meet they may make other tokens than apart, so the result is counted.
                loop {
                    let end = tokens::end_within(text, room);
                    let together = tokens::count_once(&format!("{}{notice}", &text[..end]));
                    if together <= self.most || end == 0 {
                        return Some(end);
                    }
                    room = room.saturating_sub(together - self.most);
                }
            }
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.most, self.unit.name())
    }
}

/// Where the longest beginning of a text ends that fits all budgets together with a notice.
pub(crate) fn end_within(text: &str, notice: &str, budgets: &[Budget]) -> Option<usize> {
    let mut end = text.len();
    // A shorter beginning may have a token more than a longer one, so all are asked again until none objects.
    loop {
        let before = end;
        for budget in budgets {
            end = budget.end(&text[..end], notice)?;
        }
        if end == before {
            return Some(end);
        }
    }
}

impl<'de> Deserialize<'de> for Budget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Budget, D::Error> {
        deserializer.deserialize_any(Reading)
    }
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Budget;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a budget: a number of bytes, or one of `{ bytes = … }`, `{ characters = … }`, `{ tokens = … }`")
    }

    fn visit_u64<E: de::Error>(self, most: u64) -> Result<Budget, E> {
        Ok(Budget::bytes(usize::try_from(most).unwrap_or(usize::MAX)))
    }

    fn visit_i64<E: de::Error>(self, most: i64) -> Result<Budget, E> {
        let most = u64::try_from(most).map_err(|_| E::invalid_value(de::Unexpected::Signed(most), &self))?;
        self.visit_u64(most)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Budget, A::Error> {
        let Only { bytes, characters, tokens } = Only::deserialize(MapAccessDeserializer::new(map))?;
        one_of(bytes, characters, tokens).map_err(de::Error::custom)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Only {
    bytes: Option<usize>,
    characters: Option<usize>,
    tokens: Option<usize>,
}

/// The one budget that is said.
pub(crate) fn one_of(
    bytes: Option<usize>,
    characters: Option<usize>,
    tokens: Option<usize>,
) -> Result<Budget, &'static str> {
    let (most, unit) = match (bytes, characters, tokens) {
        (Some(most), None, None) => (most, Unit::Bytes),
        (None, Some(most), None) => (most, Unit::Characters),
        (None, None, Some(_)) if !tokens::are_counted() => {
            return Err("this build of antefix cannot count tokens: use `bytes` or `characters`");
        }
        (None, None, Some(most)) => (most, Unit::Tokens),
        _ => return Err("a budget says one of `bytes`, `characters` and `tokens`"),
    };
    Ok(Budget { most, unit })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<String, String> {
        #[derive(Deserialize)]
        struct File {
            b: Budget,
        }
        toml::from_str::<File>(text).map(|file| file.b.to_string()).map_err(|error| error.message().to_owned())
    }

    #[test]
    fn a_budget_is_a_number_or_says_its_unit() {
        let expected =
            "expected a budget: a number of bytes, or one of `{ bytes = … }`, `{ characters = … }`, `{ tokens = … }`";
        assert_eq!(parse("b = 7").unwrap(), "7 bytes");
        assert_eq!(parse("b = { bytes = 0 }").unwrap(), "0 bytes");
        assert_eq!(parse("b = { characters = 4000 }").unwrap(), "4000 characters");
        assert_eq!(parse("b = -1").unwrap_err(), format!("invalid value: integer `-1`, {expected}"));
        assert_eq!(parse("b = '7'").unwrap_err(), format!("invalid type: string \"7\", {expected}"));
        assert_eq!(parse("b = {}").unwrap_err(), "a budget says one of `bytes`, `characters` and `tokens`");
        assert_eq!(
            parse("b = { bytes = 1, tokens = 1 }").unwrap_err(),
            "a budget says one of `bytes`, `characters` and `tokens`"
        );
        assert!(parse("b = { words = 1 }").unwrap_err().starts_with("unknown field `words`"));
        let tokens = parse("b = { tokens = 9 }");
        if tokens::are_counted() {
            assert_eq!(tokens.unwrap(), "9 tokens");
        } else {
            assert!(tokens.unwrap_err().starts_with("this build of antefix cannot count tokens"));
        }
    }

    fn budgets() -> impl Strategy<Value = Vec<Budget>> {
        let unit = prop_oneof![Just(Unit::Bytes), Just(Unit::Characters), Just(Unit::Tokens)];
        let budget = (0_usize..60, unit).prop_map(|(most, unit)| Budget { most, unit });
        prop::collection::vec(budget, 1..3)
    }

    proptest! {
        /// What stays fits every budget with its notice, and ends between two characters.
        #[test]
        fn a_cut_text_fits(text in "[a-z é日👩\\n'/.]{0,80}|\\PC{0,40}", notice in "[ \\na-z\\[\\]]{0,12}", budgets in budgets()) {
            match end_within(&text, &notice, &budgets) {
                Some(end) => {
                    prop_assert!(text.is_char_boundary(end));
                    let kept = format!("{}{notice}", &text[..end]);
                    for budget in &budgets {
                        prop_assert!(budget.fits(&kept), "{budget}: {kept:?}");
                    }
                }
                None => prop_assert!(budgets.iter().any(|budget| !budget.fits(&notice))),
            }
        }

        /// Bytes and characters lose no more than they must.
        #[test]
        fn a_cut_is_as_late_as_it_can_be(text in "[a-zé日👩]{0,40}", most in 0_usize..60) {
            for unit in [Unit::Bytes, Unit::Characters] {
                let budget = Budget { most, unit };
                let end = budget.end(&text, "").unwrap();
                let next = text[end..].chars().next();
                let longer = next.map(|next| format!("{}{next}", &text[..end]));
                prop_assert!(longer.is_none_or(|longer| !budget.fits(&longer)));
            }
        }
    }
}
