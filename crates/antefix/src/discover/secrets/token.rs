//! Tokens of one piece: a prefix, and so many characters of an alphabet.
//!
//! 1. [`SHAPES`] is the list of them.
//! 2. Whether something is a token is decided by its prefix, by as many characters as the shortest of its kind has, and
//!    by what is on both sides. So a place that looks like a beginning costs a bounded time, however many of them
//!    follow each other.
//! 3. A token of open length extends as far as its alphabet does.

use super::shapes::SHAPES;
use super::{MARKER_START, block};

/// A kind of token.
pub(super) struct Shape {
    pub(super) rule: &'static str,
    pub(super) prefix: &'static str,
    alphabet: Alphabet,
    length: Length,
    /// How many characters decide whether it is a placeholder.
    judged: usize,
    /// What the characters behind the prefix must have besides.
    body: fn(&[u8]) -> bool,
}

/// The shapes that begin with a byte, in their order.
pub(super) fn beginning_with(first: u8) -> impl Iterator<Item = &'static Shape> {
    let mut left = OF_FIRST[usize::from(first)];
    std::iter::from_fn(move || {
        let shape = SHAPES.get(left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(shape)
    })
}

/// The shapes whose prefix is shorter than this.
pub(super) fn short(least: usize) -> impl Iterator<Item = &'static Shape> {
    SHAPES.iter().filter(move |shape| shape.prefix.len() < least)
}

/// For each byte, which shapes begin with it: a bit each.
const OF_FIRST: [u128; 256] = {
    assert!(SHAPES.len() < 128);
    let mut shapes = [0; 256];
    let mut at = 0;
    while at < SHAPES.len() {
        shapes[SHAPES[at].prefix.as_bytes()[0] as usize] |= 1 << at;
        at += 1;
    }
    shapes
};

enum Length {
    Exactly(usize),
    AtLeast(usize),
}

/// A token of one length.
pub(super) const fn exactly(rule: &'static str, prefix: &'static str, alphabet: Alphabet, length: usize) -> Shape {
    Shape { rule, prefix, alphabet, length: Length::Exactly(length), judged: length, body: |_| true }
}

/// A token of open length.
pub(super) const fn at_least(rule: &'static str, prefix: &'static str, alphabet: Alphabet, length: usize) -> Shape {
    Shape { rule, prefix, alphabet, length: Length::AtLeast(length), judged: length, body: |_| true }
}

impl Shape {
    /// So many characters decide whether it is a placeholder.
    pub(super) const fn judged_by(self, judged: usize) -> Shape {
        Shape { judged, ..self }
    }

    /// A body of this kind alone.
    pub(super) const fn with(self, body: fn(&[u8]) -> bool) -> Shape {
        Shape { body, ..self }
    }

    /// Whether there is enough for one of these behind a prefix, if not for a whole one.
    pub(super) fn may_be(&self, bytes: &[u8], at: usize) -> bool {
        let (Length::Exactly(least) | Length::AtLeast(least)) = self.length;
        self.alphabet.run(&bytes[at + self.prefix.len()..], least) == least
    }

    /// Where the token ends that begins at a word, if there is one.
    pub(super) fn end(&self, bytes: &[u8], at: usize) -> Option<usize> {
        // Most differ in one byte, and looking at that costs less than comparing them.
        if bytes.get(at + 1) != self.prefix.as_bytes().get(1) {
            return None;
        }
        let rest = bytes[at..].strip_prefix(self.prefix.as_bytes())?;
        let start = at + self.prefix.len();
        let (Length::Exactly(least) | Length::AtLeast(least)) = self.length;
        if self.alphabet.run(rest, least) < least {
            return None;
        }
        let decisive = &rest[..self.alphabet.run(rest, self.judged)];
        if !(self.body)(decisive) || is_placeholder(decisive, self.alphabet) {
            return None;
        }
        match self.length {
            Length::Exactly(length) => {
                let end = start + length;
                (self.alphabet.run(rest, length + 1) == length && ends_word(bytes, end)).then_some(end)
            }
            Length::AtLeast(_) => {
                let end = start + self.alphabet.run(rest, usize::MAX);
                (!bytes.get(end).is_some_and(|byte| is_word(*byte))).then_some(end)
            }
        }
    }
}

