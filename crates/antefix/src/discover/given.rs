//! Facts that a caller answers by hand.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;

use super::catalog::{Lookup, lookup};
use super::frame::escaped;
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
    /// An answer as somebody types it: a text, or for a fact that is a list what it is in JSON.
    ///
    /// ```
    /// use antefix::discover::Given;
    /// use antefix::text::FactName;
    ///
    /// let files = FactName::new("instructions", "files");
    /// assert!(matches!(Given::parse(&files, r#"[{"path": "A.md", "text": "Use tabs."}]"#), Ok(Given::Maps(_))));
    /// assert!(Given::parse(&files, "Use tabs.").is_err());
    /// assert_eq!(Given::parse(&FactName::new("git", "branch"), "[main]"), Ok("[main]".into()));
    /// ```
    pub fn parse(name: &FactName, text: &str) -> Result<Given, String> {
        let is_list = matches!(lookup(name), Lookup::Known(entry) if entry.is_list());
        let is_json = text.trim_start().starts_with('[');
        match (is_list, is_json, name.as_str()) {
            (true, true, _) => serde_json::from_str(text).map_err(|error| error.to_string()),
            (true, false, "instructions:files") => Err(NOT_FILES.to_owned()),
            _ => Ok(text.into()),
        }
    }

    /// The files that it hands in, for `instructions:files`; the error says why it hands in none.
    pub(super) fn files(&self) -> Result<&[BTreeMap<String, String>], Fact> {
        match self {
            Given::Maps(files) => Ok(files),
            // An empty list has no kind.
            Given::List(items) if items.is_empty() => Ok(&[]),
            Given::Text(_) | Given::List(_) => Err(Answer::unavailable(ReasonCode::Failed, NOT_FILES)),
            Given::Absent => Err(Answer::Absent),
            Given::Unavailable(reason) => Err(Answer::unavailable(ReasonCode::Failed, reason.clone())),
        }
    }

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
            Given::Maps(maps) => {
                let map = |map: &BTreeMap<String, String>| {
                    map.iter().map(|(key, words)| (Cow::Owned(key.clone()), text(words))).collect()
                };
                let mut maps: Vec<BTreeMap<Cow<'static, str>, Text>> = maps.iter().map(map).collect();
                if let Some(keys) = keys_of(name) {
                    if let Some(number) = maps.iter().position(|map| !map.contains_key("name")) {
                        let detail = format!("entry {number} of {name} that was given has no `name`");
                        return Answer::unavailable(ReasonCode::Failed, detail);
                    }
                    maps.iter_mut().for_each(|map| complete(map, keys, name));
                }
                Answer::Present(Value::Maps(maps))
            }
            Given::Absent => Answer::Absent,
            Given::Unavailable(reason) => Answer::unavailable(ReasonCode::Failed, reason.clone()),
        }
    }
}

/// The keys that templates may use of each entry, for facts that are lists of skills or tools.
fn keys_of(name: &FactName) -> Option<&'static [&'static str]> {
    match name.as_str() {
        "skills:entries" => Some(&["name", "description", "location", "root", "run_mode", "tools", "digest"]),
        "tools:entries" => Some(&["name", "line", "snippet", "description"]),
        _ => None,
    }
}

/// Gives an entry the keys that it lacks, so that a template need not ask for each: what nobody said is empty.
fn complete(map: &mut BTreeMap<Cow<'static, str>, Text>, keys: &[&'static str], name: &FactName) {
    for key in keys {
        let own = map.entry(Cow::Borrowed(key)).or_insert_with(|| Text::new("", Origin::fact(name)));
        let xml = escaped(own);
        map.entry(Cow::Owned(format!("xml_{key}"))).or_insert(xml);
    }
}

/// What is wrong with files that are none.
const NOT_FILES: &str = "instruction files are given as a JSON list of objects with `path` and `text`";

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
