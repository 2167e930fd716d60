//! One position of a request.

/// What a provider reads at one position of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentBlock {
    /// Where in the prompt it is.
    pub part: Part,
    /// The number of its message, from 0; none before the conversation.
    pub message: Option<usize>,
    /// Who says it, in the provider's word; empty for tools.
    pub role: String,
    /// What it is.
    pub kind: BlockKind,
    /// The name of a tool, or of the one that is called.
    pub name: Option<String>,
    /// The server or namespace that a tool comes from.
    pub server: Option<String>,
    /// Where it is in the body.
    pub pointer: String,
    /// The text of a text block, else its JSON in its own order without markers.
    pub text: String,
    /// A wish to cache everything up to its end.
    pub breakpoint: Option<Breakpoint>,
    /// What the agent itself says about where it comes from.
    pub label: Option<String>,
}

impl SentBlock {
    /// Whether a provider reads the same. Markers, labels and the place in the body do not count.
    pub fn says_the_same(&self, other: &SentBlock) -> bool {
        (self.part, self.message, &self.role, self.kind, &self.text)
            == (other.part, other.message, &other.role, other.kind, &other.text)
    }

    /// Whether a breakpoint may end here: not behind thinking, and not behind nothing.
    pub(crate) fn is_cacheable(&self) -> bool {
        self.kind != BlockKind::Thinking && !self.text.is_empty()
    }

    /// Whether the model wrote it.
    pub fn is_answer(&self) -> bool {
        self.part == Part::Messages
            && (matches!(self.role.as_str(), "assistant" | "model")
                || matches!(self.kind, BlockKind::Call | BlockKind::Thinking))
    }
}

/// Where in a prompt a block is, in the order in which providers read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A definition of a tool.
    Tools,
    /// What is said before the conversation.
    System,
    /// The conversation.
    Messages,
}

impl Part {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            Part::Tools => "tools",
            Part::System => "system",
            Part::Messages => "messages",
        }
    }
}

/// What a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockKind {
    /// A text.
    Text,
    /// A definition of a tool.
    Tool,
    /// A call of a tool.
    Call,
    /// What a tool answered.
    Result,
    /// Thinking or reasoning.
    Thinking,
    /// An image, a sound or a document.
    Media,
    /// Anything else.
    Other,
}

impl BlockKind {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            BlockKind::Text => "text",
            BlockKind::Tool => "tool",
            BlockKind::Call => "call",
            BlockKind::Result => "result",
            BlockKind::Thinking => "thinking",
            BlockKind::Media => "media",
            BlockKind::Other => "other",
        }
    }

    /// By the provider's word for it.
    pub(super) fn of_word(word: &str) -> BlockKind {
        match word {
            "text" | "input_text" | "output_text" => BlockKind::Text,
            _ if word.contains("thinking") || word == "reasoning" => BlockKind::Thinking,
            _ if word.ends_with("result") || word.ends_with("_output") => BlockKind::Result,
            _ if word.ends_with("_use") || word.ends_with("_call") => BlockKind::Call,
            "image" | "input_image" | "image_url" | "input_audio" | "input_file" | "file" | "document" => {
                BlockKind::Media
            }
            _ => BlockKind::Other,
        }
    }
}

/// A wish to cache everything up to the end of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Breakpoint {
    /// For so many seconds; none for as long as the provider likes.
    pub lifetime: Option<u64>,
}
