//! What was counted once.
//!
//! A count is a function of the text alone, so remembering it changes nothing but time. This is the only thing that the
//! library keeps between calls, beside the vocabulary.

use std::sync::Mutex;

use crate::recent::RecentlyUsed;
use crate::text::Digest;

/// How many counts are remembered.
const MOST: usize = 4096;

/// What has been counted in this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remembered {
    /// Texts by their digests, and how many tokens each has; what was asked for last is last.
    pub counts: Vec<(Digest, usize)>,
    /// How many of them were counted here, and not recalled.
    pub counted: usize,
}

/// Remembers what another process has counted. What was counted here stays.
pub fn recall(counts: impl IntoIterator<Item = (Digest, usize)>) {
    let Ok(mut memo) = MEMO.lock() else { return };
    for (digest, tokens) in counts.into_iter().take(MOST) {
        if !memo.counts.contains(&digest) {
            memo.counts.insert(digest, tokens, 1);
        }
    }
}

/// What is remembered, for the next process.
pub fn remembered() -> Remembered {
    let Ok(memo) = MEMO.lock() else { return Remembered { counts: Vec::new(), counted: 0 } };
    let counts = memo.counts.in_order_of_use().map(|(digest, tokens)| (*digest, *tokens)).collect();
    Remembered { counts, counted: memo.counted }
}

/// The count of a text: remembered, or made now.
#[cfg(feature = "tokens")]
pub(super) fn remember(text: &str, count: fn(&str) -> usize) -> usize {
    if text.is_empty() {
        return 0;
    }
    let digest = Digest::of(text);
    known(digest).unwrap_or_else(|| count_now(digest, text, count))
}

/// The same for a text whose digest is known already, so that it need not be made or digested if it was counted before.
/// None if there is no such text after all.
#[cfg(feature = "tokens")]
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

#[cfg(feature = "tokens")]
fn known(digest: Digest) -> Option<usize> {
    MEMO.lock().ok()?.counts.get(&digest).copied()
}

#[cfg(feature = "tokens")]
fn count_now(digest: Digest, text: &str, count: fn(&str) -> usize) -> usize {
    // Counting takes long, so others are not kept waiting; two may count the same.
    let tokens = count(text);
    if let Ok(mut memo) = MEMO.lock() {
        memo.counts.insert(digest, tokens, 1);
        memo.counted += 1;
    }
    tokens
}

static MEMO: Mutex<Memo> = Mutex::new(Memo { counts: RecentlyUsed::with_room(MOST), counted: 0 });

struct Memo {
    /// Tokens by the digests of texts; each weighs the same.
    counts: RecentlyUsed<Digest, usize>,
    counted: usize,
}
