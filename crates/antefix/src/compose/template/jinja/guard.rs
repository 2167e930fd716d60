//! What is checked in a template before the engine may parse it, and what is written into it so that it can be metered
//! and tracked.
//!
//! The engine's parser recurses along chains of operators and its fuel bounds neither memory nor stack, so both are
//! bounded here, on the tokens:
//!
//! 1. A tag has at most [`TAG_TOKENS`] tokens, [`TAG_DEPTH`] open brackets and [`TAG_GROWTH`] of the operators that make
//!    text longer; `**` is not offered.
//! 2. Blocks nest at most [`BLOCK_DEPTH`] deep, and a template has at most [`BRANCHES`] branches.
//! 3. The statements are a closed set: [`STATEMENTS`].
//!
//! Then the template is rewritten, tag by tag, never inside text; see [`Guarded`]. What is inserted prints nothing, keeps
//! white-space control where it was, and adds no line:
//!
//! - a fact becomes a name of its own: `git.branch` becomes `__3`;
//! - the name of another template becomes the one that it was loaded by: `"sibling"` becomes `"$user/sibling"`;
//! - after an output that may compute, a filter says which tag it was: `{{ x | upper }}` becomes `{{ x | upper }}{{ 7 | __m }}`;
//! - a value that is bound to a name, and an operand that is concatenated, compared or searched, goes through a meter;
//! - both sides of a `*` do as well, which is how it is known what their product would be;
//! - where text is captured, each body that may run often says how many bytes of text it holds.
//!
//! Macros and blocks run their bodies somewhere else, and what a macro prints is one value afterwards. A program that has any is
//! *nested*, see [`nested`](super::nested): there all text is printed by numbers, so that it is counted and its pieces are known,
//! and bodies say when they begin and end.

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
const STATEMENTS: [&str; 23] = [
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
    "macro",
    "endmacro",
    "call",
    "endcall",
    "import",
    "from",
    "extends",
    "block",
    "endblock",
];

/// Names of what is inserted begin so; a template that uses such a name itself is refused. They are short because the
/// engine compares names whenever it looks one up.
const STEM: &str = "__";
pub(super) const BODY: &str = "__body";
pub(super) const KEEP: &str = "__keep";
pub(super) const USE: &str = "__use";
pub(super) const SLICE: &str = "__slice";
/// A value that becomes a field of a namespace.
pub(super) const FIELD: &str = "__field";
/// The left side of a `*`, and the right one.
pub(super) const FACTOR: &str = "__factor";
pub(super) const TIMES: &str = "__times";
/// A body begins: of a macro, of a file or block, of what is captured in another way; and it ends. What is printed next is what
/// a macro gave.
pub(super) const MACRO: &str = "__macro";
pub(super) const BEGIN: &str = "__begin";
pub(super) const CAPTURE: &str = "__capture";
pub(super) const END: &str = "__end";
pub(super) const RELEASE: &str = "__release";
pub(super) const GIVEN: &str = "__given";

/// The mark and the text of a number.
pub(super) const MARK: &str = "__m";
pub(super) const TEXT: &str = "__x";

/// An expression that gives a signal. It names no variable: a macro would enclose it, and what encloses a variable sees others as
/// well that it would not have seen.
fn signal(name: &str) -> String {
    format!("0 | {name}")
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
    /// The texts that are printed through names, as bytes of the original.
    pub(super) texts: Vec<Range<usize>>,
    /// Where it was rewritten: the position in `text` behind each change, and how many bytes longer it is up to there.
    changes: Vec<(usize, isize)>,
    /// Where meters are behind values, and where the value of each begins in the original.
    meters: Vec<(Range<usize>, usize)>,
}

