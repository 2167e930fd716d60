//! What a strategy is given: the world as it is now, and a conversation.

use antefix::Target;
use antefix::discover::tools::Tool;
use jiff::{SignedDuration, Timestamp};

use super::texts;

/// The provider that a workload is played with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Provider {
    /// The name on the page.
    pub(super) name: &'static str,
    pub(super) target: Target,
    pub(super) model: &'static str,
    /// The model that a switch goes to.
    pub(super) other_model: &'static str,
    /// Whether system messages may come in mid-conversation.
    pub(super) mid_system: bool,
    /// Whether tools may be added in mid-conversation.
    pub(super) adds_tools: bool,
    /// Whether tools may be removed in mid-conversation.
    pub(super) removes_tools: bool,
}

/// The world around an agent.
#[derive(Debug, Clone)]
pub(super) struct Scene {
    /// Seconds since the workload began.
    pub(super) at: u64,
    /// When it began.
    pub(super) began: Timestamp,
    pub(super) base: String,
    pub(super) instructions: String,
    pub(super) skills: Vec<(String, String)>,
    pub(super) tools: Vec<Tool>,
    /// What git says is changed.
    pub(super) status: String,
    /// The other model instead of the first.
    pub(super) switched: bool,
    /// How often anything but the time and git has changed.
    pub(super) revision: usize,
}

impl Scene {
    pub(super) fn new() -> Scene {
        Scene {
            at: 0,
            began: Timestamp::UNIX_EPOCH,
            base: texts::base(),
            instructions: texts::instructions(),
            skills: (0..12).map(texts::skill).collect(),
            tools: texts::tools(),
            status: " M src/ledger.rs\n M src/parser/mod.rs\n?? notes.txt".to_owned(),
            switched: false,
            revision: 0,
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        self.began.saturating_add(SignedDuration::from_secs(self.at.cast_signed())).unwrap_or(self.began)
    }

    /// The day, in UTC.
    pub(super) fn date(&self) -> String {
        self.now().to_string().chars().take(10).collect()
    }

    /// The list of skills, as most agents print it.
    pub(super) fn skills_listing(&self) -> String {
        let lines = self.skills.iter().map(|(name, description)| format!("- {name}: {description}"));
        format!("# Skills\n\n{}", lines.collect::<Vec<_>>().join("\n"))
    }

    pub(super) fn git(&self) -> String {
        format!("Branch: main\nUncommitted changes:\n{}", self.status)
    }
}

/// Something that was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Said {
    /// By the user.
    User(String),
    /// By the model.
    Answer(String),
    /// The model calls a tool.
    Call { id: String, name: String, path: String },
    /// What the tool gave back.
    Result { id: String, text: String },
}

/// A conversation, as the agent keeps it.
#[derive(Debug, Clone)]
pub(super) struct Conversation {
    pub(super) id: String,
    /// Where the clone is that the agent works in.
    pub(super) root: String,
    /// The conversation that started it, and what was said there until then.
    pub(super) parent: Option<(String, Vec<Said>)>,
    pub(super) transcript: Vec<Said>,
}

/// A request is to be made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment<'m> {
    pub(super) scene: &'m Scene,
    pub(super) conversation: &'m Conversation,
    pub(super) provider: &'m Provider,
}

impl Moment<'_> {
    pub(super) fn model(&self) -> &'static str {
        if self.scene.switched { self.provider.other_model } else { self.provider.model }
    }
}
