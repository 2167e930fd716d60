//! What Bedrock's Converse refuses.

use serde_json::Value;

use super::calls::Words;
use super::{Asked, BLANK, FIRST_USER, Found, LONG_FIRST, NO_MESSAGES, Rule, TOO_MANY, UNANSWERED, UNASKED};

const CONVERSE: &str = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html";
const CACHING: &str = "https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html";
const TOOLS: &str = "https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html";

pub(super) const RULES: [Rule; 12] = [
    Rule {
        name: "tools-not-empty",
        source: CONVERSE,
        hint: "leave `toolConfig` out if there are no tools",
        find: |asked| asked.no_tools("/toolConfig/tools"),
    },
    Rule { name: "text-not-blank", source: CONVERSE, hint: BLANK, find: |asked| asked.blank_blocks("content") },
    Rule { name: "messages-not-empty", source: CONVERSE, hint: NO_MESSAGES, find: |asked| asked.no_messages() },
    Rule { name: "first-is-user", source: CONVERSE, hint: FIRST_USER, find: |asked| asked.first_is_user() },
    Rule {
        name: "speakers-take-turns",
        source: CONVERSE,
        hint: "join the two to one message with the blocks of both",
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
        hint: "put what the system says into `system`, or into a block of the user's",
        find: |asked| asked.speakers_but(&["user", "assistant"], "a speaker that is neither `user` nor `assistant`"),
    },
    Rule {
        name: "breakpoint-count",
        source: CACHING,
        hint: TOO_MANY,
        find: |asked| asked.breakpoint_count("cachePoint", "/toolConfig/tools"),
    },
    Rule {
        name: "breakpoint-order",
        source: CACHING,
        hint: LONG_FIRST,
        find: |asked| asked.breakpoint_order("cachePoint", "/toolConfig/tools"),
    },
    Rule {
        name: "breakpoint-lifetime",
        source: CACHING,
        hint: "leave `ttl` out: then it is what every model knows",
        find: |asked| asked.breakpoint_lifetimes("cachePoint", "/toolConfig/tools"),
    },
    Rule {
        name: "breakpoint-after-block",
        source: CACHING,
        hint: "put the cache point behind the block that it is to cache",
        find: leading_points,
    },
    Rule { name: "calls-answered", source: TOOLS, hint: UNANSWERED, find: |asked| asked.unanswered(&WORDS) },
    Rule { name: "answer-after-call", source: TOOLS, hint: UNASKED, find: |asked| asked.unasked(&WORDS) },
];

const WORDS: Words = Words {
    call: |block| block["toolUse"]["toolUseId"].as_str(),
    answer: |block| block["toolResult"]["toolUseId"].as_str(),
};

/// Cache points that begin a list, so that nothing is before them.
fn leading_points(asked: &Asked<'_>) -> Vec<Found> {
    let messages = (0..asked.messages().len()).map(|at| format!("{}/content", asked.at(at)));
    let lists = ["/toolConfig/tools", "/system"].map(str::to_owned).into_iter().chain(messages);
    let begins = |list: &String| asked.request.pointer(&format!("{list}/0/cachePoint")).is_some();
    lists.filter(begins).map(|list| (format!("{list}/0"), "a cache point with nothing before it".to_owned())).collect()
}
