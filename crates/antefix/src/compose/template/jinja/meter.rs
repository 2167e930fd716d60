//! How much text a rendering may make.
//!
//! Growth compounds only where a result is fed back. Every such door has a meter: what is bound to a name, what a filter
//! makes, what is printed (also into a `{% set %}` block or by a macro), what is multiplied, and the text of every body that runs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Value};

use crate::stop::Stop;

/// All the text that one rendering may make, prompt included.
pub(super) const MADE: usize = 8 * 1024 * 1024;
/// The largest value that a name may be bound to, and the largest one that a filter takes. Instruction files have their texts
/// twice, as they are and without the line feeds at their ends.
pub(super) const VALUE: usize = 2 * 1024 * 1024;
/// How deep lists and maps may nest in a value that is bound to a name.
const VALUE_DEPTH: usize = 32;
/// What an item of a list weighs besides its text.
const ITEM: usize = 32;

/// All the text that one rendering may look through: copied, compared, searched.
const WORK: usize = 128 * 1024 * 1024;

/// After how many bytes it is asked whether anybody waits for the rest.
const ASKED: usize = 256 * 1024;

/// The engine's objects that are no data.
const ENGINES_OWN: [&str; 4] = ["::Namespace", "::Module", "::Macro", "::Loop"];

/// How many times a byte counts that is sliced: the engine goes through a text letter by letter.
pub(super) const SLICE_WORK: usize = 8;

/// Bytes produced and scanned so far.
#[derive(Debug, Default)]
pub(super) struct Meter {
    made: AtomicUsize,
    work: AtomicUsize,
    /// The left sides of products whose right sides are not known yet.
    factors: Mutex<Vec<Value>>,
    /// Whether the rendering is still wanted.
    stop: Mutex<Stop>,
}

/// What renderings took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Spent {
    made: usize,
    work: usize,
}

impl Spent {
    /// Adds what another rendering took; none if a whole prompt may not take that much.
    pub(crate) fn plus(self, other: Spent) -> Option<Spent> {
        let sum = Spent { made: self.made + other.made, work: self.work + other.work };
        (sum.made <= MADE && sum.work <= WORK).then_some(sum)
    }
}

/// Marks an error as a limit that was reached.
#[derive(Debug)]
pub(super) struct LimitReached;

impl std::fmt::Display for LimitReached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("limit reached")
    }
}

impl std::error::Error for LimitReached {}

