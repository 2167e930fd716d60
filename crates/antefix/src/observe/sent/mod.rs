//! A request that was sent, by whomever, as blocks in the order in which its provider reads it.
//!
//! 1. Never the bytes of the body: agents write `messages` before `system` before `tools`, move markers on with the conversation, and write
//!    one text as a string now and as a list then. Anthropic reads tools, system, messages; OpenAI tools, instructions, input. Gemini's
//!    order is not published; it is taken for tools, system instruction, contents.
//! 2. A text alone is the same block whether it is in a list or by itself, and whether or not it has a marker. All else is its JSON, in its
//!    own order: providers hash it as it was sent.
//! 3. What changes with every request and costs nothing is no block: the block that begins `x-anthropic-billing-header:` if it is the
//!    first, ids and states of items, labels. What it says is kept apart.
//! 4. What is no text and still decides what is read from a cache is a [`Parameter`].
//! 5. Reading takes time and memory that grow with the body and no faster; a body that is too large is refused.

mod block;
mod json;
mod parameter;
mod reading;
mod which;

use serde_json::Value;

pub use self::block::{BlockKind, Breakpoint, Part, SentBlock};
pub(crate) use self::json::Json;
pub use self::parameter::{Parameter, Reach};
use crate::deliver::Target;
use crate::error::{Error, ErrorKind, Result};
use crate::tokens::{Tokenizer, Tokens};

/// The largest body that is read, in bytes. Anthropic takes 32 MB, the others less.
pub const LARGEST_BODY: usize = 32 * 1024 * 1024;

/// A request that was sent.
///
/// ```
/// use antefix::observe::SentRequest;
///
/// let body = br#"{"model": "claude-opus-5", "messages": [{"role": "user", "content": "Hello."}],
///     "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
///     "tools": [{"name": "mcp__git__log", "description": "History", "input_schema": {}}]}"#;
/// let request = SentRequest::parse(body, None)?;
/// let blocks: Vec<(&str, &str)> = request.blocks.iter().map(|block| (block.pointer.as_str(), block.part.name())).collect();
/// assert_eq!(blocks, [("/tools/0", "tools"), ("/system/0", "system"), ("/messages/0/content", "messages")]);
/// assert_eq!(request.blocks[0].server.as_deref(), Some("git"));
/// assert!(request.blocks[1].breakpoint.is_some());
/// # Ok::<(), antefix::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SentRequest {
    /// Whose shape it has.
    pub target: Target,
    /// The model that it names.
    pub model: Option<String>,
    /// What is no text and still decides what is read from a cache.
    pub parameters: Vec<Parameter>,
    /// What the provider reads, in its order.
    pub blocks: Vec<SentBlock>,
    /// What the agent says about itself and the request, by name: fields of a billing block, ids of threads and of the answer before.
    pub facts: Vec<(String, String)>,
    /// The marker of the request as a whole, which Anthropic puts at the last block.
    pub automatic: Option<Breakpoint>,
    /// Whether OpenAI is to set no breakpoint by itself.
    pub(crate) explicit: bool,
    /// The lifetime that OpenAI is asked for, for all breakpoints, in seconds.
    pub(crate) lifetime: Option<u64>,
    /// How many tools it defers: they are no part of what is cached.
    pub deferred: usize,
    /// The size of the body, in bytes.
    pub bytes: usize,
}

impl SentRequest {
    /// Reads the body of a request. `target` is whose shape it has, if that is known; otherwise it is seen from its keys.
    pub fn parse(body: &[u8], target: Option<Target>) -> Result<SentRequest> {
        if body.len() > LARGEST_BODY {
            let message = format!("the request has {} bytes; at most {LARGEST_BODY} are read", body.len());
            return Err(Error::new(ErrorKind::Input, message));
        }
        let json = Json::parse(body).map_err(|why| {
            let hint = "give the JSON body of a request, as it was sent";
            Error::new(ErrorKind::Input, format!("the request is not JSON: {why}")).with_hint(hint)
        })?;
        let mut request = SentRequest::read(&json, target)?;
        request.bytes = body.len();
        Ok(request)
    }

    /// Reads a request that is JSON already.
    pub fn of_value(value: &Value, target: Option<Target>) -> Result<SentRequest> {
        SentRequest::read(&Json::of(value), target)
    }

    pub(crate) fn read(json: &Json, target: Option<Target>) -> Result<SentRequest> {
        // A frame of Gemini's login, or of a report, has the request within it.
        let inner = json.get("request");
        let body = if inner.has("contents") || inner.has("messages") || inner.has("input") { inner } else { json };
        let target = match target {
            Some(target) => target,
            None => which::target_of(body).ok_or_else(|| unknown(body))?,
        };
        let mut request = SentRequest::empty(target);
        request.model = [body, json].iter().find_map(|one| one.get("model").text()).map(str::to_owned);
        reading::read(body, &mut request);
        Ok(request)
    }

    fn empty(target: Target) -> SentRequest {
        SentRequest {
            target,
            model: None,
            parameters: Vec::new(),
            blocks: Vec::new(),
            facts: Vec::new(),
            automatic: None,
            explicit: false,
            lifetime: None,
            deferred: 0,
            bytes: 0,
        }
    }

    /// What the agent says under a name.
    pub fn fact(&self, name: &str) -> Option<&str> {
        self.facts.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The blocks of a part.
    pub fn of_part(&self, part: Part) -> impl Iterator<Item = &SentBlock> {
        self.blocks.iter().filter(move |block| block.part == part)
    }

    /// With how many blocks another request begins as this one does.
    pub fn common(&self, other: &SentRequest) -> usize {
        self.blocks.iter().zip(&other.blocks).take_while(|(one, other)| one.says_the_same(other)).count()
    }

    /// The tokens of each block. Without the feature `tokens` four bytes have one.
    pub fn tokens(&self, tokenizer: &Tokenizer) -> Vec<Tokens> {
        self.blocks.iter().map(|block| count(&block.text, tokenizer)).collect()
    }
}

/// The tokens of a text; without the feature `tokens` four bytes have one, as in prose and code.
pub(crate) fn count(text: &str, tokenizer: &Tokenizer) -> Tokens {
    tokenizer.count(text).unwrap_or_else(|| tokenizer.of(text.len() / 4))
}

fn unknown(body: &Json) -> Error {
    let keys: Vec<&str> = body.members().iter().map(|(key, _)| key.as_str()).take(5).collect();
    let has = if keys.is_empty() { "it has no keys".to_owned() } else { format!("it has `{}`", keys.join("`, `")) };
    let message = format!("this is not a request of a provider that antefix knows: {has}");
    Error::new(ErrorKind::Input, message).with_hint("name the target if the body has nothing but messages")
}

#[cfg(test)]
mod tests;
