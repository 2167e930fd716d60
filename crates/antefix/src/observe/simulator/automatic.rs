//! Caches that nobody has to ask: whatever a request has in common with an earlier one, from its beginning on.

use super::Entries;
use super::request::Prompt;
use crate::models::Model;
use crate::observe::Billed;

/// The lifetime of what is promised none, in seconds. Assumption: as long as the shortest promise of any provider.
const UNPROMISED: u64 = 300;

/// How such a cache differs from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numbers {
    /// The shortest beginning that is read, in tokens.
    pub(super) minimum: usize,
    /// What is read is a multiple of this, in tokens.
    pub(super) step: usize,
    /// How long it is kept without being used, in seconds.
    pub(super) lifetime: u64,
}

impl Numbers {
    /// What the row of a model says. No step is known of most providers.
    pub(super) fn of(model: &Model) -> Numbers {
        let lifetime = model.lifetimes.first().copied().unwrap_or(UNPROMISED);
        Numbers { minimum: model.minimum.unwrap_or(0), step: 1, lifetime }
    }
}

/// Writing costs nothing there, so that all that is not read has the price of input.
pub(super) fn bill(entries: &mut Entries, at: u64, prompt: &Prompt, numbers: &Numbers) -> Billed {
    let pieces = prompt.pieces();
    let same = pieces.iter().take_while(|piece| entries.has(&piece.digest, at)).last();
    let same = same.map_or(0, |piece| piece.end);
    let read = if same < numbers.minimum { 0 } else { same - same % numbers.step };
    for piece in pieces {
        entries.keep(piece.digest, at, numbers.lifetime);
    }
    Billed { read, plain: prompt.tokens() - read, ..Billed::default() }
}
