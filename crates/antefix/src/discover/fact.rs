//! Facts: one named answer each.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::world::{Answer, Reason};
use crate::stop::Stop;
use crate::text::{Draft, FactName, Origin, Text, Transform};

/// One named answer.
pub type Fact = Answer<Value>;

/// What a fact may be: text, a list of text, or a list of maps of text. No numbers and no booleans, because engines change how they print them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// One text, with the origin of each byte.
    Text(Text),
    /// A list, such as the names of tools.
    List(Vec<Text>),
    /// Several files, skills or tools with named texts each, such as `path`, `body` and `text`.
    Maps(Vec<BTreeMap<Cow<'static, str>, Text>>),
}

impl Value {
    /// One text: the items of a list are joined with `, `, which belongs to the fact as a whole; each file has a heading, and
    /// each skill and tool a line.
    pub fn text(&self, name: &FactName) -> Text {
        let items = match self {
            Value::Text(text) => return text.clone(),
            Value::Maps(maps) => return headed(maps, name),
            Value::List(items) => items,
        };
        let mut joined = Draft::default();
        for (position, item) in items.iter().enumerate() {
            if position > 0 {
                joined.push(", ", Origin::fact(name), Some(Transform::Joined));
            }
            joined.push_text(item);
        }
        joined.into_text()
    }
}

/// All files as one text.
fn headed(maps: &[BTreeMap<Cow<'static, str>, Text>], name: &FactName) -> Text {
    let mut draft = Draft::default();
    for (number, map) in maps.iter().enumerate() {
        let (Some(label), Some(body)) = (map.get("path"), map.get("body")) else {
            lined(map, number, name, &mut draft);
            continue;
        };
        let origin = Origin::file(name, label.shared());
        if number > 0 {
            draft.push("\n\n", origin.clone(), Some(Transform::Joined));
        }
        draft.push("## ", origin.clone(), Some(Transform::Joined));
        draft.push_text(label);
        draft.push("\n\n", origin, Some(Transform::Joined));
        draft.push_text(body);
    }
    draft.into_text()
}

/// A skill or a tool on a line: its name, and what it is for.
fn lined(map: &BTreeMap<Cow<'static, str>, Text>, number: usize, name: &FactName, draft: &mut Draft) {
    let Some(called) = map.get("name") else { return };
    draft.push(if number > 0 { "\n- " } else { "- " }, Origin::fact(name), Some(Transform::Joined));
    draft.push_text(called);
    if let Some(is_for) = map.get("line").or_else(|| map.get("description")).filter(|text| !text.as_str().is_empty()) {
        draft.push(": ", Origin::fact(name), Some(Transform::Joined));
        draft.push_text(is_for);
    }
}

/// Answers by name, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    answers: BTreeMap<FactName, Fact>,
    stop: Stop,
}

impl Facts {
    /// The same facts, for somebody who may wait no more: what is composed of them then ends in an error.
    #[must_use]
    pub fn until(mut self, stop: &Stop) -> Facts {
        self.stop = stop.clone();
        self
    }

    /// Whether what is made of them is still wanted.
    pub(crate) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// The answer to a name. A name that nobody asked for has none.
    pub fn get(&self, name: &FactName) -> Option<&Fact> {
        self.answers.get(name)
    }

    /// Records an answer.
    pub fn insert(&mut self, name: FactName, fact: Fact) {
        self.answers.insert(name, fact);
    }

    /// Records a text that came from nowhere but the caller.
    #[must_use]
    pub fn with(mut self, name: &str, text: &str) -> Facts {
        if let Some(name) = FactName::parse(name) {
            let origin = Origin::fact(&name);
            self.insert(name, Answer::Present(Value::Text(Text::new(text, origin))));
        }
        self
    }

    /// Why facts could not be asked for.
    pub(super) fn reasons_mut(&mut self) -> impl Iterator<Item = &mut Reason> {
        self.answers.values_mut().filter_map(|fact| match fact {
            Answer::Unavailable(reason) => Some(reason),
            Answer::Present(_) | Answer::Absent => None,
        })
    }

    /// The facts that could not be asked for.
    pub(crate) fn unavailable(&self) -> impl Iterator<Item = (&FactName, &Reason)> {
        self.answers.iter().filter_map(|(name, fact)| match fact {
            Answer::Unavailable(reason) => Some((name, reason)),
            Answer::Present(_) | Answer::Absent => None,
        })
    }

    /// All answers, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&FactName, &Fact)> {
        self.answers.iter()
    }
}
