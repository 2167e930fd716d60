//! The lines of many places.
//!
//! A line is found by counting those before it. For a text with very many places that would be the text once for each of them; here
//! every text is looked through once.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Origin, Source};

/// The ends of lines in the texts that were asked about. A text is known by its address, so it is kept.
#[derive(Default)]
pub(crate) struct LineNumbers(BTreeMap<*const Source, (Arc<Source>, Vec<usize>)>);

impl LineNumbers {
    /// The line that an origin begins in: what [`Origin::line`] says.
    pub(crate) fn of(&mut self, origin: &Origin) -> Option<usize> {
        match origin {
            Origin::Source { source, offset } => Some(self.line(source, *offset)),
            Origin::Expression { source, range } => Some(self.line(source, range.start)),
            Origin::Fact { .. } | Origin::Hook { .. } => origin.line(),
        }
    }

    fn line(&mut self, source: &Arc<Source>, offset: usize) -> usize {
        let (_, ends) = self.0.entry(Arc::as_ptr(source)).or_insert_with(|| {
            let ends = source.text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            (Arc::clone(source), ends.map(|(end, _)| end).collect())
        });
        source.line_in_file(1 + ends.partition_point(|end| *end < offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Lines, SourceKind, Within};

    #[test]
    fn a_line_is_the_one_that_is_found_by_counting() {
        let text = "a\n\u{e9}\u{e9}\n\n\nlast";
        let source = |within| Source { within, ..Source::new(SourceKind::Template, "t", text) };
        let within = |lines| Some(Within { line: 7, column: 3, lines });
        let mut numbers = LineNumbers::default();
        for source in [source(None), source(within(Lines::Files)), source(within(Lines::One))].map(Arc::new) {
            // Backwards as well, and beyond the end.
            for offset in (0..text.len() + 2).chain((0..text.len()).rev()) {
                let origin = Origin::Source { source: Arc::clone(&source), offset };
                assert_eq!(numbers.of(&origin), origin.line(), "{offset}");
                let origin = Origin::Expression { source: Arc::clone(&source), range: offset..offset };
                assert_eq!(numbers.of(&origin), origin.line(), "{offset}");
            }
        }
    }
}
