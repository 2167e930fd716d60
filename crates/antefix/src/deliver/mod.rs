//! Stage four: a turn becomes the fragment of a provider's request.
//!
//! 1. A [`Fragment`] is JSON to merge into a request: system blocks or messages, canonical tools, messages, cache keys and
//!    breakpoints, each in the provider's exact shape. Its bytes are ours, whatever features serde_json has.
//! 2. The same epoch gives the same bytes of the whole prefix form, turn after turn: block boundaries, markers, tools.
//! 3. What moves goes behind the history: a system message in mid-conversation where the model takes one, else a framed
//!    message. A notice stays where it was when it was new, and so does what is put between the caller's messages, so that the
//!    history before and after it stays cached.
//! 4. A [`Receipt`] says which bytes went where, and what could not be expressed and was done instead. Nothing is dropped
//!    without a word.
//!
//! This stage knows no network: it says what to send, and sends nothing. [`observe`](crate::observe) reads what came back.

mod anthropic;
mod bedrock;
mod blocks;
mod breakpoint;
mod comparison;
mod content;
mod fragment;
mod gemini;
mod lifetime;
mod marks;
mod messages;
mod meta;
mod ollama;
mod openai;
mod places;
mod plain;
mod receipt;
mod repair;
mod route;
pub mod rules;
mod sections;
mod target;
mod tool_account;
mod tools;

pub use blocks::Block;
pub use comparison::check_response_id;
pub use content::{ChangedTools, Content, Inserted, Notice, NoticeKind, Speaker};
pub use fragment::Fragment;
pub use gemini::cached_contents;
pub use meta::prompt_in_meta;
pub use receipt::{Part, Receipt, Substitution};
pub use route::{Agent, Arrival, Beginning, Mode, Route, SystemField, Way, route};
pub use sections::{SaidSection, renewal, said_sections};
pub use target::Target;
pub use tool_account::{AccountedTool, ToolAccount};

pub(crate) use places::{end_of, place};

use std::collections::BTreeMap;

use serde_json::Value;

use crate::error::Result;
use crate::models::Model;
use crate::tokens::Tokenizer;

/// What to send, and the proof of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// To merge into the request.
    pub fragment: Fragment,
    /// To append to the request's own messages, for this request alone: what a turn has to say behind a conversation that its caller
    /// keeps to itself. None if the caller has handed its messages over, because then all of it is in the fragment.
    pub append: Option<Vec<Value>>,
    /// What to send with the request's own headers: where two have one name, join their values with a comma.
    pub headers: BTreeMap<String, String>,
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

    /// The bytes of the request that has these members besides: keys in order, no white space. This is the one way to merge that is
    /// always right.
    ///
    /// A member of the fragment counts instead of one of the same name. A `tool_choice` of both is the narrower one, and only the messages of a caller who did not hand them over are
    /// its own: then the fragment's come first, these behind them, and [`append`](Delivery::append) last.
    ///
    /// ```
    /// # use antefix::deliver::{Content, Target, deliver};
    /// # use serde_json::json;
    /// let delivery = deliver(&Content::new("Be brief.", 0, "It is noon."), Target::Ollama, None)?;
    /// let own = json!([{"role": "user", "content": "Where is the parser?"}]);
    /// let request: serde_json::Value = serde_json::from_str(&delivery.request([("messages", own)])).unwrap();
    /// let roles = request["messages"].as_array().unwrap().iter().map(|message| message["role"].as_str().unwrap());
    /// assert!(roles.eq(["system", "user", "user"]));
    /// # Ok::<_, antefix::Error>(())
    /// ```
    pub fn request<K: Into<String>>(&self, own: impl IntoIterator<Item = (K, Value)>) -> String {
        let mut own: BTreeMap<String, Value> = own.into_iter().map(|(key, value)| (key.into(), value)).collect();
        let target = Target::parse(&self.receipt.target).unwrap_or(Target::Plain);
        let Some(append) = &self.append else { return self.fragment.request(own) };
        let key = target.messages_key();
        let mut messages = self.fragment.list(key);
        let own_messages = match own.remove(key) {
            Some(Value::Array(list)) => list,
            other => other.into_iter().collect(),
        };
        for message in own_messages.iter().chain(append) {
            // Converse wants users and assistants to take turns.
            let last = messages.last_mut().filter(|last| target == Target::Bedrock && last["role"] == message["role"]);
            match (last.and_then(|last| last["content"].as_array_mut()), message["content"].as_array()) {
                (Some(blocks), Some(more)) => blocks.extend(more.iter().cloned()),
                _ => messages.push(message.clone()),
            }
        }
        let list = (!messages.is_empty()).then_some((key.to_owned(), Value::Array(messages)));
        self.fragment.request_with(own, list)
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
    let allowed = tools::allowed(content, target, model, &mut fragment, &mut receipt)?;
    let content = allowed.as_ref().unwrap_or(content);
    let folded = tools::folded(content, target, model, &mut receipt);
    let content = folded.as_ref().unwrap_or(content);
    let loaded = tools::loaded(content, target, model, &mut receipt);
    let content = loaded.as_ref().unwrap_or(content);
    let has_messages = !matches!(target, Target::Plain | Target::Acp);
    let behind = content.with_behind().filter(|_| has_messages);
    let content = behind.as_ref().unwrap_or(content);
    let marked = marks::repaired(content, target, model, &mut receipt);
    let marked = marked.as_deref().map(|messages| Content { messages: Some(messages), ..content.clone() });
    let content = marked.as_ref().unwrap_or(content);
    let append = match target {
        Target::Anthropic => anthropic::fill(content, model, &mut fragment, &mut receipt),
        Target::OpenAiChat => openai::fill_chat(content, model, &mut fragment, &mut receipt),
        Target::OpenAiResponses => openai::fill_responses(content, model, &mut fragment, &mut receipt),
        Target::Gemini => gemini::fill(content, model, &mut fragment, &mut receipt),
        Target::Bedrock => bedrock::fill(content, model, &mut fragment, &mut receipt),
        Target::Ollama => ollama::fill(content, model, &mut fragment, &mut receipt),
        Target::Acp => plain::fill_acp(content, &mut fragment, &mut receipt),
        Target::Plain => plain::fill(content, &mut fragment, &mut receipt),
    }?;
    comparison::fill(content, target, model, &mut fragment, &mut receipt);
    receipt.close(content.conversation());
    // An agent of the Agent Client Protocol has the history itself, whoever else has it.
    let is_kept = content.messages.is_none() || target == Target::Acp;
    let betas = receipt.betas.join(",");
    let headers = (!betas.is_empty()).then(|| ("anthropic-beta".to_owned(), betas)).into_iter().collect();
    Ok(Delivery { fragment, append: is_kept.then_some(append), headers, receipt })
}
