//! What Anthropic's Messages refuse.

use serde_json::Value;

use super::super::messages::{is_assistants, is_users};
use super::{Asked, Rule};

const CACHING: &str = "https://platform.claude.com/docs/en/build-with-claude/prompt-caching";
const MID_SYSTEM: &str = "https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages";
const MESSAGES: &str = "https://platform.claude.com/docs/en/api/messages";

pub(super) const RULES: [Rule; 9] = [
    Rule { name: "breakpoint-count", source: CACHING, find: |asked| asked.breakpoint_count("cache_control", "/tools") },
    Rule { name: "breakpoint-order", source: CACHING, find: |asked| asked.breakpoint_order("cache_control", "/tools") },
    Rule { name: "breakpoint-on-blank", source: CACHING, find: marked_blanks },
    Rule { name: "text-not-blank", source: MESSAGES, find: |asked| asked.blank_blocks("content") },
    Rule { name: "messages-not-empty", source: MESSAGES, find: no_messages },
    Rule { name: "first-is-user", source: MESSAGES, find: first_is_user },
    Rule {
        name: "system-after-user",
        source: MID_SYSTEM,
        find: |asked| {
            let is_broken = |before: Option<&Value>, message: &Value, _: Option<&Value>| {
                message["role"] == "system" && !before.is_some_and(follows)
            };
            asked.messages_where(is_broken, "a system message that follows none of the user's")
        },
    },
    Rule {
        name: "system-before-assistant",
        source: MID_SYSTEM,
        find: |asked| {
            let is_broken = |_: Option<&Value>, message: &Value, next: Option<&Value>| {
                message["role"] == "system" && next.is_some_and(|next| !is_assistants(next))
            };
            asked.messages_where(
                is_broken,
                "a system message that neither ends the list nor comes before the assistant's",
            )
        },
    },
    Rule {
        name: "system-of-model",
        source: MID_SYSTEM,
        find: |asked| match asked.model {
            Some(model) if !model.mid_system => asked.messages_where(
                |_, message, _| message["role"] == "system",
                "the model takes no system message in mid-conversation",
            ),
            _ => Vec::new(),
        },
    },
];

/// Whether a system message may follow: the user's, or the assistant's if it ends with what a tool of the provider's gave.
fn follows(message: &Value) -> bool {
    let ends_with = message["content"].as_array().and_then(|blocks| blocks.last()?["type"].as_str());
    is_users(message) || (is_assistants(message) && ends_with.is_some_and(|of_type| of_type.ends_with("_tool_result")))
}

fn no_messages(asked: &Asked<'_>) -> Vec<(String, String)> {
    match asked.request.get("messages") {
        Some(Value::Array(messages)) if messages.is_empty() => {
            vec![("/messages".to_owned(), "there is no message".to_owned())]
        }
        _ => Vec::new(),
    }
}

fn first_is_user(asked: &Asked<'_>) -> Vec<(String, String)> {
    match asked.messages().first() {
        Some(first) if !is_users(first) => vec![(asked.at(0), "the first message is not the user's".to_owned())],
        _ => Vec::new(),
    }
}

fn marked_blanks(asked: &Asked<'_>) -> Vec<(String, String)> {
    let system = asked.request.get("system").and_then(Value::as_array).into_iter().flatten();
    let said = asked.messages().iter().filter_map(|message| message["content"].as_array()).flatten();
    let is_broken = |block: &&Value| {
        let of_type = block["type"].as_str().unwrap_or_default();
        let is_blank = block["text"].as_str().is_some_and(|text| text.trim().is_empty());
        block.get("cache_control").is_some_and(|marker| !marker.is_null())
            && (is_blank || of_type.ends_with("thinking"))
    };
    let broken = system.chain(said).filter(is_broken);
    broken.map(|block| (String::new(), format!("a breakpoint on a block of type {}", block["type"]))).collect()
}
