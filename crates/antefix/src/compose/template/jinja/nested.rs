//! Programs whose bodies run somewhere else: with macros, blocks or imports.
//!
//! 1. What a macro prints is one value in the end, whose bytes lie at no known address. So all text of such a program is
//!    printed through names (see [`guard`](super::guard)), and while a body runs it is noted what it prints. Where the value is printed
//!    as it is, those are its pieces; where it is filtered, joined or bound to a name, it was computed by the tag.
//! 2. Text that is printed through names is counted like any other output, however often its body runs.
//! 3. Bodies say when they begin and end, so that what runs inside itself is stopped long before the stack ends.

use std::sync::{Mutex, MutexGuard, PoisonError};

use minijinja::Error;
use minijinja::value::Object;

use super::meter::over;

/// How many macros, blocks and files may run inside each other.
pub(super) const DEPTH: usize = 48;

/// What the guard writes between the tags of a template; it prints nothing.
#[derive(Debug, Clone, Copy)]
pub(super) enum Signal {
    /// The tag that was just printed, by its number.
    Mark(usize),
    /// The body of a macro begins.
    Macro,
    /// A file or a block begins, which prints where it is.
    Begin,
    /// What follows is captured in another way.
    Capture,
    /// A file or a block ends.
    End,
    /// What was captured, or the body of a macro, ends.
    Release,
    /// What is printed next is what a macro gives.
    Given,
}

impl Object for Signal {}

/// What was printed as one: so many bytes at an address, by a tag if they were computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) address: usize,
    pub(super) bytes: usize,
    pub(super) tag: Option<usize>,
}

/// What is running.
#[derive(Debug, Default)]
pub(super) struct Levels(Mutex<Running>);

#[derive(Debug, Default)]
struct Running {
    /// The bodies whose text is captured, the outermost first.
    captured: Vec<Level>,
    /// Whether the next output where nothing is captured is what a macro gives.
    given: bool,
    /// What the macro printed that ended last.
    last: Vec<Said>,
    depth: usize,
}

#[derive(Debug)]
struct Level {
    said: Vec<Said>,
    given: bool,
    is_macro: bool,
}

impl Levels {
    pub(super) fn reset(&self) {
        *self.running() = Running::default();
    }

    /// Takes a signal that is no mark.
    pub(super) fn signal(&self, signal: Signal) -> Result<(), Error> {
        let mut running = self.running();
        match signal {
            Signal::Mark(_) => {}
            Signal::Macro => {
                running.deeper()?;
                running.captured.push(Level { said: Vec::new(), given: false, is_macro: true });
            }
            Signal::Capture => running.captured.push(Level { said: Vec::new(), given: false, is_macro: false }),
            Signal::Begin => running.deeper()?,
            Signal::End => running.depth = running.depth.saturating_sub(1),
            Signal::Release => {
                if let Some(level) = running.captured.pop() {
                    running.depth = running.depth.saturating_sub(usize::from(level.is_macro));
                    running.last = level.said;
                }
            }
            Signal::Given => match running.captured.last_mut() {
                Some(level) => level.given = true,
                None => running.given = true,
            },
        }
        Ok(())
    }

    /// Notes a mark if a body runs whose text is captured; whether it does.
    pub(super) fn mark(&self, tag: usize) -> bool {
        let mut running = self.running();
        let Some(level) = running.captured.last_mut() else { return false };
        if let Some(said) = level.said.last_mut() {
            said.tag.get_or_insert(tag);
        }
        true
    }

    /// Notes what is about to be printed. Where nothing is captured, these are its pieces; none if it is one.
    pub(super) fn say(&self, text: &str) -> Option<Vec<Said>> {
        let mut running = self.running();
        let Running { captured, given, last, .. } = &mut *running;
        let given = captured.last_mut().map_or(given, |level| &mut level.given);
        let pieces = std::mem::take(given).then(|| std::mem::take(last));
        let pieces = pieces.filter(|pieces| pieces.iter().map(|said| said.bytes).sum::<usize>() == text.len());
        match captured.last_mut() {
            Some(level) => {
                let one = Said { address: text.as_ptr() as usize, bytes: text.len(), tag: None };
                level.said.extend(pieces.unwrap_or_else(|| vec![one]));
                None
            }
            None => pieces,
        }
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    fn deeper(&mut self) -> Result<(), Error> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(over(format!("macros, blocks and files run at most {DEPTH} deep inside each other")));
        }
        Ok(())
    }
}
