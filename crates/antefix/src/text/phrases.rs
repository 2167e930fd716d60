//! Wordings without variables, for whoever prints a notice or a text for a tool.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{FactName, Origin, Text};

/// Wordings without variables, by key. A copy costs nothing.
#[derive(Debug, Clone)]
pub struct Phrases(Arc<BTreeMap<&'static str, Text>>);

impl Phrases {
    /// Phrases by their keys.
    pub(crate) fn new(phrases: BTreeMap<&'static str, Text>) -> Phrases {
        Phrases(Arc::new(phrases))
    }

    /// The same phrases, with another one in the place of `key`.
    pub(crate) fn with(&self, key: &'static str, phrase: Text) -> Phrases {
        let mut phrases = (*self.0).clone();
        phrases.insert(key, phrase);
        Phrases::new(phrases)
    }

    /// The bytes of a phrase; nothing for a key that is none.
    pub fn text(&self, key: &str) -> &str {
        self.0.get(key).map_or("", Text::as_str)
    }

    /// The phrase of a key; an empty text for a key that is none.
    pub fn get(&self, key: &str) -> Text {
        let nothing = || Text::new("", Origin::fact(&FactName::new("wording", key)));
        self.0.get(key).cloned().unwrap_or_else(nothing)
    }
}
