//! What hooks answer, and what is reported of it.

use serde_json::Value;

use super::HookPoint;
use crate::diagnostic::{Code, Diagnostic};

/// What a hook changes about a turn. Nothing of it outlives the turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnChange {
    /// The system text in place of all of it. An empty one changes nothing, and that is reported: a program that prints
    /// nothing by mistake must not take an agent's instructions away.
    pub system: Option<String>,
    /// A text to put after the system text, unchanged.
    pub append: Option<String>,
    /// Messages for this turn.
    pub messages: Vec<Value>,
}

/// What a hook did in a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookDid {
    /// The name of the hook.
    pub hook: String,
    /// When it was asked.
    pub on: HookPoint,
    /// What it did.
    pub action: HookAction,
    /// How many bytes of its own it brought.
    pub bytes: usize,
}

/// What hooks can do; a closed set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookAction {
    /// It left everything as it was.
    Nothing,
    /// It replaced the system text.
    Replaced,
    /// It appended to the system text.
    Appended,
    /// It added messages.
    AddedMessages,
    /// It changed the messages that were passed through.
    ChangedMessages,
    /// It named roots.
    NamedRoots,
    /// It was notified that an epoch began.
    Notified,
    /// It failed, and was skipped.
    Failed,
}

impl HookAction {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            HookAction::Nothing => "nothing",
            HookAction::Replaced => "replaced",
            HookAction::Appended => "appended",
            HookAction::AddedMessages => "added-messages",
            HookAction::ChangedMessages => "changed-messages",
            HookAction::NamedRoots => "named-roots",
            HookAction::Notified => "told",
            HookAction::Failed => "failed",
        }
    }
}

/// A hook's answer.
pub type HookResult<T> = std::result::Result<T, HookFailure>;

/// Why a hook has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookFailure {
    kind: Failing,
    reason: String,
    stderr: String,
    hint: Option<String>,
}

/// Whether a hook failed, or was not run at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failing {
    Failed,
    Untrusted,
    Modified,
    Shared,
}

/// How much of a program's error output is reported, in characters.
const EXCERPT: usize = 300;

impl HookFailure {
    /// A failure, with a reason for people: lower case, no final stop.
    pub fn new(reason: impl Into<String>) -> HookFailure {
        HookFailure { kind: Failing::Failed, reason: reason.into(), stderr: String::new(), hint: None }
    }

    /// One that was not run, and what to do.
    pub(super) fn not_run(kind: Failing, reason: impl Into<String>, hint: &str) -> HookFailure {
        HookFailure { kind, reason: reason.into(), stderr: String::new(), hint: Some(hint.to_owned()) }
    }

    /// The same failure, with the beginning of what the program printed to its error output.
    #[must_use]
    pub fn with_stderr(mut self, stderr: &[u8]) -> HookFailure {
        let text = String::from_utf8_lossy(stderr);
        let text = text.trim();
        // One line, and nothing in it that a terminal would obey.
        self.stderr = text.chars().take(EXCERPT).flat_map(char::escape_debug).collect();
        if text.chars().nth(EXCERPT).is_some() {
            self.stderr.push('…');
        }
        self
    }

    /// The reason, for people.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    pub(super) fn to_diagnostic(&self, hook: &str, on: HookPoint) -> Diagnostic {
        let mut message = format!("hook `{hook}` ({}) is skipped: {}", on.name(), self.reason);
        if !self.stderr.is_empty() {
            message.push_str(&format!("; it said: {}", self.stderr));
        }
        let finding = match self.kind {
            Failing::Failed => Diagnostic::warning(Code::HookFailed, message),
            Failing::Untrusted => Diagnostic::warning(Code::HookUntrusted, message),
            Failing::Modified => Diagnostic::warning(Code::HookModified, message),
            Failing::Shared => Diagnostic::warning(Code::SharedFile, message),
        };
        let finding = finding.about(hook);
        match &self.hint {
            Some(hint) => finding.hint(hint.as_str()),
            None => finding,
        }
    }
}
