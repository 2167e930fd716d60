//! Other words for parts of a text, from its beginning to its end, in one go: however many parts there are, each byte is copied
//! once and each line counted once.

use std::ops::Range;

use crate::text::{Draft, Origin, Piece, Text, Transform};

/// A text in which parts are replaced.
pub(crate) struct Rewrite<'t> {
    text: &'t Text,
    draft: Draft,
    /// How far the text was gone through.
    at: usize,
    /// The pieces from there on, and where the next byte came from.
    pieces: &'t [Piece],
    origin: Option<Origin>,
    /// Whether anything was replaced.
    changed: Changed,
}

#[derive(PartialEq, Eq)]
enum Changed {
    No,
    Yes,
}

impl<'t> Rewrite<'t> {
    pub(crate) fn new(text: &'t Text) -> Rewrite<'t> {
        let pieces = text.all_pieces();
        let origin = pieces.first().map(|piece| piece.origin.clone());
        Rewrite { text, draft: Draft::default(), at: 0, pieces, origin, changed: Changed::No }
    }

    /// Puts words in the place of a part, which lies behind all others so far.
    pub(crate) fn replace(&mut self, part: Range<usize>, words: &str, transform: Transform) {
        self.copy_to(part.start);
        if let Some(origin) = self.origin.clone() {
            self.draft.push(words, origin, Some(transform));
        }
        self.skip_to(part.end);
    }

    /// Puts another text in the place of a part.
    pub(crate) fn insert(&mut self, part: Range<usize>, words: &Text) {
        self.copy_to(part.start);
        self.draft.push_text(words);
        self.skip_to(part.end);
    }

    /// The text with all that was replaced.
    pub(crate) fn finish(mut self) -> Text {
        if self.changed == Changed::No {
            return self.text.clone();
        }
        self.copy_to(self.text.as_str().len());
        self.draft.into_text()
    }

    fn copy_to(&mut self, to: usize) {
        while let Some((words, origin, transform)) = self.next(to) {
            self.draft.push(words, origin, transform);
        }
    }

    fn skip_to(&mut self, to: usize) {
        while self.next(to).is_some() {}
        self.changed = Changed::Yes;
    }

    /// What is left of the piece here, at most up to `to`.
    fn next(&mut self, to: usize) -> Option<(&'t str, Origin, Option<Transform>)> {
        let (piece, behind) = self.pieces.split_first().filter(|_| self.at < to)?;
        let end = piece.range.end.min(to);
        let words = &self.text.as_str()[self.at..end];
        let origin = self.origin.take()?;
        self.at = end;
        if end == piece.range.end {
            self.pieces = behind;
            self.origin = behind.first().map(|next| next.origin.clone());
        } else {
            self.origin = Some(origin.further(words));
        }
        Some((words, origin, piece.transform))
    }
}
