//! What a provider says that it billed.
//!
//! 1. A whole response is read, or its usage block alone. Whose it is is seen from its keys.
//! 2. Foreign JSON is an error or an answer, never a panic. A key that is missing or null is not reported; one that is no
//!    count is an error that names it.
//! 3. `input` is all of the input, whatever the provider calls by that name: Anthropic and Bedrock leave out what was
//!    cached, and the others do not.

use serde_json::Value;

use super::Said;
use crate::deliver::Target;
use crate::error::{Error, ErrorKind, Result};

/// What was billed for a request's input, in tokens. None is "not reported".
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// Whose shape the block has.
    pub target: Target,
    /// All input tokens, cached or not.
    pub input: Option<usize>,
    /// Those that were read from the cache.
    pub read: Option<usize>,
    /// Those that were written to it.
    pub write: Option<usize>,
    /// Those of them that were written for the longer lifetime.
    pub long_write: Option<usize>,
    /// Those that the model wrote, its thinking among them.
    pub output: Option<usize>,
    /// What the provider itself says about its cache.
    pub said: Option<Said>,
}

impl Usage {
    /// Reads a response or its usage block. `target` is where the request went, if that is known: a block of another shape
    /// is an error then.
    ///
    /// ```
    /// use antefix::deliver::Target;
    /// use antefix::observe::Usage;
    /// let usage = r#"{"input_tokens": 12, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 0}"#;
    /// let usage = Usage::parse(usage, None)?;
    /// assert_eq!((usage.target, usage.input, usage.read), (Target::Anthropic, Some(912), Some(900)));
    /// # Ok::<(), antefix::Error>(())
    /// ```
    pub fn parse(text: &str, target: Option<Target>) -> Result<Usage> {
        let value: Value =
            serde_json::from_str(text).map_err(|error| wrong(format!("the usage is not JSON: {error}")))?;
        // An event of a stream has the message, or the response, within it.
        let has_usage = |value: &&Value| value.get("usage").is_some();
        let within = ["message", "response"].iter().find_map(|key| value.get(key).filter(has_usage));
        let body = within.unwrap_or(&value);
        let block = ["usage", "usageMetadata"].iter().find_map(|key| body.get(key).filter(|value| value.is_object()));
        let block = block.unwrap_or(body);
        let shape = shape(block, target)?;
        let mut usage = read(block, shape)?;
        usage.said = Said::read(body)?;
        Ok(usage)
    }
}

impl Usage {
    /// The last event of a stream may say what was written, and nothing else.
    pub(super) fn parse_output(text: &str) -> Result<Usage> {
        let value: Value = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
        let output = value.get("usage").map_or(Ok(None), |block| count(block, "output_tokens"))?;
        let output = Some(output.ok_or_else(|| wrong("it says nothing of what was written".to_owned()))?);
        Ok(Usage {
            target: Target::Anthropic,
            input: None,
            read: None,
            write: None,
            long_write: None,
            output,
            said: None,
        })
    }

    /// The same, with what a later event says. Figures are cumulative.
    pub(super) fn overwritten_by(self, later: Usage) -> Usage {
        // An event that leaves out what was cached says nothing of the input as a whole.
        let is_whole = later.read.is_some() || later.write.is_some() || (self.read.is_none() && self.write.is_none());
        Usage {
            target: self.target,
            input: later.input.filter(|_| is_whole).or(self.input),
            read: later.read.or(self.read),
            write: later.write.or(self.write),
            long_write: later.long_write.or(self.long_write),
            output: later.output.or(self.output),
            said: later.said.or(self.said),
        }
    }
}

/// The keys by which a block is known, in the order in which they decide.
const KEYS: [(&str, Target); 13] = [
    ("inputTokens", Target::Bedrock),
    ("cacheReadInputTokens", Target::Bedrock),
    ("promptTokenCount", Target::Gemini),
    ("cachedContentTokenCount", Target::Gemini),
    ("prompt_tokens", Target::OpenAiChat),
    ("prompt_eval_count", Target::Ollama),
    ("prompt_eval_duration", Target::Ollama),
    ("input_tokens_details", Target::OpenAiResponses),
    ("cache_read_input_tokens", Target::Anthropic),
    ("cache_creation_input_tokens", Target::Anthropic),
    ("cache_creation", Target::Anthropic),
    // Both say the rest, and only one of them a total.
    ("total_tokens", Target::OpenAiResponses),
    ("input_tokens", Target::Anthropic),
];

