//! Epochs that were told lately. The prefix of one with a number never changes, so it needs no question to the store, and is there
//! also while the store cannot be reached.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use antefix::freeze::{ConversationId, Epoch};

/// How many bytes of prefixes are kept. Those that are shared by conversations count for each.
const ROOM: usize = 32 * 1024 * 1024;
/// What an entry takes besides its text.
const ENTRY: usize = 500;

/// What the server remembers of its answers; what was remembered first goes first.
#[derive(Default)]
pub(super) struct Told(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    epochs: BTreeMap<(ConversationId, u64), Arc<Epoch>>,
    order: VecDeque<(ConversationId, u64)>,
    bytes: usize,
}

impl Told {
    /// Remembers an epoch, and answers with the one that is remembered.
    pub(super) fn remember(&self, epoch: &Arc<Epoch>) -> Arc<Epoch> {
        let key = (epoch.conversation().clone(), epoch.number());
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.epochs.get(&key) {
            return Arc::clone(known);
        }
        kept.bytes += weight(epoch);
        kept.order.push_back(key.clone());
        kept.epochs.insert(key, Arc::clone(epoch));
        while kept.bytes > ROOM {
            let Some(oldest) = kept.order.pop_front() else { break };
            if let Some(epoch) = kept.epochs.remove(&oldest) {
                kept.bytes -= weight(&epoch);
            }
        }
        Arc::clone(epoch)
    }

    pub(super) fn recall(&self, conversation: &ConversationId, number: u64) -> Option<Arc<Epoch>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.epochs.get(&(conversation.clone(), number)).cloned()
    }
}

fn weight(epoch: &Epoch) -> usize {
    epoch.text().len() + ENTRY
}
