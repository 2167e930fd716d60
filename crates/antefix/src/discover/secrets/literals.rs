//! Whether a text may have a secret at all.
//!
//! There is none without one of some forty literals, and most texts have none of them. All are looked for at once, many
//! bytes at a time, in a tenth of the time that looking at every place takes.

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;

use super::{block, parts, token};

/// None where the processor cannot do it; then every text may have one.
static SEARCHER: LazyLock<Option<Searcher>> = LazyLock::new(|| {
    let tokens = token::SHAPES.iter().map(|shape| shape.prefix.as_bytes());
    Searcher::new(tokens.chain(parts::LITERALS).chain([block::BEGIN]))
});

/// Whether it is worth looking at every place.
pub(super) fn may_be_in(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Of a URL only one with a user's name is of interest.
    let logs_in = || memchr::memchr(b'@', bytes).is_some() && memchr::memmem::find(bytes, b"://").is_some();
    logs_in() || SEARCHER.as_ref().is_none_or(|searcher| searcher.find(bytes).is_some())
}