/// Whose a block is.
fn shape(block: &Value, target: Option<Target>) -> Result<Target> {
    let known = KEYS.iter().find(|(key, _)| block.get(key).is_some()).map(|(key, target)| (*key, *target));
    let Some((key, shape)) = known else {
        let keys: Vec<&str> = block.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).take(5).collect();
        let has = if keys.is_empty() { "it has no keys".to_owned() } else { format!("it has `{}`", keys.join("`, `")) };
        return Err(wrong(format!("this is not a usage block of a provider that antefix knows: {has}")));
    };
    // What every provider may say does not distinguish them.
    let unclear = matches!(key, "total_tokens" | "input_tokens");
    match target {
        Some(target @ (Target::Anthropic | Target::OpenAiResponses)) if unclear => Ok(target),
        Some(target) if target != shape && !matches!(target, Target::Plain | Target::Acp) => {
            let message =
                format!("the usage has the shape of {}, and the request went to {}", shape.name(), target.name());
            Err(wrong(message))
        }
        _ => Ok(shape),
    }
}

fn read(block: &Value, target: Target) -> Result<Usage> {
    let mut usage = Usage { target, input: None, read: None, write: None, long_write: None, output: None, said: None };
    let nothing = Value::Null;
    let within = |key: &str| block.get(key).unwrap_or(&nothing);
    usage.output = match target {
        Target::Gemini => {
            let (said, thought) = (count(block, "candidatesTokenCount")?, count(block, "thoughtsTokenCount")?);
            said.map(|said| said.saturating_add(thought.unwrap_or(0))).or(thought)
        }
        Target::Bedrock => count(block, "outputTokens")?,
        Target::OpenAiChat => count(block, "completion_tokens")?,
        Target::Ollama => count(block, "eval_count")?,
        Target::Anthropic | Target::OpenAiResponses | Target::Plain | Target::Acp => count(block, "output_tokens")?,
    };
    match target {
        Target::Anthropic | Target::Bedrock => {
            let (fresh, read, write) = match target {
                Target::Bedrock => ("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"),
                _ => ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"),
            };
            usage.read = count(block, read)?;
            usage.write = count(block, write)?;
            usage.long_write = match target {
                Target::Bedrock => hours(within("cacheDetails"))?,
                _ => count(within("cache_creation"), "ephemeral_1h_input_tokens")?,
            };
            let cached = usage.read.unwrap_or(0).saturating_add(usage.write.unwrap_or(0));
            usage.input = count(block, fresh)?.map(|fresh| fresh.saturating_add(cached));
        }
        Target::OpenAiChat => {
            let details = within("prompt_tokens_details");
            usage.input = count(block, "prompt_tokens")?;
            // DeepSeek and Moonshot speak like OpenAI, and have words of their own for this.
            usage.read = first([
                count(details, "cached_tokens")?,
                count(block, "prompt_cache_hit_tokens")?,
                count(block, "cached_tokens")?,
            ]);
            usage.write = count(details, "cache_write_tokens")?;
            usage.long_write = count(&details["cache_write_tokens_details"], "ttl_12h_tokens")?;
        }
        Target::OpenAiResponses => {
            let details = within("input_tokens_details");
            usage.input = count(block, "input_tokens")?;
            usage.read = count(details, "cached_tokens")?;
            usage.write = count(details, "cache_write_tokens")?;
            usage.long_write = count(&details["cache_write_tokens_details"], "ttl_12h_tokens")?;
        }
        Target::Gemini => {
            usage.input = count(block, "promptTokenCount")?;
            usage.read = count(block, "cachedContentTokenCount")?;
        }
        Target::Ollama | Target::Plain | Target::Acp => usage.input = count(block, "prompt_eval_count")?,
    }
    Ok(usage)
}

/// What Bedrock wrote for an hour: a list of lifetimes and counts.
fn hours(details: &Value) -> Result<Option<usize>> {
    let hour = details.as_array().into_iter().flatten().find(|one| one["ttl"] == "1h");
    hour.map_or(Ok(None), |hour| count(hour, "inputTokens"))
}

fn first<const N: usize>(counts: [Option<usize>; N]) -> Option<usize> {
    counts.into_iter().flatten().next()
}

/// A count under a key; none if it is not reported.
pub(super) fn count(block: &Value, key: &str) -> Result<Option<usize>> {
    match block.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_u64().and_then(|count| usize::try_from(count).ok()) {
            Some(count) => Ok(Some(count)),
            None => Err(wrong(format!("`{key}` of the usage is not a count of tokens"))),
        },
    }
}

fn wrong(message: String) -> Error {
    let hint = "give the provider's response as it came, or its usage block";
    Error::new(ErrorKind::Usage, message).with_hint(hint)
}
