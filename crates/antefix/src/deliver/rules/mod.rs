//! What providers refuse, as tables of rules that a request can be held against.
//!
//! 1. One table a provider, one row a rule: its name, the page or the report that says so, what to do, and how a breach is found.
//! 2. Deliveries keep all rules as far as a caller's own messages can be kept to them; a property over generated histories holds them
//!    to it, and so does `antefix check --for`.
//! 3. A rule that is not here is not known to be one. What no rule forbids may be refused all the same.
//! 4. What a request does not have is not held against it: a fragment without messages is one whose caller has them.
//!
//! ```
//! use antefix::deliver::Target;
//! use antefix::deliver::rules::breaches;
//! use serde_json::json;
//!
//! let request = json!({"messages": [{"role": "user", "content": "Hello"}], "tools": []});
//! let found = breaches(&request, Target::OpenAiChat, None);
//! assert_eq!((found[0].rule, found[0].pointer.as_str()), ("tools-not-empty", "/tools"));
//! ```

mod anthropic;
mod bedrock;
mod breakpoints;
mod calls;
mod gemini;
mod openai;

use serde_json::Value;

use super::Target;
use crate::diagnostic::{Code, Diagnostic, Level, Subject};
use crate::models::Model;

/// A rule of a provider's that a request breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// The name of the rule.
    pub rule: &'static str,
    /// Where the request breaks it, as a JSON pointer; empty for the whole request.
    pub pointer: String,
    /// What is wrong, in words for people.
    pub message: String,
    /// What to do about it.
    pub hint: &'static str,
    /// The page or the report that says that this is refused.
    pub source: &'static str,
}

impl Breach {
    /// The breach as a finding.
    pub fn to_diagnostic(&self) -> Diagnostic {
        let Breach { rule, pointer, message, hint, source } = self;
        let place = if pointer.is_empty() { String::new() } else { format!("{pointer}: ") };
        let about =
            Subject::Request { pointer: pointer.clone(), rule: (*rule).to_owned(), source: (*source).to_owned() };
        Diagnostic::new(Level::Error, Code::RefusedByProvider, format!("{place}{message}"))
            .about(about)
            .hint(format!("{hint} (rule {rule}, {source})"))
    }
}

/// A row of a table.
pub(super) struct Rule {
    name: &'static str,
    source: &'static str,
    hint: &'static str,
    find: fn(&Asked<'_>) -> Vec<Found>,
}

/// Where a request breaks a rule, as a JSON pointer, and what is wrong there.
type Found = (String, String);

/// A request, and the model that it is for.
pub(super) struct Asked<'r> {
    request: &'r Value,
    key: &'static str,
    model: Option<&'r Model>,
}

/// The rules that a request breaks.
pub fn breaches(request: &Value, target: Target, model: Option<&Model>) -> Vec<Breach> {
    let asked = Asked { request, key: target.messages_key(), model };
    let broken = table(target).iter().flat_map(|rule| {
        let found = (rule.find)(&asked).into_iter();
        found.map(|(pointer, message)| {
            let Rule { name, source, hint, .. } = *rule;
            Breach { rule: name, pointer, message, hint, source }
        })
    });
    broken.collect()
}

/// The names of the rules that a target's requests are held against, in the order of the table.
pub fn names(target: Target) -> impl Iterator<Item = &'static str> {
    table(target).iter().map(|rule| rule.name)
}

fn table(target: Target) -> &'static [Rule] {
    match target {
        Target::Anthropic => &anthropic::RULES,
        Target::OpenAiChat => &openai::CHAT,
        Target::OpenAiResponses => &openai::RESPONSES,
        Target::Gemini => &gemini::RULES,
        Target::Bedrock => &bedrock::RULES,
        Target::Ollama | Target::Acp | Target::Plain => &[],
    }
}

impl<'r> Asked<'r> {
    fn messages(&self) -> &'r [Value] {
        self.request.get(self.key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    fn at(&self, number: usize) -> String {
        format!("/{}/{number}", self.key)
    }

    /// The messages for which a test of their neighbors fails.
    fn messages_where(
        &self,
        is_broken: impl Fn(Option<&Value>, &Value, Option<&Value>) -> bool,
        message: &str,
    ) -> Vec<Found> {
        let messages = self.messages();
        let broken = (0..messages.len()).filter(|at| {
            let before = at.checked_sub(1).and_then(|before| messages.get(before));
            is_broken(before, &messages[*at], messages.get(at + 1))
        });
        broken.map(|at| (self.at(at), message.to_owned())).collect()
    }

    /// Messages whose speaker is none of these. What has no role is no message.
    fn speakers_but(&self, known: &[&str], message: &str) -> Vec<Found> {
        self.messages_where(|_, one, _| one["role"].as_str().is_some_and(|role| !known.contains(&role)), message)
    }

    /// A list of messages that is there and has none.
    fn no_messages(&self) -> Vec<Found> {
        match self.request.get(self.key) {
            Some(Value::Array(messages)) if messages.is_empty() => {
                vec![(format!("/{}", self.key), "there is no message".to_owned())]
            }
            _ => Vec::new(),
        }
    }

    /// A first message that is not the user's.
    fn first_is_user(&self) -> Vec<Found> {
        match self.messages().first() {
            Some(first) if first["role"] != "user" => {
                vec![(self.at(0), "the first message is not the user's".to_owned())]
            }
            _ => Vec::new(),
        }
    }

    /// Blocks with a text that has no word in it.
    fn blank_blocks(&self, key: &str) -> Vec<Found> {
        let mut found = Vec::new();
        for (number, message) in self.messages().iter().enumerate() {
            match &message[key] {
                Value::String(text) if text.trim().is_empty() => {
                    found.push((self.at(number), "the message is blank".to_owned()));
                }
                Value::Array(blocks) if blocks.is_empty() => {
                    found.push((self.at(number), "the message has no block".to_owned()));
                }
                Value::Array(blocks) => {
                    let blank = |block: &Value| block["text"].as_str().is_some_and(|text| text.trim().is_empty());
                    let blank = blocks.iter().enumerate().filter(|(_, block)| blank(block));
                    found.extend(
                        blank.map(|(at, _)| {
                            (format!("{}/{key}/{at}", self.at(number)), "the block is blank".to_owned())
                        }),
                    );
                }
                _ => {}
            }
        }
        found
    }

    /// An empty list of tools.
    fn no_tools(&self, pointer: &str) -> Vec<Found> {
        match self.request.pointer(pointer).and_then(Value::as_array) {
            Some(tools) if tools.is_empty() => vec![(pointer.to_owned(), "the list of tools is empty".to_owned())],
            _ => Vec::new(),
        }
    }
}

/// What to do, where several tables have the same rule.
const NO_MESSAGES: &str = "send at least one message";
const NO_TOOLS: &str = "leave the list out if there are no tools";
const BLANK: &str = "leave out blocks and messages without a word";
const FIRST_USER: &str = "begin the list with what the user said";
const UNANSWERED: &str =
    "put the answer of every call directly behind it; for a call that was interrupted, say that in its place";
const UNASKED: &str = "leave the answer out, or put back the call that it answers";
const TOO_MANY: &str = "take away some of your own breakpoints: antefix counts them and places its own in what is left";
const LONG_FIRST: &str = "give all breakpoints before it a lifetime that is at least as long";
