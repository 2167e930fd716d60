//! The patterns of ignore files, as git reads them.
//!
//! 1. `?` fits one character, `*` any number of them, `[a-z]` and `[!a-z]` one of a set or none of it; none of these
//!    fits a slash. `**` between slashes fits any number of directories, and at the end everything beneath.
//! 2. A backslash takes the meaning from what follows.
//! 3. A pattern that can fit nothing is an error: a bracket that is not closed, a class that nobody knows, a backslash at
//!    the end. Git says nothing about these.
//! 4. Fitting costs at most the product of both lengths, and each step is counted.

/// A part of a pattern between slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// `**`: any number of directories.
    Directories,
    Name(Vec<Token>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// This character.
    One(char),
    /// `?`
    Any,
    /// `*`
    Many,
    /// A set, by its ranges.
    Set { ranges: Vec<(char, char)>, negated: bool },
}

/// A pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Glob {
    parts: Vec<Part>,
}

impl Glob {
    /// Reads a pattern without the marks at its ends.
    pub(super) fn parse(pattern: &str) -> Result<Glob, &'static str> {
        let mut parts = Vec::new();
        let mut tokens = Vec::new();
        let mut stars = 0;
        let mut chars = pattern.chars().peekable();
        while let Some(c) = chars.next() {
            stars = if c == '*' { stars + 1 } else { 0 };
            let token = match c {
                '/' => {
                    parts.push(part(std::mem::take(&mut tokens)));
                    continue;
                }
                '?' => Token::Any,
                '*' => Token::Many,
                '[' => set(&mut chars)?,
                '\\' => match chars.next().ok_or("a backslash has nothing behind it")? {
                    '/' => {
                        parts.push(part(std::mem::take(&mut tokens)));
                        continue;
                    }
                    c => Token::One(c),
                },
                c => Token::One(c),
            };
            // Two stars that stand alone are one idea, and more than that no other.
            if stars < 3 {
                tokens.push(token);
            }
        }
        parts.push(part(tokens));
        Ok(Glob { parts })
    }

    /// Whether the pattern fits a path, given by its names. Each step is taken from `steps`.
    pub(super) fn fits(&self, path: &[&str], steps: &mut usize) -> bool {
        // Which numbers of names the parts so far fit.
        let mut reached = vec![false; path.len() + 1];
        reached[0] = true;
        for (number, part) in self.parts.iter().enumerate() {
            let mut next = vec![false; path.len() + 1];
            match part {
                Part::Directories => {
                    // At the end there must be something beneath.
                    let least = usize::from(number + 1 == self.parts.len());
                    if let Some(first) = reached.iter().position(|reached| *reached) {
                        next.iter_mut().skip(first + least).for_each(|next| *next = true);
                    }
                }
                Part::Name(tokens) => {
                    for (at, name) in path.iter().enumerate() {
                        next[at + 1] = reached[at] && name_fits(tokens, name, steps);
                    }
                }
            }
            reached = next;
        }
        reached.last() == Some(&true)
    }
}

fn part(tokens: Vec<Token>) -> Part {
    if tokens == [Token::Many, Token::Many] { Part::Directories } else { Part::Name(tokens) }
}

/// Whether tokens fit a name: after a mismatch the last star takes one character more.
fn name_fits(tokens: &[Token], name: &str, steps: &mut usize) -> bool {
    let (mut token, mut rest) = (0, name.chars());
    let mut star: Option<(usize, std::str::Chars<'_>)> = None;
    loop {
        *steps = steps.saturating_sub(1);
        if tokens.get(token) == Some(&Token::Many) {
            token += 1;
            star = Some((token, rest.clone()));
            continue;
        }
        let mut ahead = rest.clone();
        match (tokens.get(token), ahead.next()) {
            (None, None) => return true,
            (Some(expected), Some(c)) if expected.fits(c) => {
                token += 1;
                rest = ahead;
            }
            _ => {
                let Some((behind, taken)) = &mut star else { return false };
                if taken.next().is_none() {
                    return false;
                }
                token = *behind;
                rest = taken.clone();
            }
        }
    }
}

impl Token {
    fn fits(&self, c: char) -> bool {
        match self {
            Token::One(one) => *one == c,
            Token::Any => true,
            Token::Many => false,
            Token::Set { ranges, negated } => ranges.iter().any(|(from, to)| (from..=to).contains(&&c)) != *negated,
        }
    }
}

type Chars<'p> = std::iter::Peekable<std::str::Chars<'p>>;

/// Reads a set behind its opening bracket.
fn set(chars: &mut Chars<'_>) -> Result<Token, &'static str> {
    const OPEN: &str = "a bracket is not closed";
    let negated = chars.next_if(|c| matches!(c, '!' | '^')).is_some();
    let mut ranges: Vec<(char, char)> = Vec::new();
    // What a hyphen behind it would begin a range with.
    let mut before: Option<char> = None;
    // A bracket that closes right away is a character.
    let mut first = true;
    loop {
        let c = chars.next().ok_or(OPEN)?;
        match (c, before) {
            (']', _) if !first => return Ok(Token::Set { ranges, negated }),
            ('/', _) => return Err(OPEN),
            ('\\', _) => {
                let c = chars.next().ok_or(OPEN)?;
                ranges.push((c, c));
                before = Some(c);
            }
            ('-', Some(from)) if chars.peek().is_some_and(|c| *c != ']') => {
                let to = match chars.next().ok_or(OPEN)? {
                    '\\' => chars.next().ok_or(OPEN)?,
                    to => to,
                };
                ranges.push((from, to));
                before = None;
            }
            ('[', _) if chars.peek() == Some(&':') => {
                let rest: String = chars.clone().skip(1).take_while(|c| *c != ']').collect();
                if let Some(name) = rest.strip_suffix(':') {
                    ranges.extend(class(name).ok_or("there is no such class of characters")?);
                    // The colon, the name with its colon, and the bracket.
                    chars.nth(rest.chars().count() + 1);
                    before = None;
                } else {
                    ranges.push(('[', '['));
                    before = Some('[');
                }
            }
            (c, _) => {
                ranges.push((c, c));
                before = Some(c);
            }
        }
        first = false;
    }
}

/// The characters of a class such as `[:digit:]`.
fn class(name: &str) -> Option<&'static [(char, char)]> {
    Some(match name {
        "alnum" => &[('0', '9'), ('A', 'Z'), ('a', 'z')],
        "alpha" => &[('A', 'Z'), ('a', 'z')],
        "blank" => &[(' ', ' '), ('\t', '\t')],
        "cntrl" => &[('\0', '\u{1f}'), ('\u{7f}', '\u{7f}')],
        "digit" => &[('0', '9')],
        "graph" => &[('!', '~')],
        "lower" => &[('a', 'z')],
        "print" => &[(' ', '~')],
        "punct" => &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "space" => &[(' ', ' '), ('\t', '\r')],
        "upper" => &[('A', 'Z')],
        "xdigit" => &[('0', '9'), ('A', 'F'), ('a', 'f')],
        _ => return None,
    })
}
