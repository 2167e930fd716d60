//! What is checked in a template before the engine may parse it, and what is written into it so that it can be metered
//! and tracked.
//!
//! The engine's parser recurses along chains of operators and its fuel bounds neither memory nor stack, so both are
//! bounded here, on the tokens:
//!
//! 1. A tag has at most [`TAG_TOKENS`] tokens, [`TAG_DEPTH`] open brackets and [`TAG_GROWTH`] of the operators that make
//!    text longer; `*` and `**` are not offered.
//! 2. Blocks nest at most [`BLOCK_DEPTH`] deep, and a template has at most [`BRANCHES`] branches.
//! 3. The statements are a closed set: [`STATEMENTS`].
//!
//! Then calls are inserted, between tags or around whole expressions, never inside text:
//!
//! - after each output, which tag it was: `{{ x }}` becomes `{{ x }}{{ mark(7) }}`;
//! - at the head of each body that may run often, how many bytes of text it holds;
//! - around each value that is bound to a name, so that nothing grows from one binding to the next.
//!
//! The inserted calls print nothing, keep white-space control where it was, and add no line.

use std::ops::Range;
use std::sync::Arc;

use minijinja::machinery::{Span, Token, tokenize};

use crate::error::{Error, ErrorKind, Result};
use crate::place::{Place, Source};

pub(super) const TAG_TOKENS: usize = 256;
pub(super) const TAG_DEPTH: usize = 32;
pub(super) const TAG_GROWTH: usize = 32;
pub(super) const BLOCK_DEPTH: usize = 64;
pub(super) const BRANCHES: usize = 256;

/// The statements that the dialect offers.
const STATEMENTS: [&str; 14] = [
    "for",
    "endfor",
    "if",
    "elif",
    "else",
    "endif",
    "set",
    "endset",
    "with",
    "endwith",
    "filter",
    "endfilter",
    "include",
    "raw",
];

/// Names of the inserted calls. A template that uses the stem itself is refused.
const STEM: &str = "__antefix";
pub(super) const MARK: &str = "__antefix_mark";
pub(super) const BODY: &str = "__antefix_body";
pub(super) const KEEP: &str = "__antefix_keep";

/// A template as the engine gets it.
#[derive(Debug, Default)]
pub(super) struct Guarded {
    /// The text with the calls in it.
    pub(super) text: String,
    /// Which tag each mark stands for, as bytes of the original.
    pub(super) marks: Vec<Range<usize>>,
    /// Where calls were inserted: the position in `text` behind each, and how many bytes were inserted up to it.
    insertions: Vec<(usize, usize)>,
}

impl Guarded {
    /// The byte of the original that a byte of the text stands for.
    pub(super) fn original(&self, offset: usize) -> usize {
        let behind = self.insertions.partition_point(|(end, _)| *end <= offset);
        let inserted = behind.checked_sub(1).and_then(|last| self.insertions.get(last)).map_or(0, |(_, bytes)| *bytes);
        offset.saturating_sub(inserted)
    }
}

/// Checks a template and writes the calls into it. Marks are numbered from `first_mark`.
pub(super) fn guard(source: &Arc<Source>, first_mark: usize) -> Result<Guarded> {
    let tags = scan(source)?;
    let mut insert = Insert { source: &source.text, copied: 0, guarded: Guarded::default(), first_mark };
    let bodies = body_sizes(&tags);
    insert.call(0, &format!("{{{{ {BODY}({}) }}}}", bodies[0]));
    for (tag, body) in tags.iter().zip(&bodies[1..]) {
        insert.tag(tag, *body);
    }
    insert.copy(source.text.len());
    Ok(insert.guarded)
}

