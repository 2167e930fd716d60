//! What is no text of a request, and still decides what is read from a cache.

use super::{Json, SentRequest};
use crate::deliver::Target;

/// A parameter, with its value as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The key in the request, or the header.
    pub name: String,
    /// Its value.
    pub value: String,
    /// How much of the cache another value costs.
    pub reach: Reach,
}

/// How much of what is cached another value of a parameter costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// The conversation; tools and system stay.
    Messages,
    /// The conversation, and on some models all of it.
    MessagesOrAll,
    /// All of it.
    All,
}

/// Anthropic's: "changes to tool choice … only affect message blocks"; thinking and effort "always cost the message part, tools and
/// system on some models". Active betas and `context_management` are compared by its diagnostics, which do not say what they cost.
const ANTHROPIC: [(&str, Reach); 6] = [
    ("tool_choice", Reach::Messages),
    ("thinking", Reach::MessagesOrAll),
    ("output_config", Reach::MessagesOrAll),
    ("output_format", Reach::MessagesOrAll),
    ("speed", Reach::MessagesOrAll),
    ("context_management", Reach::MessagesOrAll),
];

/// OpenAI's: each is a reason for a miss in its own diagnostics.
const OPENAI: [(&str, Reach); 6] = [
    ("prompt_cache_key", Reach::All),
    ("reasoning", Reach::All),
    ("reasoning_effort", Reach::All),
    ("text", Reach::All),
    ("response_format", Reach::All),
    ("service_tier", Reach::All),
];

/// Gemini's: a cache that was made by hand, and what the tools may do.
const GEMINI: [(&str, Reach); 2] = [("cachedContent", Reach::All), ("toolConfig", Reach::All)];

pub(super) fn read(body: &Json, request: &mut SentRequest) {
    let table: &[(&str, Reach)] = match request.target {
        Target::Anthropic => &ANTHROPIC,
        Target::OpenAiChat | Target::OpenAiResponses => &OPENAI,
        Target::Gemini => &GEMINI,
        Target::Bedrock | Target::Ollama | Target::Acp | Target::Plain => &[],
    };
    for (name, reach) in table {
        let value = body.get(name);
        if *value == Json::Null {
            continue;
        }
        let mut text = String::new();
        match *name {
            // A summary is written behind the prompt, and costs nothing that is cached.
            "reasoning" => value.write_without(&["summary"], &mut text),
            _ => value.write(&mut text),
        }
        request.parameters.push(Parameter { name: (*name).to_owned(), value: text, reach: *reach });
    }
}
