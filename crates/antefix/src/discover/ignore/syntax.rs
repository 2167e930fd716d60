//! The patterns of ignore files, as git reads them.
//!
//! 1. `?` fits one byte, `*` any number of them, `[a-z]` and `[!a-z]` one of a set or none of it; none of these fits a
//!    slash. `**` between slashes fits any number of directories, and at the end everything beneath.
//! 2. A backslash takes the meaning from what follows.
//! 3. A pattern that can fit nothing is an error: a bracket that is not closed, a class that nobody knows, a backslash at
//!    the end. Git says nothing about these.

use crate::discover::glob::{Builder, Matcher, Set, Token};

/// Reads a pattern without the marks at its ends.
pub(super) fn parse(pattern: &str) -> Result<Matcher, &'static str> {
    let mut matcher = Builder::default();
    let mut bytes = pattern.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'/' => matcher.slash(),
            b'?' => matcher.push(Token::Any),
            b'*' => matcher.push(Token::Many),
            b'[' => matcher.push(Token::Set(Box::new(set(&mut bytes)?))),
            b'\\' => match bytes.next().ok_or("nothing follows a backslash")? {
                b'/' => matcher.slash(),
                byte => matcher.push(Token::One(byte)),
            },
            byte => matcher.push(Token::One(byte)),
        }
    }
    Ok(matcher.finish())
}

type Bytes<'p> = std::iter::Peekable<std::str::Bytes<'p>>;

/// Reads a set behind its opening bracket.
fn set(bytes: &mut Bytes<'_>) -> Result<Set, &'static str> {
    const OPEN: &str = "a bracket is not closed";
    let negated = bytes.next_if(|byte| matches!(byte, b'!' | b'^')).is_some();
    let mut ranges: Vec<(u8, u8)> = Vec::new();
    // What a hyphen behind it would begin a range with.
    let mut before: Option<u8> = None;
    // A bracket that closes right away is a member.
    let mut first = true;
    loop {
        let byte = bytes.next().ok_or(OPEN)?;
        match (byte, before) {
            (b']', _) if !first => return Ok(Set { ranges, negated }),
            (b'/', _) => return Err(OPEN),
            (b'\\', _) => {
                let byte = bytes.next().ok_or(OPEN)?;
                ranges.push((byte, byte));
                before = Some(byte);
            }
            (b'-', Some(from)) if bytes.peek().is_some_and(|byte| *byte != b']') => {
                let to = match bytes.next().ok_or(OPEN)? {
                    b'\\' => bytes.next().ok_or(OPEN)?,
                    to => to,
                };
                ranges.push((from, to));
                before = None;
            }
            (b'[', _) if bytes.peek() == Some(&b':') => {
                let rest: Vec<u8> = bytes.clone().skip(1).take_while(|byte| *byte != b']').collect();
                if let Some(name) = rest.strip_suffix(b":") {
                    ranges.extend(class(name).ok_or("there is no such class of characters")?);
                    // The colon, the name with its colon, and the bracket.
                    bytes.nth(rest.len() + 1);
                    before = None;
                } else {
                    ranges.push((b'[', b'['));
                    before = Some(b'[');
                }
            }
            (byte, _) => {
                ranges.push((byte, byte));
                before = Some(byte);
            }
        }
        first = false;
    }
}

/// The characters of a class such as `[:digit:]`.
fn class(name: &[u8]) -> Option<&'static [(u8, u8)]> {
    Some(match name {
        b"alnum" => &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')],
        b"alpha" => &[(b'A', b'Z'), (b'a', b'z')],
        b"blank" => &[(b' ', b' '), (b'\t', b'\t')],
        b"cntrl" => &[(0, 0x1f), (0x7f, 0x7f)],
        b"digit" => &[(b'0', b'9')],
        b"graph" => &[(b'!', b'~')],
        b"lower" => &[(b'a', b'z')],
        b"print" => &[(b' ', b'~')],
        b"punct" => &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')],
        b"space" => &[(b' ', b' '), (b'\t', b'\r')],
        b"upper" => &[(b'A', b'Z')],
        b"xdigit" => &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')],
        _ => return None,
    })
}
