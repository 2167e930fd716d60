//! Single flight: of the threads that would open or renew one conversation at once, one does the work.
//!
//! This saves work and decides nothing: who is first is the store's to say, for other processes race as well.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::freeze::ConversationId;

/// The conversations that somebody is opening.
#[derive(Default)]
pub(super) struct Flights(Mutex<BTreeMap<ConversationId, Arc<Mutex<()>>>>);

impl Flights {
    /// Runs `work` while nobody else in this process does so for the conversation.
    pub(super) fn alone<T>(&self, conversation: &ConversationId, work: impl FnOnce() -> T) -> T {
        let turn = {
            let mut flights = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(flights.entry(conversation.clone()).or_default())
        };
        let result = {
            let _alone = turn.lock().unwrap_or_else(PoisonError::into_inner);
            work()
        };
        let mut flights = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // The map has one and we have one: nobody else waits.
        if Arc::strong_count(&turn) == 2 {
            flights.remove(conversation);
        }
        result
    }
}
