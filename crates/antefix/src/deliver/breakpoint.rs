//! Where a provider's cache is asked to end.
//!
//! 1. Breakpoints are where the stability changes: after what is fixed, and after what is frozen. One is at the end of the
//!    conversation as the next request has it, unless the caller places its own there, and further ones are as far before it as a
//!    provider looks back.
//! 2. The caller's breakpoints are counted, also where the model is unknown. One slot at least is left for the conversation.
//! 3. All of ours live equally long, as [`lifetime`](super::lifetime) decides. A longer lifetime comes first, as providers require, also
//!    beside the caller's.
//! 4. Nothing empty is marked. If there is room for one, it comes after the whole prefix.

use serde_json::Value;

use super::{Block, Content, Receipt, lifetime};
use crate::compose::Stability;
use crate::discover::tools::Shape;
use crate::models::Model;

/// How many breakpoints every provider takes that takes any, and for how long the shortest lives.
const MOST: usize = 4;
const SHORTEST: u64 = 300;
const LONGEST: u64 = 3600;

/// The breakpoints of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Breakpoints {
    /// Behind the fixed part, with its lifetime in seconds.
    pub(super) fixed: Option<u64>,
    /// Behind the frozen part, with its lifetime in seconds.
    pub(super) frozen: Option<u64>,
    /// How many there may be in the conversation.
    pub(super) rolling: usize,
    /// How long those live, in seconds.
    pub(super) rolling_lifetime: u64,
    /// How many blocks a provider looks back from each.
    pub(super) look_back: usize,
}

/// What breakpoints are called, and in which shape of tools.
pub(super) struct Marker {
    pub(super) key: &'static str,
    pub(super) shape: Shape,
}

/// The caller's own breakpoints: their lifetimes in seconds, in order.
struct Callers {
    in_tools: Vec<u64>,
    in_messages: Vec<u64>,
}

impl Breakpoints {
    pub(super) const NONE: Breakpoints =
        Breakpoints { fixed: None, frozen: None, rolling: 0, rolling_lifetime: SHORTEST, look_back: 0 };

    /// Decides for a model of the table.
    pub(super) fn decide(content: &Content<'_>, model: &Model, marker: &Marker, receipt: &mut Receipt) -> Breakpoints {
        if !model.explicit_breakpoints {
            return Breakpoints::NONE;
        }
        let shortest = model.lifetimes.first().copied().unwrap_or(0);
        let lifetimes = (shortest, lifetime::decided(content, model));
        Breakpoints::among(content, marker, (model.max_breakpoints, model.look_back), lifetimes, receipt)
    }

    /// Without a row of the table: one after the prefix, which every model takes, and one in the conversation.
    pub(super) fn unknown(content: &Content<'_>, marker: &Marker, receipt: &mut Receipt) -> Breakpoints {
        receipt.instead("breakpoints for the model", "one after the prefix, for five minutes: the model is unknown");
        let decided = Breakpoints::among(content, marker, (MOST, None), (SHORTEST, SHORTEST), receipt);
        match content.frozen {
            "" => decided,
            _ => Breakpoints { fixed: None, ..decided },
        }
    }

    fn among(
        content: &Content<'_>,
        marker: &Marker,
        (most, look_back): (usize, Option<usize>),
        (shortest, wanted): (u64, u64),
        receipt: &mut Receipt,
    ) -> Breakpoints {
        let callers = Callers::of(content, marker);
        let taken = callers.in_tools.len() + callers.in_messages.len();
        let own_rolling = content.messages.is_some() && callers.in_messages.is_empty();
        let room = most.saturating_sub(taken + usize::from(callers.in_messages.is_empty()));
        let (has_fixed, has_frozen) = (!content.fixed.is_empty(), !content.frozen.is_empty());
        let (fixed, frozen) = match (has_fixed, has_frozen, room) {
            (false, false, _) => (None, None),
            (_, _, 0) => {
                let used = format!("all {most} breakpoints are the caller's own");
                receipt.instead("breakpoint after the prefix", format!("left out: {used}"));
                (None, None)
            }
            (true, true, 1) => {
                receipt.instead("breakpoint after the fixed part", "left out: there is room for one breakpoint alone");
                (None, Some(wanted))
            }
            (true, true, _) => (Some(wanted), Some(wanted)),
            (true, false, _) => (Some(wanted), None),
            (false, true, _) => (None, Some(wanted)),
        };
        // What is before ours must not live shorter, and what is behind them not longer.
        let at_most = callers.in_tools.last().copied().unwrap_or(u64::MAX).max(shortest);
        let at_least = callers.in_messages.iter().max().copied().unwrap_or(0);
        let lifetime = |wanted: u64| wanted.max(at_least).min(at_most);
        let ours = usize::from(fixed.is_some()) + usize::from(frozen.is_some());
        Breakpoints {
            fixed: fixed.map(lifetime),
            frozen: frozen.map(lifetime),
            rolling_lifetime: lifetime(wanted),
            rolling: if own_rolling { most.saturating_sub(taken + ours) } else { 0 },
            look_back: look_back.unwrap_or(20),
        }
    }

