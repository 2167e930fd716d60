//! What providers refuse, as tables of rules that a request can be held against.
//!
//! 1. One table a provider, one row a rule: its name, the page or the report that says so, and how a breach is found.
//! 2. Deliveries keep all rules as far as a caller's own messages can be kept to them; a property over generated histories holds them
//!    to it, and so does `antefix check --for`.
//! 3. A rule that is not here is not known to be one. What no rule forbids may be refused all the same.
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
mod gemini;
mod openai;

use serde_json::Value;

use super::Target;
use super::breakpoint::find;
use crate::models::Model;

/// A rule of a provider's that a request breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// The name of the rule.
    pub rule: &'static str,
    /// Where the request breaks it, as a JSON pointer.
    pub pointer: String,
    /// What is wrong, in words for people.
    pub message: String,
    /// The page or the report that says that this is refused.
    pub source: &'static str,
}

/// A row of a table.
pub(super) struct Rule {
    name: &'static str,
    source: &'static str,
    find: fn(&Asked<'_>) -> Vec<(String, String)>,
}

/// A request, and the model that it is for.
pub(super) struct Asked<'r> {
    request: &'r Value,
    key: &'static str,
    model: Option<&'r Model>,
}

/// The rules that a request breaks.
pub fn breaches(request: &Value, target: Target, model: Option<&Model>) -> Vec<Breach> {
    let rules: &[Rule] = match target {
        Target::Anthropic => &anthropic::RULES,
        Target::OpenAiChat | Target::OpenAiResponses => &openai::RULES,
        Target::Gemini => &gemini::RULES,
        Target::Bedrock => &bedrock::RULES,
        Target::Ollama | Target::Acp | Target::Plain => &[],
    };
    let asked = Asked { request, key: target.messages_key(), model };
    let broken = rules.iter().flat_map(|rule| {
        let found = (rule.find)(&asked).into_iter();
        found.map(|(pointer, message)| Breach { rule: rule.name, pointer, message, source: rule.source })
    });
    broken.collect()
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
    ) -> Vec<(String, String)> {
        let messages = self.messages();
        let broken = (0..messages.len()).filter(|at| {
            let before = at.checked_sub(1).and_then(|before| messages.get(before));
            is_broken(before, &messages[*at], messages.get(at + 1))
        });
        broken.map(|at| (self.at(at), message.to_owned())).collect()
    }

    /// Blocks with a text that has no word in it.
    fn blank_blocks(&self, key: &str) -> Vec<(String, String)> {
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

    /// The lifetimes of all breakpoints in the order in which the provider reads them.
    fn breakpoints(&self, marker: &str, tools: &str) -> Vec<u64> {
        let mut found = Vec::new();
        for value in [self.request.pointer(tools), self.request.get("system"), self.request.get(self.key)] {
            value.into_iter().for_each(|value| find(value, marker, &mut found));
        }
        found
    }

    /// More than four breakpoints, or a short one before a long one.
    fn breakpoint_count(&self, marker: &str, tools: &str) -> Vec<(String, String)> {
        let count = self.breakpoints(marker, tools).len();
        let most = self.model.map_or(4, |model| model.max_breakpoints.max(4));
        match count > most {
            true => vec![(String::new(), format!("{count} breakpoints, and {most} are taken"))],
            false => Vec::new(),
        }
    }

    fn breakpoint_order(&self, marker: &str, tools: &str) -> Vec<(String, String)> {
        let lifetimes = self.breakpoints(marker, tools);
        match lifetimes.is_sorted_by(|one, next| one >= next) {
            true => Vec::new(),
            false => {
                vec![(String::new(), "a breakpoint of a longer lifetime is behind one of a shorter one".to_owned())]
            }
        }
    }
}

/// An empty list of tools.
fn no_tools(asked: &Asked<'_>, pointer: &str) -> Vec<(String, String)> {
    match asked.request.pointer(pointer).and_then(Value::as_array) {
        Some(tools) if tools.is_empty() => vec![(pointer.to_owned(), "the list of tools is empty".to_owned())],
        _ => Vec::new(),
    }
}
