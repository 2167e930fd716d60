//! What a layout may say about its sections, word by word.

use serde::{Deserialize, Serialize};

/// What becomes of the prefix when the conversation is compacted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnCompaction {
    /// The prefix is composed again, as a new epoch.
    #[default]
    Renew,
    /// The prefix stays as it is.
    Keep,
}

/// Where the words go that ask for a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CompactionForm {
    /// The user's last message behind a request that is like the next turn's, so that a provider reads what it has cached of it.
    #[default]
    Message,
    /// Behind a fresh prefix, in the system text. A provider reads nothing of it.
    System,
}

impl CompactionForm {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            CompactionForm::Message => "message",
            CompactionForm::System => "system",
        }
    }
}

/// What happens when a frozen section's facts no longer match its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnDrift {
    /// The bytes stay; the change is pending.
    #[default]
    Hold,
    /// A notice is appended to the conversation.
    Amend,
    /// A new epoch begins.
    Renew,
}

/// What a notice says of a section whose text has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeForm {
    /// The lines that are others now, where that is much shorter than all of it.
    #[default]
    Changes,
    /// All of it.
    Whole,
}

/// What happens when the agent's tools are others than those of the epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnTools {
    /// The conversation is told of the change, where its model takes tools that come and go; elsewhere a new epoch begins.
    Amend,
    /// A new epoch begins: providers put tools before the system text, so the cache is lost anyway.
    #[default]
    Renew,
    /// The epoch keeps its text, and the change is pending. The tools themselves are delivered as the caller has them.
    Hold,
}

/// What happens when the model is another one than the epoch was composed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnModel {
    /// The epoch keeps its text; the change is pending.
    #[default]
    Hold,
    /// A new epoch begins, if the text for the other model is another one: its cache is empty anyway.
    Renew,
}

/// For how long the live part of a turn is a part of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Live {
    /// It is said with every request, behind the history, and is gone in the next one.
    #[default]
    EveryTurn,
    /// It is said when it has changed, and stays where it was said until a compaction.
    Kept,
}

/// Where the live part of a turn goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// Behind the history, where it bills nothing anew.
    #[default]
    Last,
    /// Into the system text, after the boundary: what follows it in the request is billed anew when it moves.
    System,
}

/// How long what a request writes to a provider's cache is to live, where the provider has a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lifetime {
    /// As short as possible, until the pauses of the conversation say that the longer lifetime pays.
    #[default]
    Auto,
    /// As short as possible.
    Short,
    /// As long as possible.
    Long,
}

/// What happens to what a target cannot take as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Undeliverable {
    /// The nearest form that it can take, named in the receipt.
    #[default]
    Substitute,
    /// Delivering is an error.
    Refuse,
}

/// What happens to a section when one of its facts is unavailable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhenUnavailable {
    /// What depends on it is left out, and the prompt names the gap.
    #[default]
    Gap,
    /// Composing is an error.
    Refuse,
}

/// What an empty saved template means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EmptyTemplate {
    /// The editable section has no text.
    #[default]
    NoText,
    /// The editable section has the layout's own text.
    OwnText,
}

/// What is between a section and what precedes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Joint {
    /// Nothing: the section brings its own line breaks.
    #[default]
    None,
    /// Two line feeds.
    Paragraph,
    /// The line before is ended if need be, then comes an empty line.
    BlankLine,
}

/// What is removed from a section's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trim {
    /// The sections follow each other directly.
    #[default]
    None,
    /// Line feeds and spaces at its end.
    End,
    /// All white space at its end.
    EndWhitespace,
}

/// Whether the notice of a cut counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoticeStands {
    /// Text and notice fit the budget together.
    #[default]
    Inside,
    /// The text fills the budget and the notice follows.
    Behind,
}

/// Who says a section, and in which message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// With whom it shares its message.
    pub block: Block,
    /// On which side of the user's words it is.
    pub place: MessagePlace,
}

impl Message {
    /// Whether it is said as sections are that say nothing about it: by the system, with others.
    pub fn is_usual(&self) -> bool {
        *self == Message::default()
    }

    /// The name of who says it, if that is not the system.
    pub fn spoken_by(&self) -> Option<&'static str> {
        (self.role != Role::System).then(|| self.role.name())
    }

    /// Whether a section that is said so begins another message than the one before it.
    pub fn begins_behind(&self, before: &Message) -> bool {
        let is_own = self.block == Block::Own || before.block == Block::Own;
        is_own || (self.role, self.place) != (before.role, before.place)
    }
}

/// Who says a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The system, by whatever name a target has for it.
    #[default]
    System,
    /// The developer, where a model knows that role.
    Developer,
    /// The user.
    User,
}

impl Role {
    /// The name in layouts and receipts.
    pub fn name(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::Developer => "developer",
            Role::User => "user",
        }
    }
}

/// With whom a section shares its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Block {
    /// With the sections beside it that have the same role.
    #[default]
    Shared,
    /// With nobody.
    Own,
}

/// On which side of the user's words a section is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MessagePlace {
    /// Before all messages of the conversation.
    #[default]
    Before,
    /// Behind the first one, in every request.
    Behind,
}
