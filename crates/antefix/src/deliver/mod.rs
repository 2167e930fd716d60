//! Stage four: a turn becomes the fragment of a provider's request.
//!
//! 1. A [`Fragment`] is JSON to merge into a request: system blocks or messages, canonical tools, messages, cache keys and
//!    breakpoints, each in the provider's exact shape. Its bytes are ours, whatever features serde_json has.
//! 2. The same epoch gives the same bytes of the whole prefix form, turn after turn: block boundaries, markers, tools.
//! 3. What moves goes behind the history: a system message in mid-conversation where the model takes one, else a framed
//!    message. A notice stays where it was when it was new, so that the history before and after it stays cached.
//! 4. A [`Receipt`] says which bytes went where, and what could not be expressed and was done instead. Nothing is dropped
//!    without a word.
//!
//! This stage knows no network: it says what to send, and sends nothing. [`observe`](crate::observe) reads what came back.

mod anthropic;
mod bedrock;
mod breakpoint;
mod content;
mod fragment;
mod gemini;
mod messages;
mod meta;
mod ollama;
mod openai;
mod plain;
mod receipt;
mod route;
mod sections;
mod target;

pub use content::{Content, Notice};
pub use fragment::Fragment;
pub use gemini::cached_contents;
pub use meta::prompt_in_meta;
pub use receipt::{Part, Receipt, Substitution};
pub use route::{Agent, Arrival, Beginning, KNOWN_AGENTS, KnownAgent, Mode, Route, SystemField, Way, route};
pub use sections::{SaidSection, renewal, said_sections};
pub use target::Target;

use crate::error::Result;
use crate::models::Model;
use crate::tokens::Tokenizer;

/// What to send, and the proof of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// To merge into the request.
    pub fragment: Fragment,
    /// Which bytes went where.
    pub receipt: Receipt,
}

impl Delivery {
    /// The same delivery, with the tokens of its prefix in the receipt. It takes time, and nothing but
    /// [`reading`](crate::deliver#reading-what-came-back) needs it.
    #[must_use]
    pub fn counted(mut self, tokenizer: &Tokenizer) -> Delivery {
        self.receipt.count(&self.fragment, tokenizer);
        self
    }

    /// The fragment's bytes: keys in order, no white space.
    pub fn bytes(&self) -> String {
        self.fragment.bytes()
    }
}

/// Delivers a turn's content to a target, for a model of the table; without one, the target's safest form is taken.
pub fn deliver(content: &Content<'_>, target: Target, model: Option<&Model>) -> Result<Delivery> {
    let mut receipt = Receipt::new(target, model, content);
    let mut fragment = Fragment::default();
    match target {
        Target::Anthropic => anthropic::fill(content, model, &mut fragment, &mut receipt),
        Target::OpenAiChat => openai::fill_chat(content, model, &mut fragment, &mut receipt),
        Target::OpenAiResponses => openai::fill_responses(content, model, &mut fragment, &mut receipt),
        Target::Gemini => gemini::fill(content, model, &mut fragment, &mut receipt),
        Target::Bedrock => bedrock::fill(content, model, &mut fragment, &mut receipt),
        Target::Ollama => ollama::fill(content, model, &mut fragment, &mut receipt),
        Target::Acp => plain::fill_acp(content, &mut fragment, &mut receipt),
        Target::Plain => plain::fill(content, &mut fragment, &mut receipt),
    }?;
    receipt.close(content.messages);
    Ok(Delivery { fragment, receipt })
}