impl Meter {
    pub(super) fn reset(&self, stop: &Stop) {
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner) = stop.clone();
        self.made.store(0, Ordering::Relaxed);
        self.work.store(0, Ordering::Relaxed);
        self.factors().clear();
    }

    /// Counts text that is about to be made.
    pub(super) fn charge(&self, bytes: usize) -> Result<(), Error> {
        if self.add(&self.made, bytes)? > MADE {
            return Err(over(format!("rendering this template makes more than {MADE} bytes of text")));
        }
        Ok(())
    }

    /// Counts a value that is about to be copied, compared or searched.
    pub(super) fn look(&self, value: Value) -> Result<Value, Error> {
        self.work(if value.is_undefined() { 0 } else { weigh(&value)? })?;
        Ok(value)
    }

    /// Lets a value be bound to a name if it is not too large. What was made for it is counted.
    pub(super) fn keep(&self, value: Value) -> Result<Value, Error> {
        self.charge(weigh(&value)?)?;
        // What is made anew whenever it is walked through, a slice of a slice of a slice, is made once.
        if value.kind() == ValueKind::Iterable {
            return Ok(Value::from(value.try_iter()?.collect::<Vec<Value>>()));
        }
        Ok(value)
    }

    /// Lets a value become a field of a namespace. A namespace in it could contain itself, and whoever walks through it would
    /// never end.
    pub(super) fn field(&self, value: Value) -> Result<Value, Error> {
        let value = self.keep(value)?;
        let mut waiting = vec![value.clone()];
        while let Some(value) = waiting.pop() {
            if value.as_object().is_some_and(|object| ENGINES_OWN.iter().any(|own| object.type_name().ends_with(own))) {
                let message = "a field of a namespace is text, a number, or a list or map of those";
                return Err(Error::new(ErrorKind::InvalidOperation, message));
            }
            if matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map) {
                for item in value.try_iter()? {
                    if value.kind() == ValueKind::Map {
                        waiting.push(value.get_item(&item)?);
                    }
                    waiting.push(item);
                }
            }
        }
        Ok(value)
    }

    /// Takes the left side of a product.
    pub(super) fn factor(&self, value: Value) -> Value {
        self.factors().push(value.clone());
        value
    }

    /// Takes the right side of a product, and counts what it makes: text or a list so many times.
    pub(super) fn times(&self, right: Value) -> Result<Value, Error> {
        let left = self.factors().pop().unwrap_or(Value::UNDEFINED);
        let repeated = |value: &Value| matches!(value.kind(), ValueKind::String | ValueKind::Seq | ValueKind::Iterable);
        for (value, times) in [(&left, &right), (&right, &left)] {
            if let (true, Some(times)) = (repeated(value), times.as_usize()) {
                let bytes = weigh(value)?.saturating_mul(times);
                if bytes > VALUE {
                    return Err(too_large());
                }
                self.work(bytes)?;
                self.charge(bytes)?;
            }
        }
        Ok(right)
    }

    fn factors(&self) -> MutexGuard<'_, Vec<Value>> {
        self.factors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts work: bytes that are scanned.
    pub(super) fn work(&self, bytes: usize) -> Result<(), Error> {
        if self.add(&self.work, bytes)? > WORK {
            return Err(over(format!("rendering this template looks through more than {WORK} bytes")));
        }
        Ok(())
    }

    /// What a counter comes to. Now and then it is asked whether anybody waits for the rest.
    fn add(&self, counter: &AtomicUsize, bytes: usize) -> Result<usize, Error> {
        // One rendering runs on one thread; the counter is atomic only because the engine's callbacks are shared.
        let before = counter.load(Ordering::Relaxed);
        let after = before.saturating_add(bytes);
        counter.store(after, Ordering::Relaxed);
        let asks = before / ASKED != after / ASKED;
        if asks && self.stop.lock().unwrap_or_else(PoisonError::into_inner).is_set() {
            return Err(Error::new(ErrorKind::InvalidOperation, "nobody waits for it any more"));
        }
        Ok(after)
    }

    /// What was produced and scanned so far.
    pub(super) fn spent(&self) -> Spent {
        Spent { made: self.made.load(Ordering::Relaxed), work: self.work.load(Ordering::Relaxed) }
    }
}

/// The size of a value with everything in it, or an error if that is too much.
pub(super) fn weigh(value: &Value) -> Result<usize, Error> {
    if let Some(text) = value.as_str() {
        return if text.len() > VALUE { Err(too_large()) } else { Ok(ITEM + text.len()) };
    }
    let mut total = 0_usize;
    let mut waiting = vec![(value.clone(), 0_usize)];
    while let Some((value, depth)) = waiting.pop() {
        total += ITEM + value.as_str().map_or(0, str::len);
        if depth > VALUE_DEPTH {
            return Err(over(format!("lists nest more than {VALUE_DEPTH} deep")));
        }
        if matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map) {
            for item in value.try_iter()? {
                // A map gives its keys; its values hang below them.
                if value.kind() == ValueKind::Map {
                    waiting.push((value.get_item(&item)?, depth + 1));
                }
                waiting.push((item, depth + 1));
                if total + waiting.len() * ITEM > VALUE {
                    return Err(too_large());
                }
            }
        }
        if total > VALUE {
            return Err(too_large());
        }
    }
    Ok(total)
}

fn too_large() -> Error {
    over(format!("a value is larger than {VALUE} bytes"))
}

/// An error that says that a limit was reached.
pub(super) fn over(message: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, message).with_source(LimitReached)
}
