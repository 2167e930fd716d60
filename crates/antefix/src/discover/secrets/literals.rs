//! Whether a text may have a secret at all.
//!
//! There is none without one of some hundred literals, and most texts have none of them. All are looked for at once, many
//! bytes at a time, in a tenth of the time that looking at every place takes. Those of two letters are in every text: they
//! count only with enough behind them.

use std::sync::LazyLock;

use aho_corasick::packed::Searcher;
use memchr::memmem;

use super::{block, middle, names, parts, shapes, token};

/// So many literals can be looked for at once.
const AT_ONCE: usize = 64;
/// A prefix that is shorter is in every text.
const SHORT: usize = 3;

/// None where the processor cannot do it; then every text may have one.
static SEARCHERS: LazyLock<Option<Vec<Searcher>>> = LazyLock::new(|| {
    let tokens = shapes::SHAPES.iter().map(|shape| shape.prefix.as_bytes()).filter(|prefix| prefix.len() >= SHORT);
    let mut literals: Vec<&[u8]> = tokens.chain(parts::LITERALS).chain([block::BEGIN, middle::ATLAS]).collect();
    // Where there is `sk-proj-` there is `sk-`; and what several begin with is as rare as each of them.
    literals.sort_unstable();
    literals.dedup_by(|next, kept| {
        let common = next.iter().zip(*kept).take_while(|(one, other)| one == other).count();
        if common >= SHORT {
            *kept = &kept[..common];
        }
        common >= SHORT
    });
    // The shortest of a group says how many bytes are compared at once: those of three would spoil it for the others.
    let (short, long): (Vec<&[u8]>, Vec<&[u8]>) = literals.into_iter().partition(|literal| literal.len() == SHORT);
    let groups = short.chunks(AT_ONCE).chain(long.chunks(AT_ONCE)).map(Searcher::new);
    groups.chain([Searcher::new(names::spelled())]).collect()
});

/// Whether it is worth looking at every place.
pub(super) fn may_be_in(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Of a URL only one with a user's name is of interest.
    let logs_in = || memchr::memchr(b'@', bytes).is_some() && memmem::find(bytes, b"://").is_some();
    let literal = || SEARCHERS.as_ref().is_none_or(|all| all.iter().any(|searcher| searcher.find(bytes).is_some()));
    literal() || logs_in() || short(bytes)
}

fn short(bytes: &[u8]) -> bool {
    let found = |prefix: &[u8], enough: &dyn Fn(usize) -> bool| memmem::find_iter(bytes, prefix).any(enough);
    found(middle::AZURE, &|at| middle::may_be_azure(bytes, at))
        || token::short(SHORT).any(|shape| found(shape.prefix.as_bytes(), &|at| shape.may_be(bytes, at)))
}
