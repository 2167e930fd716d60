//! The patterns of rules, read for the engine of `discover/glob.rs`.
//!
//! 1. Braces stand for each of their alternatives, and may nest; a pattern with braces becomes as many as it stands for.
//!    Whoever asks has counted them, so that no pattern can make another one grow beyond measure.
//! 2. Between brackets nothing is escaped: `[\]` is a backslash, and `[]]` a bracket.
//! 3. What is wrong is said in the words of `globset`, which read these patterns before.

use crate::discover::glob::{Builder, Matcher, Set, Token};

/// A pattern as it is written, piece by piece.
enum Piece {
    Token(Token),
    Slash,
    /// `{`
    Open,
    /// A comma between alternatives.
    Comma,
    /// `}`
    Close,
}

/// All patterns that a pattern stands for, or what is wrong with it.
pub(super) fn parse(pattern: &str) -> Result<Vec<Matcher>, String> {
    let mut alternatives = vec![Vec::new()];
    // What precedes each open brace, and the alternatives that are complete.
    let mut outer: Vec<(Alternatives<'_>, Alternatives<'_>)> = Vec::new();
    let pieces = pieces(pattern)?;
    for piece in &pieces {
        match piece {
            Piece::Token(token) => alternatives.iter_mut().for_each(|steps| steps.push(Step::Token(token))),
            Piece::Slash => alternatives.iter_mut().for_each(|steps| steps.push(Step::Slash)),
            Piece::Open => outer.push((std::mem::replace(&mut alternatives, vec![Vec::new()]), Vec::new())),
            Piece::Comma => {
                let complete = std::mem::replace(&mut alternatives, vec![Vec::new()]);
                if let Some((_, inside)) = outer.last_mut() {
                    inside.extend(complete);
                }
            }
            Piece::Close => {
                let Some((before, mut inside)) = outer.pop() else { continue };
                inside.append(&mut alternatives);
                alternatives = joined(&before, &inside);
            }
        }
    }
    Ok(alternatives.iter().map(|steps| build(steps)).collect())
}

/// A piece of one alternative.
#[derive(Clone, Copy)]
enum Step<'p> {
    Token(&'p Token),
    Slash,
}

type Alternatives<'p> = Vec<Vec<Step<'p>>>;

/// Each beginning with each end.
fn joined<'p>(beginnings: &[Vec<Step<'p>>], ends: &[Vec<Step<'p>>]) -> Alternatives<'p> {
    beginnings.iter().flat_map(|beginning| ends.iter().map(|end| [&beginning[..], end].concat())).collect()
}

fn build(steps: &[Step<'_>]) -> Matcher {
    let mut matcher = Builder::default();
    for step in steps {
        match step {
            Step::Token(token) => matcher.push((*token).clone()),
            Step::Slash => matcher.slash(),
        }
    }
    matcher.finish()
}

type Chars<'p> = std::iter::Peekable<std::str::Chars<'p>>;

fn pieces(pattern: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::with_capacity(pattern.len());
    let mut depth = 0_usize;
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '/' => pieces.push(Piece::Slash),
            '?' => pieces.push(Piece::Token(Token::Any)),
            '*' => pieces.push(Piece::Token(Token::Many)),
            '[' => pieces.push(Piece::Token(Token::Set(Box::new(set(&mut chars)?)))),
            '{' => {
                depth += 1;
                pieces.push(Piece::Open);
            }
            '}' => {
                let unopened = "unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)";
                depth = depth.checked_sub(1).ok_or(unopened)?;
                pieces.push(Piece::Close);
            }
            ',' if depth > 0 => pieces.push(Piece::Comma),
            '\\' => match chars.next().ok_or("dangling '\\'")? {
                '/' => pieces.push(Piece::Slash),
                c => pieces.extend(bytes(c).map(|byte| Piece::Token(Token::One(byte)))),
            },
            c => pieces.extend(bytes(c).map(|byte| Piece::Token(Token::One(byte)))),
        }
    }
    if depth > 0 {
        return Err("unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)".to_owned());
    }
    Ok(pieces)
}

/// Reads a set behind its opening bracket.
fn set(chars: &mut Chars<'_>) -> Result<Set, String> {
    let negated = chars.next_if(|c| matches!(c, '!' | '^')).is_some();
    let mut ranges = Vec::new();
    // A bracket that closes right away is a member.
    let mut first = true;
    loop {
        let from = chars.next().ok_or("unclosed character class; missing ']'")?;
        if from == ']' && !first {
            return Ok(Set { ranges, negated });
        }
        first = false;
        let mut ahead = chars.clone();
        match (ahead.next(), ahead.next()) {
            (Some('-'), Some(to)) if to != ']' => {
                if to < from {
                    return Err(format!("invalid range; '{from}' > '{to}'"));
                }
                *chars = ahead;
                ranges.extend(range(from, to));
            }
            _ => ranges.extend(bytes(from).map(|byte| (byte, byte))),
        }
    }
}

/// A range between letters is one between bytes; what else the letters have are members.
fn range(from: char, to: char) -> Vec<(u8, u8)> {
    let (from, to): (Vec<u8>, Vec<u8>) = (bytes(from).collect(), bytes(to).collect());
    match (from.split_last(), to.split_first()) {
        (Some((last, before)), Some((first, behind))) => {
            let members = before.iter().chain(behind).map(|byte| (*byte, *byte));
            members.chain([(*last, *first)]).collect()
        }
        _ => Vec::new(),
    }
}

/// The bytes of a character.
fn bytes(c: char) -> impl Iterator<Item = u8> {
    let mut buffer = [0; 4];
    let length = c.encode_utf8(&mut buffer).len();
    buffer.into_iter().take(length)
}
