//! What OpenAI refuses, and Mistral, which is spoken to in the same way.

use serde_json::Value;

use super::super::messages::is_users;
use super::{Asked, Rule, no_tools};
use crate::models::Provider;

const EMPTY: &str = "continuedev/continue#3370";
const CALLS: &str = "https://platform.openai.com/docs/guides/function-calling";
const MISTRAL: &str = "danny-avila/LibreChat#1678";

pub(super) const RULES: [Rule; 5] = [
    Rule { name: "tools-not-empty", source: EMPTY, find: |asked| no_tools(asked, "/tools") },
    Rule {
        name: "answer-after-call",
        source: CALLS,
        find: |asked| {
            let is_broken = |before: Option<&Value>, message: &Value, _: Option<&Value>| {
                let follows = |before: &Value| before["role"] == "tool" || before["tool_calls"].is_array();
                message["role"] == "tool" && !before.is_some_and(follows)
            };
            asked.messages_where(is_broken, "an answer of a tool that follows no call")
        },
    },
    Rule {
        name: "system-in-front",
        source: MISTRAL,
        find: |asked| {
            of_mistral(
                asked,
                |before, message, _| {
                    message["role"] == "system" && before.is_some_and(|before| before["role"] != "system")
                },
                "a system message behind another one",
            )
        },
    },
    Rule {
        name: "user-not-after-tool",
        source: MISTRAL,
        find: |asked| {
            of_mistral(
                asked,
                |before, message, _| is_users(message) && before.is_some_and(|before| before["role"] == "tool"),
                "a message of the user's behind one of a tool's",
            )
        },
    },
    Rule {
        name: "user-or-tool-last",
        source: MISTRAL,
        find: |asked| {
            of_mistral(
                asked,
                |_, message, next| next.is_none() && message["role"] == "system",
                "a system message at the end",
            )
        },
    },
];

fn of_mistral(
    asked: &Asked<'_>,
    is_broken: impl Fn(Option<&Value>, &Value, Option<&Value>) -> bool,
    message: &str,
) -> Vec<(String, String)> {
    match asked.model {
        Some(model) if model.provider == Provider::Mistral => asked.messages_where(is_broken, message),
        _ => Vec::new(),
    }
}
