//! DeepSeek's cache: complete units.
//!
//! Source: <https://api-docs.deepseek.com/guides/kv_cache/>, as of 2026-11.
//!
//! 1. "Each cached prefix is an independent, complete unit. A subsequent request can only hit the cache if it fully matches a
//!    cache prefix unit."
//! 2. A unit is kept at the end of a request's input and at the end of what the model answered.
//! 3. A beginning that two requests share is kept when it is found: the second of them still misses, the third reads it.
//! 4. Units are also kept "at fixed token intervals in long input". No interval is published, so that this is left out: a
//!    request that departs from all before it in the midst of a long text reads more there than here.
//! 5. Kept for "hours to days", best effort. Assumption: six hours from the last use. Writing costs nothing.
//! 6. The order in which a request is read is not published. Assumption: tools, then messages.

use super::request::Prompt;
use super::{Entries, UNTIL_READABLE};
use crate::observe::Billed;

/// Six hours.
const LIFETIME: u64 = 6 * 3600;

/// What requests had, to find what they share, and where their inputs ended.
#[derive(Debug, Clone, Default)]
pub(super) struct Units {
    /// Every beginning of a request, whether or not a unit ends with it.
    seen: Entries,
    /// Where inputs ended: an answer behind one of them ends a unit as well.
    inputs: Entries,
}

impl Units {
    pub(super) fn bill(&mut self, entries: &mut Entries, at: u64, prompt: &Prompt) -> Billed {
        let pieces = prompt.pieces();
        for (before, after) in prompt.answers() {
            if self.inputs.has(&before, at) && !entries.has(&after, at) {
                // The answer was complete before anybody could send it back.
                entries.keep(after, at.saturating_sub(UNTIL_READABLE), LIFETIME);
            }
        }
        let hit = pieces.iter().rfind(|piece| entries.has(&piece.digest, at));
        let read = hit.map_or(0, |piece| piece.end);
        let shared = pieces.iter().take_while(|piece| self.seen.has(&piece.digest, at)).last();
        for unit in [hit, shared, pieces.last()].into_iter().flatten() {
            entries.keep(unit.digest, at, LIFETIME);
        }
        for piece in pieces {
            self.seen.keep(piece.digest, at, LIFETIME);
        }
        if let Some(last) = pieces.last() {
            self.inputs.keep(last.digest, at, LIFETIME);
        }
        Billed { read, plain: prompt.tokens() - read, ..Billed::default() }
    }
}
