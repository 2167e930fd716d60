//! What a provider's cache does with requests, by the rules that the provider publishes.
//!
//! 1. A request becomes blocks in the order in which its provider reads them, each with its tokens and its marker. What only
//!    a marker changes is the same block.
//! 2. Each provider has a file: Anthropic with its breakpoints, OpenAI before and from GPT-5.6 on, Gemini, DeepSeek.
//!    Every rule names its source there, and what no source says is an assumption that is called one.
//! 3. Nothing is random, and nobody is asked: the same requests at the same times are billed the same.
//!
//! A cache that works by its rules is the best that can be expected. Real ones also lose entries that they promised.

mod anthropic;
mod automatic;
mod deepseek;
mod gemini;
mod openai;
mod request;

#[cfg(all(test, feature = "tokens"))]
mod tests;

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Billed, SentRequest};
use crate::deliver::Target;
use crate::error::{Error, ErrorKind, Result};
use crate::models::{Model, Provider};
use crate::text::Digest;
use request::Prompt;
pub(in crate::observe) use request::seconds;

/// Seconds from the beginning of a request until what it writes can be read.
///
/// Anthropic: an entry can be read "only after the first response begins". How long that takes is not in any document: two
/// seconds is an assumption, for all providers. It decides only what requests at the same moment do to each other.
const UNTIL_READABLE: u64 = 2;

/// The cache of one model, as one account sees it.
///
/// ```
/// use antefix::models::Models;
/// use antefix::observe::Simulator;
/// use antefix::Target;
/// use serde_json::json;
///
/// let (opus, _) = Models::built_in().find("claude-opus-5").unwrap();
/// let mut simulator = Simulator::new(&opus);
/// let request = json!({
///     "system": [{"type": "text", "text": "Be brief. ".repeat(500), "cache_control": {"type": "ephemeral"}}],
///     "messages": [{"role": "user", "content": "Hello."}],
/// });
/// # if antefix::tokens::are_counted() {
/// let first = simulator.send(0, Target::Anthropic, &request)?;
/// let second = simulator.send(60, Target::Anthropic, &request)?;
/// let late = simulator.send(60 + 301, Target::Anthropic, &request)?;
/// assert_eq!((first.read, first.written > 512), (0, true));
/// assert_eq!((second.read, second.written), (first.written, 0));
/// assert_eq!(late, first, "five minutes are over");
/// # }
/// # Ok::<(), antefix::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Simulator {
    model: Model,
    rules: Rules,
    entries: Entries,
}

/// Which rules a cache has.
#[derive(Debug, Clone)]
enum Rules {
    Anthropic,
    OpenAiBreakpoints,
    Automatic(automatic::Numbers),
    DeepSeek(deepseek::Units),
    None,
}

impl Simulator {
    /// An empty cache.
    pub fn new(model: &Model) -> Simulator {
        let reads = model.prices.is_none_or(|prices| prices.read.is_some());
        let rules = match model.provider {
            _ if !reads => Rules::None,
            Provider::Anthropic | Provider::Bedrock if model.explicit_breakpoints => Rules::Anthropic,
            Provider::Anthropic | Provider::Bedrock => Rules::None,
            Provider::OpenAi if model.explicit_breakpoints => Rules::OpenAiBreakpoints,
            Provider::OpenAi => Rules::Automatic(openai::before_breakpoints(model)),
            Provider::DeepSeek => Rules::DeepSeek(deepseek::Units::default()),
            Provider::Gemini => Rules::Automatic(gemini::implicit(model)),
            Provider::Groq | Provider::Mistral | Provider::Moonshot | Provider::Xai => {
                Rules::Automatic(automatic::Numbers::of(model))
            }
        };
        Simulator { model: model.clone(), rules, entries: Entries::default() }
    }

    /// Sends a request, so many seconds after some beginning that all requests share, and says what its input is billed as.
    ///
    /// Requests are sent in the order of their times. One that the provider would refuse for its breakpoints is an error,
    /// and leaves the cache as it was.
    pub fn send(&mut self, at: u64, target: Target, request: &Value) -> Result<Billed> {
        self.send_request(at, &SentRequest::of_value(request, Some(target))?)
    }

    /// The same for a request that was read before.
    pub fn send_request(&mut self, at: u64, request: &SentRequest) -> Result<Billed> {
        let prompt = Prompt::of(request, &self.model);
        match &mut self.rules {
            Rules::Anthropic => anthropic::bill(&mut self.entries, at, &prompt, &self.model),
            Rules::OpenAiBreakpoints => Ok(openai::bill(&mut self.entries, at, &prompt, &self.model)),
            Rules::Automatic(numbers) => Ok(automatic::bill(&mut self.entries, at, &prompt, numbers)),
            Rules::DeepSeek(units) => Ok(units.bill(&mut self.entries, at, &prompt)),
            Rules::None => Ok(Billed { plain: prompt.tokens(), ..Billed::default() }),
        }
    }
}

/// What a cache has, by the digest of everything up to where an entry ends.
#[derive(Debug, Clone, Default)]
struct Entries(BTreeMap<Digest, Entry>);

/// A beginning of requests that is kept.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// From when on it can be read.
    readable: u64,
    /// When a request that wrote or read it began. Anthropic: a lifetime counts "from the start of the request".
    used: u64,
    /// How long it lives without being used, in seconds.
    lifetime: u64,
}

impl Entries {
    /// Whether something can be read now.
    fn has(&self, digest: &Digest, at: u64) -> bool {
        self.0.get(digest).is_some_and(|entry| entry.readable <= at && entry.lives(at))
    }

    /// Keeps something from now on. What is there already is used, and keeps the lifetime that it was written with.
    fn keep(&mut self, digest: Digest, at: u64, lifetime: u64) {
        match self.0.get_mut(&digest) {
            Some(entry) if entry.lives(at) => entry.used = at,
            _ => {
                self.0.insert(digest, Entry { readable: at + UNTIL_READABLE, used: at, lifetime });
            }
        }
    }
}

impl Entry {
    fn lives(&self, at: u64) -> bool {
        at.saturating_sub(self.used) <= self.lifetime
    }
}

/// What a provider answers to a request that breaks its rules for breakpoints.
fn refused(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::Input, why.into())
}