/// A tag, or a run of text between tags.
enum Item {
    Text(usize),
    Output(Range<usize>, Range<usize>),
    Block { keyword: Keyword, end: Range<usize>, keeps: Vec<Range<usize>> },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyword {
    For,
    EndFor,
    EndFilter,
    Other,
}

/// Splits a template into tags and checks each.
fn scan(source: &Arc<Source>) -> Result<Vec<Item>> {
    let mut items = Vec::new();
    let mut tag: Vec<(Token<'_>, Range<usize>)> = Vec::new();
    let mut depth = 0_usize;
    let mut branches = 0_usize;
    for token in tokenize(&source.text, false, Default::default()) {
        let (token, span) = token.map_err(|error| super::errors::parse(source, &error, None))?;
        let range = bytes(&span);
        match token {
            Token::TemplateData(text) => items.push(Item::Text(text.len())),
            Token::VariableEnd => {
                let start = tag.first().map_or(range.start, |(_, first)| first.start);
                items.push(Item::Output(start..range.end, range));
                tag.clear();
            }
            Token::BlockEnd => {
                let (item, word) = block(source, &tag, range)?;
                match word {
                    "for" | "if" | "with" | "filter" => depth += 1,
                    "set" if !tag.iter().any(|(token, _)| matches!(token, Token::Assign)) => depth += 1,
                    word if word.starts_with("end") => depth = depth.saturating_sub(1),
                    _ => {}
                }
                branches += usize::from(matches!(word, "if" | "elif"));
                let place = || Place::new(source, tag[0].1.clone());
                if depth > BLOCK_DEPTH {
                    return Err(limit("blocks nest", BLOCK_DEPTH, "deep").at(place()));
                }
                if branches > BRANCHES {
                    return Err(limit("a template has", BRANCHES, "`if` and `elif` tags").at(place()));
                }
                items.push(item);
                tag.clear();
            }
            token => {
                tag.push((token, range));
                check_tag(source, &tag)?;
            }
        }
    }
    Ok(items)
}

/// Checks a tag up to its last token, so that nothing past a limit is read.
fn check_tag(source: &Arc<Source>, tag: &[(Token<'_>, Range<usize>)]) -> Result<()> {
    let Some((last, range)) = tag.last() else { return Ok(()) };
    let place = || Place::new(source, range.clone());
    if tag.len() > TAG_TOKENS {
        return Err(limit("a tag has", TAG_TOKENS, "words and signs").at(place()));
    }
    match last {
        Token::Mul | Token::Pow => {
            let error = Error::new(ErrorKind::Parse, "`*` is not offered in templates");
            Err(error.at(place()).with_hint("facts are text; repeat text with a loop"))
        }
        Token::Ident(name) if name.starts_with(STEM) => {
            Err(Error::new(ErrorKind::Parse, format!("names that begin with `{STEM}` are reserved")).at(place()))
        }
        Token::ParenOpen | Token::BracketOpen | Token::BraceOpen if nesting(tag) > TAG_DEPTH => {
            Err(limit("brackets nest", TAG_DEPTH, "deep in a tag").at(place()))
        }
        Token::Tilde | Token::Plus
            if tag.iter().filter(|(token, _)| matches!(token, Token::Tilde | Token::Plus)).count() > TAG_GROWTH =>
        {
            Err(limit("a tag has", TAG_GROWTH, "`~` and `+` signs").at(place()))
        }
        _ => Ok(()),
    }
}

fn nesting(tag: &[(Token<'_>, Range<usize>)]) -> usize {
    tag.iter().fold(0, |depth, (token, _)| step(depth, token))
}

fn step(depth: usize, token: &Token<'_>) -> usize {
    match token {
        Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => depth + 1,
        Token::ParenClose | Token::BracketClose | Token::BraceClose => depth.saturating_sub(1),
        _ => depth,
    }
}

/// A statement, with the expressions whose values it binds.
fn block<'t>(source: &Arc<Source>, tag: &[(Token<'t>, Range<usize>)], end: Range<usize>) -> Result<(Item, &'t str)> {
    let (word, place) = match tag.get(1) {
        Some((Token::Ident(word), range)) => (*word, range.clone()),
        _ => ("", end.clone()),
    };
    if !STATEMENTS.contains(&word) {
        let offered = STATEMENTS.iter().filter(|word| !word.starts_with("end")).copied().collect::<Vec<_>>().join(", ");
        return Err(Error::new(ErrorKind::Parse, format!("`{{% {word} %}}` is not offered in templates"))
            .at(Place::new(source, place))
            .with_hint(format!("the statements are {offered}")));
    }
    let keyword = match word {
        "for" => Keyword::For,
        "endfor" => Keyword::EndFor,
        "endfilter" => Keyword::EndFilter,
        _ => Keyword::Other,
    };
    let keeps = match word {
        "for" => after(tag, |token| matches!(token, Token::Ident("in")), |token| matches!(token, Token::Ident("if"))),
        "set" => after(tag, |token| matches!(token, Token::Assign), |_| false),
        "with" => after(tag, |token| matches!(token, Token::Assign), |token| matches!(token, Token::Comma)),
        _ => Vec::new(),
    };
    if word == "for" && tag.iter().any(|(token, _)| matches!(token, Token::Ident("recursive"))) {
        return Err(Error::new(ErrorKind::Parse, "recursive loops are not offered in templates")
            .at(Place::new(source, tag[0].1.clone()))
            .with_hint("nest two loops instead"));
    }
    Ok((Item::Block { keyword, end, keeps }, word))
}

/// The expressions of a tag that stand between an opener and a closer, both outside brackets.
fn after(
    tag: &[(Token<'_>, Range<usize>)],
    opens: impl Fn(&Token<'_>) -> bool,
    closes: impl Fn(&Token<'_>) -> bool,
) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut inside = false;
    let mut depth = 0;
    for (token, range) in &tag[2..] {
        if depth == 0 && !inside && opens(token) {
            inside = true;
            found.push(range.end..range.end);
        } else if depth == 0 && inside && closes(token) {
            inside = false;
        } else if let (true, Some(last)) = (inside, found.last_mut()) {
            // An expression begins at its first token and ends at its last one.
            if last.start == last.end {
                last.start = range.start;
            }
            last.end = range.end;
        }
        depth = step(depth, token);
    }
    found.retain(|range| !range.is_empty());
    found
}

/// How many bytes of text stand in each body: the template's own first, then, item by item, the body of each `for`.
/// What stands in an inner loop counts there.
fn body_sizes(items: &[Item]) -> Vec<usize> {
    let mut sizes = vec![0; items.len() + 1];
    let mut open = vec![0];
    for (number, item) in items.iter().enumerate() {
        match item {
            Item::Text(bytes) => {
                if let Some(body) = open.last() {
                    sizes[*body] += bytes;
                }
            }
            Item::Block { keyword: Keyword::For, .. } => open.push(number + 1),
            Item::Block { keyword: Keyword::EndFor, .. } if open.len() > 1 => {
                open.pop();
            }
            _ => {}
        }
    }
    sizes
}

struct Insert<'s> {
    source: &'s str,
    copied: usize,
    guarded: Guarded,
    first_mark: usize,
}

impl Insert<'_> {
    fn tag(&mut self, item: &Item, body: usize) {
        match item {
            Item::Text(_) => {}
            Item::Output(tag, end) => self.mark(tag.clone(), end),
            Item::Block { keyword, end, keeps } => {
                for keep in keeps {
                    // Two pairs of brackets, because `a, b` is one value here and would be two arguments.
                    self.call(keep.start, &format!("{KEEP}(("));
                    self.call(keep.end, "))");
                }
                match keyword {
                    Keyword::For => self.behind(end, "%}", &format!("{BODY}({body})")),
                    Keyword::EndFilter => self.mark_block(end),
                    Keyword::EndFor | Keyword::Other => {}
                }
            }
        }
    }

    fn mark(&mut self, tag: Range<usize>, end: &Range<usize>) {
        let number = self.first_mark + self.guarded.marks.len();
        self.guarded.marks.push(tag);
        self.behind(end, "}}", &format!("{MARK}({number})"));
    }

    fn mark_block(&mut self, end: &Range<usize>) {
        let start = self.source[..end.start].rfind("{%").unwrap_or(end.start);
        let number = self.first_mark + self.guarded.marks.len();
        self.guarded.marks.push(start..end.end);
        self.behind(end, "%}", &format!("{MARK}({number})"));
    }

    /// Closes a tag plainly and opens a call that ends as the tag did: `-}}` keeps trimming what follows.
    fn behind(&mut self, end: &Range<usize>, plain: &str, call: &str) {
        let control = &self.source[end.start..end.end - 2];
        self.copy(end.start);
        self.insert(&format!("{plain}{{{{ {call} {control}}}}}"), end.len());
        self.copied = end.end;
    }

    /// Inserts text at a position of the source.
    fn call(&mut self, at: usize, text: &str) {
        self.copy(at);
        self.insert(text, 0);
    }

    fn copy(&mut self, until: usize) {
        self.guarded.text.push_str(&self.source[self.copied..until]);
        self.copied = until;
    }

    /// Appends text that stands for `instead_of` bytes of the source.
    fn insert(&mut self, text: &str, instead_of: usize) {
        self.guarded.text.push_str(text);
        let before = self.guarded.insertions.last().map_or(0, |(_, bytes)| *bytes);
        self.guarded.insertions.push((self.guarded.text.len(), before + text.len() - instead_of));
    }
}

fn bytes(span: &Span) -> Range<usize> {
    span.start_offset as usize..span.end_offset as usize
}

fn limit(what: &str, most: usize, unit: &str) -> Error {
    Error::new(ErrorKind::Limit, format!("{what} at most {most} {unit}"))
        .with_hint("split the template into included files, or move the text into a fact")
}
