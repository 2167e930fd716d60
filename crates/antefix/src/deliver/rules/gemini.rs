//! What Gemini's `generateContent` refuses.

use serde_json::Value;

use super::{Asked, BLANK, Found, NO_MESSAGES, Rule, UNASKED};

const CONTENT: &str = "https://ai.google.dev/api/caching#Content";
const EMPTY: &str = "continuedev/continue#3370";
const CALLS: &str = "https://ai.google.dev/gemini-api/docs/function-calling";
const CACHED: &str = "https://ai.google.dev/api/caching";

pub(super) const RULES: [Rule; 6] = [
    Rule { name: "text-not-blank", source: CONTENT, hint: BLANK, find: |asked| asked.blank_blocks("parts") },
    Rule { name: "messages-not-empty", source: CONTENT, hint: NO_MESSAGES, find: |asked| asked.no_messages() },
    Rule {
        name: "roles",
        source: CONTENT,
        hint: "put what the system says into `systemInstruction`; the model is called `model`",
        find: |asked| {
            asked.speakers_but(&["user", "model", "function"], "a speaker that is neither `user` nor `model`")
        },
    },
    Rule {
        name: "declarations-not-empty",
        source: EMPTY,
        hint: "leave the entry out if it declares no function",
        find: |asked| {
            let tools = asked.request["tools"].as_array().into_iter().flatten();
            let is_empty = |tool: &Value| {
                tool["functionDeclarations"].as_array().is_some_and(|declarations| declarations.is_empty())
            };
            let empty = tools.enumerate().filter(|(_, tool)| is_empty(tool));
            empty.map(|(at, _)| (format!("/tools/{at}"), "the list of functions is empty".to_owned())).collect()
        },
    },
    Rule { name: "answer-after-call", source: CALLS, hint: UNASKED, find: unasked },
    Rule {
        name: "cached-content-alone",
        source: CACHED,
        hint: "leave out what is in the cache: the prompt, the tools and their settings",
        find: |asked| {
            let is_cached = asked.request.get("cachedContent").is_some();
            let keys = ["systemInstruction", "tools", "toolConfig"].into_iter();
            let beside = keys.filter(|key| is_cached && asked.request.get(key).is_some());
            beside.map(|key| (format!("/{key}"), "it is beside `cachedContent`, which has it".to_owned())).collect()
        },
    },
];

/// Answers of functions that do not follow as many calls.
fn unasked(asked: &Asked<'_>) -> Vec<Found> {
    let count = |message: &Value, key: &str| {
        let parts = message["parts"].as_array().into_iter().flatten();
        parts.filter(|part| part.get(key).is_some()).count()
    };
    let is_broken = |before: Option<&Value>, message: &Value, _: Option<&Value>| {
        let answers = count(message, "functionResponse");
        answers > 0 && before.map_or(0, |before| count(before, "functionCall")) != answers
    };
    asked.messages_where(is_broken, "answers of functions that do not follow as many calls")
}
