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
//! Then the template is rewritten, tag by tag, never inside text; see [`Guarded`]. What is inserted prints nothing, keeps
//! white-space control where it was, and adds no line:
//!
//! - a fact becomes a name of its own: `git.branch` becomes `__3`;
//! - the name of another template becomes the one that it was loaded by: `"sibling"` becomes `"$user/sibling"`;
//! - after an output that may compute, a variable says which tag it was: `{{ x | upper }}` becomes `{{ x | upper }}{{ __m7 }}`;
//! - a value that is bound to a name, and an operand that is concatenated, compared or searched, goes through a meter;
//! - where text is captured, each body that may run often says how many bytes of text it holds.

use std::ops::Range;
use std::sync::Arc;

use minijinja::machinery::{Span, Token, tokenize};

use crate::error::{Error, ErrorKind, Result};
use crate::text::{Place, Source};

pub(super) const TAG_TOKENS: usize = 256;
pub(super) const TAG_DEPTH: usize = 32;
pub(super) const TAG_GROWTH: usize = 16;
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

/// Names of what is inserted begin so; a template that uses such a name itself is refused. They are short because the
/// engine compares names whenever it looks one up.
const STEM: &str = "__";
pub(super) const BODY: &str = "__body";
pub(super) const KEEP: &str = "__keep";
pub(super) const USE: &str = "__use";
pub(super) const SLICE: &str = "__slice";

/// The name of a mark.
pub(super) fn mark_name(number: usize) -> String {
    format!("{STEM}m{number}")
}

/// The name that a fact goes by inside the engine.
pub(super) fn fact_name(number: usize) -> String {
    format!("{STEM}{number}")
}

/// The number of the fact that goes by a name inside the engine.
pub(super) fn fact_number(name: &str) -> Option<usize> {
    name.strip_prefix(STEM)?.parse().ok()
}

/// A template as the engine gets it.
#[derive(Debug, Default)]
pub(super) struct Guarded {
    /// The text as it was rewritten.
    pub(super) text: String,
    /// Which tag each mark stands for, as bytes of the original.
    pub(super) marks: Vec<Range<usize>>,
    /// Where it was rewritten: the position in `text` behind each change, and how many bytes longer it is up to there.
    changes: Vec<(usize, isize)>,
}

impl Guarded {
    /// The byte of the original that a byte of the text stands for.
    pub(super) fn original(&self, offset: usize) -> usize {
        let behind = self.changes.partition_point(|(end, _)| *end <= offset);
        let longer = behind.checked_sub(1).and_then(|last| self.changes.get(last)).map_or(0, |(_, longer)| *longer);
        offset.saturating_add_signed(-longer)
    }
}

/// A template that may be parsed.
pub(super) struct Checked {
    items: Vec<Item>,
}

/// A tag, or a run of text between tags.
enum Item {
    Text(usize),
    Output { tag: Range<usize>, end: Range<usize> },
    Block { keyword: Keyword, tag: Range<usize>, end: Range<usize>, keeps: Vec<Range<usize>> },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyword {
    For,
    EndFor,
    EndFilter,
    /// The beginning of a block whose text is captured.
    Capture,
    Other,
}

impl Checked {
    /// Whether the template captures text instead of printing it.
    pub(super) fn captures(&self) -> bool {
        self.items.iter().any(|item| matches!(item, Item::Block { keyword: Keyword::Capture, .. }))
    }
}

/// What the syntax tree says about a template, as byte ranges.
pub(super) struct Plan<'p> {
    /// References to facts, with the facts' numbers.
    pub(super) facts: &'p [(Range<usize>, usize)],
    /// Names of other templates, with what the engine knows those by.
    pub(super) targets: &'p [(Range<usize>, String)],
    /// Operands that go through a meter.
    pub(super) operands: &'p [Range<usize>],
    /// Operands of slices.
    pub(super) sliced: &'p [Range<usize>],
    /// Expressions that print a fact as it is, by where they begin: they need no mark.
    pub(super) plain: &'p [usize],
    /// Whether this template's text may be captured, here or by a template that includes it.
    pub(super) captured: Captured,
}

/// Whether text may be captured.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Captured {
    Maybe,
    Never,
}

/// Rewrites a checked template. Marks are numbered from `first_mark`.
pub(super) fn rewrite(source: &Source, checked: &Checked, plan: &Plan<'_>, first_mark: usize) -> Guarded {
    let mut edits = Edits { list: Vec::new(), marks: Vec::new(), first_mark };
    let bodies = body_sizes(&checked.items);
    if plan.captured == Captured::Maybe {
        edits.insert(0, Rank::Open, usize::MAX, format!("{{{{ {BODY}({}) }}}}", bodies[0]));
    }
    for (item, body) in checked.items.iter().zip(&bodies[1..]) {
        edits.item(&source.text, item, *body, plan);
    }
    for operand in plan.operands {
        edits.wrap(operand, &format!("{USE}("), ")");
    }
    for operand in plan.sliced {
        edits.wrap(operand, &format!("{SLICE}("), ")");
    }
    for (range, number) in plan.facts {
        edits.replace(range, fact_name(*number));
    }
    for (range, name) in plan.targets {
        edits.replace(range, quoted(name));
    }
    edits.apply(&source.text)
}

