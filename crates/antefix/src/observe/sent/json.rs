//! JSON whose members keep their order, read from bytes that anybody may have sent.
//!
//! Providers hash the text of tools and calls as it was sent, so that two orders of the same members are two prompts. Size, depth and
//! number of values are bounded: a body of a few bytes a value cannot take hundreds of bytes for each.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

use crate::text::{roomy, write_string};

/// The most values of one body. The largest requests of agents have some ten thousand.
const MOST_VALUES: usize = 2_000_000;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Json>),
    Members(Vec<(String, Json)>),
}

static NULL: Json = Json::Null;

impl Json {
    /// Reads a text; what is wrong with it, in words.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Json, String> {
        let left = Cell::new(MOST_VALUES);
        let mut reader = serde_json::Deserializer::from_slice(bytes);
        let value = roomy(|| Seed(&left).deserialize(&mut reader)).map_err(|error| error.to_string())?;
        reader.end().map_err(|error| error.to_string())?;
        Ok(value)
    }

    /// A value that was read before, in the order that it has there.
    pub(crate) fn of(value: &Value) -> Json {
        match value {
            Value::Null => Json::Null,
            Value::Bool(bool) => Json::Bool(*bool),
            Value::Number(number) => Json::Number(number.clone()),
            Value::String(text) => Json::Text(text.clone()),
            Value::Array(items) => Json::List(items.iter().map(Json::of).collect()),
            Value::Object(members) => {
                Json::Members(members.iter().map(|(key, value)| (key.clone(), Json::of(value))).collect())
            }
        }
    }

    /// The member of a name, the last one if there are several; null if there is none.
    pub(crate) fn get(&self, key: &str) -> &Json {
        self.members().iter().rfind(|(name, _)| name == key).map_or(&NULL, |(_, value)| value)
    }

    /// Whether there is such a member, and it is not null.
    pub(crate) fn has(&self, key: &str) -> bool {
        *self.get(key) != Json::Null
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn is_true(&self) -> bool {
        *self == Json::Bool(true)
    }

    pub(crate) fn count(&self) -> Option<u64> {
        match self {
            Json::Number(number) => number.as_u64(),
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn members(&self) -> &[(String, Json)] {
        match self {
            Json::Members(members) => members,
            _ => &[],
        }
    }

    /// The value without white space, in its own order.
    pub(crate) fn write(&self, text: &mut String) {
        self.write_without(&[], text);
    }

    /// The same without some of its members; those of its members are left.
    pub(crate) fn write_without(&self, keys: &[&str], text: &mut String) {
        match self {
            Json::Null => text.push_str("null"),
            Json::Bool(bool) => text.push_str(if *bool { "true" } else { "false" }),
            Json::Number(number) => text.push_str(&number.to_string()),
            Json::Text(string) => write_string(string, text),
            Json::List(items) => {
                text.push('[');
                for (number, item) in items.iter().enumerate() {
                    if number > 0 {
                        text.push(',');
                    }
                    item.write(text);
                }
                text.push(']');
            }
            Json::Members(members) => {
                text.push('{');
                let kept = members.iter().filter(|(key, _)| !keys.contains(&key.as_str()));
                for (number, (key, value)) in kept.enumerate() {
                    if number > 0 {
                        text.push(',');
                    }
                    write_string(key, text);
                    text.push(':');
                    value.write(text);
                }
                text.push('}');
            }
        }
    }

    /// It as a text.
    pub(crate) fn printed(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }
}

/// Reads one value, and counts it.
struct Seed<'c>(&'c Cell<usize>);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Json;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Json, D::Error> {
        let left = self.0.get().checked_sub(1);
        let left = left.ok_or_else(|| D::Error::custom(format!("more than {MOST_VALUES} values in one body")))?;
        self.0.set(left);
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, bool: bool) -> Result<Json, E> {
        Ok(Json::Bool(bool))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Json, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Json, E> {
        Ok(Json::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Json, E> {
        Ok(Number::from_f64(number).map_or(Json::Null, Json::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Seed(self.0))? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(key) = entries.next_key::<String>()? {
            members.push((key, entries.next_value_seed(Seed(self.0))?));
        }
        Ok(Json::Members(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order_and_white_space_goes() {
        let json = Json::parse(br#" {"b": [1, 2.5, -3], "a": {"d": null, "c": "\u00e9\n"}, "t": true} "#).unwrap();
        assert_eq!(json.printed(), "{\"b\":[1,2.5,-3],\"a\":{\"d\":null,\"c\":\"é\\n\"},\"t\":true}");
        let mut without = String::new();
        json.write_without(&["b", "t"], &mut without);
        assert_eq!(without, "{\"a\":{\"d\":null,\"c\":\"é\\n\"}}");
    }

    #[test]
    fn of_two_members_of_one_name_the_last_counts() {
        let json = Json::parse(br#"{"model": "a", "model": "b"}"#).unwrap();
        assert_eq!(json.get("model").text(), Some("b"));
        assert_eq!(*json.get("nobody"), Json::Null);
    }

    #[test]
    fn a_body_is_refused_for_its_depth_its_values_and_what_follows_it() {
        let deep = "[".repeat(100_000);
        assert!(Json::parse(deep.as_bytes()).unwrap_err().contains("recursion limit"));
        let many = format!("[{}0]", "0,".repeat(MOST_VALUES));
        assert!(Json::parse(many.as_bytes()).unwrap_err().contains("values in one body"));
        for (text, expected) in
            [("{} {}", "trailing"), ("{\"a\":", "EOF"), ("\u{feff}{}", "expected value"), ("", "EOF")]
        {
            assert!(Json::parse(text.as_bytes()).unwrap_err().contains(expected), "{text}");
        }
    }
}
