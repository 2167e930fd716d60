//! Lines, as they are compared: without white space around them, and with characters that were escaped on the way as they were.

use std::borrow::Cow;

/// How many letters and digits make a line more than a common phrase.
const STRONG: usize = 8;

/// A line of a text: one that ends at a line end, or at one that is escaped as in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The number of the line that it is in, from 1.
    pub(super) line: usize,
}

impl Segment {
    /// What it says.
    pub(super) fn said<'t>(&self, text: &'t str) -> Cow<'t, str> {
        said(&text[self.start..self.end])
    }

    pub(super) fn is_blank(&self, text: &str) -> bool {
        text[self.start..self.end].trim().is_empty()
    }

    /// Whether it is worth looking for.
    pub(super) fn is_strong(&self, text: &str) -> bool {
        text[self.start..self.end].chars().filter(|c| c.is_alphanumeric()).nth(STRONG - 1).is_some()
    }

    /// Of what it says (FNV-1a). Two lines of one hash are compared.
    pub(super) fn hash(&self, text: &str) -> u64 {
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        self.said(text).bytes().fold(0xcbf2_9ce4_8422_2325, step)
    }

    /// The same without white space around it.
    pub(super) fn trimmed(&self, text: &str) -> (usize, usize) {
        let own = &text[self.start..self.end];
        let start = self.start + (own.len() - own.trim_start().len());
        (start, start + own.trim().len())
    }
}

/// The lines of a text.
pub(super) fn segments(text: &str) -> Vec<Segment> {
    let bytes = text.as_bytes();
    let (mut all, mut start, mut line) = (Vec::new(), 0, 1);
    for at in memchr::memchr2_iter(b'\n', b'\\', bytes) {
        if at < start {
            continue;
        }
        if bytes[at] == b'\n' {
            all.push(Segment { start, end: at, line });
            (start, line) = (at + 1, line + 1);
        } else if bytes.get(at + 1) == Some(&b'n') {
            all.push(Segment { start, end: at, line });
            start = at + 2;
        }
    }
    all.push(Segment { start, end: text.len(), line });
    all
}

/// A line as it was before it was escaped, as far as that can be told: both sides are read in this way.
fn said(line: &str) -> Cow<'_, str> {
    let line = line.trim();
    if memchr::memchr2(b'&', b'\\', line.as_bytes()).is_none() {
        return Cow::Borrowed(line);
    }
    const WRITTEN: [(&str, &str); 10] = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("\\\"", "\""),
        ("\\\\", "\\"),
        ("\\t", "\t"),
        ("\\r", ""),
        ("\\/", "/"),
    ];
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = memchr::memchr2(b'&', b'\\', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        match WRITTEN.iter().find(|(written, _)| rest.starts_with(written)) {
            Some((written, meant)) => {
                text.push_str(meant);
                rest = &rest[written.len()..];
            }
            None => {
                text.push_str(&rest[..1]);
                rest = &rest[1..];
            }
        }
    }
    text.push_str(rest);
    Cow::Owned(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_ends_at_a_line_end_or_at_one_that_is_escaped() {
        let text = "a\r\n  b \\nc&lt;d\\\"\n";
        let said: Vec<(String, usize)> =
            segments(text).iter().map(|one| (one.said(text).into_owned(), one.line)).collect();
        let expected = [("a", 1), ("b", 2), ("c<d\"", 2), ("", 3)].map(|(said, line)| (said.to_owned(), line));
        assert_eq!(said, expected);
    }
}
