//! The pattern that o200k_base splits a text by, before it looks for tokens.
//!
//! The pattern is seven alternatives, of which the first that matches wins. Here they are by hand, because an engine for
//! patterns needs milliseconds to read this one, and gives up on a megabyte of spaces. Each alternative goes over the text
//! once, so that all of it takes time that grows with the text and no faster.
//!
//! | | the alternative | matches |
//! |---|---|---|
//! | 1 | `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s\|'t\|'re\|'ve\|'m\|'ll\|'d)?` | a word that does not end in a capital |
//! | 2 | the same with `+` and `*` the other way round | a word of capitals |
//! | 3 | `\p{N}{1,3}` | three digits |
//! | 4 | ` ?[^\s\p{L}\p{N}]+[\r\n/]*` | punctuation, and line ends behind it |
//! | 5 | `\s*[\r\n]+` | white space to its last line end |
//! | 6 | `\s+(?!\S)` | white space but the last, which goes with the word behind it |
//! | 7 | `\s+` | that last one, if nothing took it |

use super::table::Kind;

/// The pieces of a text, in order. Together they are the text.
pub(super) struct Pieces<'t> {
    rest: &'t str,
}

impl<'t> Pieces<'t> {
    pub(super) fn of(text: &'t str) -> Pieces<'t> {
        Pieces { rest: text }
    }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let first = self.rest.chars().next()?;
        let (piece, rest) = self.rest.split_at(end(self.rest, first));
        self.rest = rest;
        Some(piece)
    }
}

/// Where the first piece of a text ends that begins with this character.
fn end(text: &str, first: char) -> usize {
    let word = || word(text, first, small).or_else(|| self::word(text, first, capitals));
    match Kind::of(first) {
        Kind::Upper | Kind::Lower | Kind::Caseless | Kind::Mark => word().unwrap_or(first.len_utf8()),
        Kind::Number => run(text, |kind| kind == Kind::Number, 3),
        Kind::LineEnd => white_space(text),
        Kind::Space => {
            word().or_else(|| (first == ' ').then(|| punctuation(text)).flatten()).unwrap_or_else(|| white_space(text))
        }
        Kind::Other => word().or_else(|| punctuation(text)).unwrap_or(first.len_utf8()),
    }
}

/// A word by one of the first two alternatives: with the character before it if there may be one, else without.
fn word(text: &str, first: char, letters: fn(&str) -> Option<usize>) -> Option<usize> {
    let within = |from: usize| letters(&text[from..]).map(|end| contraction(text, from + end));
    let leads = !matches!(Kind::of(first), Kind::Upper | Kind::Lower | Kind::Caseless | Kind::Number | Kind::LineEnd);
    leads.then(|| within(first.len_utf8())).flatten().or_else(|| within(0))
}

/// Capitals, then at least one that is none; if there is none, the longest run of the former that ends so.
fn small(text: &str) -> Option<usize> {
    let capitals = run(text, goes_with_capitals, usize::MAX);
    let small = run(&text[capitals..], goes_with_small, usize::MAX);
    if small > 0 {
        return Some(capitals + small);
    }
    let last = text[..capitals].char_indices().rev().find(|(_, c)| goes_with_small(Kind::of(*c)));
    last.map(|(at, c)| at + c.len_utf8())
}

/// At least one capital, then any that are none.
fn capitals(text: &str) -> Option<usize> {
    let capitals = run(text, goes_with_capitals, usize::MAX);
    (capitals > 0).then(|| capitals + run(&text[capitals..], goes_with_small, usize::MAX))
}

fn goes_with_capitals(kind: Kind) -> bool {
    matches!(kind, Kind::Upper | Kind::Caseless | Kind::Mark)
}

fn goes_with_small(kind: Kind) -> bool {
    matches!(kind, Kind::Lower | Kind::Caseless | Kind::Mark)
}

/// Where a word ends that ends here or with an English contraction: `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll`, `'d`.
fn contraction(text: &str, end: usize) -> usize {
    let Some(rest) = text[end..].strip_prefix('\'') else { return end };
    let mut behind = rest.chars();
    let letters = match (behind.next(), behind.next()) {
        // The long s is a small s, too, to whoever ignores case.
        (Some('s' | 'S' | 'ſ' | 't' | 'T' | 'm' | 'M' | 'd' | 'D'), _) => 1,
        (Some('r' | 'R' | 'v' | 'V'), Some('e' | 'E')) | (Some('l' | 'L'), Some('l' | 'L')) => 2,
        _ => return end,
    };
    end + 1 + rest.chars().take(letters).map(char::len_utf8).sum::<usize>()
}

/// A space if there is one, punctuation, and line ends or slashes behind it.
fn punctuation(text: &str) -> Option<usize> {
    let space = usize::from(text.starts_with(' '));
    let marks = run(&text[space..], |kind| matches!(kind, Kind::Other | Kind::Mark), usize::MAX);
    let behind = &text[space + marks..];
    let ends = behind.bytes().take_while(|byte| matches!(byte, b'\r' | b'\n' | b'/')).count();
    (marks > 0).then_some(space + marks + ends)
}

/// White space: to its last line end, else all but the last character, which the next piece begins with; else that.
fn white_space(text: &str) -> usize {
    let end = run(text, |kind| matches!(kind, Kind::Space | Kind::LineEnd), usize::MAX);
    let spaces = &text[..end];
    if let Some(last) = spaces.rfind(['\r', '\n']) {
        return last + 1;
    }
    match spaces.char_indices().next_back() {
        Some((last, _)) if last > 0 && end < text.len() => last,
        _ => end,
    }
}

/// Where a run of one kind ends, at the beginning of a text.
fn run(text: &str, is: impl Fn(Kind) -> bool, most: usize) -> usize {
    text.chars().take(most).take_while(|c| is(Kind::of(*c))).map(char::len_utf8).sum()
}
