//! Patterns of paths, as they are matched. There is one engine, for two languages.
//!
//! 1. A pattern is made of parts between slashes. A part is `**`, any number of directories, or tokens that a name must
//!    fit: a byte, any byte, one of a set, any number of bytes. None of them fits a slash.
//! 2. Matching is by bytes, as in git: a letter beyond ASCII is as many as it has.
//! 3. Matching takes at most the product of both lengths, needs no memory but a flag for each name of the path, and
//!    counts its steps, so that whoever asks with patterns of strangers can stop.
//!
//! The languages are those of ignore files (`ignore/syntax.rs`) and of rules (`rules/syntax.rs`). They differ in braces,
//! in escapes and classes within brackets, and in what is an error, so that each has a parser; both parse into this.
//!
//! Why not `globset`, which knows most of the second language and with a translation the first? It compiles a file's
//! patterns into one automaton, which is fast for patterns that people write. For a thousand that somebody wrote to be
//! slow, 130 kB of `*a?*b[ab]…`, matching 200 names took more than half a minute and 650 MB, and there is nothing to count
//! that would end it the same way on every machine. Here a stranger's files are matched before anybody trusts them.

/// A pattern, ready to match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Matcher {
    parts: Vec<Part>,
}

/// What is between two slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// `**`: any number of directories.
    Directories,
    Name(Vec<Token>),
}

/// What fits a stretch of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// This byte.
    One(u8),
    /// `?`
    Any,
    /// `*`
    Many,
    /// `[…]`
    Set(Box<Set>),
}

/// A set of bytes, by its ranges.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Set {
    pub(super) ranges: Vec<(u8, u8)>,
    pub(super) negated: bool,
}

/// Puts a pattern together from its beginning.
#[derive(Debug, Default)]
pub(super) struct Builder {
    parts: Vec<Part>,
    tokens: Vec<Token>,
}

impl Builder {
    /// Adds a token to the part.
    pub(super) fn push(&mut self, token: Token) {
        // Two stars that stand alone are one idea, and more than that no other.
        if token != Token::Many || !self.tokens.ends_with(&[Token::Many, Token::Many]) {
            self.tokens.push(token);
        }
    }

    /// Ends the part.
    pub(super) fn slash(&mut self) {
        let tokens = std::mem::take(&mut self.tokens);
        let is_directories = tokens == [Token::Many, Token::Many];
        self.parts.push(if is_directories { Part::Directories } else { Part::Name(tokens) });
    }

    /// The whole pattern.
    pub(super) fn finish(mut self) -> Matcher {
        self.slash();
        Matcher { parts: self.parts }
    }
}

impl Matcher {
    /// Whether the pattern matches a path, given by its names. Each step is taken from `steps`; a match that has begun is
    /// finished without any.
    pub(super) fn matches(&self, path: &[&[u8]], steps: &mut usize) -> bool {
        // Most paths differ from most patterns in their last names.
        if let (Some(Part::Name(tokens)), Some(name)) = (self.parts.last(), path.last())
            && !name_matches(tokens, name, steps)
        {
            return false;
        }
        // Which numbers of names the parts so far match.
        let mut reached = vec![false; path.len() + 1];
        reached[0] = true;
        for (number, part) in self.parts.iter().enumerate() {
            *steps = steps.saturating_sub(path.len() + 1);
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
                        next[at + 1] = reached[at] && name_matches(tokens, name, steps);
                    }
                }
            }
            reached = next;
        }
        reached.last() == Some(&true)
    }
}

/// Whether tokens match a name: after a mismatch the last star takes one byte more.
fn name_matches(tokens: &[Token], name: &[u8], steps: &mut usize) -> bool {
    let (mut token, mut at) = (0, 0);
    // The token behind the last star, and where the name goes on behind what the star has taken.
    let mut star: Option<(usize, usize)> = None;
    loop {
        *steps = steps.saturating_sub(1);
        match (tokens.get(token), name.get(at)) {
            (None, None) => return true,
            (Some(Token::Many), _) => {
                token += 1;
                star = Some((token, at));
            }
            (Some(expected), Some(byte)) if expected.fits(*byte) => {
                token += 1;
                at += 1;
            }
            _ => {
                let Some((behind, taken)) = &mut star else { return false };
                if *taken == name.len() {
                    return false;
                }
                *taken += 1;
                (token, at) = (*behind, *taken);
            }
        }
    }
}

impl Token {
    fn fits(&self, byte: u8) -> bool {
        match self {
            Token::One(one) => *one == byte,
            Token::Any => true,
            Token::Many => false,
            Token::Set(set) => set.ranges.iter().any(|(from, to)| (from..=to).contains(&&byte)) != set.negated,
        }
    }
}
