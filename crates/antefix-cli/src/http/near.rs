//! Turns that were quick last time, and are therefore taken right where their request was read.
//!
//! 1. A turn of a standing epoch takes some thirty microseconds, and waking another thread for it takes as long again.
//! 2. A turn is near if its store is on this machine, its conversation stands, its layout has no hooks and names nothing
//!    that a program or a server is asked for, and if its last turn was quick.
//! 3. A directory that hangs is found out by one turn. There are more workers than turns that are taken here at once, so
//!    that others go on being answered; see `work.rs`.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use antefix::freeze::ConversationId;

/// What took longer is not near. A busy machine makes a turn wait for some milliseconds in the middle.
pub(super) const QUICK: Duration = Duration::from_millis(20);

/// How many conversations are remembered. Beyond that all are forgotten, and found out once more.
const MOST: usize = 10_000;

/// The conversations that stand, each with the directory in which its turns are quick, as requests name it. One that
/// stands once stands for ever: ledgers only grow.
#[derive(Default)]
pub(super) struct Near(Mutex<BTreeMap<ConversationId, Option<String>>>);

impl Near {
    /// Whether the last turn of a conversation in a directory was quick.
    pub(super) fn has(&self, conversation: &ConversationId, cwd: Option<&str>) -> bool {
        let near = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        near.get(conversation).is_some_and(|known| known.as_deref() == cwd)
    }

    /// Remembers how long a turn of a conversation that stands took.
    pub(super) fn note(&self, conversation: &ConversationId, cwd: Option<String>, took: Duration) {
        let mut near = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if took > QUICK {
            near.remove(conversation);
        } else if near.get(conversation) != Some(&cwd) {
            if near.len() >= MOST {
                near.clear();
            }
            near.insert(conversation.clone(), cwd);
        }
    }
}
