//! Lines of JSON, looked at before they are read.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::Deserialize;

/// The lines of a file that are not empty.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = &rest[..end];
        rest = rest.get(end + 1..).unwrap_or_default();
        Some(line)
    })
    .filter(|line| !line.trim_ascii().is_empty())
}

/// Words that are looked for in many lines.
pub(super) struct Word(memchr::memmem::Finder<'static>);

impl Word {
    pub(super) fn new(word: &'static str) -> Word {
        Word(memchr::memmem::Finder::new(word))
    }

    pub(super) fn is_in(&self, line: &[u8]) -> bool {
        self.0.find(line).is_some()
    }
}

/// A line as a type; none if it is not one.
pub(super) fn read<'l, T: Deserialize<'l>>(line: &'l [u8]) -> Option<T> {
    serde_json::from_slice(line).ok()
}

/// A text that is borrowed where it has no escapes.
#[derive(Debug, Default, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'l>(#[serde(borrow)] pub(super) Cow<'l, str>);

impl Text<'_> {
    pub(super) fn owned(&self) -> String {
        self.0.clone().into_owned()
    }
}

pub(super) fn time(text: Option<&Text<'_>>) -> Option<Timestamp> {
    text?.0.parse().ok()
}

/// An instant as milliseconds since 1970.
pub(super) fn millis(number: Option<i64>) -> Option<Timestamp> {
    Timestamp::from_millisecond(number?).ok()
}

/// Of a text (FNV-1a), to tell whether it is the same.
pub(super) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Counts together. Anybody may have written them, so they may be as large as numbers are.
pub(super) fn sum<const N: usize>(counts: [usize; N]) -> usize {
    counts.into_iter().fold(0, usize::saturating_add)
}
