//! The pauses between the uses of a conversation, for the lifetime of what its requests write to a cache.
//!
//! 1. The ledger has them, so that a process that was started anew, the program and other replicas know of them. A pause is written with the
//!    first use behind it, and the time of a use at most once a minute: see [`Keeper::note_use`].
//! 2. This process knows more exactly when it had its last turn, and knows pauses that could not be written.

use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

use super::Current;
use crate::freeze::{ConversationId, Pauses};
use crate::recent::RecentlyUsed;

/// How many conversations are remembered.
const CONVERSATIONS: usize = 10_000;

/// What this process has seen of conversations.
pub(super) struct SeenPauses(Mutex<RecentlyUsed<ConversationId, Seen>>);

#[derive(Debug, Clone, Default)]
struct Seen {
    last: Option<Timestamp>,
    pauses: Pauses,
}

impl Default for SeenPauses {
    fn default() -> SeenPauses {
        SeenPauses(Mutex::new(RecentlyUsed::with_room(CONVERSATIONS)))
    }
}

impl SeenPauses {
    /// Sees a use of a conversation that stands, and answers with the pause before it, in seconds, if it was long enough to lose a
    /// cache.
    pub(super) fn see(&self, current: &Current, now: Timestamp) -> Option<u64> {
        let standing = &current.standing;
        let conversation = &standing.epoch.conversation;
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seen = known.get(conversation).cloned().unwrap_or_default();
        if standing.pauses.as_slice().len() >= seen.pauses.as_slice().len() {
            seen.pauses.clone_from(&standing.pauses);
        }
        // What was written since by others was a use of theirs.
        let last = current.last_use().max(seen.last).unwrap_or(now);
        let pause = now.duration_since(last).as_secs();
        let pause = u64::try_from(pause).ok().filter(|pause| *pause > Pauses::SHORTEST);
        pause.into_iter().for_each(|pause| seen.pauses.push(pause));
        seen.last = Some(last.max(now));
        known.insert(conversation.clone(), seen, 1);
        pause
    }

    /// The pauses of a conversation, in seconds, the latest last.
    pub(super) fn of(&self, conversation: &ConversationId) -> Vec<u64> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(conversation).map(|seen| seen.pauses.as_slice().to_vec()).unwrap_or_default()
    }
}
