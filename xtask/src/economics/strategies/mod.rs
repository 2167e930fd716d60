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
    pub(super) group: Group,
    /// Whether the system speaks to a provider at all.
    pub(super) applies: fn(&Provider) -> bool,
    pub(super) make: fn() -> Box<dyn Strategy>,
}

/// Where a strategy is on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// Another system.
    Other,
    /// antefix, with what all others say.
    Antefix,
    /// A built-in layout of antefix, as it is.
    Layout,
    /// A way for antefix that was tried and not taken: its sums alone are told.
    Tried,
}

fn everywhere(_: &Provider) -> bool {
    true
}

/// All of them, in the order of the table.
pub(super) const ALL: [Listed; 20] = [
    Listed {
        name: "rebuild every turn",
        about: "one system text made anew for every request: base, place, time to the minute, git, instructions, skills",
        group: Group::Other,
        applies: everywhere,
        make: || Box::new(naive::Rebuild),
    },
    Listed {
        name: "seed 000 (dispatch)",
        about: "made at the first turn and stored; made again for a compaction, whose instructions go behind it",
        group: Group::Other,
        applies: everywhere,
        make: || Box::<seeds::Dispatch>::default(),
    },
    Listed {
        name: "seed 001 (yoi)",
        about: "made once, with the directory in its first lines, and never again; compactions are a worker's",
        group: Group::Other,
        applies: everywhere,
        make: || Box::<seeds::Yoi>::default(),
    },
    Listed {
        name: "seed 003 (deepseek)",
        about: "system text and tools frozen with the first request; git, in the system text, anew with every step",
        group: Group::Other,
        applies: everywhere,
        make: || Box::<seeds::DeepSeek>::default(),
    },
    Listed {
        name: "pi 0.57",
        about: "made at the start and when tools change, with date and time to the second at its end",
        group: Group::Other,
        applies: everywhere,
        make: || Box::<pi::Older>::default(),
    },
    Listed {
        name: "pi 1.5",
        about: "sections without a date; what changed is patched as one system message where the model takes it",
        group: Group::Other,
        applies: everywhere,
        make: || Box::<pi::Newer>::default(),
    },
    Listed {
        name: "Codex 0.166",
        about: "a fixed base, everything else as items; changes are appended, children begin as a copy of their parent",
        group: Group::Other,
        applies: |provider| provider.target == Target::OpenAiResponses,
        make: || Box::<codex::Codex>::default(),
    },
    Listed {
        name: "Claude Code 2.1.267, API key",
        about: "system and tools recorded once, instructions and environment as messages, changes appended; five minutes",
        group: Group::Other,
        applies: |provider| provider.target == Target::Anthropic,
        make: || Box::new(claude_code::ClaudeCode::new("5m")),
    },
    Listed {
        name: "Claude Code 2.1.267, login",
        about: "the same, with markers for an hour",
        group: Group::Other,
        applies: |provider| provider.target == Target::Anthropic,
        make: || Box::new(claude_code::ClaudeCode::new("1h")),
    },
    Listed {
        name: "antefix",
        about: "base fixed, instructions and skills frozen, place, date and git live, said when they have changed; the library marks the conversation",
        group: Group::Antefix,
        applies: everywhere,
        make: || Box::new(antefix::Antefix::new(antefix::Layout::SameTexts)),
    },
    Listed {
        name: "antefix, an hour",
        about: "the same, whose layout says that all caches are written for an hour",
        group: Group::Antefix,
        applies: |provider| provider.target == Target::Anthropic,
        make: || Box::new(antefix::Antefix::new(antefix::Layout::LongLifetime)),
    },
    Listed {
        name: "antefix, nothing live",
        about: "the same without place, date and git",
        group: Group::Antefix,
        applies: everywhere,
        make: || Box::new(antefix::Antefix::new(antefix::Layout::NothingLive)),
    },
    Listed {
        name: "layout coding-agent",
        about: "base as the operator's text, with an identity of its own, a line for each tool, frames, and places of skills besides",
        group: Group::Layout,
        applies: everywhere,
        make: || Box::new(antefix::Antefix::new(antefix::Layout::CodingAgent)),
    },
    Listed {
        name: "layout dispatch",
        about: "like seed 000, its template being what all others say",
        group: Group::Layout,
        applies: everywhere,
        make: || Box::new(antefix::Antefix::new(antefix::Layout::Dispatch)),
    },
    Listed {
        name: "layout yoi",
        about: "like seed 001, its instruction being what all others say",
        group: Group::Layout,
        applies: everywhere,
        make: || Box::new(antefix::Antefix::new(antefix::Layout::Yoi)),
    },
    Listed {
        name: "layout pi",
        about: "like pi 0.57, with the base as SYSTEM.md; files act when they are read again",
        group: Group::Layout,
        applies: everywhere,
        make: || Box::new(antefix::Antefix::new(antefix::Layout::Pi)),
    },
    Listed {
        name: "layout deepseek",
        about: "like seed 003; 4,000 characters of the instructions, as its budget has it; git in the conversation and not in the system text",
        group: Group::Layout,
        applies: everywhere,
        make: || Box::new(antefix::Antefix::new(antefix::Layout::DeepSeek)),
    },
    Listed {
        name: "layout buzz",
        about: "like seed 004: base and operator's text alone, so that it says no instructions and no skills",
        group: Group::Layout,
        applies: everywhere,
        make: || Box::new(antefix::Antefix::new(antefix::Layout::Buzz)),
    },
    Listed {
        name: "`prompt_cache_options.mode = \"explicit\"`",
        about: "OpenAI's cache is to end at marks alone: behind the prefix, at the end, and where the request before ended",
        group: Group::Tried,
        applies: |provider| provider.model == "gpt-5.6-sol",
        make: || Box::new(antefix::Antefix::new(antefix::Layout::ExplicitMode)),
    },
    Listed {
        name: "`clear_at = \"next_user_message\"`",
        about: "Anthropic clears the live part with the next words of the user's, so that it is said with each of them",
        group: Group::Tried,
        applies: |provider| provider.target == Target::Anthropic,
        make: || Box::new(antefix::Antefix::new(antefix::Layout::Cleared)),
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
