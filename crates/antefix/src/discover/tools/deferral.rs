//! Which tools are kept out of the prefix, where a provider can load them later.
//!
//! 1. A layout names them: `defer = ["browser_*", "mcp__github__*"]`. A form has one `*` at most.
//! 2. Or it gives the others a budget: `defer = { over = 10000 }`. If all tools have more tokens than that, tools of MCP servers are
//!    deferred, the largest first, until the rest is within it. The agent's own tools are used all the time, and stay; so do those
//!    that `keep` names.
//! 3. What the caller has marked itself stays as it is: a tool with `defer_loading`, whatever it says, or with `cache_control`. What is a
//!    provider's own is not deferred.
//! 4. It is decided once for an epoch, from its tools alone.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::{Native, Shape, Tool, Tools, canonical_tool};
use crate::text::NamePattern;
use crate::tokens;

/// What a layout says about deferring tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Deferral(Rule);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Rule {
    /// Nothing is deferred.
    #[default]
    Nothing,
    /// Tools with names of these forms are.
    Named(Vec<NamePattern>),
    /// As many are as it takes for the rest to be within a budget.
    Over(Over),
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Over {
    /// The most tokens of what is not deferred.
    over: usize,
    /// The names, or forms of names, that are never deferred.
    #[serde(default)]
    keep: Vec<String>,
}

impl Deferral {
    /// The names of the tools that are deferred.
    pub(crate) fn decide(&self, tools: &Tools) -> BTreeSet<String> {
        let named = |patterns: &[NamePattern], tool: &Tool| patterns.iter().any(|pattern| pattern.matches(&tool.name));
        let free = tools.iter().filter(|tool| tool.may_be_deferred());
        let deferred: Vec<&Tool> = match &self.0 {
            Rule::Nothing => Vec::new(),
            Rule::Named(patterns) => free.filter(|tool| named(patterns, tool)).collect(),
            Rule::Over(Over { over, keep }) => {
                let keep: Vec<NamePattern> = keep.iter().cloned().map(NamePattern).collect();
                let of_servers = free.filter(|tool| tool.server().is_some() && !named(&keep, tool));
                largest(tools, of_servers.collect(), *over)
            }
        };
        deferred.into_iter().map(|tool| tool.name.clone()).collect()
    }
}

/// The largest of some tools, as many as it takes for the rest of all to have at most so many tokens.
fn largest<'t>(tools: &Tools, among: Vec<&'t Tool>, over: usize) -> Vec<&'t Tool> {
    let size = |tool: &Tool| {
        let text = canonical_tool(tool);
        // A token has at least a byte: without counts, the bytes are on the safe side.
        tokens::count(&text).unwrap_or(text.len())
    };
    let mut rest: usize = tools.iter().map(size).sum();
    let mut sized: Vec<(usize, &Tool)> = among.into_iter().map(|tool| (size(tool), tool)).collect();
    sized.sort_by_key(|(size, _)| std::cmp::Reverse(*size));
    let mut deferred = Vec::new();
    for (size, tool) in sized {
        if rest <= over {
            break;
        }
        rest -= size;
        deferred.push(tool);
    }
    deferred
}

impl Tool {
    /// Whether a layout may defer it: it is a function, and its caller has said nothing about its loading or its place in the cache.
    fn may_be_deferred(&self) -> bool {
        match &self.native {
            None => true,
            Some(native) => {
                let is_marked = native.more().any(|(member, _)| matches!(member, "defer_loading" | "cache_control"));
                native.function().is_some() && !is_marked
            }
        }
    }

    /// The same tool, if its caller wants it loaded now (`defer_loading` is false), without that mark.
    pub(crate) fn wanted_now(&self) -> Option<Tool> {
        let native = self.native.as_ref()?;
        native.more().any(|(member, value)| member == "defer_loading" && value == false).then(|| {
            let mut definition = native.definition.clone();
            definition.as_object_mut()?.remove("defer_loading");
            let native = Native { shape: native.shape, definition };
            let is_plain = native.shape == Shape::Neutral && native.more().next().is_none();
            Some(Tool { native: (!is_plain).then_some(native), ..self.clone() })
        })?
    }
}

impl<'de> Deserialize<'de> for Deferral {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Deferral, D::Error> {
        struct Reading;

        impl<'de> Visitor<'de> for Reading {
            type Value = Deferral;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of tools' names, or a table with `over`")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, names: A) -> Result<Deferral, A::Error> {
                let names: Vec<String> = Vec::deserialize(SeqAccessDeserializer::new(names))?;
                Ok(Deferral(Rule::Named(names.into_iter().map(NamePattern).collect())))
            }

            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Deferral, A::Error> {
                Ok(Deferral(Rule::Over(Over::deserialize(MapAccessDeserializer::new(table))?)))
            }
        }

        deserializer.deserialize_any(Reading)
    }
}