/// Splits a template into tags and checks each.
pub(super) fn check(source: &Arc<Source>) -> Result<Checked> {
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
                items.push(Item::Output { tag: start..range.end, end: range });
                tag.clear();
            }
            Token::BlockEnd => {
                let (item, word) = block(source, &tag, range)?;
                match word {
                    "for" | "if" | "with" | "filter" => depth += 1,
                    "set" if is_set_block(&tag) => depth += 1,
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
    Ok(Checked { items })
}

/// Whether a `{% set %}` captures what follows, up to `{% endset %}`.
fn is_set_block(tag: &[(Token<'_>, Range<usize>)]) -> bool {
    let mut depth = 0;
    !tag.iter().any(|(token, _)| {
        depth = step(depth, token);
        depth == 0 && matches!(token, Token::Assign)
    })
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
        "filter" => Keyword::Capture,
        "set" if is_set_block(tag) => Keyword::Capture,
        _ => Keyword::Other,
    };
    let keeps = match word {
        "for" => {
            let ends = |token: &Token<'_>| matches!(token, Token::Ident("if"));
            // Only the first `in` is the loop's; later ones search.
            after(tag, |token| matches!(token, Token::Ident("in")), ends).into_iter().take(1).collect()
        }
        "set" => after(tag, |token| matches!(token, Token::Assign), |_| false),
        "with" => after(tag, |token| matches!(token, Token::Assign), |token| matches!(token, Token::Comma)),
        _ => Vec::new(),
    };
    if word == "for" && tag.iter().any(|(token, _)| matches!(token, Token::Ident("recursive"))) {
        return Err(Error::new(ErrorKind::Parse, "recursive loops are not offered in templates")
            .at(Place::new(source, tag[0].1.clone()))
            .with_hint("nest two loops instead"));
    }
    let tag = tag.first().map_or(end.start, |(_, first)| first.start)..end.end;
    Ok((Item::Block { keyword, tag, end, keeps }, word))
}

/// The expressions of a tag that are between an opener and a closer, both outside brackets.
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

/// How many bytes of text are in each body: the template's own first, then, item by item, the body of each `for`.
/// What is in an inner loop is counted there.
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

/// What happens at a position: first what ends there, then what follows a tag, then what begins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Close,
    Behind,
    Open,
    Replace,
}

struct Edit {
    at: usize,
    rank: Rank,
    /// Among edits of one position and rank: inner ends before outer ones, outer beginnings before inner ones.
    tie: usize,
    /// How many bytes of the source the text stands for.
    skip: usize,
    text: String,
}

struct Edits {
    list: Vec<Edit>,
    marks: Vec<Range<usize>>,
    first_mark: usize,
}

impl Edits {
    fn item(&mut self, source: &str, item: &Item, body: usize, plan: &Plan<'_>) {
        match item {
            Item::Text(_) => {}
            Item::Output { tag, end } => {
                let plain = plan.plain.partition_point(|start| *start < tag.start);
                if plan.plain.get(plain).is_none_or(|start| *start >= tag.end) {
                    self.mark(source, tag, end, "}}");
                }
            }
            Item::Block { keyword, tag, end, keeps } => {
                for keep in keeps {
                    // Two pairs of brackets, because `a, b` is one value here and would be two arguments.
                    self.wrap(keep, &format!("{KEEP}(("), "))");
                }
                match keyword {
                    Keyword::For if plan.captured == Captured::Maybe => {
                        self.behind(source, end, "%}", &format!("{BODY}({body})"));
                    }
                    Keyword::EndFilter => self.mark(source, tag, end, "%}"),
                    Keyword::For | Keyword::EndFor | Keyword::Capture | Keyword::Other => {}
                }
            }
        }
    }

    fn mark(&mut self, source: &str, tag: &Range<usize>, end: &Range<usize>, plain: &str) {
        let number = self.first_mark + self.marks.len();
        self.marks.push(tag.clone());
        self.behind(source, end, plain, &mark_name(number));
    }

    /// Closes a tag plainly and opens a call that ends as the tag did: `-}}` keeps trimming what follows.
    fn behind(&mut self, source: &str, end: &Range<usize>, plain: &str, call: &str) {
        let control = &source[end.start..end.end - 2];
        let text = format!("{plain}{{{{ {call} {control}}}}}");
        self.list.push(Edit { at: end.start, rank: Rank::Behind, tie: 0, skip: end.len(), text });
    }

    fn wrap(&mut self, range: &Range<usize>, open: &str, close: &str) {
        self.insert(range.start, Rank::Open, usize::MAX - range.end, open.to_owned());
        self.insert(range.end, Rank::Close, usize::MAX - range.start, close.to_owned());
    }

    fn replace(&mut self, range: &Range<usize>, text: String) {
        self.list.push(Edit { at: range.start, rank: Rank::Replace, tie: 0, skip: range.len(), text });
    }

    fn insert(&mut self, at: usize, rank: Rank, tie: usize, text: String) {
        self.list.push(Edit { at, rank, tie, skip: 0, text });
    }

    fn apply(mut self, source: &str) -> Guarded {
        self.list.sort_by_key(|edit| (edit.at, edit.rank, edit.tie));
        let mut guarded = Guarded { marks: self.marks, ..Guarded::default() };
        let (mut copied, mut longer) = (0, 0_isize);
        for edit in self.list {
            guarded.text.push_str(&source[copied..edit.at]);
            guarded.text.push_str(&edit.text);
            copied = edit.at + edit.skip;
            longer += edit.text.len().cast_signed() - edit.skip.cast_signed();
            guarded.changes.push((guarded.text.len(), longer));
        }
        guarded.text.push_str(&source[copied..]);
        guarded
    }
}

/// A text as a string of the engine's.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn bytes(span: &Span) -> Range<usize> {
    span.start_offset as usize..span.end_offset as usize
}

fn limit(what: &str, most: usize, unit: &str) -> Error {
    Error::new(ErrorKind::Limit, format!("{what} at most {most} {unit}"))
        .with_hint("split the template into included files, or move the text into a fact")
}
