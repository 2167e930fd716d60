//! Reading tools as callers write them: a name, or an object. Keys that nobody knows are kept for a finding.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::{self, MapAccessDeserializer};
use serde::de::{self, DeserializeSeed, IgnoredAny, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};

use super::{Tool, Tools, single_line};
use crate::diagnostic::{Code, Diagnostic, did_you_mean};
use crate::discover::hygiene::Hygiene;

/// How many unknown keys are reported.
const REPORTED: usize = 5;

/// Each entry is a tool's name, or an object with a `name`.
impl<'de> Deserialize<'de> for Tools {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Tools, D::Error> {
        let entries: Vec<Entry> = Vec::deserialize(deserializer)?;
        let mut unknown: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut tools = Vec::with_capacity(entries.len());
        for Entry { tool, keys } in entries {
            for key in keys {
                unknown.entry(key).or_default().push(tool.name.clone());
            }
            tools.push(tool);
        }
        Ok(Tools::with_unknown(tools, unknown))
    }
}

/// The findings about keys that nobody knows.
pub(super) fn unknown_keys(unknown: &BTreeMap<String, Vec<String>>, hygiene: Hygiene) -> Vec<Diagnostic> {
    let finding = |(key, tools): (&String, &Vec<String>)| {
        let first = tools.first().map_or_else(String::new, |name| single_line(name));
        let more = match tools.len() {
            0 | 1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let message = format!("unknown key `{}` in the tool `{first}`{more}: it is not used", single_line(key));
        let hint = match did_you_mean(key, known().iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("the keys are {}", known().join(", ")),
        };
        Diagnostic::warning(Code::ToolKey, hygiene.reportable(message)).hint(hint)
    };
    let mut findings: Vec<Diagnostic> = unknown.iter().take(REPORTED).map(finding).collect();
    if let Some(more) = unknown.len().checked_sub(REPORTED + 1) {
        let message = format!("tools have {} more unknown keys: they are not used", more + 1);
        findings.push(Diagnostic::warning(Code::ToolKey, message).hint(format!("the keys are {}", known().join(", "))));
    }
    findings
}

/// A tool, and its keys that nobody knows.
struct Entry {
    tool: Tool,
    keys: Vec<String>,
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Entry, D::Error> {
        deserializer.deserialize_any(Either)
    }
}

struct Either;

impl<'de> Visitor<'de> for Either {
    type Value = Entry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tool's name, or an object with a `name`")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Entry, E> {
        Entry { tool: Tool::named(name), keys: Vec::new() }.named()
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Entry, A::Error> {
        let mut keys = Vec::new();
        let tool = Tool::deserialize(MapAccessDeserializer::new(Known { map, unknown: &mut keys }))?;
        Entry { tool, keys }.named()
    }
}

impl Entry {
    fn named<E: de::Error>(self) -> Result<Entry, E> {
        if self.tool.name.is_empty() { Err(E::custom("the tool has no name")) } else { Ok(self) }
    }
}

/// An object without its unknown keys, which are put aside. What is wrong with a value is reported at its place.
struct Known<'k, A> {
    map: A,
    unknown: &'k mut Vec<String>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Known<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some(key) = self.map.next_key::<String>()? {
            if known().contains(&key.as_str()) {
                return seed.deserialize(key.into_deserializer()).map(Some);
            }
            self.map.next_value::<IgnoredAny>()?;
            self.unknown.push(key);
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

/// The keys of a tool, in all their spellings: what it asks a deserializer for, so that they are written down once.
fn known() -> &'static [&'static str] {
    struct Asked<'a>(&'a RefCell<&'static [&'static str]>);

    impl<'de> Deserializer<'de> for Asked<'_> {
        type Error = value::Error;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, value::Error> {
            Err(de::Error::custom("there is nothing to read"))
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            visitor: V,
        ) -> Result<V::Value, value::Error> {
            self.0.replace(fields);
            self.deserialize_any(visitor)
        }

        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
            newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }

    let fields = RefCell::new(&[][..]);
    // It fails for want of a text, having said which keys it would read.
    let _ = Tool::deserialize(Asked(&fields));
    fields.into_inner()
}
