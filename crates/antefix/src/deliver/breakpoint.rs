//! Where a provider's cache is asked to end.
//!
//! 1. Breakpoints are where the stability changes: after what is fixed, and after what is frozen. The longer lifetime
//!    comes first, as providers require.
//! 2. One slot at least is left for the caller's own conversation, and the caller's breakpoints are counted.
//! 3. Nothing empty is marked. If there is room for one, it comes after the whole prefix.

use serde_json::Value;

use super::{Content, Receipt};
use crate::models::Model;

/// The breakpoints of a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Breakpoints {
    /// Behind the fixed part, with its lifetime in seconds.
    pub(super) fixed: Option<u64>,
    /// Behind the frozen part, with its lifetime in seconds.
    pub(super) frozen: Option<u64>,
}

impl Breakpoints {
    /// Decides. `key` is what the caller's own breakpoints are called.
    pub(super) fn decide(content: &Content<'_>, model: &Model, key: &str, receipt: &mut Receipt) -> Breakpoints {
        let none = Breakpoints { fixed: None, frozen: None };
        if !model.explicit_breakpoints {
            return none;
        }
        let taken = content.conversation().map(|message| count(message, key)).sum::<usize>();
        let room = model.max_breakpoints.saturating_sub(taken.max(1));
        let (shortest, longest) = match model.lifetimes.as_slice() {
            [] => (0, 0),
            [first, ..] => (*first, model.lifetimes.last().copied().unwrap_or(*first)),
        };
        let (has_fixed, has_frozen) = (!content.fixed.is_empty(), !content.frozen.is_empty());
        match (has_fixed, has_frozen, room) {
            (false, false, _) => none,
            (_, _, 0) => {
                let used = format!("all {} breakpoints are the caller's own", model.max_breakpoints);
                receipt.instead("breakpoint after the prefix", format!("left out: {used}"));
                none
            }
            (true, true, 1) => {
                receipt.instead("breakpoint after the fixed part", "left out: there is room for one breakpoint alone");
                Breakpoints { fixed: None, frozen: Some(shortest) }
            }
            (true, true, _) => Breakpoints { fixed: Some(longest), frozen: Some(shortest) },
            (true, false, _) => Breakpoints { fixed: Some(longest), frozen: None },
            (false, true, _) => Breakpoints { fixed: None, frozen: Some(shortest) },
        }
    }

    /// The parts of the prefix with their breakpoints, in order.
    pub(super) fn parts<'c>(self, content: &Content<'c>) -> impl Iterator<Item = Part<'c>> {
        let fixed = Part { name: "fixed", text: content.fixed, lifetime: self.fixed };
        let frozen = Part { name: "frozen", text: content.frozen, lifetime: self.frozen };
        [fixed, frozen].into_iter().filter(|part| !part.text.is_empty())
    }
}

/// A part of the prefix that is not empty.
pub(super) struct Part<'c> {
    pub(super) name: &'static str,
    pub(super) text: &'c str,
    /// How long the breakpoint behind it lives, in seconds, if there is one.
    pub(super) lifetime: Option<u64>,
}

impl Part<'_> {
    /// The lifetime as Anthropic's models spell it, here and on Bedrock: there are two.
    pub(super) fn anthropic_ttl(&self) -> Option<&'static str> {
        self.lifetime.map(|seconds| if seconds >= 3600 { "1h" } else { "5m" })
    }
}

/// How many breakpoints a caller's message has.
fn count(value: &Value, key: &str) -> usize {
    match value {
        Value::Object(map) => {
            usize::from(map.get(key).is_some_and(|marker| !marker.is_null()))
                + map.values().map(|value| count(value, key)).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(|item| count(item, key)).sum(),
        _ => 0,
    }
}