impl Guarded {
    /// The byte of the original that a byte of the text stands for.
    pub(super) fn original(&self, offset: usize) -> usize {
        let meter = self.meters.partition_point(|(range, _)| range.end <= offset);
        if let Some((_, metered)) = self.meters.get(meter).filter(|(range, _)| range.contains(&offset)) {
            return *metered;
        }
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
    Text(Range<usize>),
    Output { tag: Range<usize>, end: Range<usize>, parts: Parts },
    Block { keyword: Keyword, tag: Range<usize>, end: Range<usize>, keeps: Vec<Range<usize>>, parts: Parts },
}

/// What of a tag goes through a meter, by its tokens.
struct Parts {
    factors: Vec<Factors>,
    lists: Vec<Arguments>,
}

/// What is between the brackets behind a name.
struct Arguments {
    /// Where the name ends.
    behind: usize,
    values: Vec<Range<usize>>,
}

/// The two sides of a `*`.
type Factors = (Range<usize>, Range<usize>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Keyword {
    For,
    EndFor,
    EndFilter,
    /// The beginning of a block whose text is captured, and its end.
    Capture,
    EndSet,
    /// A value that becomes a field of a namespace.
    SetField,
    Macro,
    EndMacro,
    Call,
    EndCall,
    Block,
    EndBlock,
    /// A block that another template must fill: there is nothing in it, and it never runs.
    Required,
    Import,
    Extends,
    Other,
}

impl Checked {
    /// Whether the template captures text instead of printing it.
    pub(super) fn captures(&self) -> bool {
        self.has(|keyword| keyword == Keyword::Capture)
    }

    /// Whether bodies of it run somewhere else.
    pub(super) fn nests(&self) -> bool {
        self.has(|keyword| {
            matches!(
                keyword,
                Keyword::Macro
                    | Keyword::Call
                    | Keyword::Block
                    | Keyword::Required
                    | Keyword::Import
                    | Keyword::Extends
            )
        })
    }

    fn has(&self, wanted: impl Fn(Keyword) -> bool) -> bool {
        self.items.iter().any(|item| matches!(item, Item::Block { keyword, .. } if wanted(*keyword)))
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
    /// Where the names of macros end that are called: they bind their arguments to names.
    pub(super) calls: &'p [usize],
    /// The same for `namespace`.
    pub(super) namespaces: &'p [usize],
    /// Calls of macros whose results are printed as they are, by where they begin.
    pub(super) given: &'p [usize],
    /// Expressions that print a fact as it is, by where they begin: they need no mark.
    pub(super) plain: &'p [usize],
    /// What the program as a whole does with text.
    pub(super) program: ProgramKind,
}

/// What a template, with those that it names, does with text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProgramKind {
    /// It prints all of it.
    Printing,
    /// It may capture some.
    Capturing,
    /// It has macros, blocks or imports.
    Nested,
}

/// Rewrites a checked template. Marks and texts are numbered from `first`.
pub(super) fn rewrite(source: &Source, checked: &Checked, plan: &Plan<'_>, first: First) -> Guarded {
    let mut edits = Edits { list: Vec::new(), marks: Vec::new(), texts: Vec::new(), first };
    let bodies = body_sizes(&checked.items);
    match plan.program {
        ProgramKind::Printing => {}
        ProgramKind::Capturing => {
            edits.insert(0, Rank::Open, usize::MAX, format!("{{{{ {BODY}({}) }}}}", bodies[0]));
        }
        ProgramKind::Nested => edits.nest(&source.text, &checked.items),
    }
    for (item, body) in checked.items.iter().zip(&bodies[1..]) {
        edits.item(&source.text, item, *body, plan);
    }
    for operand in plan.operands {
        // What follows an operand directly would belong to the filter.
        match source.text[operand.end..].trim_start().starts_with(['[', '.', '(']) {
            true => edits.surround(operand, "((", &format!(") | {USE})")),
            false => edits.wrap(operand, USE),
        }
    }
    for operand in plan.sliced {
        // The engine does not look for variables in what is sliced, so that a call is safe; brackets around brackets would soon be too
        // deep for it.
        edits.surround(operand, &format!("{SLICE}("), ")");
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
            Token::TemplateData(text) => items.push(Item::Text(within(&source.text, text))),
            Token::VariableEnd => {
                let start = tag.first().map_or(range.start, |(_, first)| first.start);
                items.push(Item::Output { tag: start..range.end, end: range, parts: parts(&tag) });
                tag.clear();
            }
            Token::BlockEnd => {
                let (item, word) = block(source, &tag, range)?;
                match word {
                    "for" | "if" | "with" | "filter" | "macro" | "call" | "block" => depth += 1,
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
                // Nothing begins in a required block, so nothing ends at its end.
                items.push(match item {
                    Item::Block { keyword: Keyword::EndBlock, tag, end, keeps, parts } if ends_required(&items) => {
                        Item::Block { keyword: Keyword::Other, tag, end, keeps, parts }
                    }
                    item => item,
                });
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

/// Whether what was open last is a required block, which has nothing but white space in it.
fn ends_required(items: &[Item]) -> bool {
    let last = items.iter().rev().find(|item| !matches!(item, Item::Text(_)));
    matches!(last, Some(Item::Block { keyword: Keyword::Required, .. }))
}

/// Whether a `{% set %}` gives a value to a field: `{% set ns.count = 1 %}`.
fn sets_field(tag: &[(Token<'_>, Range<usize>)]) -> bool {
    tag.iter().take_while(|(token, _)| !matches!(token, Token::Assign)).any(|(token, _)| matches!(token, Token::Dot))
}

fn parts(tag: &[(Token<'_>, Range<usize>)]) -> Parts {
    let mut lists = Vec::new();
    for number in 1..tag.len() {
        if let ((Token::Ident(_), name), (Token::ParenOpen, _)) = (&tag[number - 1], &tag[number]) {
            let values = chunks(tag, number).into_iter().filter_map(|chunk| match chunk {
                [(Token::Ident(_), _), (Token::Assign, _), value @ ..] | [(Token::Mul, _), value @ ..] => {
                    range_of(value)
                }
                value => range_of(value),
            });
            lists.push(Arguments { behind: name.end, values: values.collect() });
        }
    }
    Parts { factors: factors(tag), lists }
}

/// The values behind the `=` of a list of parameters, whose bracket is at a token.
fn defaults(tag: &[(Token<'_>, Range<usize>)], open: usize) -> Vec<Range<usize>> {
    let chunks = chunks(tag, open).into_iter();
    let values = chunks.filter_map(|chunk| match chunk {
        [(Token::Ident(_), _), (Token::Assign, _), value @ ..] => range_of(value),
        _ => None,
    });
    values.collect()
}

/// What is between the commas of the bracket that opens at a token.
fn chunks<'a, 't>(tag: &'a [(Token<'t>, Range<usize>)], open: usize) -> Vec<&'a [(Token<'t>, Range<usize>)]> {
    let (mut chunks, mut depth, mut from) = (Vec::new(), 0_usize, open + 1);
    for (number, (token, _)) in tag.iter().enumerate().skip(open) {
        let before = depth;
        depth = step(depth, token);
        let ends = before == 1 && depth == 0;
        if ends || (depth == 1 && matches!(token, Token::Comma)) {
            chunks.push(&tag[from..number]);
            from = number + 1;
        }
        if ends {
            break;
        }
    }
    chunks
}

fn range_of(tokens: &[(Token<'_>, Range<usize>)]) -> Option<Range<usize>> {
    Some(tokens.first()?.1.start..tokens.last()?.1.end)
}

/// The two sides of each `*` of a tag, with the brackets around them.
fn factors(tag: &[(Token<'_>, Range<usize>)]) -> Vec<Factors> {
    let mut found = Vec::new();
    for (number, (token, _)) in tag.iter().enumerate() {
        // Behind an opening bracket or a comma it is no operator: `m(*names)`.
        let before = number.checked_sub(1).and_then(|before| tag.get(before)).map(|(token, _)| token);
        let splat = matches!(before, Some(Token::ParenOpen | Token::Comma) | None);
        if !matches!(token, Token::Mul) || splat {
            continue;
        }
        let left = number - run(tag, (0..number).rev(), Side::Left);
        let signs =
            tag[number + 1..].iter().take_while(|(token, _)| matches!(token, Token::Minus | Token::Plus)).count();
        let right = number + signs + run(tag, number + 1 + signs..tag.len(), Side::Right);
        let (left, right) = (range_of(&tag[left..number]), range_of(&tag[number + 1..=right]));
        found.extend(left.zip(right));
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// How many tokens belong to the operand of a `*`, from there on.
fn run(tag: &[(Token<'_>, Range<usize>)], numbers: impl Iterator<Item = usize>, side: Side) -> usize {
    let (mut depth, mut count) = (0_usize, 0);
    for number in numbers {
        let (opens, closes) = match tag[number].0 {
            Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => (1, 0),
            Token::ParenClose | Token::BracketClose | Token::BraceClose => (0, 1),
            _ => (0, 0),
        };
        let (inwards, outwards) = if side == Side::Left { (closes, opens) } else { (opens, closes) };
        if depth == 0 && (outwards == 1 || ends_operand(tag, number, side)) {
            break;
        }
        depth = depth + inwards - outwards;
        count += 1;
    }
    count
}

/// Whether a token outside brackets is behind, or before, the operand of a `*`. What binds as tight belongs to the left side,
/// and so do filters and tests to what they are applied to.
fn ends_operand(tag: &[(Token<'_>, Range<usize>)], number: usize, side: Side) -> bool {
    let is_word =
        |number: usize, word: &str| matches!(tag.get(number), Some((Token::Ident(found), _)) if *found == word);
    match tag[number].0 {
        Token::Mul | Token::Div | Token::FloorDiv | Token::Mod => side == Side::Right,
        Token::Plus | Token::Minus | Token::Tilde | Token::Comma | Token::Colon | Token::Assign => true,
        Token::Eq | Token::Ne | Token::Gt | Token::Gte | Token::Lt | Token::Lte => true,
        Token::VariableStart | Token::BlockStart => true,
        Token::Ident("and" | "or" | "if" | "elif" | "else") => true,
        // `is not`, `is in` and `is not in` are tests.
        Token::Ident("not") => !is_word(number.wrapping_sub(1), "is"),
        Token::Ident("in") => {
            let before = number.wrapping_sub(1);
            !(is_word(before, "is") || (is_word(before, "not") && is_word(number.wrapping_sub(2), "is")))
        }
        _ => false,
    }
}

/// Checks a tag up to its last token, so that nothing past a limit is read.
fn check_tag(source: &Arc<Source>, tag: &[(Token<'_>, Range<usize>)]) -> Result<()> {
    let Some((last, range)) = tag.last() else { return Ok(()) };
    let place = || Place::new(source, range.clone());
    if tag.len() > TAG_TOKENS {
        return Err(limit("a tag has", TAG_TOKENS, "words and signs").at(place()));
    }
    match last {
        Token::Pow => {
            let error = Error::new(ErrorKind::Parse, "`**` is not offered in templates");
            Err(error.at(place()).with_hint("write the number, or the arguments, out"))
        }
        Token::Ident(name) if name.starts_with(STEM) => {
            Err(Error::new(ErrorKind::Parse, format!("names that begin with `{STEM}` are reserved")).at(place()))
        }
        Token::ParenOpen | Token::BracketOpen | Token::BraceOpen if nesting(tag) > TAG_DEPTH => {
            Err(limit("brackets nest", TAG_DEPTH, "deep in a tag").at(place()))
        }
        Token::Tilde | Token::Plus | Token::Mul
            if tag.iter().filter(|(token, _)| matches!(token, Token::Tilde | Token::Plus | Token::Mul)).count()
                > TAG_GROWTH =>
        {
            Err(limit("a tag has", TAG_GROWTH, "`~`, `+` and `*` signs").at(place()))
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
        "set" if sets_field(tag) => Keyword::SetField,
        "endset" => Keyword::EndSet,
        "macro" => Keyword::Macro,
        "endmacro" => Keyword::EndMacro,
        "call" => Keyword::Call,
        "endcall" => Keyword::EndCall,
        "block" if tag.iter().any(|(token, _)| matches!(token, Token::Ident("required"))) => Keyword::Required,
        "block" => Keyword::Block,
        "endblock" => Keyword::EndBlock,
        "import" | "from" => Keyword::Import,
        "extends" => Keyword::Extends,
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
        // What a parameter is if nobody says: `{% macro m(a = 1) %}`, `{% call(a = 1) m() %}`.
        "macro" => defaults(tag, 3),
        "call" if matches!(tag.get(2), Some((Token::ParenOpen, _))) => defaults(tag, 2),
        _ => Vec::new(),
    };
    if word == "for" && tag.iter().any(|(token, _)| matches!(token, Token::Ident("recursive"))) {
        return Err(Error::new(ErrorKind::Parse, "recursive loops are not offered in templates")
            .at(Place::new(source, tag[0].1.clone()))
            .with_hint("nest two loops instead"));
    }
    let parts = parts(tag);
    let tag = tag.first().map_or(end.start, |(_, first)| first.start)..end.end;
    Ok((Item::Block { keyword, tag, end, keeps, parts }, word))
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
            Item::Text(text) => {
                if let Some(body) = open.last() {
                    sizes[*body] += text.len();
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

/// What happens at a position: first what ends there, then what follows a tag, then what begins. What is before a tag and what
/// begins in it are never at one position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Close,
    Behind,
    Open,
    Replace,
    /// In front of a tag, behind the text before it.
    Before,
    /// At the end of the file.
    After,
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
    texts: Vec<Range<usize>>,
    first: First,
}

/// The numbers of the first mark and the first text.
#[derive(Clone, Copy)]
pub(super) struct First {
    pub(super) mark: usize,
    pub(super) text: usize,
}

impl Edits {
    fn item(&mut self, source: &str, item: &Item, body: usize, plan: &Plan<'_>) {
        match item {
            Item::Text(_) => {}
            Item::Output { tag, end, parts } => {
                self.meter_parts(parts, plan);
                // In a nested program what looks like a fact may be what a macro was given.
                if plan.program == ProgramKind::Nested {
                    if has_one_in(plan.given, tag) {
                        self.before(tag, GIVEN);
                    }
                    self.mark(source, tag, end, "}}");
                } else if !has_one_in(plan.plain, tag) {
                    self.mark(source, tag, end, "}}");
                }
            }
            Item::Block { keyword, tag, end, keeps, parts } => {
                self.meter_parts(parts, plan);
                for keep in keeps {
                    self.wrap(keep, if *keyword == Keyword::SetField { FIELD } else { KEEP });
                }
                match plan.program {
                    ProgramKind::Nested => self.nested_block(source, *keyword, tag, end),
                    ProgramKind::Capturing if *keyword == Keyword::For => {
                        self.behind(source, end, "%}", &format!("{BODY}({body})"));
                    }
                    ProgramKind::Capturing | ProgramKind::Printing if *keyword == Keyword::EndFilter => {
                        self.mark(source, tag, end, "%}");
                    }
                    ProgramKind::Capturing | ProgramKind::Printing => {}
                }
            }
        }
    }

    /// Both sides of a `*` say what they are before it is done, and arguments are values that are bound to names.
    fn meter_parts(&mut self, parts: &Parts, plan: &Plan<'_>) {
        for (left, right) in &parts.factors {
            self.wrap(left, FACTOR);
            self.wrap(right, TIMES);
        }
        for list in &parts.lists {
            let meter = match (plan.calls.binary_search(&list.behind), plan.namespaces.binary_search(&list.behind)) {
                (Ok(_), _) => KEEP,
                (_, Ok(_)) => FIELD,
                _ => continue,
            };
            list.values.iter().for_each(|value| self.wrap(value, meter));
        }
    }

    /// What a tag of a nested program says besides.
    fn nested_block(&mut self, source: &str, keyword: Keyword, tag: &Range<usize>, end: &Range<usize>) {
        match keyword {
            Keyword::Macro => self.behind(source, end, "%}", &signal(MACRO)),
            Keyword::EndMacro => self.before(tag, RELEASE),
            Keyword::Call => {
                self.before(tag, GIVEN);
                self.behind(source, end, "%}", &signal(MACRO));
            }
            Keyword::EndCall => {
                self.before(tag, RELEASE);
                self.mark(source, tag, end, "%}");
            }
            Keyword::Block => self.behind(source, end, "%}", &signal(BEGIN)),
            Keyword::EndBlock => self.before(tag, END),
            Keyword::Capture => self.behind(source, end, "%}", &signal(CAPTURE)),
            Keyword::EndSet => self.before(tag, RELEASE),
            Keyword::EndFilter => {
                self.before(tag, RELEASE);
                self.mark(source, tag, end, "%}");
            }
            Keyword::Import => {
                self.before(tag, CAPTURE);
                self.behind(source, end, "%}", &signal(RELEASE));
            }
            Keyword::For | Keyword::EndFor | Keyword::SetField => {}
            Keyword::Required | Keyword::Extends | Keyword::Other => {}
        }
    }

    /// Prints the texts between tags through names, and says where the file begins and ends. All between two tags is replaced,
    /// so that white space and comments that the engine drops are gone already; line feeds stay, for messages.
    fn nest(&mut self, source: &str, items: &[Item]) {
        self.insert(0, Rank::Open, usize::MAX, format!("{{{{ {} }}}}", signal(BEGIN)));
        let (mut from, mut required) = (0, false);
        let mut texts = Vec::new();
        for item in items {
            match item {
                Item::Text(range) => texts.push(range.clone()),
                Item::Output { tag, .. } | Item::Block { tag, .. } => {
                    let texts = std::mem::take(&mut texts);
                    if !required {
                        self.gap(source, from..tag.start, &texts);
                    }
                    from = tag.end;
                    required = matches!(item, Item::Block { keyword: Keyword::Required, .. });
                }
            }
        }
        self.gap(source, from..source.len(), &texts);
        self.insert(source.len(), Rank::After, 0, format!("{{{{ {} }}}}", signal(END)));
    }

    fn gap(&mut self, source: &str, gap: Range<usize>, texts: &[Range<usize>]) {
        let mut printed = String::new();
        for text in texts.iter().filter(|text| !text.is_empty()) {
            printed.push_str(&format!("{{{{ {} | {TEXT} }}}}", self.first.text + self.texts.len()));
            self.texts.push(text.clone());
        }
        let lines = source[gap.clone()].matches('\n').count();
        if lines > 0 {
            printed.push_str(&format!("{{#{}#}}", "\n".repeat(lines)));
        }
        if !gap.is_empty() {
            self.replace(&gap, printed);
        }
    }

    fn before(&mut self, tag: &Range<usize>, name: &str) {
        self.insert(tag.start, Rank::Before, 0, format!("{{{{ {} }}}}", signal(name)));
    }

    fn mark(&mut self, source: &str, tag: &Range<usize>, end: &Range<usize>, plain: &str) {
        let number = self.first.mark + self.marks.len();
        self.marks.push(tag.clone());
        self.behind(source, end, plain, &format!("{number} | {MARK}"));
    }

    /// Closes a tag plainly and opens a call that ends as the tag did: `-}}` keeps trimming what follows.
    fn behind(&mut self, source: &str, end: &Range<usize>, plain: &str, call: &str) {
        let control = &source[end.start..end.end - 2];
        let text = format!("{plain}{{{{ {call} {control}}}}}");
        self.list.push(Edit { at: end.start, rank: Rank::Behind, tie: 0, skip: end.len(), text });
    }

    /// Sends a value through a meter, with brackets because `a, b` is one value. A filter goes before every operator.
    fn wrap(&mut self, range: &Range<usize>, meter: &str) {
        self.surround(range, "(", &format!(") | {meter}"));
    }

    fn surround(&mut self, range: &Range<usize>, open: &str, close: &str) {
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
        let mut guarded = Guarded { marks: self.marks, texts: self.texts, ..Guarded::default() };
        let (mut copied, mut longer) = (0, 0_isize);
        for edit in self.list {
            guarded.text.push_str(&source[copied..edit.at]);
            let start = guarded.text.len();
            guarded.text.push_str(&edit.text);
            if edit.rank == Rank::Close {
                guarded.meters.push((start..guarded.text.len(), usize::MAX - edit.tie));
            }
            copied = edit.at + edit.skip;
            longer += edit.text.len().cast_signed() - edit.skip.cast_signed();
            guarded.changes.push((guarded.text.len(), longer));
        }
        guarded.text.push_str(&source[copied..]);
        guarded
    }
}

/// Whether one of the positions, which are in order, is in a tag.
fn has_one_in(positions: &[usize], tag: &Range<usize>) -> bool {
    let first = positions.partition_point(|start| *start < tag.start);
    positions.get(first).is_some_and(|start| *start < tag.end)
}

/// Where a part of a text is.
fn within(text: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + part.len()
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
