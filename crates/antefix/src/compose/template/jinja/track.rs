//! Where each byte that the engine prints came from.
//!
//! The engine prints a template's text and a fact's text without copying them first, so **a byte's address tells its
//! origin**: sources and facts are kept alive while a template is rendered, hence an address inside one of them can be
//! nothing else. What lies at no known address was computed; the mark behind its tag (see [`guard`](super::guard)) says
//! by which one.
//!
//! Property tests hold this against the engine: the pieces cover the text, each origin is right, and the text is what the
//! bare engine prints.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::guard::Guarded;
use crate::compose::{Draft, Origin, Transform};
use crate::discover::Text;
use crate::place::Source;

/// The longest text that a template may print.
const OUTPUT: usize = 2 * 1024 * 1024;

/// A text whose address is known.
enum Known<'k> {
    Template { source: &'k Arc<Source>, guarded: &'k Guarded },
    Fact(&'k Text),
}

/// The writer that the engine prints into.
pub(super) struct Tracker<'k> {
    /// By address, so that a byte's text is found by bisection.
    known: Vec<(Range<usize>, Known<'k>)>,
    draft: Draft,
    marks: Arc<Marks>,
    /// Computed pieces, in order; their tags come from the marks.
    computed: Vec<usize>,
    placeholder: Origin,
}

/// The tags of computed pieces, in order.
#[derive(Debug, Default)]
pub(super) struct Marks {
    expected: AtomicBool,
    tags: Mutex<Vec<usize>>,
}

impl Marks {
    /// Called behind every tag that prints; only a computed piece waits for it.
    pub(super) fn mark(&self, tag: usize) {
        if self.expected.swap(false, Ordering::Relaxed) {
            self.tags.lock().unwrap_or_else(PoisonError::into_inner).push(tag);
        }
    }
}

impl<'k> Tracker<'k> {
    pub(super) fn new(root: &Arc<Source>, marks: &Arc<Marks>) -> Tracker<'k> {
        Tracker {
            known: Vec::new(),
            draft: Draft::default(),
            marks: Arc::clone(marks),
            computed: Vec::new(),
            placeholder: Origin::Expression { source: Arc::clone(root), range: 0..0 },
        }
    }

    /// Makes a template known: `text` is the copy that the engine prints from.
    pub(super) fn know_template(&mut self, text: &str, source: &'k Arc<Source>, guarded: &'k Guarded) {
        self.known.push((addresses(text), Known::Template { source, guarded }));
    }

    /// Makes a fact's text known.
    pub(super) fn know_fact(&mut self, text: &'k Text) {
        if !text.as_str().is_empty() {
            self.known.push((addresses(text.as_str()), Known::Fact(text)));
        }
    }

    /// To be called once everything is known.
    pub(super) fn ready(&mut self) {
        self.known.sort_unstable_by_key(|(range, _)| range.start);
    }

    /// The text with its pieces. `tags` says what each mark stands for.
    pub(super) fn finish(self, tags: &[(Arc<Source>, Range<usize>)]) -> Draft {
        let mut draft = self.draft;
        let marks = self.marks.tags.lock().unwrap_or_else(PoisonError::into_inner);
        for (piece, mark) in self.computed.iter().zip(marks.iter()) {
            if let Some((source, range)) = tags.get(*mark) {
                draft.set_origin(*piece, Origin::Expression { source: Arc::clone(source), range: range.clone() });
            }
        }
        draft
    }

    fn print(&mut self, text: &str) {
        let start = text.as_ptr() as usize;
        let number = self.known.partition_point(|(range, _)| range.start <= start);
        let known = number.checked_sub(1).and_then(|number| self.known.get(number));
        match known {
            Some((range, known)) if start + text.len() <= range.end => match known {
                Known::Template { source, guarded } => {
                    let offset = guarded.original(start - range.start);
                    self.draft.push(text, Origin::Source { source: Arc::clone(source), offset }, None);
                }
                Known::Fact(fact) => {
                    let from = start - range.start;
                    self.draft.push_part(fact, from..from + text.len());
                }
            },
            _ => {
                self.computed.push(self.draft.pieces());
                self.draft.push(text, self.placeholder.clone(), Some(Transform::Computed));
                self.marks.expected.store(true, Ordering::Relaxed);
            }
        }
    }
}

impl io::Write for Tracker<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        if self.draft.len() + text.len() > OUTPUT {
            let message = format!("this template prints more than {OUTPUT} bytes");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        if !text.is_empty() {
            self.print(text);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn addresses(text: &str) -> Range<usize> {
    let start = text.as_ptr() as usize;
    start..start + text.len()
}
