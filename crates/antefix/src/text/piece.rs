//! Texts that know where each of their bytes came from.

use std::ops::Range;
use std::sync::Arc;

use super::{Origin, Transform};

/// A run of bytes with one origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// The bytes, in the text that the piece belongs to.
    pub range: Range<usize>,
    /// Where the bytes came from.
    pub origin: Origin,
    /// What was done to them.
    pub transform: Option<Transform>,
}

impl Piece {
    /// The same piece, further on by some bytes.
    pub(super) fn moved(self, by: usize) -> Piece {
        Piece { range: self.range.start + by..self.range.end + by, ..self }
    }
}

/// A text that knows where each of its bytes came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    text: Arc<str>,
    pieces: Arc<[Piece]>,
}

impl Text {
    /// A text that comes from one origin as a whole.
    pub fn new(text: impl Into<Arc<str>>, origin: Origin) -> Text {
        let text = text.into();
        let piece = Piece { range: 0..text.len(), origin, transform: None };
        let pieces = if text.is_empty() { Arc::from([]) } else { Arc::from([piece]) };
        Text { text, pieces }
    }

    /// A text whose pieces are known. They must cover it without gap or overlap.
    pub(crate) fn from_pieces(text: String, pieces: Vec<Piece>) -> Text {
        debug_assert!(covers(&pieces, 0..text.len()));
        Text { text: text.into(), pieces: pieces.into() }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text, shared.
    pub(crate) fn shared(&self) -> &Arc<str> {
        &self.text
    }

    /// A part of the text.
    pub(crate) fn cut_out(&self, part: Range<usize>) -> Text {
        if part == (0..self.text.len()) {
            return self.clone();
        }
        let text = self.text[part.clone()].into();
        let mut pieces = Vec::new();
        self.part(part, 0, &mut pieces);
        Text { text, pieces: pieces.into() }
    }

    /// Copies the pieces of a part of the text, which is at `at` in another one.
    pub(crate) fn part(&self, part: Range<usize>, at: usize, into: &mut Vec<Piece>) {
        for piece in self.pieces.iter() {
            let (from, to) = (piece.range.start.max(part.start), piece.range.end.min(part.end));
            if from < to {
                let range = at + from - part.start..at + to - part.start;
                let origin = match from - piece.range.start {
                    0 => piece.origin.clone(),
                    _ => piece.origin.further(&self.text[piece.range.start..from]),
                };
                into.push(Piece { range, origin, transform: piece.transform });
            }
        }
    }

    /// Its pieces, as they are kept.
    pub(crate) fn all_pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Its pieces, in order.
    pub fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.pieces.iter()
    }
}

/// Whether the pieces cover the range without gap or overlap.
fn covers(pieces: &[Piece], range: Range<usize>) -> bool {
    let mut at = range.start;
    pieces.iter().all(|piece| {
        let follows = piece.range.start == at && piece.range.end > at;
        at = piece.range.end;
        follows
    }) && at == range.end
}
