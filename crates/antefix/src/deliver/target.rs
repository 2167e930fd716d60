//! Where a turn goes.

use crate::models::Provider;

/// The shapes that a turn can be delivered in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// The text, as it is.
    Plain,
    /// Anthropic's Messages.
    Anthropic,
    /// OpenAI's Chat Completions, and all that speak like it.
    OpenAiChat,
    /// OpenAI's Responses.
    OpenAiResponses,
    /// Gemini's `generateContent`.
    Gemini,
    /// Bedrock's Converse.
    Bedrock,
    /// Ollama's `/api/chat`.
    Ollama,
    /// The Agent Client Protocol.
    Acp,
}

impl Target {
    /// All of them, the plain one first.
    pub const ALL: [Target; 8] = [
        Target::Plain,
        Target::Anthropic,
        Target::OpenAiChat,
        Target::OpenAiResponses,
        Target::Gemini,
        Target::Bedrock,
        Target::Ollama,
        Target::Acp,
    ];

    /// The name in commands and documents.
    pub fn name(self) -> &'static str {
        match self {
            Target::Plain => "plain",
            Target::Anthropic => "anthropic",
            Target::OpenAiChat => "openai-chat",
            Target::OpenAiResponses => "openai-responses",
            Target::Gemini => "gemini",
            Target::Bedrock => "bedrock",
            Target::Ollama => "ollama",
            Target::Acp => "acp",
        }
    }

    /// The name under which a request has the messages of a conversation.
    pub fn messages_key(self) -> &'static str {
        match self {
            Target::OpenAiResponses => "input",
            Target::Gemini => "contents",
            Target::Acp => "prompt",
            Target::Plain | Target::Anthropic | Target::OpenAiChat | Target::Bedrock | Target::Ollama => "messages",
        }
    }

    /// The shape of a provider's own requests.
    pub fn of(provider: Provider) -> Target {
        match provider {
            Provider::Anthropic => Target::Anthropic,
            Provider::Bedrock => Target::Bedrock,
            Provider::Gemini => Target::Gemini,
            Provider::OpenAi => Target::OpenAiResponses,
            // They take the shape that OpenAI had first.
            _ => Target::OpenAiChat,
        }
    }

    /// The target of this name.
    pub fn parse(name: &str) -> Option<Target> {
        Target::ALL.into_iter().find(|target| target.name() == name)
    }
}
