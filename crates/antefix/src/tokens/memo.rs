//! What was counted once.
//!
//! A count is a function of the text alone, so remembering it changes nothing but time. This is the only thing that the
//! library keeps between calls, beside the vocabulary.

use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::text::Digest;

/// How many counts are remembered.
const MOST: usize = 4096;

/// What has been counted in this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remembered {
    /// Texts by their digests, and how many tokens each has; what was asked for last stands last.
    pub counts: Vec<(Digest, usize)>,
    /// How many of them were counted here, and not recalled.
    pub counted: usize,
}

/// Remembers what another process has counted. What was counted here stays.
pub fn recall(counts: impl IntoIterator<Item = (Digest, usize)>) {
    let Ok(mut memo) = MEMO.lock() else { return };
    for (digest, tokens) in counts.into_iter().take(MOST) {
        if !memo.counts.contains_key(&digest) {
            memo.keep(digest, tokens);
        }
    }
}

/// What is remembered, for the next process.
pub fn remembered() -> Remembered {
    let Ok(memo) = MEMO.lock() else { return Remembered { counts: Vec::new(), counted: 0 } };
    let mut counts: Vec<_> = memo.counts.iter().map(|(digest, (tokens, used))| (*used, *digest, *tokens)).collect();
    counts.sort_unstable();
    let counts = counts.into_iter().map(|(_, digest, tokens)| (digest, tokens)).collect();
    Remembered { counts, counted: memo.counted }
}

/// The count of a text: remembered, or made now.
#[cfg(feature = "tokens")]
pub(super) fn remember(text: &str, count: fn(&str) -> usize) -> usize {
    if text.is_empty() {
        return 0;
    }
    let digest = Digest::of(text);
    if let Ok(mut memo) = MEMO.lock()
        && let Some((tokens, _)) = memo.counts.get(&digest).copied()
    {
        memo.keep(digest, tokens);
        return tokens;
    }
    // Counting takes long, so others are not kept waiting; two may count the same.
    let tokens = count(text);
    if let Ok(mut memo) = MEMO.lock() {
        memo.keep(digest, tokens);
        memo.counted += 1;
    }
    tokens
}

static MEMO: Mutex<Memo> = Mutex::new(Memo { counts: BTreeMap::new(), clock: 0, counted: 0 });

struct Memo {
    /// Tokens, and when they were last asked for.
    counts: BTreeMap<Digest, (usize, u64)>,
    clock: u64,
    counted: usize,
}

impl Memo {
    fn keep(&mut self, digest: Digest, tokens: usize) {
        self.clock += 1;
        self.counts.insert(digest, (tokens, self.clock));
        if self.counts.len() > MOST {
            // The half that was not asked for lately goes at once, so that this is rare.
            let mut used: Vec<u64> = self.counts.values().map(|(_, used)| *used).collect();
            used.sort_unstable();
            let middle = used[used.len() / 2];
            self.counts.retain(|_, (_, used)| *used >= middle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_last_stays() {
        let mut memo = Memo { counts: BTreeMap::new(), clock: 0, counted: 0 };
        for number in 0..3 * MOST {
            memo.keep(Digest::of(&number.to_string()), number);
            memo.keep(Digest::of("0"), 0);
            assert!(memo.counts.len() <= MOST);
        }
        assert!(memo.counts.contains_key(&Digest::of("0")));
        assert!(memo.counts.contains_key(&Digest::of(&(3 * MOST - 1).to_string())));
        assert!(!memo.counts.contains_key(&Digest::of("1")));
    }
}
