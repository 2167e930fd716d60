//! What follows from an epoch's bytes and is needed by every turn, so that it is made once.
//!
//! 1. The prefix as JSON: each document of a turn has it twice.
//! 2. The facts that were found to be as the epoch remembers them: what is equal to one of those need not be digested again. Turns
//!    ask for every fact all the same.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use super::fingerprint::FactFingerprint;
use crate::discover::tools::Tools;
use crate::discover::{Answer, Fact, Value};
use crate::text::{FactName, write_escaped};

/// What follows from an epoch. It is of no account when two epochs are compared, and a copy makes its own.
#[derive(Debug, Default)]
pub(super) struct Derived {
    escaped: OnceLock<Escaped>,
    same: Mutex<BTreeMap<FactName, Value>>,
    tools: OnceLock<Tools>,
}

/// A prefix as it is within a string of JSON.
#[derive(Debug)]
struct Escaped {
    text: String,
    /// Where what is not fixed begins.
    frozen: usize,
}

impl Derived {
    /// The tools of the epoch, which all its turns share.
    pub(super) fn tools(&self, canonical: &str) -> serde_json::Result<&Tools> {
        if let Some(tools) = self.tools.get() {
            return Ok(tools);
        }
        let tools = serde_json::from_str(canonical)?;
        Ok(self.tools.get_or_init(|| tools))
    }

    /// The prefix of which so many bytes are fixed, and both parts of it, each with its text within a string of JSON.
    pub(super) fn escaped<'d>(&'d self, prefix: &'d str, fixed: usize) -> [(&'d str, &'d str); 3] {
        let (fixed, frozen) = prefix.split_at_checked(fixed).unwrap_or(("", prefix));
        let escaped = self.escaped.get_or_init(|| {
            let mut text = String::new();
            write_escaped(fixed, &mut text);
            let end = text.len();
            write_escaped(frozen, &mut text);
            text.shrink_to_fit();
            Escaped { text, frozen: end }
        });
        let (of_fixed, of_frozen) = escaped.text.split_at(escaped.frozen);
        [(prefix, &escaped.text), (fixed, of_fixed), (frozen, of_frozen)]
    }

    /// Whether a fact is as it was. At most `room` bytes of facts are kept.
    pub(super) fn is_same(&self, name: &FactName, before: &FactFingerprint, fact: &Fact, room: usize) -> bool {
        let Answer::Present(now) = fact else { return before.is_of(fact) };
        let known = self.same.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        if known.is_some_and(|known| known == *now) {
            return true;
        }
        let is_same = before.is_of(fact);
        if is_same {
            let mut same = self.same.lock().unwrap_or_else(PoisonError::into_inner);
            same.remove(name);
            if same.values().chain([now]).map(length).sum::<usize>() <= room {
                same.insert(name.clone(), now.clone());
            }
        }
        is_same
    }
}

/// How many bytes of text a value has.
fn length(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.as_str().len(),
        Value::List(items) => items.iter().map(|item| item.as_str().len()).sum(),
        Value::Maps(maps) => maps.iter().flat_map(|map| map.values()).map(|text| text.as_str().len()).sum(),
    }
}

impl Clone for Derived {
    fn clone(&self) -> Derived {
        Derived::default()
    }
}

impl PartialEq for Derived {
    fn eq(&self, _: &Derived) -> bool {
        true
    }
}

impl Eq for Derived {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover::{Reason, ReasonCode};
    use crate::text::{Origin, Text};

    #[test]
    fn each_part_of_a_prefix_is_written_as_it_would_be_by_itself() {
        let prefix = "You say \"é\".\n\n\ttabs\u{1} \\ and\r\n";
        for fixed in (0..=prefix.len()).filter(|at| prefix.is_char_boundary(*at)) {
            let derived = Derived::default();
            let parts = derived.escaped(prefix, fixed);
            assert_eq!(parts.map(|(text, _)| text), [prefix, &prefix[..fixed], &prefix[fixed..]]);
            for (text, escaped) in parts {
                assert_eq!(format!("\"{escaped}\""), serde_json::to_string(text).unwrap());
            }
        }
    }

    #[test]
    fn only_what_is_equal_to_what_was_compared_is_the_same_without_a_digest() {
        let name = FactName::new("file", "AGENTS.md");
        let present = |text: &str| Answer::Present(Value::Text(Text::new(text, Origin::fact(&name))));
        let before = FactFingerprint::of(&name, &present("Use tabs."));
        let derived = Derived::default();
        // What was different stays different, what was the same stays the same, in whatever order they are asked for.
        for _ in 0..2 {
            assert!(!derived.is_same(&name, &before, &present("Use spaces."), 9));
            assert!(derived.is_same(&name, &before, &present("Use tabs."), 9));
            assert!(!derived.is_same(&name, &before, &Answer::Absent, 9));
            let unavailable = Answer::Unavailable(Reason { code: ReasonCode::Failed, detail: String::new() });
            assert!(!derived.is_same(&name, &before, &unavailable, 9));
            assert!(!derived.is_same(&FactName::new("file", "other"), &before, &present("Use spaces."), 9));
        }
        assert!(derived.is_same(&name, &FactFingerprint::Absent, &Answer::Absent, 9));
    }

    #[test]
    fn no_more_facts_are_kept_than_there_is_room() {
        let derived = Derived::default();
        for (number, room, kept) in [("a", 4, "a"), ("b", 7, "a"), ("b", 8, "a b"), ("c", 11, "a b")] {
            let name = FactName::new("file", number);
            let fact = Answer::Present(Value::Text(Text::new("four", Origin::fact(&name))));
            assert!(derived.is_same(&name, &FactFingerprint::of(&name, &fact), &fact, room));
            let known = derived.same.lock().unwrap();
            let names: Vec<&str> = known.keys().map(FactName::name).collect();
            assert_eq!(names.join(" "), kept, "{number} with room for {room}");
        }
    }
}
