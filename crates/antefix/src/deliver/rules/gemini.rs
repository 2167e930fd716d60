//! What Gemini's `generateContent` refuses.

use super::Rule;

const CONTENT: &str = "https://ai.google.dev/api/caching#Content";
const EMPTY: &str = "continuedev/continue#3370";

pub(super) const RULES: [Rule; 3] = [
    Rule { name: "text-not-blank", source: CONTENT, find: |asked| asked.blank_blocks("parts") },
    Rule {
        name: "roles",
        source: CONTENT,
        find: |asked| {
            let known = ["user", "model", "function"];
            asked.messages_where(
                |_, message, _| message["role"].as_str().is_some_and(|role| !known.contains(&role)),
                "a speaker that is neither `user` nor `model`",
            )
        },
    },
    Rule {
        name: "declarations-not-empty",
        source: EMPTY,
        find: |asked| {
            let tools = asked.request["tools"].as_array().into_iter().flatten();
            let is_empty = |tool: &serde_json::Value| {
                tool["functionDeclarations"].as_array().is_some_and(|declarations| declarations.is_empty())
            };
            let empty = tools.enumerate().filter(|(_, tool)| is_empty(tool));
            empty.map(|(at, _)| (format!("/tools/{at}"), "the list of functions is empty".to_owned())).collect()
        },
    },
];
