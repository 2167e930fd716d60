//! When a program or a server is asked for a text, and how long it may take.
//!
//! 1. An epoch that begins waits as long as the user's settings allow: what is missing then is missing for long.
//! 2. A turn of a conversation that has its prompt waits for a moment only, and only for what it may act on.
//! 3. Within one turn each text is asked for once: what a turn acts on is what it says.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::{Holder, Remote, RemoteLimits};
use crate::discover::commands::Runs;
use crate::discover::world::Answer;
use crate::discover::{Permissions, Situation};
use crate::text::FactName;

/// What texts are fetched for, and those that were fetched before in the same turn.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fetching<'f> {
    /// What they are fetched for.
    pub purpose: Purpose,
    /// Where the answers of one turn are kept, if it may ask twice.
    pub fetched: Option<&'f Fetched>,
}

/// What a text is fetched for: how long it may take follows from that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Purpose {
    /// A prompt: an epoch that begins, or one that somebody looks at.
    #[default]
    Prompt,
    /// A turn of a conversation that has its prompt.
    Turn,
}

/// The answers of one turn.
#[derive(Debug, Default)]
pub struct Fetched(Mutex<BTreeMap<FactName, Answer<String>>>);

impl Fetching<'_> {
    pub(super) fn limits(&self, limits: RemoteLimits) -> RemoteLimits {
        match self.purpose {
            Purpose::Prompt => limits,
            Purpose::Turn => RemoteLimits { time: limits.time.min(limits.turn), ..limits },
        }
    }

    /// The answer that was given before in this turn, or the one that `ask` gives.
    pub(super) fn once(&self, name: &FactName, ask: impl FnOnce() -> Answer<String>) -> Answer<String> {
        let Some(Fetched(answers)) = self.fetched else { return ask() };
        let before = answers.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        match (before, self.purpose) {
            // A moment was too short, perhaps: an epoch waits longer.
            (None, _) | (Some(Answer::Unavailable(_)), Purpose::Prompt) => {}
            (Some(answer), _) => return answer,
        }
        let answer = ask();
        answers.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone(), answer.clone());
        answer
    }
}

impl Situation<'_> {
    /// Whether a program or a server would be asked for this fact.
    pub(crate) fn fetches(&self, name: &FactName) -> bool {
        let fetched = Holder::is_fetched_from;
        !self.caller.given.contains_key(name)
            && matches!(remote(self.permissions, name), Some(Remote::Configured { by, .. }) if fetched(by))
    }
}

impl Holder {
    fn is_fetched_from(&self) -> bool {
        match self {
            Holder::File(_) => false,
            Holder::Command(_) | Holder::Http { .. } => true,
        }
    }
}

/// Where the settings say that a text is kept; none for facts of another kind.
pub(super) fn remote<'p>(permissions: &'p Permissions, name: &FactName) -> Option<&'p Remote> {
    if name.namespace() == "command" {
        let commands = &permissions.commands;
        return commands.get(name.name()).filter(|_| commands.runs == Runs::Trusted);
    }
    match name.as_str() {
        "identity:operator" => Some(&permissions.identity),
        "memory:core" => Some(&permissions.memory),
        _ => None,
    }
}
