//! Lines of any length from a pipe.
//!
//! 1. A line up to a limit is read as a whole, because it may have to be changed.
//! 2. Of a longer one only the beginning is kept; the rest is poured from one pipe into the other, so memory is bounded
//!    by the limit, whatever is sent.

use std::io::{self, BufRead, BufReader, Read, Write};

use crate::scan::Scan;

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

/// What stays of the room for lines once a long one has passed.
const ROOM: usize = 1024 * 1024;

/// A reader of lines.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    limit: usize,
}

/// What there is to read next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// A whole line, with its line end: [`Lines::line`].
    Line,
    /// A line without its end, because the input has ended in it.
    Cut,
    /// The beginning of a line that is too long: [`Lines::pour`] passes it on.
    Long,
    /// The input has ended.
    End,
}

impl<R: Read> Lines<R> {
    /// Lines of up to `limit` bytes are read as a whole.
    pub(crate) fn new(reader: R, limit: usize) -> Lines<R> {
        Lines { reader: BufReader::with_capacity(CHUNK, reader), line: Vec::new(), limit }
    }

    /// The same reader with another limit. The line that was read stays.
    pub(crate) fn with_limit(self, limit: usize) -> Lines<R> {
        Lines { limit, ..self }
    }

    /// Reads up to the end of the next line.
    pub(crate) fn next(&mut self) -> io::Result<Next> {
        self.line.clear();
        self.line.shrink_to(ROOM);
        let most = self.limit as u64 + 1;
        self.reader.by_ref().take(most).read_until(b'\n', &mut self.line)?;
        Ok(match self.line.last() {
            None => Next::End,
            Some(b'\n') => Next::Line,
            Some(_) if self.line.len() > self.limit => Next::Long,
            Some(_) => Next::Cut,
        })
    }

    /// The line that was read.
    pub(crate) fn line(&self) -> &[u8] {
        &self.line
    }

    /// Passes a long line on, from its first byte to its end, and says what it was.
    pub(crate) fn pour(&mut self, out: &mut dyn Write) -> io::Result<Scan> {
        let mut scan = Scan::default();
        loop {
            scan.read(&self.line);
            out.write_all(&self.line)?;
            if self.line.last() == Some(&b'\n') {
                break;
            }
            self.line.clear();
            self.reader.by_ref().take(CHUNK as u64).read_until(b'\n', &mut self.line)?;
            if self.line.is_empty() {
                // The input ended in it. What is said next must not become a part of it.
                out.write_all(b"\n")?;
                break;
            }
        }
        self.line = Vec::new();
        out.flush()?;
        Ok(scan)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by failing")]

    use super::{Lines, Next};

    #[test]
    fn lines_come_whole_up_to_the_limit_and_poured_above_it() {
        let text = b"12345\n\n1234567\nlast".as_slice();
        let mut lines = Lines::new(text, 6);
        assert_eq!((lines.next().unwrap(), lines.line()), (Next::Line, b"12345\n".as_slice()));
        assert_eq!((lines.next().unwrap(), lines.line()), (Next::Line, b"\n".as_slice()));
        assert_eq!(lines.next().unwrap(), Next::Long);
        let mut poured = Vec::new();
        lines.pour(&mut poured).unwrap();
        assert_eq!(poured, b"1234567\n");
        assert_eq!((lines.next().unwrap(), lines.line()), (Next::Cut, b"last".as_slice()));
        assert_eq!(lines.next().unwrap(), Next::End);
    }
}
