//! The vocabulary of o200k_base, searched where it lies in the program: nothing is loaded.
//!
//! `cargo xtask vocabulary` writes both files of `vocabulary/`, and the tests here hold them against tiktoken.
//!
//! 1. `o200k_base.tokens` is a hash table: where each bucket begins, as 32-bit offsets from the beginning of the file, and
//!    one more for the end; then the tokens, bucket by bucket, each as its length, its rank in 24 bits, and its bytes.
//! 2. `o200k_base.characters` says what the pattern that splits a text takes a character for: runs of characters in order,
//!    each as 32 bits with the first character and, in the lowest three, a [`Kind`].
//!
//! All numbers are little-endian.

use super::bucket::{BUCKETS, bucket};

static TOKENS: &[u8] = include_bytes!("../../vocabulary/o200k_base.tokens");
static CHARACTERS: &[u8] = include_bytes!("../../vocabulary/o200k_base.characters");

/// The most bytes that a token has.
pub(super) const LONGEST_TOKEN: usize = 128;

/// The rank of a token; none if these bytes are no token.
pub(super) fn rank(token: &[u8]) -> Option<u32> {
    if token.len() > LONGEST_TOKEN {
        return None;
    }
    let number = bucket(token);
    debug_assert!(number < BUCKETS);
    let mut entries = TOKENS.get(word(TOKENS, number)? as usize..word(TOKENS, number + 1)? as usize)?;
    while let [length, a, b, c, rest @ ..] = entries {
        let (bytes, behind) = rest.split_at_checked(usize::from(*length))?;
        if bytes == token {
            return Some(u32::from_le_bytes([*a, *b, *c, 0]));
        }
        entries = behind;
    }
    None
}

/// What the pattern takes a character for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Neither of the others: punctuation, symbols, controls.
    Other,
    /// Capital and title case letters.
    Upper,
    /// Small letters.
    Lower,
    /// Letters without case, and modifiers: they go with both.
    Caseless,
    /// Marks: they go with all letters, and are none.
    Mark,
    /// Digits and other numbers.
    Number,
    /// White space within a line.
    Space,
    /// Carriage return and line feed.
    LineEnd,
}

impl Kind {
    pub(super) fn of(c: char) -> Kind {
        match c {
            'a'..='z' => Kind::Lower,
            'A'..='Z' => Kind::Upper,
            '0'..='9' => Kind::Number,
            '\r' | '\n' => Kind::LineEnd,
            ' ' | '\t' | '\u{b}' | '\u{c}' => Kind::Space,
            c if c.is_ascii() => Kind::Other,
            c => Kind::listed(c),
        }
    }

    /// The kind by the file alone.
    fn listed(c: char) -> Kind {
        let key = u32::from(c) << 3 | 7;
        let (mut low, mut high) = (0, CHARACTERS.len() / 4);
        while low < high {
            let middle = low.midpoint(high);
            match word(CHARACTERS, middle) {
                Some(run) if run <= key => low = middle + 1,
                _ => high = middle,
            }
        }
        match low.checked_sub(1).and_then(|run| word(CHARACTERS, run)).unwrap_or(0) & 7 {
            1 => Kind::Upper,
            2 => Kind::Lower,
            3 => Kind::Caseless,
            4 => Kind::Mark,
            5 => Kind::Number,
            6 => Kind::Space,
            7 => Kind::LineEnd,
            _ => Kind::Other,
        }
    }
}

fn word(bytes: &[u8], number: usize) -> Option<u32> {
    let word = bytes.get(number * 4..number * 4 + 4)?;
    Some(u32::from_le_bytes(word.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every token of tiktoken's is found by its bytes, and nothing else is in the file.
    #[test]
    fn the_table_holds_the_vocabulary_and_nothing_else() {
        let tiktoken = tiktoken_rs::o200k_base().unwrap();
        let (mut count, mut bytes, mut longest) = (0_u32, 0, 0);
        while let Ok(token) = tiktoken.decode_bytes(&[count])
            && count < 199_998
        {
            assert_eq!(rank(&token), Some(count), "{token:?}");
            (count, bytes, longest) = (count + 1, bytes + token.len(), longest.max(token.len()));
        }
        assert_eq!(count, 199_998);
        assert_eq!(longest, LONGEST_TOKEN);
        assert_eq!(TOKENS.len(), (BUCKETS + 1) * 4 + count as usize * 4 + bytes);
        assert_eq!((rank(b""), rank(&[b' '; 129]), rank(b"<|endoftext|>")), (None, None, None));
    }

    /// As the engine of patterns knows them that tiktoken splits with.
    #[test]
    fn every_character_is_of_its_kind() {
        let set = |pattern: &str| regex::Regex::new(&format!("^{pattern}$")).unwrap();
        let sets = [
            (Kind::Upper, set(r"[\p{Lu}\p{Lt}]")),
            (Kind::Lower, set(r"\p{Ll}")),
            (Kind::Caseless, set(r"[\p{Lm}\p{Lo}]")),
            (Kind::Mark, set(r"\p{M}")),
            (Kind::Number, set(r"\p{N}")),
            (Kind::LineEnd, set(r"[\r\n]")),
            (Kind::Space, set(r"\s")),
        ];
        for c in '\0'..=char::MAX {
            let text = c.to_string();
            let expected = sets.iter().find(|(_, set)| set.is_match(&text)).map_or(Kind::Other, |(kind, _)| *kind);
            assert_eq!((Kind::of(c), Kind::listed(c)), (expected, expected), "{c:?}");
        }
    }
}
