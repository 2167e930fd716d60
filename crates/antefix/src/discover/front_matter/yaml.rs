//! Reading a front matter as YAML, in which values stay text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::lines::{lenient, uncommented};
use super::{Field, Fields, How, find, in_order};

/// Reads a block. `before` is how many lines of the file are before the block.
pub(super) fn yaml(block: &str, before: usize) -> Result<(Fields<'_>, How, Option<String>), String> {
    match serde_saphyr::from_str::<Option<Everything>>(block) {
        Ok(everything) => {
            let fields = everything.map(|everything| everything.0).unwrap_or_default();
            let lines = lenient(block).unwrap_or_default();
            let read = |(key, field): (Cow<'static, str>, Field<'static>)| {
                let field = match (&field, find(&lines, &key)) {
                    // A comment is not part of a value. A value on another line, or behind a mark of YAML's, is YAML's.
                    (Field::Unread(meant), Some(Field::Text(text)))
                        if meant.is_none() || !(text.is_empty() || text.starts_with(['!', '&', '*'])) =>
                    {
                        Field::Text(uncommented(text).to_owned().into())
                    }
                    (Field::Unread(Some(text)), _) => Field::Text(text.clone().into()),
                    (Field::Unread(None), _) => Field::Other,
                    _ => field,
                };
                (key, field)
            };
            Ok((in_order(fields.into_iter().map(read).collect())?, How::Yaml, None))
        }
        Err(error) => {
            let first = plainly(&error.to_string(), before);
            if first.contains("duplicate") {
                return Err(first);
            }
            let fields = in_order(lenient(block).ok_or_else(|| first.clone())?)?;
            let forgiven = format!("its front matter is not YAML ({first}) and was read line by line");
            Ok((fields, How::Lines, Some(forgiven)))
        }
    }
}

/// What a parser says, in its first line: with the lines of the file, which has some before the block, and without advice for
/// programmers.
fn plainly(message: &str, before: usize) -> String {
    let first = message.lines().next().unwrap_or_default().trim();
    let advice = ["; use from_str", ", set DuplicateKeyPolicy"].iter().filter_map(|advice| first.find(advice)).min();
    let first = &first[..advice.unwrap_or(first.len())];
    let Some((begin, after)) = first.split_once("line ") else { return first.to_owned() };
    let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    match after[..digits].parse::<usize>() {
        Ok(line) => format!("{begin}line {}{}", line + before, &after[digits..]),
        Err(_) => first.to_owned(),
    }
}

/// Every key of a map, with its value as text where it is one.
struct Everything(Fields<'static>);

impl<'de> Deserialize<'de> for Everything {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Everything, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Everything;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of names to texts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Everything, A::Error> {
                let mut fields = Fields::new();
                while let Some(key) = map.next_key::<String>()? {
                    fields.push((Cow::Owned(key), map.next_value::<Field<'static>>()?));
                }
                in_order(fields).map(Everything).map_err(serde::de::Error::custom)
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

impl<'de> Deserialize<'de> for Field<'static> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Field<'static>, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Field<'static>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, a list or a map")
            }

            fn visit_str<E>(self, text: &str) -> Result<Field<'static>, E> {
                Ok(Field::Text(text.to_owned().into()))
            }

            fn visit_bool<E>(self, value: bool) -> Result<Field<'static>, E> {
                Ok(Field::Unread(Some(value.to_string())))
            }

            fn visit_i64<E>(self, value: i64) -> Result<Field<'static>, E> {
                Ok(Field::Unread(Some(value.to_string())))
            }

            fn visit_u64<E>(self, value: u64) -> Result<Field<'static>, E> {
                Ok(Field::Unread(Some(value.to_string())))
            }

            fn visit_f64<E>(self, value: f64) -> Result<Field<'static>, E> {
                Ok(Field::Unread(Some(value.to_string())))
            }

            fn visit_unit<E>(self) -> Result<Field<'static>, E> {
                Ok(Field::Unread(None))
            }

            fn visit_none<E>(self) -> Result<Field<'static>, E> {
                Ok(Field::Unread(None))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Field<'static>, A::Error> {
                let mut items = Vec::new();
                let mut other = false;
                while let Some(item) = seq.next_element::<Field<'static>>()? {
                    match item {
                        Field::Text(text) => items.push(text.into_owned()),
                        Field::Unread(Some(text)) => items.push(text),
                        Field::List(_) | Field::Other | Field::Unread(None) => other = true,
                    }
                }
                Ok(if other { Field::Other } else { Field::List(items) })
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Field<'static>, A::Error> {
                while map.next_entry::<String, Field<'static>>()?.is_some() {}
                Ok(Field::Other)
            }
        }
        deserializer.deserialize_any(Any)
    }
}
