//! Secrets that are known by what is in their middle: client secrets of Azure, tokens of Terraform's cloud.
//!
//! Each function is asked at that place and answers where the secret begins and ends.

use std::ops::Range;

use super::MARKER_START;
use super::token::{Alphabet, begins_word, ends_word, is_placeholder};

/// What is behind the fourth character of a client secret of Azure.
pub(super) const AZURE: &[u8] = b"Q~";
/// What is behind the fourteenth character of a token of Terraform's cloud.
pub(super) const ATLAS: &[u8] = b".atlasv1.";

/// All secrets of a kind, in order.
pub(super) fn all<'b>(
    bytes: &'b [u8],
    known_by: &'static [u8],
    secret: fn(&[u8], usize) -> Option<Range<usize>>,
) -> impl Iterator<Item = Range<usize>> + 'b {
    memchr::memmem::find_iter(bytes, known_by).filter_map(move |at| secret(bytes, at))
}

/// Three characters, a digit, `Q~`, and 31 to 34 characters.
pub(super) fn azure(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    const BEFORE: usize = 4;
    let start = at.checked_sub(BEFORE)?;
    let rest = bytes[at..].strip_prefix(AZURE)?;
    let alphabet = Alphabet::Tilde;
    let whole = alphabet.run(&bytes[start..at], BEFORE) == BEFORE
        && bytes[at - 1].is_ascii_digit()
        && !start.checked_sub(1).is_some_and(|before| alphabet.has(bytes[before]) || bytes[before] == b']');
    let run = alphabet.run(rest, LONGEST + 1);
    // A sentence may end behind it.
    let length = run - usize::from(run > 0 && rest[run - 1] == b'.');
    let real = whole
        && (SHORTEST..=LONGEST).contains(&length)
        && !is_placeholder(&rest[..length], alphabet)
        && !rest[run..].starts_with(MARKER_START.as_bytes());
    real.then(|| start..at + AZURE.len() + length)
}

const SHORTEST: usize = 31;
const LONGEST: usize = 34;

/// Whether there is enough around for a client secret of Azure, if not for a whole one.
pub(super) fn may_be_azure(bytes: &[u8], at: usize) -> bool {
    at >= 4 && Alphabet::Tilde.run(&bytes[at + AZURE.len()..], SHORTEST) == SHORTEST
}

/// 14 characters, `.atlasv1.`, and 60 characters or more.
pub(super) fn terraform(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    const BEFORE: usize = 14;
    const BEHIND: usize = 60;
    let rest = bytes[at..].strip_prefix(ATLAS)?;
    let start = at.checked_sub(BEFORE)?;
    let whole = Alphabet::Base62.run(&bytes[start..at], BEFORE) == BEFORE
        && begins_word(bytes, start)
        && !bytes[..start].ends_with(b"]");
    let length = Alphabet::Url.run(rest, usize::MAX);
    let end = at + ATLAS.len() + length;
    let real = whole && length >= BEHIND && !is_placeholder(&rest[..BEHIND], Alphabet::Url) && ends_word(bytes, end);
    real.then_some(start..end)
}
