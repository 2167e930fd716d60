//! How long what a request writes to a provider's cache is to live.
//!
//! 1. The longer lifetime costs more to write, and saves a rewrite after each pause that only it outlives.
//! 2. What is not known of a conversation is that it pauses, so everything is written for the shorter lifetime at first. That decides
//!    also for what is fixed: other conversations keep it warm, or it is written again for less than the longer lifetime costs.
//! 3. A pause that the shorter lifetime did not outlive has lost the cache. All of it is written anyway then, and that is when the
//!    lifetime may change: what is cached is never written twice for the sake of another one.
//! 4. The longer one is taken if the pauses that are to be expected save more than it costs, by the prices of the model. Where the
//!    price is not published, nobody can know, and the shorter one is taken.

use super::Content;
use crate::compose::policy::Lifetime;
use crate::models::Model;

/// The lifetime of all breakpoints of ours, in seconds; 0 if the model promises none.
pub(super) fn decided(content: &Content<'_>, model: &Model) -> u64 {
    let shortest = model.lifetimes.first().copied().unwrap_or(0);
    let longest = model.lifetimes.last().copied().unwrap_or(0);
    match content.lifetime {
        Lifetime::Short => shortest,
        Lifetime::Long => longest,
        Lifetime::Auto if long_pays(content.pauses, model) => longest,
        Lifetime::Auto => shortest,
    }
}

/// Whether the longer lifetime pays from now on, after these pauses of a conversation in seconds.
///
/// With `w` for writing, `W` for writing for longer and `r` for reading, it costs `W − w` for each token once, and saves `w − r` with
/// each pause between the two lifetimes that is still to come. A longer pause loses everything, whichever was taken, and the choice
/// is made anew. So many pauses of the first kind are expected for each of the second: those seen and a half, for those seen
/// and one. Without a pause that is a half, which is less than what any model needs (0.61 to 0.65).
pub(super) fn long_pays(pauses: &[u64], model: &Model) -> bool {
    let ([shortest, .., longest], Some(prices)) = (model.lifetimes.as_slice(), model.prices) else { return false };
    let (Some(read), Some(write), Some(long)) = (prices.read, prices.write, prices.write_1h) else { return false };
    let saved = pauses.iter().filter(|pause| **pause > *shortest && **pause <= *longest).count() as u64;
    let lost = pauses.iter().filter(|pause| **pause > *longest).count() as u64;
    (2 * saved + 1) * write.saturating_sub(read) > 2 * (lost + 1) * long.saturating_sub(write)
}

#[cfg(test)]
mod tests;
