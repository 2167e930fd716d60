//! Tokens: how many there are, and how sure that is.
//!
//! 1. Counts are exact for the encoding o200k_base, which OpenAI publishes; see [`count`]. The vocabulary is
//!    searched where it lies in the program: nothing is loaded.
//! 2. For a model without a public tokenizer a count is an estimate with a band; see [`Tokenizer`]. An estimate never
//!    looks like a count.
//! 3. A text is counted once: results are remembered by the text's digest, in bounded space.
//! 4. Time grows with the text, whatever it is made of, and no faster.
//!
//! Without the feature `tokens` nothing is counted, and everything that would say tokens says nothing of them.
//!
//! What a provider bills differs a little: it adds roles and tool schemas, and texts that meet may share a token. So the
//! counts of sections do not add up to the count of the prompt.

#[cfg(feature = "tokens")]
mod bucket;
#[cfg(feature = "tokens")]
mod memo;
#[cfg(feature = "tokens")]
mod o200k;
#[cfg(feature = "tokens")]
mod split;
#[cfg(feature = "tokens")]
mod table;
mod tokenizer;

use crate::text::Digest;

pub use tokenizer::{Band, Tokenizer, Tokens};

/// The encoding that is counted in.
pub const ENCODING: &str = "o200k_base";

/// Whether tokens are counted at all: the feature `tokens`.
pub fn are_counted() -> bool {
    cfg!(feature = "tokens")
}

/// How many tokens a text has in o200k_base; none without the feature `tokens`.
///
/// Special tokens are text here: a prompt that says `<|endoftext|>` means the words.
///
/// The count is exact, unless the text has a run of more than [`LONGEST_RUN`] bytes that the encoding does not split, such as
/// a megabyte of one letter: then the run counts in parts, and the sum may be off by a token a part.
pub fn count(text: &str) -> Option<usize> {
    #[cfg(feature = "tokens")]
    return Some(memo::remember(text, o200k::count));
    #[cfg(not(feature = "tokens"))]
    {
        let _ = text;
        None
    }
}

/// The same for a text whose digest is known: it is asked for only if it was not counted before.
pub(crate) fn count_known(digest: Digest, text: impl FnOnce() -> Option<String>) -> Option<usize> {
    #[cfg(feature = "tokens")]
    return memo::remember_known(digest, text, o200k::count);
    #[cfg(not(feature = "tokens"))]
    {
        let _ = (digest, text);
        None
    }
}

/// The same for a text that will not be seen again, such as a try at cutting one; its bytes without the feature.
pub(crate) fn count_once(text: &str) -> usize {
    #[cfg(feature = "tokens")]
    return o200k::count(text);
    #[cfg(not(feature = "tokens"))]
    text.len()
}

/// The longest run that is counted in one piece, in bytes.
pub const LONGEST_RUN: usize = 32 * 1024;

/// Where the longest beginning of a text ends that has at most so many tokens by itself, on a character boundary.
pub(crate) fn end_within(text: &str, tokens: usize) -> usize {
    #[cfg(feature = "tokens")]
    return o200k::end_within(text, tokens);
    #[cfg(not(feature = "tokens"))]
    {
        // A layout with a budget in tokens is refused without the feature. A token has at least a byte, so this holds too.
        crate::text::floor_char_boundary(text, tokens)
    }
}
