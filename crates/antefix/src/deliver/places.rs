//! Where something may come between the messages of a conversation, in whatever shape a provider takes them.
//!
//! 1. Nothing comes between a call of a tool and its answer, nor between a step of reasoning and what it led to.
//! 2. A place is the first allowed one from the given count on, so that it is the same in every later request: what comes behind
//!    the end of a request is the model's answer.
//! 3. A count that the history does not have is its end. That is so where a caller has cut its history.

use serde_json::Value;

/// The place behind so many messages; without a count, the end.
pub(crate) fn place(messages: &[Value], after: Option<u64>) -> usize {
    let end = messages.len();
    let from = after.map_or(end, |after| usize::try_from(after).unwrap_or(end)).min(end);
    (from..end).find(|at| is_free(messages, *at)).unwrap_or(end)
}

/// The place at the end of a history, in front of an answer that its caller has begun.
pub(crate) fn end_of(messages: &[Value]) -> usize {
    let is_begun = |message: &&Value| matches!(message["role"].as_str(), Some("assistant" | "model"));
    match messages.iter().rev().take_while(is_begun).count() {
        begun if begun < messages.len() => messages.len() - begun,
        _ => messages.len(),
    }
}

/// Whether something may come before the message at this index.
pub(super) fn is_free(messages: &[Value], at: usize) -> bool {
    let Some(next) = messages.get(at) else { return true };
    let is_open = at.checked_sub(1).and_then(|before| messages.get(before)).is_some_and(leads_on);
    !is_open && !answers(next)
}

/// Whether a message calls a tool, or must be followed by what it led to.
fn leads_on(message: &Value) -> bool {
    let of_type = message["type"].as_str().unwrap_or_default();
    let calls = |key: &str| message[key].as_array().is_some_and(|calls| !calls.is_empty()) || message[key].is_object();
    of_type == "reasoning"
        || of_type.ends_with("_call")
        || of_type == "mcp_approval_request"
        || ["tool_calls", "function_call"].into_iter().any(calls)
        || blocks(message).any(|block| {
            block["type"] == "tool_use"
                || ["toolUse", "functionCall", "function_call"].iter().any(|key| has(block, key))
        })
}

/// Whether a message is the answer of a tool.
fn answers(message: &Value) -> bool {
    let of_type = message["type"].as_str().unwrap_or_default();
    matches!(message["role"].as_str(), Some("tool" | "function"))
        || of_type.ends_with("_call_output")
        || of_type == "mcp_approval_response"
        || blocks(message).any(|block| {
            block["type"] == "tool_result"
                || ["toolResult", "functionResponse", "function_response"].iter().any(|key| has(block, key))
        })
}

fn blocks(message: &Value) -> impl Iterator<Item = &Value> {
    let lists = ["content", "parts"].into_iter().filter_map(|key| message.get(key)?.as_array());
    lists.flatten()
}

fn has(block: &Value, key: &str) -> bool {
    block.get(key).is_some_and(|value| !value.is_null())
}
