//! What a layout may say about its sections, word by word.

use serde::Deserialize;

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
