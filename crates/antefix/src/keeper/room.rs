//! How much may be inserted into a conversation.
//!
//! 1. Every turn has all insertions of its conversation in its request, until a compaction ends them: so they have a limit together.
//! 2. Of several who queue at once, each counts what the others are about to write, so that they do not pass the limit together.
//!    Other processes are not seen: each may add one message more.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Error, ErrorKind, Result};
use crate::freeze::ConversationId;
use crate::freeze::store::Store;

/// How many bytes of insertions a conversation may have.
pub const INSERTION_LIMIT: usize = 8 * 1024 * 1024;

/// What is about to be written, by conversation.
#[derive(Debug, Default)]
pub(super) struct Room(Mutex<BTreeMap<ConversationId, usize>>);

/// Room for a message, until it is written.
pub(super) struct Taken<'r> {
    room: &'r Room,
    conversation: ConversationId,
    bytes: usize,
}

impl Room {
    /// Takes room for a message, or refuses it.
    pub(super) fn take(&self, store: &dyn Store, conversation: &ConversationId, bytes: usize) -> Result<Taken<'_>> {
        let taken = Taken { room: self, conversation: conversation.clone(), bytes };
        let about_to_be = {
            let mut all = self.lock();
            let own = all.entry(conversation.clone()).or_default();
            *own += bytes;
            *own
        };
        // What is written between these two counts twice, and never not at all.
        let written: usize = store.insertions(conversation)?.all.iter().map(|insertion| insertion.text.len()).sum();
        if written + about_to_be <= INSERTION_LIMIT {
            return Ok(taken);
        }
        let message = format!(
            "{conversation} has {written} bytes of messages and notices, and with this one more than {INSERTION_LIMIT}"
        );
        Err(Error::new(ErrorKind::Limit, message)
            .with_hint("compact the conversation, which ends those that went with a turn; or send less"))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ConversationId, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let mut all = self.room.lock();
        if let Some(bytes) = all.get_mut(&self.conversation) {
            *bytes -= self.bytes;
            if *bytes == 0 {
                all.remove(&self.conversation);
            }
        }
    }
}
