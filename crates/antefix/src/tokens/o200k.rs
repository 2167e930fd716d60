//! The encoding o200k_base: a text is split by a pattern, and in each piece pairs are merged, the lowest rank first.
//!
//! A piece longer than [`LONGEST_RUN`] is merged in parts, so that time grows with the text and memory does not.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::LONGEST_RUN;
use super::split::Pieces;
use super::table::rank;
use crate::text::floor_char_boundary;

/// How many tokens a text has.
pub(super) fn count(text: &str) -> usize {
    let mut merger = Merger::default();
    parts(text).map(|part| merger.count(part.as_bytes())).sum()
}

/// Where the longest beginning ends that has at most so many tokens by itself.
pub(super) fn end_within(text: &str, tokens: usize) -> usize {
    let mut merger = Merger::default();
    let mut left = tokens;
    let mut end = 0;
    for part in parts(text) {
        let count = merger.count(part.as_bytes());
        if count > left {
            // A token may end inside a character; the character goes then.
            return floor_char_boundary(text, end + merger.end_of(left));
        }
        left -= count;
        end += part.len();
    }
    end
}

/// The pieces of a text, in parts of bounded length.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    Pieces::of(text).flat_map(|piece| Parts { rest: piece, longest: LONGEST_RUN })
}

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
        // A character has at most four bytes, so a part is never empty.
        let (part, rest) = self.rest.split_at(floor_char_boundary(self.rest, self.longest.max(4)));
        self.rest = rest;
        Some(part)
    }
}

/// Merges pairs of tokens in one piece after the other, in the same memory.
#[derive(Default)]
struct Merger {
    /// The tokens by the byte that each begins with; where none begins, what is there does not count.
    tokens: Vec<Token>,
    /// Pairs that may be merged: their rank, and where the first begins. Some have gone since.
    pairs: BinaryHeap<Reverse<(u32, usize)>>,
}

#[derive(Clone, Copy)]
struct Token {
    /// Where the one before it begins.
    before: usize,
    /// Where it ends.
    end: usize,
    /// The rank of it merged with the next; [`NONE`] if they are no token.
    merged: u32,
}

const NONE: u32 = u32::MAX;

impl Merger {
    /// How many tokens a piece has.
    fn count(&mut self, piece: &[u8]) -> usize {
        self.tokens.clear();
        if rank(piece).is_some() {
            self.tokens.push(Token { before: 0, end: piece.len(), merged: NONE });
            return 1;
        }
        self.pairs.clear();
        for start in 0..piece.len() {
            self.tokens.push(Token { before: start.saturating_sub(1), end: start + 1, merged: NONE });
        }
        for start in 0..piece.len() {
            self.pair(piece, start);
        }
        let mut count = piece.len();
        while let Some(Reverse((rank, start))) = self.pairs.pop() {
            let Some(first) = self.tokens.get(start).copied().filter(|token| token.merged == rank) else { continue };
            let Some(second) = self.tokens.get_mut(first.end) else { continue };
            second.merged = NONE;
            let end = second.end;
            self.tokens[start].end = end;
            if let Some(next) = self.tokens.get_mut(end) {
                next.before = start;
            }
            count -= 1;
            self.pair(piece, start);
            if start > 0 {
                self.pair(piece, first.before);
            }
        }
        count
    }

    /// Looks whether a token and the one behind it may be merged.
    fn pair(&mut self, piece: &[u8], start: usize) {
        let end = self.tokens.get(self.tokens[start].end).map(|next| next.end);
        let merged = end.and_then(|end| rank(&piece[start..end]));
        self.tokens[start].merged = merged.unwrap_or(NONE);
        self.pairs.extend(merged.map(|rank| Reverse((rank, start))));
    }

    /// Where so many of the tokens that were counted last end.
    fn end_of(&self, count: usize) -> usize {
        (0..count).fold(0, |start, _| self.tokens.get(start).map_or(start, |token| token.end))
    }
}

#[cfg(test)]
mod tests;
