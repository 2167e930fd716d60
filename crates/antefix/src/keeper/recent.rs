//! The epochs that turns found lately, for as long as nobody writes to the store.
//!
//! A store of this machine can say faster that nobody has written at all than it can look for a row. What was read under
//! the same stamp is still so, whoever wrote it.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use crate::freeze::store::{Stamp, Standing, Store, StoreResult};
use crate::freeze::{Amendment, ConversationId, Epoch};
use crate::recent::RecentlyUsed;

/// How many conversations are remembered.
const CONVERSATIONS: usize = 10_000;

/// The standing epoch of a conversation, with all that a turn needs to know.
#[derive(Clone)]
pub(crate) struct Current {
    pub(crate) standing: Standing,
    pub(crate) epoch: Arc<Epoch>,
    pub(crate) amendments: Vec<Amendment>,
}

impl Current {
    /// When it was used last, as far as the ledger knows.
    pub(super) fn last_use(&self) -> Option<Timestamp> {
        let rows = self.standing.amendments.iter().map(|amendment| amendment.at);
        rows.chain([self.standing.epoch.opened_at]).chain(self.standing.used).max()
    }
}

/// The rows of standing epochs, each with the stamp of the store under which it was read. Their texts are kept elsewhere, or
/// not.
pub(super) struct RecentEpochs(Mutex<RecentlyUsed<ConversationId, (Stamp, Standing)>>);

impl Default for RecentEpochs {
    fn default() -> RecentEpochs {
        RecentEpochs(Mutex::new(RecentlyUsed::with_room(CONVERSATIONS)))
    }
}

impl RecentEpochs {
    /// The standing epoch's rows, if they are known under the stamp.
    pub(super) fn get(&self, conversation: &ConversationId, stamp: Stamp) -> Option<Standing> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(conversation).filter(|(known, _)| *known == stamp).map(|(_, standing)| standing.clone())
    }

    /// The standing epoch's rows: known, or read now. The stamp is asked for first, so that it never vouches for too much.
    pub(super) fn find(&self, store: &dyn Store, conversation: &ConversationId) -> StoreResult<Option<Standing>> {
        // A store that cannot say so is asked for the rows, and says what is wrong with it.
        let stamp = store.stamp().ok().flatten();
        if let Some(standing) = stamp.and_then(|stamp| self.get(conversation, stamp)) {
            return Ok(Some(standing));
        }
        let standing = store.standing(conversation)?;
        if let (Some(stamp), Some(standing)) = (stamp, &standing) {
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(conversation.clone(), (stamp, standing.clone()), 1);
        }
        Ok(standing)
    }
}
