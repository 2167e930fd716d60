//! The strategies side by side: when a system prompt is made, where its parts stand, and what is marked.
//!
//! Each is a small model of one system, as it is described by its own documents or was seen on the wire. All say the same texts and
//! have the same conversation; only antefix is not modeled: its requests come from the library.

mod antefix;
mod claude_code;
mod codex;
mod naive;
mod pi;
mod seeds;

use ::antefix::Target;
use ::antefix::discover::tools::Tool;
use serde_json::Value;

use super::outline::{Message, Outline};
use super::scene::{Moment, Provider, Said, Scene};
use crate::step::Outcome;

/// How a system makes its requests. It is asked in the order of time, and keeps what it needs for each conversation.
pub(super) trait Strategy {
    /// The request for the model's next words.
    fn request(&mut self, moment: &Moment<'_>) -> Outcome<Value>;

    /// The request for a summary of the conversation.
    fn summary(&mut self, moment: &Moment<'_>) -> Outcome<Value>;

    /// The conversation is now its summary.
    fn compacted(&mut self, moment: &Moment<'_>) -> Outcome;

    /// The process was started anew.
    fn restarted(&mut self) {}
}

/// A strategy of the table.
pub(super) struct Listed {
    /// The name on the page.
    pub(super) name: &'static str,
    /// What it does, in a sentence.
    pub(super) about: &'static str,
    /// Whether the system speaks to a provider at all.
    pub(super) applies: fn(&Provider) -> bool,
    pub(super) make: fn() -> Box<dyn Strategy>,
}

impl Listed {
    /// Whether it is antefix.
    pub(super) fn is_ours(&self) -> bool {
        self.name.starts_with("antefix")
    }
}

fn everywhere(_: &Provider) -> bool {
    true
}

/// All of them, in the order of the table.
pub(super) const ALL: [Listed; 13] = [
    Listed {
        name: "rebuild every turn",
        about: "one system text made anew for every request: base, place, time to the minute, git, instructions, skills",
        applies: everywhere,
        make: || Box::new(naive::Rebuild),
    },
    Listed {
        name: "seed 000 (dispatch)",
        about: "made at the first turn and stored; made again for a compaction, whose instructions go behind it",
        applies: everywhere,
        make: || Box::<seeds::Dispatch>::default(),
    },
    Listed {
        name: "seed 001 (yoi)",
        about: "made once, with the directory in its first lines, and never again; compactions are a worker's",
        applies: everywhere,
        make: || Box::<seeds::Yoi>::default(),
    },
    Listed {
        name: "seed 003 (deepseek)",
        about: "system text and tools frozen with the first request; git, in the system text, anew with every step",
        applies: everywhere,
        make: || Box::<seeds::DeepSeek>::default(),
    },
    Listed {
        name: "pi 0.57",
        about: "made at the start and when tools change, with date and time to the second at its end",
        applies: everywhere,
        make: || Box::<pi::Older>::default(),
    },
    Listed {
        name: "pi 1.5",
        about: "sections without a date; what changed is patched as one system message where the model takes it",
        applies: everywhere,
        make: || Box::<pi::Newer>::default(),
    },
    Listed {
        name: "Codex 0.166",
        about: "a fixed base, everything else as items; changes are appended, children begin as a copy of their parent",
        applies: |provider| provider.target == Target::OpenAiResponses,
        make: || Box::<codex::Codex>::default(),
    },
    Listed {
        name: "Claude Code 2.1.267, API key",
        about: "system and tools recorded once, instructions and environment as messages, changes appended; five minutes",
        applies: |provider| provider.target == Target::Anthropic,
        make: || Box::new(claude_code::ClaudeCode::new("5m")),
    },
    Listed {
        name: "Claude Code 2.1.267, login",
        about: "the same, with markers for an hour",
        applies: |provider| provider.target == Target::Anthropic,
        make: || Box::new(claude_code::ClaudeCode::new("1h")),
    },
    Listed {
        name: "antefix",
        about: "base fixed, instructions and skills frozen, place, date and git live, said when they have changed; the library marks the conversation",
        applies: everywhere,
        make: || Box::new(antefix::Antefix::new(antefix::Layout::SameTexts)),
    },
    Listed {
        name: "antefix, an hour",
        about: "the same, whose layout says that all caches are written for an hour",
        applies: |provider| provider.target == Target::Anthropic,
        make: || Box::new(antefix::Antefix::new(antefix::Layout::LongLifetime)),
    },
    Listed {
        name: "antefix, nothing live",
        about: "the same without place, date and git",
        applies: everywhere,
        make: || Box::new(antefix::Antefix::new(antefix::Layout::NothingLive)),
    },
    Listed {
        name: "antefix, coding-agent",
        about: "the built-in layout as it is: its own identity, a line for each tool, frames, and places of skills come on top of what all others say",
        applies: everywhere,
        make: || Box::new(antefix::Antefix::new(antefix::Layout::BuiltIn)),
    },
];

/// What asks for a summary.
const SUMMARIZE: &str = "Summarize this conversation for whoever goes on with it: the task, what was decided and why, which files \
                         were changed and how, what is left to do. Leave out what can be read from the files again.";

/// The conversation, with what was put between its messages.
fn woven(transcript: &[Said], notices: &[(usize, Message)]) -> Vec<Message> {
    let mut messages = Vec::with_capacity(transcript.len() + notices.len());
    for at in 0..=transcript.len() {
        messages.extend(notices.iter().filter(|(place, _)| *place == at).map(|(_, notice)| notice.clone()));
        messages.extend(transcript.get(at).cloned().map(Message::Said));
    }
    messages
}

/// What the tools are called.
fn tool_names(scene: &Scene) -> Vec<String> {
    scene.tools.iter().map(|tool| tool.name.clone()).collect()
}

/// Tools that came, and tools that went, since the model was told of these names; it is told now.
fn changed_tools(told: &mut Vec<String>, scene: &Scene) -> impl Iterator<Item = Message> + use<> {
    let before = std::mem::replace(told, tool_names(scene));
    let added: Vec<Tool> = scene.tools.iter().filter(|tool| !before.contains(&tool.name)).cloned().collect();
    let removed: Vec<String> = before.into_iter().filter(|name| !told.contains(name)).collect();
    let added = (!added.is_empty()).then_some(Message::ToolsAdded(added));
    let removed = (!removed.is_empty()).then_some(Message::ToolsRemoved(removed));
    added.into_iter().chain(removed)
}

/// The same request, asked for a summary at its end: its cache holds.
fn summary_behind(mut outline: Outline, provider: &Provider) -> Value {
    outline.messages.push(Message::Said(Said::User(SUMMARIZE.to_owned())));
    outline.request(provider)
}

/// A request of its own for the summary: another system text, no tools, and the conversation as one text. Nothing is marked,
/// because nobody reads it again.
fn summary_apart(moment: &Moment<'_>) -> Value {
    let mut text = String::new();
    for said in &moment.conversation.transcript {
        let line = match said {
            Said::User(text) => format!("[User]: {text}\n\n"),
            Said::Answer(text) => format!("[Assistant]: {text}\n\n"),
            Said::Call { name, path, .. } => format!("[Assistant tool call]: {name}(path={path})\n\n"),
            Said::Result { text, .. } => format!("[Tool result]: {text}\n\n"),
        };
        text.push_str(&line);
    }
    let outline = Outline {
        system: vec![(SUMMARIZE.to_owned(), None)],
        messages: vec![Message::Said(Said::User(text))],
        ..Outline::default()
    };
    outline.request(moment.provider)
}
