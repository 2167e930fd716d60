//! Facts that a caller answers by hand.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;

use super::instructions::body;
use super::{Answer, Fact, ReasonCode, Value};
use crate::text::{FactName, Origin, Text};

/// An answer by hand: the world is not asked.
///
/// A caller that fetched a memory itself can say that there is none, or that it could not be fetched, and the two stay apart.
/// In JSON it is a text, a list of texts, a list of objects of texts, `null` for none, or `{"unavailable": "why"}`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Json")]
pub enum Given {
    /// One text.
    Text(String),
    /// A list, for facts that are lists.
    List(Vec<String>),
    /// Several maps of texts, such as files with `path` and `text`.
    Maps(Vec<BTreeMap<String, String>>),
    /// It was looked for, and there is none.
    Absent,
    /// It could not be asked for, for this reason.
    Unavailable(String),
}

impl Given {
    /// The answer as a fact.
    pub(super) fn fact(&self, name: &FactName) -> Fact {
        let text = |text: &str| Text::new(text, Origin::fact(name));
        match self {
            // Names of tools are a list everywhere, so they are one here, between commas.
            Given::Text(names) if name.as_str() == "tools:names" => {
                let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
                Answer::Present(Value::List(names.map(text).collect()))
            }
            Given::Text(words) => Answer::Present(Value::Text(text(words))),
            Given::List(items) => Answer::Present(Value::List(items.iter().map(|item| text(item)).collect())),
            Given::Maps(maps) => given_maps(name, maps),
            Given::Absent => Answer::Absent,
            Given::Unavailable(reason) => Answer::unavailable(ReasonCode::Failed, reason.clone()),
        }
    }
}

/// How an answer is written in JSON.
#[derive(Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected a text, a list of texts or of objects of texts, null, or {\"unavailable\": \"why\"}"
)]
enum Json {
    Text(String),
    List(Vec<String>),
    Maps(Vec<BTreeMap<String, String>>),
    Unavailable { unavailable: String },
    Absent(()),
}

impl From<Json> for Given {
    fn from(json: Json) -> Given {
        match json {
            Json::Text(text) => Given::Text(text),
            Json::List(items) => Given::List(items),
            Json::Maps(maps) => Given::Maps(maps),
            Json::Unavailable { unavailable } => Given::Unavailable(unavailable),
            Json::Absent(()) => Given::Absent,
        }
    }
}

impl From<&str> for Given {
    fn from(text: &str) -> Given {
        Given::Text(text.to_owned())
    }
}

impl From<String> for Given {
    fn from(text: String) -> Given {
        Given::Text(text)
    }
}

fn given_maps(name: &FactName, maps: &[BTreeMap<String, String>]) -> Fact {
    let is_files = name.as_str() == "instructions:files";
    let mut values = Vec::with_capacity(maps.len());
    for (number, map) in maps.iter().enumerate() {
        let texts =
            map.iter().map(|(key, text)| (Cow::Owned(key.clone()), Text::new(text.as_str(), Origin::fact(name))));
        let mut texts: BTreeMap<Cow<'static, str>, Text> = texts.collect();
        if is_files && let Err(missing) = complete_file(&mut texts) {
            return Answer::unavailable(ReasonCode::Failed, format!("file {number} that was given has no `{missing}`"));
        }
        values.push(texts);
    }
    // No file at all is how the world says it, too.
    if is_files && values.is_empty() { Answer::Absent } else { Answer::Present(Value::Maps(values)) }
}

/// Gives a file that has a `path` and a `text` or a `body` the one that it lacks; the error names what is missing.
fn complete_file(texts: &mut BTreeMap<Cow<'static, str>, Text>) -> Result<(), &'static str> {
    if !texts.contains_key("path") {
        return Err("path");
    }
    let text = texts.get("text").or_else(|| texts.get("body")).cloned().ok_or("text")?;
    texts.entry("body".into()).or_insert_with(|| body(&text));
    texts.entry("text".into()).or_insert(text);
    Ok(())
}
