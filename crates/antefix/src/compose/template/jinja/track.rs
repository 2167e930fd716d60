//! Where each byte that the engine prints came from.
//!
//! The engine prints a template's text and a fact's text without copying them first, so **a byte's address gives its
//! origin**: sources and facts are kept alive while a template is rendered, hence an address inside one of them can be
//! nothing else. What lies at no known address was computed; the mark behind its tag (see [`guard`](super::guard)) says
//! by which one.
//!
//! Property tests compare this with the engine: the pieces cover the text, each origin is right, and the text is what the
//! bare engine prints.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::guard::Guarded;
use crate::text::{Draft, Origin, Piece, Source, Text, Transform};

/// The longest text that a template may print.
const OUTPUT: usize = 2 * 1024 * 1024;

/// A text whose address is known.
#[derive(Clone, Copy)]
enum Known<'k> {
    Template { source: &'k Arc<Source>, guarded: &'k Guarded },
    Fact(&'k Text),
}

/// How much a rendering printed.
#[derive(Debug, Default)]
pub(super) struct Printed {
    bytes: AtomicUsize,
    pieces: AtomicUsize,
}

/// The writer that the engine prints into.
pub(super) struct Tracker<'k> {
    /// By address, so that a byte's text is found by bisection.
    known: Vec<(Range<usize>, Known<'k>)>,
    /// What was printed. The engine prints text, so it is checked to be some once, at the end.
    text: Vec<u8>,
    pieces: Vec<Piece>,
    marks: Arc<Marks>,
    /// Computed pieces, in order; their tags come from the marks.
    computed: Vec<usize>,
    placeholder: Origin,
    /// The template that was printed from last, among the known texts.
    recent: usize,
}

/// The tags of computed pieces, in order.
#[derive(Debug, Default)]
pub(super) struct Marks {
    expected: AtomicBool,
    tags: Mutex<Vec<usize>>,
}

impl Marks {
    pub(super) fn reset(&self) {
        self.expected.store(false, Ordering::Relaxed);
        self.tags.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Called behind every tag that prints; only a computed piece waits for it.
    pub(super) fn mark(&self, tag: usize) {
        if self.expected.swap(false, Ordering::Relaxed) {
            self.tags.lock().unwrap_or_else(PoisonError::into_inner).push(tag);
        }
    }
}

impl<'k> Tracker<'k> {
    pub(super) fn new(root: &Arc<Source>, marks: &Arc<Marks>, printed: &Printed) -> Tracker<'k> {
        Tracker {
            known: Vec::new(),
            text: Vec::with_capacity(printed.bytes.load(Ordering::Relaxed)),
            pieces: Vec::with_capacity(printed.pieces.load(Ordering::Relaxed)),
            recent: 0,
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
    pub(super) fn finish(mut self, tags: &[(Arc<Source>, Range<usize>)], printed: &Printed) -> Draft {
        printed.bytes.store(self.text.len(), Ordering::Relaxed);
        printed.pieces.store(self.pieces.len(), Ordering::Relaxed);
        let marks = self.marks.tags.lock().unwrap_or_else(PoisonError::into_inner);
        for (piece, mark) in self.computed.iter().zip(marks.iter()) {
            if let (Some((source, range)), Some(piece)) = (tags.get(*mark), self.pieces.get_mut(*piece)) {
                piece.origin = Origin::Expression { source: Arc::clone(source), range: range.clone() };
            }
        }
        Draft::new(String::from_utf8(self.text).unwrap_or_default(), self.pieces)
    }

    /// The known text that an address may lie in. A template prints many times before another one does.
    fn find(&mut self, address: usize) -> Option<&(Range<usize>, Known<'k>)> {
        if self.known.get(self.recent).is_some_and(|(known, _)| known.contains(&address)) {
            return self.known.get(self.recent);
        }
        let number = self.known.partition_point(|(known, _)| known.start <= address).checked_sub(1)?;
        if matches!(self.known.get(number), Some((known, Known::Template { .. })) if known.contains(&address)) {
            self.recent = number;
        }
        self.known.get(number)
    }

    fn print(&mut self, bytes: &[u8]) {
        let (start, at) = (bytes.as_ptr() as usize, self.text.len());
        self.text.extend_from_slice(bytes);
        let range = at..self.text.len();
        let found = self.find(start).map(|(known, what)| (known.clone(), *what));
        match found {
            Some((known, what)) if start + bytes.len() <= known.end => match what {
                Known::Template { source, guarded } => {
                    let offset = guarded.original(start - known.start);
                    let origin = Origin::Source { source: Arc::clone(source), offset };
                    self.pieces.push(Piece { range, origin, transform: None });
                }
                Known::Fact(fact) => {
                    let from = start - known.start;
                    fact.part(from..from + bytes.len(), at, &mut self.pieces);
                }
            },
            _ => {
                self.computed.push(self.pieces.len());
                let (origin, transform) = (self.placeholder.clone(), Some(Transform::Computed));
                self.pieces.push(Piece { range, origin, transform });
                self.marks.expected.store(true, Ordering::Relaxed);
            }
        }
    }
}

impl io::Write for Tracker<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map(|()| bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.text.len() + bytes.len() > OUTPUT {
            let message = format!("this template prints more than {OUTPUT} bytes");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        if !bytes.is_empty() {
            self.print(bytes);
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn addresses(text: &str) -> Range<usize> {
    let start = text.as_ptr() as usize;
    start..start + text.len()
}
