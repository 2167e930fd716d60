//! Private keys in PEM and OpenPGP armor.
//!
//! 1. A key is `-----BEGIN … PRIVATE KEY-----`, a body in base64, and its END line.
//! 2. Without an END line the key was cut. If its body begins right behind the header, all that follows belongs to it,
//!    up to the next BEGIN line or the end of the text.
//! 3. Documentation that names the two lines, with nothing or dots between, shows no key.
//!
//! Indentation, diff marks, quotes and `\n` within a string do not matter: the body is searched for runs, not for
//! lines.

use super::MARKER_START;

/// How the line before a key begins.
pub(super) const BEGIN: &[u8] = b"-----BEGIN ";
/// How the line behind a key begins.
const END: &[u8] = b"-----END ";

/// Where the private key ends whose header begins here.
pub(super) fn end(bytes: &[u8], at: usize) -> Option<usize> {
    let start = at + header(&bytes[at..])?;
    let (body, stop) = body(&bytes[start..]);
    match stop {
        Stop::End { length } => has_base64(body).then_some(start + body.len() + length),
        Stop::Elsewhere => begins_with_base64(body).then_some(start + body.len()),
    }
}

/// Whether a BEGIN or END line begins here, or seems to.
pub(super) fn begins_line(bytes: &[u8]) -> bool {
    bytes.starts_with(BEGIN) || bytes.starts_with(END)
}

/// What ends a body.
enum Stop {
    /// An END line, and how long it is.
    End { length: usize },
    /// The next BEGIN line, a key that was redacted, or the end of the text.
    Elsewhere,
}

/// The shortest line of base64 that is taken for a part of a key. Words and short digests are not keys.
const SHORTEST_RUN: usize = 24;

/// The length of a header, if it is that of a private key.
fn header(bytes: &[u8]) -> Option<usize> {
    let (label, length) = line(bytes, BEGIN)?;
    (label.ends_with(b"PRIVATE KEY") || label.ends_with(b"PRIVATE KEY BLOCK")).then_some(length)
}

/// The label of a BEGIN or END line, and how long the line is. A line that was cut is none, even if the next one
/// follows at once and lends it its dashes.
fn line<'b>(bytes: &'b [u8], start: &[u8]) -> Option<(&'b [u8], usize)> {
    const LONGEST: usize = 64;
    let rest = bytes.strip_prefix(start)?;
    let inside = |byte: &&u8| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b' ');
    let (label, behind) = rest.split_at(rest.iter().take(LONGEST).take_while(inside).count());
    let closed = behind.starts_with(b"-----") && !begins_line(behind);
    closed.then_some((label, start.len() + label.len() + 5))
}

/// What follows a header, and what ends it. A body never extends over the next BEGIN line, so that all bodies of
/// a text together are no longer than the text.
fn body(bytes: &[u8]) -> (&[u8], Stop) {
    for (at, byte) in bytes.iter().enumerate() {
        let rest = &bytes[at..];
        match byte {
            b'-' => {
                if let Some(length) = line(rest, END).map(|(_, length)| length) {
                    return (&bytes[..at], Stop::End { length });
                }
                if rest.starts_with(BEGIN) {
                    return (&bytes[..at], Stop::Elsewhere);
                }
            }
            b'[' => {
                let redacted = rest.strip_prefix(MARKER_START.as_bytes());
                if redacted.is_some_and(|rest| rest.starts_with(b"private-key]")) {
                    return (&bytes[..at], Stop::Elsewhere);
                }
            }
            _ => {}
        }
    }
    (bytes, Stop::Elsewhere)
}

fn has_base64(body: &[u8]) -> bool {
    body.split(|byte| !is_base64(*byte)).any(|run| run.len() >= SHORTEST_RUN)
}

/// Whether the first line is base64. Empty lines do not count, nor do fields such as `DEK-Info: …`, which say how a key
/// is encrypted.
fn begins_with_base64(body: &[u8]) -> bool {
    for line in body.split(|byte| *byte == b'\n') {
        // Indentation, a diff mark or a quote.
        let mark = line.iter().take_while(|byte| !is_base64(**byte)).count();
        let run = line[mark..].iter().take_while(|byte| is_base64(**byte)).count();
        if run >= SHORTEST_RUN {
            return true;
        }
        if run > 0 && !is_field(line) {
            return false;
        }
    }
    false
}

/// Whether a line is a name of one word, a colon and a value.
fn is_field(line: &[u8]) -> bool {
    let name = line.trim_ascii_start().iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    name > 0 && line.trim_ascii_start()[name..].starts_with(b": ")
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
