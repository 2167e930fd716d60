//! The epochs and the saved templates that turns found lately, for as long as nobody writes to the store.
//!
//! A store of this machine can say faster that nobody has written at all than it can look for a row. What was read under
//! the same stamp is still so, whoever wrote it.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;

use crate::freeze::store::{Stamp, Standing, Store, StoreResult};
use crate::freeze::template::{TemplateEntry, TemplateRow};
use crate::freeze::{Amendment, ConversationId, Epoch};
use crate::recent::RecentlyUsed;

/// How many conversations are remembered.
const CONVERSATIONS: usize = 10_000;

/// Of how many layouts the saved template is remembered.
const LAYOUTS: usize = 1_000;

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

/// Rows of the store, each with the stamp under which it was read.
struct Rows<K, V>(Mutex<RecentlyUsed<K, (Stamp, V)>>);

impl<K: Ord + Clone, V: Clone> Rows<K, V> {
    fn with_room(room: usize) -> Rows<K, V> {
        Rows(Mutex::new(RecentlyUsed::with_room(room)))
    }

    /// What is known under the stamp.
    fn get(&self, key: &K, stamp: Stamp) -> Option<V> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(key).filter(|(known, _)| *known == stamp).map(|(_, row)| row.clone())
    }

    /// What is known, or `read` now, and kept if it is `kept`. The stamp is asked for first, so that it never vouches for too much.
    fn find(
        &self,
        store: &dyn Store,
        key: &K,
        read: impl FnOnce() -> StoreResult<V>,
        kept: impl FnOnce(&V) -> bool,
    ) -> StoreResult<V> {
        // A store that cannot say so is asked for the rows, and says what is wrong with it.
        let stamp = store.stamp().ok().flatten();
        if let Some(row) = stamp.and_then(|stamp| self.get(key, stamp)) {
            return Ok(row);
        }
        let row = read()?;
        if let Some(stamp) = stamp.filter(|_| kept(&row)) {
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            known.insert(key.clone(), (stamp, row.clone()), 1);
        }
        Ok(row)
    }
}

/// The rows of standing epochs. Their texts are kept elsewhere, or not.
pub(super) struct RecentEpochs(Rows<ConversationId, Option<Standing>>);

impl Default for RecentEpochs {
    fn default() -> RecentEpochs {
        RecentEpochs(Rows::with_room(CONVERSATIONS))
    }
}

impl RecentEpochs {
    /// The standing epoch's rows, if they are known under the stamp.
    pub(super) fn get(&self, conversation: &ConversationId, stamp: Stamp) -> Option<Standing> {
        self.0.get(conversation, stamp).flatten()
    }

    /// The standing epoch's rows: known, or read now.
    pub(super) fn find(&self, store: &dyn Store, conversation: &ConversationId) -> StoreResult<Option<Standing>> {
        self.0.find(store, conversation, || store.standing(conversation), Option::is_some)
    }
}

/// The rows of the templates that were saved last, by layout. Most layouts have none, and that is known as well.
pub(super) struct RecentTemplates(Rows<String, Option<TemplateRow>>);

impl Default for RecentTemplates {
    fn default() -> RecentTemplates {
        RecentTemplates(Rows::with_room(LAYOUTS))
    }
}

impl RecentTemplates {
    /// The row of the template that was saved last for a layout: known, or read now.
    pub(super) fn find(&self, store: &dyn Store, layout: &str) -> StoreResult<Option<TemplateRow>> {
        let last = || Ok(store.last_template(layout)?.and_then(TemplateEntry::into_saved));
        self.0.find(store, &layout.to_owned(), last, |_| true)
    }
}
