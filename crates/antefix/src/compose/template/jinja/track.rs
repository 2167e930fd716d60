//! Where each byte that the engine prints came from.
//!
//! The engine prints a template's text and a fact's text without copying them first, so **a byte's address gives its
//! origin**: sources and facts are kept alive while a template is rendered, hence an address inside one of them can be
//! nothing else. What lies at no known address was computed; the mark behind its tag (see [`guard`](super::guard)) says
//! by which one. What a macro gives is known by its pieces (see [`nested`](super::nested)).
//!
//! Property tests compare this with the engine: the pieces cover the text, each origin is right, and the text is what the
//! bare engine prints.

use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::guard::Guarded;
use super::nested::Said;
use crate::text::{Draft, Origin, Piece, Source, Text, Transform};

/// The longest text that a template may print.
const OUTPUT: usize = 2 * 1024 * 1024;

/// A text whose address is known.
#[derive(Clone, Copy)]
enum Known<'k> {
    Template {
        source: &'k Arc<Source>,
        guarded: &'k Guarded,
    },
    /// A text of a template that is printed through a name.
    Text {
        source: &'k Arc<Source>,
        offset: usize,
    },
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
    /// Computed pieces, in order, with the number of the mark that names their tag.
    computed: Vec<(usize, usize)>,
    /// How many marks are expected so far.
    marked: usize,
    /// Computed pieces whose tags are known.
    tagged: Vec<(usize, usize)>,
    placeholder: Origin,
    /// The template that was printed from last, among the known texts.
    recent: usize,
}

/// The tags of computed pieces, in order.
#[derive(Debug, Default)]
pub(super) struct Marks {
    expected: AtomicBool,
    tags: Mutex<Vec<usize>>,
    /// What the next text is made of, if more is known than where it lies.
    pieces: Mutex<Option<Vec<Said>>>,
}

impl Marks {
    pub(super) fn reset(&self) {
        self.expected.store(false, Ordering::Relaxed);
        self.tags.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.is_made_of(None);
    }

    /// Says what the text that is printed next is made of.
    pub(super) fn is_made_of(&self, pieces: Option<Vec<Said>>) {
        *self.pieces.lock().unwrap_or_else(PoisonError::into_inner) = pieces;
    }

    fn pieces(&self) -> Option<Vec<Said>> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner).take()
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
            marked: 0,
            tagged: Vec::new(),
            placeholder: Origin::Expression { source: Arc::clone(root), range: 0..0 },
        }
    }

    /// Makes a template known: `text` is the copy that the engine prints from.
    pub(super) fn know_template(&mut self, text: &str, source: &'k Arc<Source>, guarded: &'k Guarded) {
        self.known.push((addresses(text), Known::Template { source, guarded }));
    }

    /// Makes a text of a template known that is printed through a name.
    pub(super) fn know_text(&mut self, text: &str, source: &'k Arc<Source>, offset: usize) {
        self.known.push((addresses(text), Known::Text { source, offset }));
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
        let computed = self.computed.iter().filter_map(|(piece, mark)| Some((*piece, *marks.get(*mark)?)));
        for (piece, tag) in computed.chain(self.tagged.iter().copied()) {
            if let (Some((source, range)), Some(piece)) = (tags.get(tag), self.pieces.get_mut(piece)) {
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
        let at = self.text.len();
        self.text.extend_from_slice(bytes);
        let (before, mut from) = (self.computed.len(), at);
        let one = Said { address: bytes.as_ptr() as usize, bytes: bytes.len(), tag: None };
        match self.marks.pieces().filter(|pieces| pieces.iter().map(|said| said.bytes).sum::<usize>() == bytes.len()) {
            None => self.piece(one, at),
            Some(pieces) => {
                for said in pieces.into_iter().filter(|said| said.bytes > 0) {
                    self.piece(said, from);
                    from += said.bytes;
                }
            }
        }
        if self.computed.len() > before {
            self.marked += 1;
            self.marks.expected.store(true, Ordering::Relaxed);
        }
    }

    /// Finds out where a piece came from that was printed at a position.
    fn piece(&mut self, said: Said, at: usize) {
        let (start, range) = (said.address, at..at + said.bytes);
        let found = self.find(start).map(|(known, what)| (known.clone(), *what));
        match found {
            Some((known, what)) if start >= known.start && start + said.bytes <= known.end => match what {
                Known::Template { source, guarded } => {
                    let offset = guarded.original(start - known.start);
                    let origin = Origin::Source { source: Arc::clone(source), offset };
                    self.pieces.push(Piece { range, origin, transform: None });
                }
                Known::Text { source, offset } => {
                    let origin = Origin::Source { source: Arc::clone(source), offset: offset + (start - known.start) };
                    self.pieces.push(Piece { range, origin, transform: None });
                }
                Known::Fact(fact) => {
                    let from = start - known.start;
                    fact.part(from..from + said.bytes, at, &mut self.pieces);
                }
            },
            _ => {
                match said.tag {
                    Some(tag) => self.tagged.push((self.pieces.len(), tag)),
                    None => self.computed.push((self.pieces.len(), self.marked)),
                }
                let (origin, transform) = (self.placeholder.clone(), Some(Transform::Computed));
                self.pieces.push(Piece { range, origin, transform });
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
