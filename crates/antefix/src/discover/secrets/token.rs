//! Tokens of one piece: a prefix, and so many characters of an alphabet.
//!
//! 1. [`SHAPES`] is the list of them. The more special prefix is first.
//! 2. Whether something is a token is decided by its prefix, by as many characters as the shortest of its kind has, and
//!    by what is on both sides. So a place that looks like a beginning costs a bounded time, however many of them
//!    follow each other.
//! 3. A token of open length extends as far as its alphabet does.

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

/// Every token of one piece.
pub(super) const SHAPES: &[Shape] = &[
    exactly("github-pat", "ghp_", Alphabet::Base62, 36),
    exactly("github-pat", "gho_", Alphabet::Base62, 36),
    exactly("github-pat", "ghu_", Alphabet::Base62, 36),
    exactly("github-pat", "ghs_", Alphabet::Base62, 36),
    exactly("github-pat", "ghr_", Alphabet::Base62, 36),
    exactly("github-pat", "ghr_", Alphabet::Base62, 76),
    exactly("github-pat", "github_pat_", Alphabet::Word, 82),
    at_least("gitlab-pat", "glpat-", Alphabet::Url, 20),
    exactly("aws-access-key", "AKIA", Alphabet::Base32, 16),
    exactly("aws-access-key", "ASIA", Alphabet::Base32, 16),
    exactly("aws-access-key", "ABIA", Alphabet::Base32, 16),
    exactly("aws-access-key", "ACCA", Alphabet::Base32, 16),
    // Documentation writes `xoxb-your-token`; the real ones go on with a number.
    at_least("slack-token", "xoxb-", Alphabet::Url, 20).with(begins_with_digit).judged_by(SLACK),
    at_least("slack-token", "xoxp-", Alphabet::Url, 20).with(begins_with_digit).judged_by(SLACK),
    at_least("slack-token", "xoxa-", Alphabet::Url, 20).with(begins_with_digit).judged_by(SLACK),
    at_least("slack-token", "xoxr-", Alphabet::Url, 20).with(begins_with_digit).judged_by(SLACK),
    at_least("slack-token", "xoxs-", Alphabet::Url, 20).with(begins_with_digit).judged_by(SLACK),
    at_least("slack-token", "xapp-", Alphabet::Url, 20).with(begins_with_digit).judged_by(SLACK),
    at_least("anthropic-key", "sk-ant-api03-", Alphabet::Url, 80),
    at_least("anthropic-key", "sk-ant-admin01-", Alphabet::Url, 80),
    at_least("anthropic-key", "sk-ant-oat01-", Alphabet::Url, 80),
    at_least("anthropic-key", "sk-ant-ort01-", Alphabet::Url, 80),
    at_least("anthropic-key", "sk-ant-sid01-", Alphabet::Url, 80),
    at_least("openai-key", "sk-proj-", Alphabet::Url, 40),
    at_least("openai-key", "sk-svcacct-", Alphabet::Url, 40),
    at_least("openai-key", "sk-admin-", Alphabet::Url, 40),
    // `sk-` begins many names. The letters in the middle are "OpenAI" in base64.
    at_least("openai-key", "sk-", Alphabet::Url, 40).with(names_openai),
    exactly("google-api-key", "AIza", Alphabet::Url, 35),
    at_least("stripe-key", "sk_live_", Alphabet::Base62, 24),
    at_least("stripe-key", "rk_live_", Alphabet::Base62, 24),
    exactly("npm-token", "npm_", Alphabet::Base62, 36),
    at_least("pypi-token", "pypi-AgE", Alphabet::Url, 50),
    exactly("huggingface-token", "hf_", Alphabet::Base62, 34),
    exactly("age-secret-key", "AGE-SECRET-KEY-1", Alphabet::Bech32, 58),
];

/// The shapes that begin with a byte, in their order.
pub(super) fn beginning_with(first: u8) -> impl Iterator<Item = &'static Shape> {
    let mut left = OF_FIRST[usize::from(first)];
    std::iter::from_fn(move || {
        let shape = SHAPES.get(left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(shape)
    })
}

