//! A value of a file that is mostly a word, and a table where somebody wants more.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The one or the other. What is wrong in a table is reported as in any other table.
pub(crate) enum WordOrTable<W, T> {
    Word(W),
    Table(T),
}

/// A table that a word may stand for.
pub(crate) trait WordFor {
    /// What is expected, for people.
    const EXPECTED: &'static str;
}

impl<'de, W: Deserialize<'de>, T: Deserialize<'de> + WordFor> Deserialize<'de> for WordOrTable<W, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WordOrTable<W, T>, D::Error> {
        deserializer.deserialize_any(Reading(PhantomData))
    }
}

struct Reading<W, T>(PhantomData<(W, T)>);

impl<'de, W: Deserialize<'de>, T: Deserialize<'de> + WordFor> Visitor<'de> for Reading<W, T> {
    type Value = WordOrTable<W, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<WordOrTable<W, T>, E> {
        W::deserialize(StrDeserializer::new(word)).map(WordOrTable::Word)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<WordOrTable<W, T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(WordOrTable::Table)
    }
}