    /// The parts of the prefix with their breakpoints, in order: behind the last that is fixed, and behind the last of all.
    pub(super) fn parts<'c>(self, content: &Content<'c>) -> Vec<Part<'c>> {
        let blocks = content.in_front();
        let last = blocks.len().saturating_sub(1);
        let fixed = blocks.iter().rposition(|block| block.stability == Stability::Fixed);
        let lifetime = |at: usize, block: &Block<'_>| match block.stability {
            Stability::Fixed => self.fixed.filter(|_| Some(at) == fixed),
            _ => self.frozen.filter(|_| at == last),
        };
        let parts = blocks.into_iter().enumerate();
        parts.map(|(at, block)| Part { lifetime: lifetime(at, &block), block }).collect()
    }

    /// The messages that are marked, of so many that the next request has again: the last that can be, and others as far before it as
    /// a provider looks back. `blocks` says how many blocks a message has; none if it cannot be marked.
    pub(super) fn rolling(self, messages: &[Value], blocks: impl Fn(&Value) -> Option<usize>) -> Vec<usize> {
        let mut marked = Vec::new();
        let mut since = usize::MAX;
        for (at, message) in messages.iter().enumerate().rev() {
            if marked.len() == self.rolling {
                break;
            }
            let own = blocks(message);
            if own.is_some() && since.saturating_add(own.unwrap_or(1)) >= self.look_back {
                marked.push(at);
                since = 0;
            }
            since = since.saturating_add(own.unwrap_or(1));
        }
        marked
    }
}

impl Callers {
    fn of(content: &Content<'_>, marker: &Marker) -> Callers {
        let mut callers = Callers { in_tools: Vec::new(), in_messages: Vec::new() };
        let natives = content.tools.into_iter().flat_map(|tools| tools.iter()).filter_map(|tool| tool.native.as_ref());
        for native in natives.filter(|native| native.shape == marker.shape) {
            find(&native.definition, marker.key, &mut callers.in_tools);
        }
        for message in content.conversation() {
            find(message, marker.key, &mut callers.in_messages);
        }
        callers
    }
}

/// A part of the prefix that is not empty.
pub(super) struct Part<'c> {
    pub(super) block: Block<'c>,
    /// How long the breakpoint behind it lives, in seconds, if there is one.
    pub(super) lifetime: Option<u64>,
}

impl Part<'_> {
    /// The lifetime as Anthropic's models spell it, here and on Bedrock.
    pub(super) fn anthropic_ttl(&self) -> Option<&'static str> {
        self.lifetime.map(anthropic_ttl)
    }
}

/// A lifetime as Anthropic's models spell it: there are two.
pub(super) fn anthropic_ttl(seconds: u64) -> &'static str {
    if seconds >= LONGEST { "1h" } else { "5m" }
}

/// The lifetimes of the breakpoints in a value, in order.
pub(super) fn lifetimes_in(value: &Value, key: &str) -> Vec<u64> {
    let mut found = Vec::new();
    find(value, key, &mut found);
    found
}

fn find(value: &Value, key: &str, found: &mut Vec<u64>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                match name == key && !value.is_null() {
                    true => found.push(lifetime_of(value)),
                    false => find(value, key, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| find(item, key, found)),
        _ => {}
    }
}

/// How long a caller's breakpoint lives: what it says, else what providers take it for.
pub(super) fn lifetime_of(marker: &Value) -> u64 {
    match marker.get("ttl").and_then(Value::as_str) {
        Some("1h") => LONGEST,
        Some("12h") => 12 * LONGEST,
        Some("30m") => 1800,
        _ => SHORTEST,
    }
}
