//! Changes that were found to change nothing: a conversation that moved to another clone of the same repository, say.
//!
//! Without this, every turn there would compose everything anew to find the same bytes again.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::freeze::{Change, ChangeKind, ConversationId, Epoch};
use crate::text::Digest;

/// How many conversations are remembered. Beyond that all are forgotten, and found out once more.
const MOST: usize = 10_000;

/// By conversation: the epoch, and the changes that gave its very bytes.
#[derive(Default)]
pub(super) struct IneffectiveChanges(Mutex<BTreeMap<ConversationId, (EpochName, Digest)>>);

/// An epoch by number, and by its bytes: after a conversation was deleted, another one may have its name.
type EpochName = (u64, Digest);

impl IneffectiveChanges {
    /// Whether just these changes were found to give the epoch's own bytes.
    pub(super) fn is_known(&self, epoch: &Epoch, changes: &[Change]) -> bool {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(epoch.conversation()) == Some(&(name(epoch), digest(changes)))
    }

    /// Remembers that they do.
    pub(super) fn remember(&self, epoch: &Epoch, changes: &[Change]) {
        // A fact that moved may move again under the same words; only where it works, and which roots there are, is told
        // in full.
        let in_full = [ChangeKind::Moved, ChangeKind::RootAdded, ChangeKind::RootRemoved];
        if changes.iter().any(|change| !in_full.contains(&change.kind)) {
            return;
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(epoch.conversation().clone(), (name(epoch), digest(changes)));
    }
}

fn name(epoch: &Epoch) -> EpochName {
    (epoch.number(), epoch.digest())
}

fn digest(changes: &[Change]) -> Digest {
    let texts = changes.iter().map(|change| (change.kind.name(), change.detail.as_str()));
    Digest::framed("antefix/changes/1", texts)
}
