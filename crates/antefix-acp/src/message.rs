//! Messages of JSON-RPC, looked into no deeper than necessary.
//!
//! A message that is changed keeps the very bytes of everything that was not: members in their order, numbers as they were
//! written, keys that nobody knows.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

/// The error that a message cannot be parsed.
pub(crate) const PARSE_ERROR: i64 = -32700;
/// The error that a message is not a request.
pub(crate) const INVALID_REQUEST: i64 = -32600;
/// The error that a method is unknown.
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
/// The error that parameters make no sense.
pub(crate) const INVALID_PARAMS: i64 = -32602;
/// The error for all that goes wrong within.
pub(crate) const INTERNAL_ERROR: i64 = -32603;

/// The members of an object, in order.
#[derive(Debug, Default)]
pub(crate) struct Members<'m>(Vec<(String, Member<'m>)>);

#[derive(Debug)]
enum Member<'m> {
    Own(&'m RawValue),
    New(String),
}

impl<'m> Members<'m> {
    /// The object that the text is; none if it is something else.
    pub(crate) fn parse(text: &'m str) -> Option<Members<'m>> {
        serde_json::from_str(text).ok()
    }

    /// A member's raw text. Of several the last one counts, as for most readers.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().rev().find(|(name, _)| name == key).map(|(_, member)| match member {
            Member::Own(raw) => raw.get(),
            Member::New(text) => text.as_str(),
        })
    }

    /// A member that is a text.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.get(key)?).ok()
    }

    /// Sets a member, in its place or at the end.
    pub(crate) fn set(&mut self, key: &str, raw: String) {
        match self.0.iter_mut().rev().find(|(name, _)| name == key) {
            Some((_, member)) => *member = Member::New(raw),
            None => self.0.push((key.to_owned(), Member::New(raw))),
        }
    }

    /// Takes a member out.
    pub(crate) fn remove(&mut self, key: &str) {
        self.0.retain(|(name, _)| name != key);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The object as JSON.
    pub(crate) fn print(&self) -> String {
        let mut text = String::from("{");
        for (number, (key, member)) in self.0.iter().enumerate() {
            if number > 0 {
                text.push(',');
            }
            text.push_str(&string(key));
            text.push(':');
            text.push_str(match member {
                Member::Own(raw) => raw.get(),
                Member::New(raw) => raw,
            });
        }
        text.push('}');
        text
    }
}

impl<'de: 'm, 'm> Deserialize<'de> for Members<'m> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members<'m>, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Vec<(String, Member<'de>)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, &RawValue>()? {
                    members.push((key, Member::Own(value)));
                }
                Ok(members)
            }
        }
        deserializer.deserialize_map(Object).map(Members)
    }
}

/// A JSON-RPC message.
#[derive(Debug)]
pub(crate) struct Message<'m> {
    pub(crate) members: Members<'m>,
    /// The id in one spelling.
    pub(crate) id: Option<String>,
    pub(crate) method: Option<String>,
}

impl<'m> Message<'m> {
    /// The message that the text is; none if it is not an object.
    pub(crate) fn parse(text: &'m str) -> Option<Message<'m>> {
        let members = Members::parse(text)?;
        let id = members.get("id").and_then(normal_id);
        let method = members.text("method");
        Some(Message { members, id, method })
    }

    /// The parameters, if they are an object.
    pub(crate) fn params(&self) -> Option<Members<'_>> {
        self.members.get("params").and_then(Members::parse)
    }

    /// The message with other parameters.
    pub(crate) fn with_params(mut self, params: &Members<'_>) -> String {
        self.members.set("params", params.print());
        self.members.print()
    }
}

/// An id in one spelling, so that a question and its answer are found together; none if it is not an id.
pub(crate) fn normal_id(raw: &str) -> Option<String> {
    match serde_json::from_str(raw).ok()? {
        Value::String(text) => Some(string(&text)),
        Value::Number(number) => Some(number.to_string()),
        Value::Null => Some("null".to_owned()),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A text as JSON.
pub(crate) fn string(text: &str) -> String {
    Value::from(text).to_string()
}

/// An error as the answer to a request.
pub(crate) fn error(id: &str, code: i64, message: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":{}}}}}"#, string(message))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by failing")]

    use super::{Message, normal_id};

    #[test]
    fn what_is_not_changed_keeps_its_bytes() {
        let text = r#"{"id":1.50,"method":"m", "z":{"b":1,"a":2e400},"params":{"y": [ ],"cwd":"\u0041"}}"#;
        let message = Message::parse(text).unwrap();
        let mut params = super::Members::parse(message.members.get("params").unwrap()).unwrap();
        params.set("new", "true".to_owned());
        let printed = params.print();
        assert_eq!(printed, r#"{"y":[ ],"cwd":"\u0041","new":true}"#);
        let message = Message::parse(text).unwrap();
        let params = super::Members::parse(&printed).unwrap();
        let expected = r#"{"id":1.50,"method":"m","z":{"b":1,"a":2e400},"params":{"y":[ ],"cwd":"\u0041","new":true}}"#;
        assert_eq!(message.with_params(&params), expected);
    }

    #[test]
    fn ids_are_texts_numbers_or_null() {
        let table = [("1", Some("1")), (r#""\u0061""#, Some(r#""a""#)), ("null", Some("null")), ("[]", None)];
        for (raw, expected) in table {
            assert_eq!(normal_id(raw).as_deref(), expected, "{raw}");
        }
    }
}
