//! What OpenAI refuses, and Mistral, which is spoken to in the same way.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::messages::is_users;
use super::{Asked, Found, NO_MESSAGES, NO_TOOLS, Rule, UNANSWERED, UNASKED};
use crate::models::Provider;

const EMPTY: &str = "continuedev/continue#3370";
const CALLS: &str = "https://platform.openai.com/docs/guides/function-calling";
const CACHING: &str = "https://platform.openai.com/docs/guides/prompt-caching";
const API: &str = "https://platform.openai.com/docs/api-reference/chat/create";
const MISTRAL: &str = "danny-avila/LibreChat#1678";

/// What both APIs refuse.
const TOOLS_NOT_EMPTY: Rule =
    Rule { name: "tools-not-empty", source: EMPTY, hint: NO_TOOLS, find: |asked| asked.no_tools("/tools") };
const MESSAGES_NOT_EMPTY: Rule =
    Rule { name: "messages-not-empty", source: API, hint: NO_MESSAGES, find: |asked| asked.no_messages() };
const BREAKPOINT_OF_MODEL: Rule = Rule {
    name: "breakpoint-of-model",
    source: CACHING,
    hint: "take the breakpoints away: the model caches without being asked",
    find: marked_for_others,
};

/// The rules of Responses.
pub(super) const RESPONSES: [Rule; 6] = [
    TOOLS_NOT_EMPTY,
    MESSAGES_NOT_EMPTY,
    BREAKPOINT_OF_MODEL,
    Rule {
        name: "roles",
        source: API,
        hint: "let the user, the assistant or the developer say it; what a tool answered is a `function_call_output`",
        find: |asked| {
            let known = ["user", "assistant", "system", "developer"];
            asked.speakers_but(&known, "a speaker that is not `user`, `assistant`, `system` or `developer`")
        },
    },
    Rule { name: "calls-answered", source: CALLS, hint: UNANSWERED, find: items_without_answers },
    Rule { name: "answer-after-call", source: CALLS, hint: UNASKED, find: items_without_calls },
];

/// The rules of Chat Completions.
pub(super) const CHAT: [Rule; 9] = [
    TOOLS_NOT_EMPTY,
    MESSAGES_NOT_EMPTY,
    BREAKPOINT_OF_MODEL,
    Rule {
        name: "roles",
        source: API,
        hint: "let the user, the assistant, the system or a tool say it",
        find: |asked| {
            let known = ["user", "assistant", "system", "developer", "tool", "function"];
            asked.speakers_but(&known, "a speaker that the API does not know")
        },
    },
    Rule { name: "calls-answered", source: CALLS, hint: UNANSWERED, find: calls_without_answers },
    Rule {
        name: "answer-after-call",
        source: CALLS,
        hint: UNASKED,
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
        hint: "put it in front of all others, or let the user say it",
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
        hint: "let the assistant speak first, or add the text to what the tool answered",
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
        hint: "end the list with what the user says or a tool answers",
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
) -> Vec<Found> {
    match asked.model {
        Some(model) if model.provider == Provider::Mistral => asked.messages_where(is_broken, message),
        _ => Vec::new(),
    }
}

/// Breakpoints for a model of OpenAI's that takes none.
fn marked_for_others(asked: &Asked<'_>) -> Vec<Found> {
    match asked.model {
        Some(model) if model.provider == Provider::OpenAi && !model.explicit_breakpoints => {
            let marks = asked.breakpoints("prompt_cache_breakpoint", "/tools").into_iter();
            marks.map(|mark| (mark.pointer, format!("{} takes no breakpoints", model.name))).collect()
        }
        _ => Vec::new(),
    }
}

/// Calls of Chat Completions that the messages directly behind them do not answer.
fn calls_without_answers(asked: &Asked<'_>) -> Vec<Found> {
    let messages = asked.messages();
    let mut found = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let behind = messages[at + 1..].iter().take_while(|next| next["role"] == "tool");
        let answered: BTreeSet<&str> = behind.filter_map(|answer| answer["tool_call_id"].as_str()).collect();
        let calls = message["tool_calls"].as_array().into_iter().flatten().filter_map(|call| call["id"].as_str());
        let missing = calls.into_iter().find(|id| !answered.contains(id));
        found.extend(missing.map(|id| (asked.at(at), format!("nothing answers the call `{id}`"))));
    }
    found
}

/// Items of Responses that call a tool, and nothing answers them.
fn items_without_answers(asked: &Asked<'_>) -> Vec<Found> {
    unmatched(asked, is_call, is_output, |id| format!("nothing answers the call `{id}`"))
}

/// Items of Responses that answer a call that is not there. What the provider keeps may have it.
fn items_without_calls(asked: &Asked<'_>) -> Vec<Found> {
    match ["previous_response_id", "conversation"].iter().any(|key| asked.request[*key].is_string()) {
        true => Vec::new(),
        false => unmatched(asked, is_output, is_call, |id| format!("there is no call `{id}`")),
    }
}

fn unmatched(
    asked: &Asked<'_>,
    one: fn(&Value) -> bool,
    other: fn(&Value) -> bool,
    message: impl Fn(&str) -> String,
) -> Vec<Found> {
    let id = |item: &Value| item["call_id"].as_str().map(str::to_owned);
    let others: BTreeSet<String> = asked.messages().iter().filter(|item| other(item)).filter_map(id).collect();
    let ones = asked.messages().iter().enumerate().filter(|(_, item)| one(item));
    let ones = ones.filter_map(|(at, item)| id(item).filter(|id| !others.contains(id)).map(|id| (at, id)));
    ones.map(|(at, id)| (asked.at(at), message(&id))).collect()
}

fn is_call(item: &Value) -> bool {
    matches!(item["type"].as_str(), Some("function_call" | "custom_tool_call"))
}

fn is_output(item: &Value) -> bool {
    matches!(item["type"].as_str(), Some("function_call_output" | "custom_tool_call_output"))
}
