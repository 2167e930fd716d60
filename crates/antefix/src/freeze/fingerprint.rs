//! Fingerprints: what an epoch remembers of a fact, so that a later turn can tell whether it changed.
//!
//! A fingerprint has digests, never text: what the model saw is in the sections, and what it did not see is not stored.
//! The three outcomes stay apart in it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::discover::{Answer, Fact, Value};
use crate::text::{Digest, FactName};

/// What is remembered of a fact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FactFingerprint {
    /// It was present.
    Present {
        /// Of all of it.
        digest: Digest,
        /// Of what came from each file, by the file's label.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        files: BTreeMap<String, Digest>,
    },
    /// There was none.
    Absent,
    /// It could not be asked for, for a reason of this name.
    Unavailable(String),
}

impl FactFingerprint {
    /// The fingerprint of a fact.
    pub fn of(name: &FactName, fact: &Fact) -> FactFingerprint {
        match fact {
            Answer::Absent => FactFingerprint::Absent,
            Answer::Unavailable(reason) => FactFingerprint::Unavailable(reason.code.name().to_owned()),
            Answer::Present(value) => {
                let mut files: BTreeMap<String, Digest> = BTreeMap::new();
                if let Value::Maps(maps) = value {
                    // Each has a path of its own; what it imports belongs to it.
                    files.extend(maps.iter().filter_map(|map| {
                        let entries = map.iter().map(|(key, text)| (&**key, text.as_str()));
                        let file = map.get("path").or_else(|| map.get("location"))?;
                        Some((file.as_str().to_owned(), Digest::framed("antefix/item/1", entries)))
                    }));
                } else {
                    let text = value.text(name);
                    let mut texts: BTreeMap<&str, String> = BTreeMap::new();
                    for piece in text.pieces() {
                        if let Some(path) = piece.origin.path() {
                            texts.entry(path).or_default().push_str(&text.as_str()[piece.range.clone()]);
                        }
                    }
                    files.extend(texts.iter().map(|(path, text)| ((*path).to_owned(), Digest::of(text))));
                }
                FactFingerprint::Present { digest: value_digest(value), files }
            }
        }
    }

    /// Whether a fact is as it was, by the digest of all of it.
    pub(crate) fn is_of(&self, fact: &Fact) -> bool {
        match (self, fact) {
            (FactFingerprint::Present { digest, .. }, Answer::Present(value)) => *digest == value_digest(value),
            (FactFingerprint::Absent, Answer::Absent) => true,
            _ => false,
        }
    }

    /// The files of a fact that is present.
    pub fn files(&self) -> Option<&BTreeMap<String, Digest>> {
        match self {
            FactFingerprint::Present { files, .. } => Some(files),
            FactFingerprint::Absent | FactFingerprint::Unavailable(_) => None,
        }
    }
}

fn value_digest(value: &Value) -> Digest {
    match value {
        Value::Text(text) => Digest::framed("antefix/fact/1", [("text", text.as_str())]),
        Value::List(items) => Digest::framed("antefix/fact/1", items.iter().map(|item| ("item", item.as_str()))),
        Value::Maps(maps) => {
            let entries = maps.iter().flat_map(|map| {
                std::iter::once(("map", "")).chain(map.iter().map(|(key, text)| (&**key, text.as_str())))
            });
            Digest::framed("antefix/fact/1", entries)
        }
    }
}
