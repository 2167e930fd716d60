//! What a provider itself says about its cache, where it was asked to compare two requests.

use serde_json::Value;

use super::usage::count;
use crate::error::Result;

/// A provider's own verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// Everything could be used again.
    Hit,
    /// Not everything could be used again.
    Miss {
        /// Why, in the provider's own word: `system_changed`, `tools_changed`, `prompt_cache_key_changed`.
        reason: String,
        /// How many tokens would have been read otherwise, by the provider's estimate.
        missed: Option<usize>,
    },
    /// It does not know: the answer came first, the other request is not there, or no comparison is to be had.
    Unknown(String),
}

impl Said {
    /// Reads Anthropic's `diagnostics` or OpenAI's `prompt_cache_diagnostics` out of a response; none if it has neither.
    pub(super) fn read(body: &Value) -> Result<Option<Said>> {
        if let Some(diagnostics) = body.get("diagnostics").filter(|value| value.is_object()) {
            return anthropic(diagnostics.get("cache_miss_reason"));
        }
        match body.get("prompt_cache_diagnostics").filter(|value| value.is_object()) {
            Some(diagnostics) => openai(diagnostics).map(Some),
            None => Ok(None),
        }
    }
}

impl Said {
    /// Anthropic's word as it is kept in a transcript; none if there is none, or it cannot be read.
    pub(super) fn of_anthropic(reason: Option<&Value>) -> Option<Said> {
        anthropic(reason.filter(|reason| !reason.is_null())).ok().flatten()
    }
}

fn anthropic(reason: Option<&Value>) -> Result<Option<Said>> {
    let Some(reason) = reason else { return Ok(None) };
    if reason.is_null() {
        return Ok(Some(Said::Unknown("pending".to_owned())));
    }
    let word = word(reason.get("type"));
    Ok(Some(match word.as_str() {
        "previous_message_not_found" | "unavailable" => Said::Unknown(word),
        _ => Said::Miss { reason: word, missed: count(reason, "cache_missed_input_tokens")? },
    }))
}

fn openai(diagnostics: &Value) -> Result<Said> {
    let kind = word(diagnostics.get("type"));
    Ok(match kind.as_str() {
        "cache_hit" => Said::Hit,
        "cache_miss" => {
            Said::Miss { reason: word(diagnostics.get("reason")), missed: count(diagnostics, "cache_missed_tokens")? }
        }
        _ => Said::Unknown(kind),
    })
}

/// A word of the provider's. It is printed, so it is one word or none.
fn word(value: Option<&Value>) -> String {
    let is_word = |text: &&str| {
        (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    value.and_then(Value::as_str).filter(is_word).unwrap_or("unreadable").to_owned()
}