/// What a token is written in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// Letters and digits.
    Base62,
    /// Letters, digits and `_`.
    Word,
    /// Letters, digits, `_` and `-`: base64 for URLs.
    Url,
    /// Digits and the letters from `a` to `f`, small or capital.
    Hex,
    /// Letters, digits, `_`, `-`, `~` and `.`.
    Tilde,
    /// Letters, digits, `+` and `/`: base64 without what fills it up.
    Base64,
    /// Capitals and the digits from 2 to 7.
    Base32,
    /// Capitals and digits without `B`, `I`, `O` and `1`, which are easily mistaken.
    Bech32,
}

impl Alphabet {
    /// How many bytes, up to `most`, are written in this alphabet. The lines around a private key are not part of a
    /// token, although their dashes may touch it.
    pub(super) fn run(self, bytes: &[u8], most: usize) -> usize {
        let outside = |at: &usize| !self.has(bytes[*at]) || bytes[*at] == b'-' && block::begins_line(&bytes[*at..]);
        let most = most.min(bytes.len());
        (0..most).find(outside).unwrap_or(most)
    }

    /// Whether it has a byte.
    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            Alphabet::Base62 => byte.is_ascii_alphanumeric(),
            Alphabet::Word => is_word(byte),
            Alphabet::Url => is_word(byte) || byte == b'-',
            Alphabet::Tilde => is_word(byte) || matches!(byte, b'-' | b'~' | b'.'),
            Alphabet::Hex => byte.is_ascii_hexdigit(),
            Alphabet::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'),
            Alphabet::Base32 => matches!(byte, b'A'..=b'Z' | b'2'..=b'7'),
            Alphabet::Bech32 => matches!(byte, b'A'..=b'Z' | b'0' | b'2'..=b'9') && !matches!(byte, b'B' | b'I' | b'O'),
        }
    }
}

/// Whether a word begins here. In a text within a text, `\n` and its kin end a word with a letter.
pub(super) fn begins_word(bytes: &[u8], at: usize) -> bool {
    is_word(bytes[at])
        && match bytes[..at] {
            [.., b'\\', b'n' | b'r' | b't'] => true,
            [.., before] => !is_word(before),
            [] => true,
        }
}

/// Whether a word of exact length can end here. A marker counts as a letter: a token that ran into another secret
/// was none, and does not become one when that other secret is redacted.
pub(super) fn ends_word(bytes: &[u8], at: usize) -> bool {
    let rest = &bytes[at..];
    !rest.first().is_some_and(|byte| is_word(*byte)) && !rest.starts_with(MARKER_START.as_bytes())
}

/// Whether it is a letter, a digit or `_`.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether nobody was ever issued these characters.
pub(super) fn is_placeholder(body: &[u8], alphabet: Alphabet) -> bool {
    // Only in capitals and six digits, one key in thirty has no digit by chance.
    let words = alphabet != Alphabet::Base32 && kinds(body) < 2;
    let named = body.windows(7).any(|window| window.eq_ignore_ascii_case(b"example"));
    words || named || is_monotonous(body)
}

/// Whether there are at most two characters, or most of them repeat or count up from the one before, as in `aaaabbbb`
/// and `abcdef123456`.
pub(super) fn is_monotonous(body: &[u8]) -> bool {
    let expected = |pair: &&[u8]| pair[0] == pair[1] || pair[0].checked_add(1) == Some(pair[1]);
    let first = body.first();
    let second = body.iter().find(|byte| Some(*byte) != first);
    body.iter().all(|byte| Some(byte) == first || Some(byte) == second)
        || 2 * body.windows(2).filter(expected).count() >= body.len()
}

/// How many of the three kinds are there: small letters, capitals, digits.
pub(super) fn kinds(body: &[u8]) -> usize {
    let kinds: [fn(&u8) -> bool; 3] = [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit];
    kinds.into_iter().filter(|kind| body.iter().any(kind)).count()
}