/// For each byte, which shapes begin with it: a bit each.
const OF_FIRST: [u64; 256] = {
    assert!(SHAPES.len() < 64);
    let mut shapes = [0; 256];
    let mut at = 0;
    while at < SHAPES.len() {
        shapes[SHAPES[at].prefix.as_bytes()[0] as usize] |= 1 << at;
        at += 1;
    }
    shapes
};

/// Where the next two bytes are that a secret may begin with; the length of the text, if there are none.
///
/// Few pairs of a text pass, and most of the time is spent here: no branch, but for the one out of the loop.
pub(super) fn next_beginning(bytes: &[u8], from: usize) -> usize {
    let begins = |pair: &[u8]| FIRST[usize::from(pair[0])] & SECOND[usize::from(pair[1])] != 0;
    bytes[from..].windows(2).position(begins).map_or(bytes.len(), |offset| from + offset)
}

/// The first bytes of secrets: those of the shapes, of the tokens of several pieces, of keys and of URLs. Each is in one
/// of eight groups, a bit of which is set.
const FIRST: [u8; 256] = pairs().0;
/// The second bytes, each with the groups that it may follow.
const SECOND: [u8; 256] = pairs().1;

const fn pairs() -> ([u8; 256], [u8; 256]) {
    let (mut first, mut second) = ([0; 256], [0; 256]);
    let others: [&[u8; 2]; 4] = [b"SG", b"ey", b"--", b":/"];
    let mut at = 0;
    while at < others.len() + SHAPES.len() {
        let prefix: &[u8] = if at < others.len() { others[at] } else { SHAPES[at - others.len()].prefix.as_bytes() };
        first[prefix[0] as usize] = group(prefix[0]);
        second[prefix[1] as usize] |= group(prefix[0]);
        at += 1;
    }
    // Numbers: no secret begins with a single digit.
    let mut digit = b'0' as usize;
    while digit <= b'9' as usize {
        first[digit] = group(b'0');
        second[digit] |= group(b'0');
        digit += 1;
    }
    (first, second)
}

/// First bytes that share a group let each other's second bytes pass, so common letters have groups of their own.
const fn group(first: u8) -> u8 {
    match first {
        b'0' => 1,
        b'g' => 1 << 1,
        b'A' => 1 << 2,
        b's' | b'r' => 1 << 3,
        b'p' | b'e' => 1 << 4,
        b'n' => 1 << 5,
        b'h' => 1 << 6,
        _ => 1 << 7,
    }
}

enum Length {
    Exactly(usize),
    AtLeast(usize),
}

const fn exactly(rule: &'static str, prefix: &'static str, alphabet: Alphabet, length: usize) -> Shape {
    Shape { rule, prefix, alphabet, length: Length::Exactly(length), judged: length, body: |_| true }
}

const fn at_least(rule: &'static str, prefix: &'static str, alphabet: Alphabet, length: usize) -> Shape {
    Shape { rule, prefix, alphabet, length: Length::AtLeast(length), judged: length, body: |_| true }
}

/// Numbers come first in tokens of Slack, up to three of them, and what follows them decides whether it is a placeholder.
const SLACK: usize = 64;

impl Shape {
    const fn judged_by(self, judged: usize) -> Shape {
        Shape { judged, ..self }
    }

    const fn with(self, body: fn(&[u8]) -> bool) -> Shape {
        Shape { body, ..self }
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

fn begins_with_digit(body: &[u8]) -> bool {
    body.first().is_some_and(u8::is_ascii_digit)
}

fn names_openai(body: &[u8]) -> bool {
    body.windows(8).any(|window| window == b"T3BlbkFJ")
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

    fn has(self, byte: u8) -> bool {
        match self {
            Alphabet::Base62 => byte.is_ascii_alphanumeric(),
            Alphabet::Word => is_word(byte),
            Alphabet::Url => is_word(byte) || byte == b'-',
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

fn is_word(byte: u8) -> bool {
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
fn kinds(body: &[u8]) -> usize {
    let kinds: [fn(&u8) -> bool; 3] = [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit];
    kinds.into_iter().filter(|kind| body.iter().any(kind)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_is_asked_for() {
        for shape in SHAPES {
            let text = format!("Text before {}", shape.prefix);
            assert_eq!(next_beginning(text.as_bytes(), 0), text.len() - shape.prefix.len(), "{}", shape.prefix);
        }
    }
}
