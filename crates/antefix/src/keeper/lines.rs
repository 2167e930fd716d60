//! Ledgers as JSON lines: what each line says.
//!
//! 1. The first line of a ledger says what follows; then come texts, epochs, amendments, what the conversation remembers, and
//!    messages, each on a line of its own, and every text before the first line that names it.
//! 2. A file may hold several ledgers, one behind the other.
//! 3. A ledger without a memory is written as version 1, which older releases can read.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::text::Digest;

/// The version that is read and, where a conversation remembers something, written.
pub(super) const VERSION: u32 = 2;
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
