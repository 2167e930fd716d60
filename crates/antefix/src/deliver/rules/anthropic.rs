//! What Anthropic's Messages refuse.

use serde_json::Value;

use super::super::messages::{is_assistants, is_users};
use super::calls::Words;
use super::{Asked, BLANK, FIRST_USER, Found, LONG_FIRST, NO_MESSAGES, Rule, TOO_MANY, UNANSWERED, UNASKED};

const CACHING: &str = "https://platform.claude.com/docs/en/build-with-claude/prompt-caching";
const MID_SYSTEM: &str = "https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages";
const MESSAGES: &str = "https://platform.claude.com/docs/en/api/messages";
const TOOLS: &str = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use";

/// What to do about a system message that is where none may be.
const MOVE: &str = "put it behind a message of the user's, last or in front of the assistant's, or let the user say it";

pub(super) const RULES: [Rule; 12] = [
    Rule {
        name: "breakpoint-count",
        source: CACHING,
        hint: TOO_MANY,
        find: |asked| asked.breakpoint_count("cache_control", "/tools"),
    },
    Rule {
        name: "breakpoint-order",
        source: CACHING,
        hint: LONG_FIRST,
        find: |asked| asked.breakpoint_order("cache_control", "/tools"),
    },
    Rule {
        name: "breakpoint-on-blank",
        source: CACHING,
        hint: "move the breakpoint to a block before it that has words",
        find: marked_blanks,
    },
    Rule { name: "text-not-blank", source: MESSAGES, hint: BLANK, find: |asked| asked.blank_blocks("content") },
    Rule { name: "messages-not-empty", source: MESSAGES, hint: NO_MESSAGES, find: |asked| asked.no_messages() },
    Rule { name: "first-is-user", source: MESSAGES, hint: FIRST_USER, find: |asked| asked.first_is_user() },
    Rule {
        name: "roles",
        source: MESSAGES,
        hint: "let the user or the assistant say it; the answer of a tool is a `tool_result` block of the user's",
        find: |asked| {
            asked
                .speakers_but(&["user", "assistant", "system"], "a speaker that is not `user`, `assistant` or `system`")
        },
    },
    Rule {
        name: "system-after-user",
        source: MID_SYSTEM,
        hint: MOVE,
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
        hint: MOVE,
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
        hint: "put it into `system`, or let the user say it",
        find: |asked| match asked.model {
            Some(model) if !model.mid_system => asked.messages_where(
                |_, message, _| message["role"] == "system",
                "the model takes no system message in mid-conversation",
            ),
            _ => Vec::new(),
        },
    },
    Rule { name: "calls-answered", source: TOOLS, hint: UNANSWERED, find: |asked| asked.unanswered(&WORDS) },
    Rule { name: "answer-after-call", source: TOOLS, hint: UNASKED, find: |asked| asked.unasked(&WORDS) },
];

const WORDS: Words = Words {
    call: |block| block["id"].as_str().filter(|_| block["type"] == "tool_use"),
    answer: |block| block["tool_use_id"].as_str().filter(|_| block["type"] == "tool_result"),
};

/// Whether a system message may follow: the user's, or the assistant's if it ends with what a tool of the provider's gave.
fn follows(message: &Value) -> bool {
    let ends_with = message["content"].as_array().and_then(|blocks| blocks.last()?["type"].as_str());
    is_users(message) || (is_assistants(message) && ends_with.is_some_and(|of_type| of_type.ends_with("_tool_result")))
}

fn marked_blanks(asked: &Asked<'_>) -> Vec<Found> {
    let system = asked.request.get("system").map(|blocks| ("/system".to_owned(), blocks));
    let said = asked.messages().iter().enumerate();
    let said = said.map(|(at, message)| (format!("{}/content", asked.at(at)), &message["content"]));
    let lists = system.into_iter().chain(said);
    let broken = lists.flat_map(|(pointer, blocks)| {
        let blocks = blocks.as_array().into_iter().flatten().enumerate().filter(|(_, block)| is_marked_blank(block));
        blocks.map(move |(at, block)| {
            let of_type = block["type"].as_str().unwrap_or_default();
            (
                format!("{pointer}/{at}"),
                format!("a breakpoint on a block of type `{of_type}` that has no words to cache"),
            )
        })
    });
    broken.collect()
}

fn is_marked_blank(block: &Value) -> bool {
    let of_type = block["type"].as_str().unwrap_or_default();
    let is_blank = block["text"].as_str().is_some_and(|text| text.trim().is_empty());
    block.get("cache_control").is_some_and(|marker| !marker.is_null()) && (is_blank || of_type.ends_with("thinking"))
}
