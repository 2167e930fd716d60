//! The encoding o200k_base: loaded at the first count, and never given a text that it cannot take.
//!
//! The engine splits a text by a pattern and then merges pairs. Both misbehave on long runs: a megabyte of spaces exceeds
//! the pattern's limit, which is a panic there, and a megabyte of one letter takes a second. So a text goes in parts, cut
//! where the pattern would cut it anyway; only a run that has no such place is cut by force.

use std::sync::LazyLock;

use tiktoken_rs::CoreBPE;

use super::LONGEST_RUN;
use crate::text::floor_char_boundary;

/// How many tokens a text has.
pub(super) fn count(text: &str) -> usize {
    let Some(vocabulary) = &*VOCABULARY else { return 0 };
    Parts { rest: text, longest: LONGEST_RUN }.map(|part| vocabulary.encode_ordinary(part).len()).sum()
}

/// Where the longest beginning ends that has at most so many tokens by itself.
pub(super) fn end_within(text: &str, tokens: usize) -> usize {
    let Some(vocabulary) = &*VOCABULARY else { return 0 };
    let mut left = tokens;
    let mut end = 0;
    for part in (Parts { rest: text, longest: LONGEST_RUN }) {
        let encoded = vocabulary.encode_ordinary(part);
        if encoded.len() <= left {
            left -= encoded.len();
            end += part.len();
            continue;
        }
        // A token may end inside a character; the character goes then.
        end += vocabulary.decode_bytes(&encoded[..left]).map_or(0, |bytes| bytes.len());
        return floor_char_boundary(text, end);
    }
    end
}

/// The vocabulary lies in the program: reading it cannot fail once a test has read it.
static VOCABULARY: LazyLock<Option<CoreBPE>> = LazyLock::new(|| tiktoken_rs::o200k_base().ok());

/// A text in parts of bounded length.
struct Parts<'t> {
    rest: &'t str,
    longest: usize,
}

impl<'t> Iterator for Parts<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        if self.rest.is_empty() {
            return None;
        }
        let end = if self.rest.len() <= self.longest {
            self.rest.len()
        } else {
            let bytes = self.rest.as_bytes();
            let safe = (1..=self.longest).rev().find(|at| splits(bytes[at - 1], bytes[*at]));
            // A character has at most four bytes, so a part is never empty.
            safe.unwrap_or_else(|| floor_char_boundary(self.rest, self.longest.max(4)))
        };
        let (part, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(part)
    }
}

/// Whether the pattern splits between two bytes, whatever is around them.
///
/// A word or a number ends before anything in ASCII that is neither, except for an apostrophe (`don't`). A line feed ends a
/// piece before any visible character in ASCII, except for a slash, which may follow punctuation with its line feeds.
fn splits(before: u8, after: u8) -> bool {
    let behind_word =
        before.is_ascii_alphanumeric() && after.is_ascii() && !after.is_ascii_alphanumeric() && after != b'\'';
    let behind_line = before == b'\n' && after.is_ascii_graphic() && after != b'/';
    behind_word || behind_line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn count_all(text: &str) -> usize {
        VOCABULARY.as_ref().unwrap().encode_ordinary(text).len()
    }

    /// Counts that another implementation gives as well (`bpe-openai` 0.3.2).
    #[test]
    fn counts_are_those_of_an_independent_implementation() {
        let rows = [
            ("", 0),
            ("hello world", 2),
            ("tiktoken is great!", 6),
            ("You help with the code in this directory.\n", 9),
            ("antidisestablishmentarianism", 6),
            ("2 + 2 = 4", 7),
            ("お誕生日おめでとう", 8),
            ("don't\n\n\nWON'T", 5),
            ("<|endoftext|>", 7),
            ("    indented\n\t\ttabs", 7),
            ("naïve café 👩‍👩‍👧‍👦", 15),
        ];
        let counted: Vec<(&str, usize)> = rows.iter().map(|(text, _)| (*text, count(text))).collect();
        assert_eq!(counted, rows);
    }

    /// The same runs in one piece gave a panic, or took a second; these are the oracle's counts of them whole.
    #[test]
    fn long_runs_are_counted_in_parts() {
        let n = 1 << 20;
        let rows = [(" ", 8192), ("a", 131_072), ("\n", 65_536), (".", 16_384), ("Aa", 524_288), ("1", 349_526)];
        for (unit, expected) in rows {
            let counted = count(&unit.repeat(n / unit.len()));
            // Each of the 32 parts may add a token at its end.
            assert!(counted.abs_diff(expected) <= 64, "{unit:?}: {counted}, not {expected}");
        }
    }

    fn texts() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[ -~]{0,12}",
            "[ \\n\\r\\t/.']{0,8}",
            "[a-zA-Z]{1,9}",
            "[0-9]{1,7}",
            "[éüñ漢字かな\u{301}\u{a0}👩]{0,6}",
            Just("'s".to_owned()),
            Just(".\n/".to_owned()),
            any::<String>(),
        ];
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        /// Where a text is split, the engine would have split it.
        #[test]
        fn a_safe_split_changes_no_count(text in texts()) {
            let bytes = text.as_bytes();
            for at in (1..bytes.len()).filter(|at| splits(bytes[at - 1], bytes[*at])) {
                let (before, after) = text.split_at(at);
                prop_assert_eq!(count_all(before) + count_all(after), count_all(&text), "{:?} | {:?}", before, after);
            }
        }

        /// Parts are the text, none is too long, and none is empty.
        #[test]
        fn parts_are_the_text(text in texts(), longest in 1_usize..40) {
            let parts: Vec<&str> = Parts { rest: &text, longest }.collect();
            prop_assert_eq!(parts.concat(), text.clone());
            prop_assert!(parts.iter().all(|part| !part.is_empty() && part.len() <= longest.max(4)));
        }

        /// The beginning within some tokens has no more of them than parts of a character add.
        #[test]
        fn a_beginning_ends_on_a_character_boundary(text in texts(), tokens in 0_usize..60) {
            let end = end_within(&text, tokens);
            prop_assert!(text.is_char_boundary(end));
            prop_assert!(end == text.len() || count_all(&text) > tokens);
        }
    }
}
