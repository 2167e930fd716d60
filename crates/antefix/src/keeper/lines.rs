//! Ledgers as JSON lines: what each line says.
//!
//! 1. The first line of a ledger says what follows; then come texts, epochs, amendments, what the conversation remembers, and
//!    what is put between its messages, each on a line of its own, and every text before the first line that names it.
//! 2. A file may hold several ledgers, one behind the other.
//! 3. A ledger without insertions that turns repeat is written as version 2, and one without a memory as version 1, which older
//!    releases can read.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::freeze::{Insertion, InsertionKind, Taken};
use crate::text::Digest;

/// The version that is read and, where turns repeat insertions, written.
pub(super) const VERSION: u32 = 3;
/// The version of a ledger without insertions.
pub(super) const WITHOUT_INSERTIONS: u32 = 2;
/// The version of a ledger without a memory.
pub(super) const WITHOUT_MEMORY: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Line {
    Ledger { version: u32, conversation: String },
    Text { digest: Digest, text: String },
    Epoch(EpochLine),
    Amendment { epoch: u64, number: u64, at: Timestamp, body: Digest },
    Memory { body: Digest },
    Insertion(InsertionLine),
    Message { at: Timestamp, text: String },
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EpochLine {
    pub(super) number: u64,
    pub(super) cause: String,
    pub(super) opened_at: Timestamp,
    pub(super) digest: Digest,
    pub(super) body: Digest,
    pub(super) cwd: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) machine: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct InsertionLine {
    number: u64,
    at: Timestamp,
    text: String,
    /// The files of a touch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    touched: Option<BTreeMap<String, Digest>>,
    /// The sections of a live part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    live: Option<BTreeMap<String, Digest>>,
    /// Whether a turn took it, or it waits.
    taken: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turn: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<u64>,
}

impl InsertionLine {
    pub(super) fn new(insertion: Insertion) -> InsertionLine {
        let Insertion { number, kind, at, text, taken } = insertion;
        let (touched, live) = match kind {
            InsertionKind::Queued => (None, None),
            InsertionKind::Live(sections) => (None, Some(sections)),
            InsertionKind::Touched(files) => (Some(files), None),
        };
        let is_taken = taken.is_some();
        let Taken { turn, place } = taken.unwrap_or_default();
        InsertionLine { number, at, text, touched, live, taken: is_taken, turn, place }
    }

    pub(super) fn insertion(self) -> Insertion {
        let InsertionLine { number, at, text, touched, live, taken, turn, place } = self;
        let kind = match (touched, live) {
            (_, Some(sections)) => InsertionKind::Live(sections),
            (Some(files), None) => InsertionKind::Touched(files),
            (None, None) => InsertionKind::Queued,
        };
        Insertion { number, kind, at, text, taken: taken.then_some(Taken { turn, place }) }
    }
}

/// What a record may name: every text in it that is a digest.
pub(super) fn digests(record: &str) -> Vec<Digest> {
    fn walk(value: &serde_json::Value, found: &mut Vec<Digest>) {
        match value {
            serde_json::Value::String(text) => found.extend(Digest::parse(text)),
            serde_json::Value::Array(items) => items.iter().for_each(|item| walk(item, found)),
            serde_json::Value::Object(map) => map.values().for_each(|value| walk(value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    if let Ok(value) = serde_json::from_str(record) {
        walk(&value, &mut found);
    }
    found.sort();
    found.dedup();
    found
}
