//! The pauses between the turns of a conversation, for the lifetime of what its requests write to a cache.
//!
//! They are remembered in memory alone, because a turn that changes nothing writes nothing. A process that was started anew, or
//! another replica, knows of a conversation when its last row was written, and else nothing: then the shorter lifetime counts until
//! a pause is seen.

use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

use super::Turn;
use crate::freeze::ConversationId;
use crate::recent::RecentlyUsed;

/// How many conversations are remembered.
const CONVERSATIONS: usize = 10_000;

/// The shortest pause that counts, in seconds: every provider keeps a cache for so long.
const SHORTEST: i64 = 300;

/// How many pauses of a conversation are remembered: the latest.
const MOST: usize = 8;

/// What is known of conversations' pauses.
pub(super) struct Pauses(Mutex<RecentlyUsed<ConversationId, Seen>>);

#[derive(Debug, Clone)]
struct Seen {
    last: Timestamp,
    pauses: Vec<u64>,
}

impl Default for Pauses {
    fn default() -> Pauses {
        Pauses(Mutex::new(RecentlyUsed::with_room(CONVERSATIONS)))
    }
}

impl Pauses {
    /// Notes that a turn is made now, and gives it the pauses so far, in seconds, the latest last.
    pub(super) fn note(&self, conversation: &ConversationId, turn: &mut Turn, now: Timestamp) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seen = known.get(conversation).cloned().unwrap_or(Seen { last: now, pauses: Vec::new() });
        // What was written since by others was a turn of theirs.
        let before = turn.amendments.len().saturating_sub(turn.fresh);
        let written = turn.amendments[..before].iter().map(|amendment| amendment.at).max();
        let last = seen.last.max(written.unwrap_or(seen.last));
        let pause = now.duration_since(last).as_secs();
        if pause > SHORTEST {
            seen.pauses.push(pause.unsigned_abs());
            let more = seen.pauses.len().saturating_sub(MOST);
            seen.pauses.drain(..more);
        }
        turn.pauses.clone_from(&seen.pauses);
        seen.last = last.max(now);
        known.insert(conversation.clone(), seen, 1);
    }
}
