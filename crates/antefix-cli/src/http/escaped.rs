//! Prefixes as JSON writes them.
//!
//! A prefix is the same turn after turn, and writing it out as JSON costs more than all else of a turn that stands.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use antefix::freeze::Epoch;
use antefix::text::Digest;
use serde_json::value::RawValue;

/// How many bytes are kept. Beyond that all are forgotten, and written once more.
const MOST: usize = 32 * 1024 * 1024;

/// By the digest of the epoch, which no two texts share.
#[derive(Default)]
pub(super) struct Escaped(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    texts: BTreeMap<Digest, Arc<RawValue>>,
    bytes: usize,
}

impl Escaped {
    /// The prefix of an epoch.
    pub(super) fn prefix(&self, epoch: &Epoch) -> Option<Arc<RawValue>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.texts.get(&epoch.digest()) {
            return Some(Arc::clone(known));
        }
        // A text can always be written.
        let text: Arc<RawValue> = serde_json::value::to_raw_value(epoch.text()).ok()?.into();
        if kept.bytes + text.get().len() > MOST {
            *kept = Kept::default();
        }
        kept.bytes += text.get().len();
        kept.texts.insert(epoch.digest(), Arc::clone(&text));
        Some(text)
    }
}
