//! Facts: one named answer each.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::world::{Answer, Reason};
use crate::compose::{Draft, Origin, Piece, Transform};

/// `namespace:name`, the same in templates, catalog, HTTP and diagnostics.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactName {
    text: Arc<str>,
    colon: usize,
}

impl FactName {
    /// Splits at the first colon. No colon, no name.
    ///
    /// ```
    /// # use antefix::discover::FactName;
    /// let name = FactName::parse("file:docs/a:b.md").unwrap();
    /// assert_eq!((name.namespace(), name.name()), ("file", "docs/a:b.md"));
    /// assert!(FactName::parse("branch").is_none());
    /// ```
    pub fn parse(text: impl Into<Arc<str>>) -> Option<FactName> {
        let text = text.into();
        let colon = text.find(':')?;
        Some(FactName { text, colon })
    }

    /// A name from its two halves.
    pub fn new(namespace: &str, name: &str) -> FactName {
        FactName { text: format!("{namespace}:{name}").into(), colon: namespace.len() }
    }

    /// Who answers.
    pub fn namespace(&self) -> &str {
        &self.text[..self.colon]
    }

    /// What is asked.
    pub fn name(&self) -> &str {
        &self.text[self.colon + 1..]
    }

    /// The whole name.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for FactName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for FactName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// One named answer.
pub type Fact = Answer<Value>;

/// What a fact may be: text, a list of text, or a list of maps of text. No numbers and no booleans, because engines change how they print them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A text.
    Text(Text),
    /// Several texts.
    List(Vec<Text>),
    /// Several files with named texts each: `path`, `body` and `text`.
    Maps(Vec<BTreeMap<&'static str, Text>>),
}

impl Value {
    /// One text: the items of a list are joined with `, `, which belongs to the fact as a whole; each file has a heading.
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
fn headed(maps: &[BTreeMap<&'static str, Text>], name: &FactName) -> Text {
    let mut draft = Draft::default();
    for (number, map) in maps.iter().enumerate() {
        let (Some(label), Some(body)) = (map.get("path"), map.get("body")) else { continue };
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

/// A text that knows where each of its bytes came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    text: Arc<str>,
    pieces: Arc<[Piece]>,
}

impl Text {
    /// A text that comes from one origin as a whole.
    pub fn new(text: impl Into<Arc<str>>, origin: Origin) -> Text {
        let text = text.into();
        let piece = Piece { range: 0..text.len(), origin, transform: None };
        let pieces = if text.is_empty() { Arc::from([]) } else { Arc::from([piece]) };
        Text { text, pieces }
    }

    /// A text whose pieces are known. They must cover it without gap or overlap.
    pub(crate) fn from_pieces(text: String, pieces: Vec<Piece>) -> Text {
        debug_assert!(covers(&pieces, 0..text.len()));
        Text { text: text.into(), pieces: pieces.into() }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text, shared.
    pub(crate) fn shared(&self) -> &Arc<str> {
        &self.text
    }

    /// A part of the text.
    pub(crate) fn cut_out(&self, part: Range<usize>) -> Text {
        if part == (0..self.text.len()) {
            return self.clone();
        }
        let text = self.text[part.clone()].into();
        let mut pieces = Vec::new();
        self.part(part, 0, &mut pieces);
        Text { text, pieces: pieces.into() }
    }

    /// Copies the pieces of a part of the text, which stands at `at` in another one.
    pub(crate) fn part(&self, part: Range<usize>, at: usize, into: &mut Vec<Piece>) {
        for piece in self.pieces.iter() {
            let (from, to) = (piece.range.start.max(part.start), piece.range.end.min(part.end));
            if from < to {
                let range = at + from - part.start..at + to - part.start;
                let origin = match from - piece.range.start {
                    0 => piece.origin.clone(),
                    _ => piece.origin.further(&self.text[piece.range.start..from]),
                };
                into.push(Piece { range, origin, transform: piece.transform });
            }
        }
    }

    /// Its pieces, as they are kept.
    pub(super) fn all_pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Its pieces, in order.
    pub fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter()
    }
}

/// Whether the pieces cover the range without gap or overlap.
fn covers(pieces: &[Piece], range: Range<usize>) -> bool {
    let mut at = range.start;
    pieces.iter().all(|piece| {
        let follows = piece.range.start == at && piece.range.end > at;
        at = piece.range.end;
        follows
    }) && at == range.end
}

/// Answers by name, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts(BTreeMap<FactName, Fact>);

impl Facts {
    /// The answer to a name. A name that nobody asked for has none.
    pub fn get(&self, name: &FactName) -> Option<&Fact> {
        self.0.get(name)
    }

    /// Records an answer.
    pub fn insert(&mut self, name: FactName, fact: Fact) {
        self.0.insert(name, fact);
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
        self.0.values_mut().filter_map(|fact| match fact {
            Answer::Unavailable(reason) => Some(reason),
            Answer::Present(_) | Answer::Absent => None,
        })
    }

    /// The facts that could not be asked for.
    pub(crate) fn unavailable(&self) -> impl Iterator<Item = (&FactName, &Reason)> {
        self.0.iter().filter_map(|(name, fact)| match fact {
            Answer::Unavailable(reason) => Some((name, reason)),
            Answer::Present(_) | Answer::Absent => None,
        })
    }

    /// All answers, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&FactName, &Fact)> {
        self.0.iter()
    }
}
