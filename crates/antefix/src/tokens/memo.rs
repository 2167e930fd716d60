//! What was counted once.
//!
//! A count is a function of the text alone, so remembering it changes nothing but time. This is the only thing that the
//! library keeps between calls.

use std::sync::Mutex;

use crate::recent::RecentlyUsed;
use crate::text::Digest;

/// How many counts are remembered.
const MOST: usize = 4096;

/// The count of a text: remembered, or made now.
pub(super) fn remember(text: &str, count: fn(&str) -> usize) -> usize {
    if text.is_empty() {
        return 0;
    }
    let digest = Digest::of(text);
    known(digest).unwrap_or_else(|| count_now(digest, text, count))
}

/// The same for a text whose digest is known already, so that it need not be made or digested if it was counted before.
/// None if there is no such text after all.
pub(super) fn remember_known(
    digest: Digest,
    text: impl FnOnce() -> Option<String>,
    count: fn(&str) -> usize,
) -> Option<usize> {
    if let Some(tokens) = known(digest) {
        return Some(tokens);
    }
    let text = text()?;
    (Digest::of(&text) == digest).then(|| if text.is_empty() { 0 } else { count_now(digest, &text, count) })
}

fn known(digest: Digest) -> Option<usize> {
    MEMO.lock().ok()?.get(&digest).copied()
}

fn count_now(digest: Digest, text: &str, count: fn(&str) -> usize) -> usize {
    // Counting takes long, so others are not kept waiting; two may count the same.
    let tokens = count(text);
    if let Ok(mut memo) = MEMO.lock() {
        memo.insert(digest, tokens, 1);
    }
    tokens
}

/// Tokens by the digests of texts; each weighs the same.
static MEMO: Mutex<RecentlyUsed<Digest, usize>> = Mutex::new(RecentlyUsed::with_room(MOST));
