//! Texts in the making.

use std::ops::Range;

use super::budget::end_within;
use super::place::floor_char_boundary;
use super::{Budget, Origin, Piece, Text, Transform};

/// A text in the making, with its pieces.
#[derive(Debug, Clone, Default)]
pub(crate) struct Draft {
    text: String,
    pieces: Vec<Piece>,
}

impl Draft {
    /// A text whose pieces are known.
    pub(crate) fn new(text: String, pieces: Vec<Piece>) -> Draft {
        Draft { text, pieces }
    }

    /// Appends text of one origin.
    pub(crate) fn push(&mut self, text: &str, origin: Origin, transform: Option<Transform>) {
        if text.is_empty() {
            return;
        }
        let start = self.text.len();
        self.text.push_str(text);
        self.pieces.push(Piece { range: start..self.text.len(), origin, transform });
    }

    /// Appends a text with its pieces.
    pub(crate) fn push_text(&mut self, text: &Text) {
        self.push_part(text, 0..text.as_str().len());
    }

    /// Appends a part of a text with its pieces.
    pub(crate) fn push_part(&mut self, text: &Text, part: Range<usize>) {
        let start = self.text.len();
        self.text.push_str(&text.as_str()[part.clone()]);
        text.part(part, start, &mut self.pieces);
    }

    /// Appends other words for a part of a text.
    pub(crate) fn push_changed(&mut self, text: &Text, part: Range<usize>, words: &str, transform: Transform) {
        let Some(piece) = text.pieces().find(|piece| piece.range.end > part.start) else { return };
        let origin = piece.origin.further(&text.as_str()[piece.range.start..part.start.max(piece.range.start)]);
        self.push(words, origin, Some(transform));
    }

    /// Marks the last piece.
    pub(crate) fn mark_last(&mut self, transform: Transform) {
        if let Some(last) = self.pieces.last_mut() {
            last.transform = Some(transform);
        }
    }

    /// Appends another draft.
    pub(crate) fn append(&mut self, other: Draft) {
        if self.pieces.is_empty() && self.text.is_empty() {
            *self = other;
            return;
        }
        let by = self.text.len();
        self.text.push_str(&other.text);
        self.pieces.extend(other.pieces.into_iter().map(|piece| piece.moved(by)));
    }

    /// Removes what follows `end`, on a character boundary, and marks the last piece left.
    pub(crate) fn truncate(&mut self, end: usize, transform: Transform) {
        let end = floor_char_boundary(&self.text, end);
        if end >= self.text.len() {
            return;
        }
        self.text.truncate(end);
        self.pieces.retain(|piece| piece.range.start < end);
        if let Some(last) = self.pieces.last_mut() {
            last.range.end = end;
        }
        self.mark_last(transform);
    }

    /// Cuts the text to its budgets, with a notice inside them, and says where. Where the notice does not fit, nothing stays.
    pub(crate) fn cut_to(&mut self, budgets: &[Budget], notice: &Text) -> usize {
        let Some(end) = end_within(&self.text, notice.as_str(), budgets) else {
            *self = Draft::default();
            return 0;
        };
        self.truncate(end, Transform::Cut);
        // A text that goes on where it was not read is cut at its end.
        self.mark_last(Transform::Cut);
        self.push_text(notice);
        end
    }

    /// The pieces, in order.
    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// The finished text.
    pub(crate) fn into_text(self) -> Text {
        Text::from_pieces(self.text, self.pieces)
    }

    /// The finished text and its pieces, apart.
    pub(crate) fn into_parts(self) -> (String, Vec<Piece>) {
        (self.text, self.pieces)
    }
}
