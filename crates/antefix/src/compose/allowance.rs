//! What a layout says about budgets: of a section, and of the whole prompt.

use std::fmt;
use std::ops::Range;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::policy::NoticeStands;
use super::template::Jinja;
use crate::text::Budget;

/// The most that a section's own text may have, and what is said where it is cut.
#[derive(Debug, Clone)]
pub(crate) struct Allowance {
    pub(crate) budget: Budget,
    pub(crate) notice: Jinja,
    pub(crate) notice_stands: NoticeStands,
}

/// The most that the whole prompt may have.
#[derive(Debug, Clone)]
pub(crate) struct Total {
    pub(crate) budget: Budget,
    /// Where the layout says so.
    pub(crate) declared: Range<usize>,
    /// The numbers of the sections that may be cut, the first one first.
    pub(crate) order: Vec<usize>,
    pub(crate) notice: Jinja,
}

/// A section's budget as it is written: a number of bytes, or a table.
#[derive(Default)]
pub(super) struct AllowanceFile {
    pub(super) bytes: Option<usize>,
    pub(super) characters: Option<usize>,
    pub(super) tokens: Option<usize>,
    pub(super) notice: Option<Spanned<String>>,
    pub(super) notice_stands: NoticeStands,
}

impl<'de> Deserialize<'de> for AllowanceFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<AllowanceFile, D::Error> {
        deserializer.deserialize_any(Reading)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    bytes: Option<usize>,
    characters: Option<usize>,
    tokens: Option<usize>,
    notice: Option<Spanned<String>>,
    #[serde(default)]
    notice_stands: NoticeStands,
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = AllowanceFile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a budget: a number of bytes, or a table with one of `bytes`, `characters` and `tokens`")
    }

    fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<AllowanceFile, E> {
        let most = usize::try_from(bytes).map_err(|_| E::invalid_value(de::Unexpected::Signed(bytes), &self))?;
        Ok(AllowanceFile { bytes: Some(most), ..AllowanceFile::default() })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AllowanceFile, A::Error> {
        let Table { bytes, characters, tokens, notice, notice_stands } =
            Table::deserialize(MapAccessDeserializer::new(map))?;
        Ok(AllowanceFile { bytes, characters, tokens, notice, notice_stands })
    }
}
