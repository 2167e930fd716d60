//! What agents write down about their sessions, read for what each request was billed.
//!
//! 1. A [`Format`] is a shape of files; which agent writes it, and where, is in the agent's own file of data.
//! 2. Each request is one [`Call`], however often it is written: a line for each block, the same total again, a whole session copied into
//!    a fork. What each format needs for that is in its file.
//! 3. Lines that are not understood are counted. What a format does not say is none, never zero.
//! 4. Only what is needed of a line is read, most lines are not parsed at all, and no text of a conversation is kept.

mod claude;
mod cline;
mod codex;
mod copilot;
mod gemini;
mod line;
mod opencode;
mod pi;
mod qwen;

use jiff::Timestamp;

pub use self::opencode::OpenCodeRow;
use super::Said;

/// A shape of transcripts, by the name that files of data have for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// Lines with a message each, several for one answer.
    ClaudeCode,
    /// Rollouts: lines with a type and a payload.
    Codex,
    /// A log of patches.
    GeminiCli,
    /// A tree of entries.
    Pi,
    /// Events.
    Copilot,
    /// One document.
    Cline,
    /// Lines with Gemini's figures.
    QwenCode,
    /// A database.
    OpenCode,
}

impl Format {
    /// The format of a name in a file of data.
    pub fn parse(name: &str) -> Option<Format> {
        Some(match name {
            "claude-code" => Format::ClaudeCode,
            "codex" => Format::Codex,
            "gemini-cli" => Format::GeminiCli,
            "pi" => Format::Pi,
            "copilot" => Format::Copilot,
            "cline" => Format::Cline,
            "qwen-code" => Format::QwenCode,
            "opencode" => Format::OpenCode,
            _ => return None,
        })
    }

    /// Reads a file. `name` is what the file is called, for those that say who they are by it.
    pub fn read(self, name: &str, bytes: &[u8]) -> Transcript {
        let transcript = match self {
            Format::ClaudeCode => claude::read(bytes),
            Format::Codex => codex::read(bytes),
            Format::GeminiCli => gemini::read(bytes),
            Format::Pi => pi::read(bytes),
            Format::Copilot => copilot::read(name, bytes),
            Format::Cline => cline::read(name, bytes),
            Format::QwenCode => qwen::read(bytes),
            // Its rows come from a database: see `OpenCodeRow`.
            Format::OpenCode => Transcript::default(),
        };
        transcript.bounded()
    }
}

/// What one file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Transcript {
    /// Where the agent worked.
    pub project: Option<String>,
    /// The requests, in the order in which they were made.
    pub calls: Vec<Call>,
    /// How many lines there are.
    pub lines: usize,
    /// How many of them are not understood.
    pub unknown: usize,
    /// What all of it cost by the agent's own books, in micro-dollars, where it keeps any; requests that no line shows are in it.
    pub own_total: Option<u128>,
}

/// One request, as far as a transcript tells.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Call {
    /// What identifies it in all files: a request that is copied into another file has the same one.
    pub id: String,
    /// The conversation, or the subagent's.
    pub chain: String,
    /// The number of the request before it in this file; none for the first one of its chain.
    pub before: Option<usize>,
    /// When it was made.
    pub at: Option<Timestamp>,
    /// The model; empty if the file does not say.
    pub model: String,
    /// All input tokens, cached or not.
    pub input: usize,
    /// Those that were read from a cache; none if the file does not say.
    pub read: Option<usize>,
    /// Those that were written to it; none if the file does not say.
    pub write: Option<usize>,
    /// Those of them that were written for the longer lifetime.
    pub long_write: usize,
    /// What the model wrote.
    pub output: usize,
    /// The lifetime that was asked for, in seconds.
    pub lifetime: Option<u64>,
    /// The agent's version.
    pub version: Option<String>,
    /// Of its tools and of its system text, where the agent writes them down.
    pub shape: Option<Shape>,
    /// What came before it.
    pub since: Since,
    /// Whether a subagent made it.
    pub is_subagent: bool,
    /// What the provider itself said.
    pub said: Option<Said>,
}

/// What came between a request and the one before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Since {
    /// The conversation was compacted.
    pub compacted: bool,
    /// It was taken up again by another process.
    pub resumed: bool,
}

/// The tools and the system text of a request, by digest and size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Of the tools.
    pub tools: u64,
    /// Of the system text.
    pub system: u64,
    /// How many bytes the tools have.
    pub tools_bytes: usize,
}

/// More tokens than any request has: a file that says more than this lies.
const MOST: usize = 1 << 40;

impl Transcript {
    /// The same with figures that can be added up.
    fn bounded(mut self) -> Transcript {
        for call in &mut self.calls {
            for count in [&mut call.input, &mut call.output, &mut call.long_write] {
                *count = (*count).min(MOST);
            }
            call.read = call.read.map(|count| count.min(MOST));
            call.write = call.write.map(|count| count.min(MOST));
        }
        self
    }
}

impl Call {
    /// The tokens that were neither read nor written.
    pub(super) fn plain(&self) -> usize {
        self.input.saturating_sub(self.read.unwrap_or(0)).saturating_sub(self.write.unwrap_or(0))
    }
}

#[cfg(test)]
pub(in crate::observe) mod tests;
