//! What Bedrock's Converse refuses.

use serde_json::Value;

use super::super::messages::is_users;
use super::{Asked, Rule, no_tools};

const CONVERSE: &str = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html";
const CACHING: &str = "https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html";

pub(super) const RULES: [Rule; 7] = [
    Rule { name: "tools-not-empty", source: CONVERSE, find: |asked| no_tools(asked, "/toolConfig/tools") },
    Rule { name: "text-not-blank", source: CONVERSE, find: |asked| asked.blank_blocks("content") },
    Rule {
        name: "speakers-take-turns",
        source: CONVERSE,
        find: |asked| {
            let is_broken = |before: Option<&Value>, message: &Value, _: Option<&Value>| {
                before.is_some_and(|before| before["role"] == message["role"])
            };
            asked.messages_where(is_broken, "two messages of one speaker in a row")
        },
    },
    Rule {
        name: "roles",
        source: CONVERSE,
        find: |asked| {
            let is_broken = |_: Option<&Value>, message: &Value, _: Option<&Value>| {
                !is_users(message) && message["role"] != "assistant"
            };
            asked.messages_where(is_broken, "a speaker that is neither `user` nor `assistant`")
        },
    },
    Rule {
        name: "breakpoint-count",
        source: CACHING,
        find: |asked| asked.breakpoint_count("cachePoint", "/toolConfig/tools"),
    },
    Rule {
        name: "breakpoint-order",
        source: CACHING,
        find: |asked| asked.breakpoint_order("cachePoint", "/toolConfig/tools"),
    },
    Rule { name: "breakpoint-lifetime", source: CACHING, find: lifetimes },
];

/// Lifetimes that the model does not know.
fn lifetimes(asked: &Asked<'_>) -> Vec<(String, String)> {
    let Some(model) = asked.model else { return Vec::new() };
    let most = model.lifetimes.last().copied().unwrap_or_default();
    let longer = asked.breakpoints("cachePoint", "/toolConfig/tools").into_iter().filter(|lifetime| *lifetime > most);
    longer
        .map(|lifetime| (String::new(), format!("a lifetime of {lifetime} s; the model knows {most} s at most")))
        .collect()
}
