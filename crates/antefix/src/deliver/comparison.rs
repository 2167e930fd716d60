//! The provider's own comparison of a request with the one before it.
//!
//! 1. A provider says why its cache was missed only if the request names the response before it.
//! 2. Only ids that a provider gave are sent: one that nobody gave fails without a word. See [`check_response_id`].
//! 3. Where no comparison is to be had, the id is left out, and the receipt says so.

use serde_json::{Value, json};

use super::{Content, Fragment, Receipt, Target};
use crate::error::{Error, ErrorKind, Result};
use crate::models::{Model, Provider};

/// How the ids of responses begin: those of Anthropic's, of OpenAI's Responses, and of Chat Completions.
const BEGINNINGS: [&str; 3] = ["msg_", "resp_", "chatcmpl-"];

/// The most bytes of an id.
const LONGEST: usize = 200;

/// Whether a text can be the id of a response that a provider gave.
pub fn check_response_id(id: &str) -> Result<()> {
    let rest = BEGINNINGS.iter().find_map(|beginning| id.strip_prefix(beginning)).unwrap_or_default();
    let is_plain = rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if is_plain && !rest.is_empty() && id.len() <= LONGEST {
        return Ok(());
    }
    let error = Error::new(ErrorKind::Input, "`previous_response` is not the id of a response");
    Err(error.with_hint("give the `id` of the provider's last response: it begins with `msg_`, `resp_` or `chatcmpl-`"))
}

/// Asks for the comparison.
pub(super) fn fill(
    content: &Content<'_>,
    target: Target,
    model: Option<&Model>,
    fragment: &mut Fragment,
    receipt: &mut Receipt,
) {
    let Some(id) = content.previous_response else { return };
    match refusal(id, target, model) {
        Some(why) => receipt.instead("comparison with the last response", format!("left out: {why}")),
        None => {
            match target {
                Target::Anthropic => fragment.insert("diagnostics", json!({"previous_message_id": id})),
                _ => fragment.insert_within("prompt_cache_options", "comparison_response_id", Value::from(id)),
            }
            receipt.compared_with = Some(id.to_owned());
        }
    }
}

/// Why the provider cannot be asked; none if it can be.
fn refusal(id: &str, target: Target, model: Option<&Model>) -> Option<&'static str> {
    let is_known = match target {
        Target::Anthropic => id.starts_with("msg_"),
        Target::OpenAiResponses => id.starts_with("resp_"),
        _ => return Some("the target compares no requests"),
    };
    if !is_known {
        return Some("the id is that of another provider's response");
    }
    match (target, model) {
        (_, None) => Some("whether the model's provider compares requests is not known"),
        (Target::Anthropic, Some(model)) if model.provider != Provider::Anthropic => {
            Some("only Anthropic's own API compares requests")
        }
        (Target::OpenAiResponses, Some(model)) if model.provider != Provider::OpenAi || !model.explicit_breakpoints => {
            Some("OpenAI compares requests from GPT-5.6 on")
        }
        _ => None,
    }
}
