//! The bracket dialect: `[git:branch]`, `[if file:AGENTS.md]…[else]…[endif]`.
//!
//! 1. At a `[`, the text up to the first `]` is trimmed and classified. If it is not a tag, only the `[` is text.
//! 2. `[else]` and `[endif]` belong to the innermost open `[if]`; strays are text.
//! 3. A tag prints its fact; a fact that is absent, unavailable or unknown prints nothing, with a diagnostic.
//! 4. A fact *exists* when it is present. The empty text exists.
//! 5. An `[if]` that is never closed prints its tag, and both its branches.
//! 6. White space is never touched, and what a fact contains is never parsed.
//! 7. `\[` prints `[`.
//! 8. A fact that the layout hides is absent, with a finding.
//!
//! 9. A template has at most so many tags and escapes, and prints at most so much: each is a piece with an origin of its own,
//!    which takes a hundred times the memory of its two bytes.
//!
//! Parser and renderer are loops over flat lists, linear in the template, whatever it nests.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::HiddenFacts;
use crate::compose::{PIECES, PROMPT};
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::catalog::{self, Lookup};
use crate::discover::{Answer, Facts};
use crate::error::{Error, ErrorKind, Result};
use crate::text::{Draft, FactName, Origin, Place, Source, Transform};

/// How many findings a template gets before the rest is only counted.
const FINDINGS_SHOWN: usize = 20;

/// How many tags and escapes a template may have.
pub(crate) const TAGS: usize = 20_000;

/// After how many tags and texts it is asked whether anybody waits for the rest.
const STEPS: usize = 4_096;

/// A parsed template.
#[derive(Debug, Clone)]
pub(crate) struct Bracket {
    source: Arc<Source>,
    nodes: Vec<Node>,
    /// Every fact that is named, by its number.
    named: Vec<FactName>,
    /// Those that may be asked for, and the numbers of the others.
    names: Vec<FactName>,
    hidden: BTreeSet<usize>,
    /// The tag that has each name first: a template may name very many facts.
    first: BTreeMap<FactName, Range<usize>>,
    findings: Vec<Diagnostic>,
}

#[derive(Debug, Clone)]
enum Node {
    /// Bytes of the template.
    Text(Range<usize>),
    /// A fact, by its number in `named`.
    Fact { name: usize, tag: Range<usize> },
    /// The beginning of a condition. `close` is the number of its `[endif]`, if it has one.
    If { name: usize, wanted: Existence, tag: Range<usize>, otherwise: Option<usize>, close: Option<usize> },
    /// The middle of the condition that begins at node `of`.
    Else { of: usize, tag: Range<usize> },
    /// The end of a condition.
    EndIf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Existence {
    Present,
    Missing,
}

impl Bracket {
    /// Parses a template. Every text that has not too many tags is a valid template; what looks wrong is a finding.
    pub(crate) fn parse(source: &Arc<Source>) -> Result<Bracket> {
        Bracket::parse_hiding(source, &HiddenFacts::default())
    }

    /// The same, where the layout hides facts.
    pub(crate) fn parse_hiding(source: &Arc<Source>, hidden: &HiddenFacts) -> Result<Bracket> {
        Parser::new(source, hidden).parse()
    }

    /// The facts that the template names, each once, in order of appearance, in branches taken or not.
    pub(crate) fn names(&self) -> &[FactName] {
        &self.names
    }

    /// The template's text.
    pub(crate) fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// What looks wrong in the template itself.
    pub(crate) fn findings(&self) -> &[Diagnostic] {
        &self.findings
    }

    /// Where the template names a fact first.
    pub(crate) fn place_of(&self, name: &FactName) -> Option<Place> {
        self.first.get(name).map(|tag| Place::new(&self.source, tag.clone()))
    }

    pub(crate) fn render(&self, facts: &Facts) -> Result<(Draft, Vec<Diagnostic>)> {
        let mut draft = Draft::default();
        let mut blanks = Findings::default();
        let text = &self.source.text;
        let raw = |range: &Range<usize>| Origin::Source { source: Arc::clone(&self.source), offset: range.start };
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            at += 1;
            if at.is_multiple_of(STEPS) {
                facts.stop().check()?;
            }
            match node {
                Node::Text(range) => draft.push(&text[range.clone()], raw(range), None),
                Node::Fact { name, tag } => match self.answer(facts, *name) {
                    Some(Answer::Present(value)) => {
                        draft.push_text(&value.text(&self.named[*name]));
                        self.check_size(&draft, tag)?;
                    }
                    other => blanks.add(self.blank(other, *name, tag)),
                },
                // An unclosed condition prints its tag and goes on into its branch.
                Node::If { tag, close: None, .. } => draft.push(&text[tag.clone()], raw(tag), None),
                Node::If { name, wanted, otherwise, close: Some(close), .. } => {
                    let existence = match self.answer(facts, *name) {
                        Some(Answer::Present(_)) => Existence::Present,
                        _ => Existence::Missing,
                    };
                    if existence != *wanted {
                        at = otherwise.unwrap_or(*close) + 1;
                    }
                }
                Node::Else { of, tag } => match &self.nodes[*of] {
                    Node::If { close: Some(close), .. } => at = close + 1,
                    _ => {
                        let changed = (text[tag.clone()] != *"[else]").then_some(Transform::Normalized);
                        draft.push("[else]", raw(tag), changed);
                    }
                },
                Node::EndIf => {}
            }
        }
        Ok((draft, blanks.into_list()))
    }

    /// Refuses to print more than any prompt may have, before that takes the machine.
    fn check_size(&self, draft: &Draft, tag: &Range<usize>) -> Result<()> {
        if draft.len() <= PROMPT && draft.pieces().len() <= PIECES {
            return Ok(());
        }
        let message = format!("with this tag the prompt has more than {PROMPT} bytes, or {PIECES} pieces");
        let error = Error::new(ErrorKind::Limit, message).at(Place::new(&self.source, tag.clone()));
        Err(error.with_hint("name long texts once, and not in every line"))
    }

    fn answer<'f>(&self, facts: &'f Facts, name: usize) -> Option<&'f Answer<crate::discover::Value>> {
        // The same fact may be asked for by another section, which sees it.
        facts.get(&self.named[name]).filter(|_| !self.hidden.contains(&name))
    }

    /// Why a tag printed nothing. Unknown names were found when the template was parsed.
    fn blank(
        &self,
        answer: Option<&Answer<crate::discover::Value>>,
        name: usize,
        tag: &Range<usize>,
    ) -> Option<Diagnostic> {
        // What is hidden was found when the template was parsed.
        if self.hidden.contains(&name) {
            return None;
        }
        let name = &self.named[name];
        let why = match answer {
            Some(Answer::Unavailable(reason)) => format!("unavailable ({reason})"),
            _ if !matches!(catalog::lookup(name), Lookup::Known(_)) => return None,
            _ => "absent".to_owned(),
        };
        Some(
            Diagnostic::note(Code::Blank, format!("{} is {why}, so this tag prints nothing", shown(name.as_str())))
                .at(Place::new(&self.source, tag.clone()))
                .about(name.as_str()),
        )
    }
}

/// What is between the brackets.
enum Tag<'t> {
    If { wanted: Existence, key: &'t str },
    Else,
    EndIf,
    Fact(&'t str),
}

struct Parser<'s> {
    source: &'s Arc<Source>,
    text: &'s str,
    nodes: Vec<Node>,
    /// The conditions that are open, by the numbers of their nodes.
    open: Vec<usize>,
    names: BTreeMap<FactName, (usize, Range<usize>)>,
    order: Vec<FactName>,
    hidden: &'s HiddenFacts,
    findings: Findings,
    /// The first `]` at or after the position, kept so that the search never starts over.
    close: Ahead,
    /// The first line break at or after the position, likewise.
    line_break: Ahead,
    /// The end of the content before `close` without the white space, for that one `close`.
    trimmed: (usize, usize),
}

impl<'s> Parser<'s> {
    fn new(source: &'s Arc<Source>, hidden: &'s HiddenFacts) -> Parser<'s> {
        Parser {
            source,
            hidden,
            text: &source.text,
            nodes: Vec::new(),
            open: Vec::new(),
            names: Default::default(),
            order: Vec::new(),
            findings: Findings::default(),
            close: Ahead::default(),
            line_break: Ahead::default(),
            trimmed: (usize::MAX, 0),
        }
    }

    fn parse(mut self) -> Result<Bracket> {
        let mut text_from = 0;
        let mut at = 0;
        let mut tags = 0;
        while let Some(found) = self.text[at..].find('[') {
            let bracket = at + found;
            if self.text[..bracket].ends_with('\\') && bracket > text_from {
                // The backslash goes, the bracket stays.
                self.push_text(text_from..bracket - 1);
                text_from = bracket;
                at = bracket + 1;
                tags += 1;
                self.check_tags(tags, bracket - 1..at)?;
                continue;
            }
            match self.tag(bracket) {
                Some((tag, range)) => {
                    if self.takes(&tag) {
                        self.push_text(text_from..bracket);
                        text_from = range.end;
                        tags += 1;
                        self.check_tags(tags, range.clone())?;
                        self.push_tag(tag, range.clone());
                    } else {
                        self.note_stray(&range);
                    }
                    at = range.end;
                }
                None => at = bracket + 1,
            }
        }
        self.push_text(text_from..self.text.len());
        self.note_unclosed();
        Ok(Bracket {
            source: Arc::clone(self.source),
            nodes: self.nodes,
            names: self.order.iter().filter(|name| !self.hidden.hides(name)).cloned().collect(),
            hidden: (0..self.order.len()).filter(|number| self.hidden.hides(&self.order[*number])).collect(),
            named: self.order,
            first: self.names.into_iter().map(|(name, (_, tag))| (name, tag)).collect(),
            findings: self.findings.into_list(),
        })
    }

    /// Refuses a template with too many tags, at the first one too many.
    fn check_tags(&self, tags: usize, place: Range<usize>) -> Result<()> {
        if tags <= TAGS {
            return Ok(());
        }
        let message = format!("{} has more than {TAGS} tags and escapes", self.source.label());
        let hint = "put long texts into files of their own and name them with `[file:…]`";
        Err(Error::new(ErrorKind::Limit, message).at(Place::new(self.source, place)).with_hint(hint))
    }

    /// The tag that begins at a `[`, if it is one, and its bytes.
    fn tag(&mut self, bracket: usize) -> Option<(Tag<'s>, Range<usize>)> {
        let text = self.text;
        let close = self.close.find(bracket + 1, |from| text[from..].find(']').map(|found| from + found))?;
        if self.trimmed.0 != close {
            self.trimmed = (close, text[..close].trim_end_matches(is_space).len());
        }
        let start = close - text[bracket + 1..close].trim_start_matches(is_space).len();
        let end = self.trimmed.1.max(start);
        let range = bracket..close + 1;
        // Only the head of the content is looked at here, so that many brackets before one `]` stay linear.
        let content = &text[start..end];
        match content {
            "else" => return Some((Tag::Else, range)),
            "endif" => return Some((Tag::EndIf, range)),
            _ => {}
        }
        if let Some(rest) = content.strip_prefix("if").filter(|rest| rest.starts_with(is_space)) {
            let condition = rest.trim_start_matches(is_space);
            let (wanted, key) = match condition.strip_prefix('!') {
                Some(key) => (Existence::Missing, key),
                None => (Existence::Present, condition),
            };
            // `if` and a space can begin no key, so this is a condition or text.
            return self.is_key(end - key.len(), end).then_some((Tag::If { wanted, key }, range));
        }
        self.is_key(start, end).then_some((Tag::Fact(content), range))
    }

    /// Whether the bytes are `word:rest` on one line.
    fn is_key(&mut self, start: usize, end: usize) -> bool {
        let text = self.text;
        let word = text[start..end].bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        if word == 0 || text.as_bytes().get(start + word) != Some(&b':') || start + word >= end {
            return false;
        }
        let line_break = self.line_break.find(start, |from| text[from..].find(is_line_break).map(|found| from + found));
        line_break.is_none_or(|line_break| line_break >= end)
    }

    /// Whether a tag has a place here. `[else]` and `[endif]` need an open `[if]`, and an `[if]` takes one `[else]`.
    fn takes(&self, tag: &Tag<'_>) -> bool {
        let innermost = self.open.last().map(|node| &self.nodes[*node]);
        match tag {
            Tag::If { .. } | Tag::Fact(_) => true,
            Tag::EndIf => innermost.is_some(),
            Tag::Else => matches!(innermost, Some(Node::If { otherwise: None, .. })),
        }
    }

    fn push_text(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.nodes.push(Node::Text(range));
        }
    }

    fn push_tag(&mut self, tag: Tag<'_>, range: Range<usize>) {
        let here = self.nodes.len();
        match tag {
            Tag::Fact(key) => {
                let name = self.name(key, &range);
                self.nodes.push(Node::Fact { name, tag: range });
            }
            Tag::If { wanted, key } => {
                let name = self.name(key, &range);
                self.open.push(here);
                self.nodes.push(Node::If { name, wanted, tag: range, otherwise: None, close: None });
            }
            Tag::Else => {
                if let Some(of) = self.open.last().copied() {
                    if let Node::If { otherwise, .. } = &mut self.nodes[of] {
                        *otherwise = Some(here);
                    }
                    self.nodes.push(Node::Else { of, tag: range });
                }
            }
            Tag::EndIf => {
                if let Some(of) = self.open.pop() {
                    if let Node::If { close, .. } = &mut self.nodes[of] {
                        *close = Some(here);
                    }
                    self.nodes.push(Node::EndIf);
                }
            }
        }
    }

    /// The number of a name, with a finding if nobody knows it.
    fn name(&mut self, key: &str, tag: &Range<usize>) -> usize {
        let Some(name) = FactName::parse(key) else { return 0 };
        if !matches!(catalog::lookup(&name), Lookup::Known(_)) {
            self.note_unknown(&name, tag);
        } else if self.hidden.hides(&name) {
            self.findings.add_with(|| HiddenFacts::finding(&name, Place::new(self.source, tag.clone())));
        }
        if let Some((number, _)) = self.names.get(&name) {
            return *number;
        }
        let number = self.order.len();
        self.names.insert(name.clone(), (number, tag.clone()));
        self.order.push(name);
        number
    }

    fn note_unknown(&mut self, name: &FactName, tag: &Range<usize>) {
        self.findings.add_with(|| {
            let what = match catalog::lookup(name) {
                Lookup::UnknownName => format!("`{}` has no `{}`", name.namespace(), shown(name.name())),
                _ => format!("no source answers `{}:`", shown(name.namespace())),
            };
            let hint = match catalog::suggestion(name) {
                Some(meant) => format!("did you mean `[{}]`? To print the text itself, write `\\[`", shown(&meant)),
                None => "`antefix vars` lists the names; to print the text itself, write `\\[`".to_owned(),
            };
            Diagnostic::warning(Code::UnknownVariable, format!("{what}, so this tag prints nothing"))
                .at(Place::new(self.source, tag.clone()))
                .about(shown(name.as_str()))
                .hint(hint)
        });
    }

    fn note_stray(&mut self, tag: &Range<usize>) {
        self.findings.add_with(|| {
            let message =
                format!("stray `{}`: there is no open `[if]` for it, so it is printed", shown(&self.text[tag.clone()]));
            Diagnostic::warning(Code::StrayTag, message)
                .at(Place::new(self.source, tag.clone()))
                .hint("remove it, or write `\\[` if the text is meant")
        });
    }

    fn note_unclosed(&mut self) {
        for open in std::mem::take(&mut self.open) {
            let Node::If { tag, .. } = &self.nodes[open] else { continue };
            self.findings.add_with(|| {
                let message = "this `[if]` is never closed, so it is printed, and so is everything after it";
                Diagnostic::warning(Code::UnclosedIf, message)
                    .at(Place::new(self.source, tag.clone()))
                    .hint("add `[endif]`, or write `\\[` if the text is meant")
            });
        }
    }
}

/// A position that only moves forward.
#[derive(Default)]
struct Ahead {
    searched_from: usize,
    found: Option<Option<usize>>,
}

impl Ahead {
    /// The first match at or after `from`, searching only what was not searched before.
    fn find(&mut self, from: usize, search: impl FnOnce(usize) -> Option<usize>) -> Option<usize> {
        let known = match self.found {
            Some(Some(position)) => from >= self.searched_from && position >= from,
            Some(None) => from >= self.searched_from,
            None => false,
        };
        if !known {
            self.searched_from = from;
            self.found = Some(search(from));
        }
        self.found.flatten()
    }
}

/// A list of findings with an end.
#[derive(Default)]
struct Findings {
    shown: Vec<Diagnostic>,
    more: usize,
}

impl Findings {
    fn add(&mut self, finding: Option<Diagnostic>) {
        if let Some(finding) = finding {
            self.add_with(|| finding);
        }
    }

    fn add_with(&mut self, finding: impl FnOnce() -> Diagnostic) {
        if self.shown.len() < FINDINGS_SHOWN {
            self.shown.push(finding());
        } else {
            self.more += 1;
        }
    }

    fn into_list(mut self) -> Vec<Diagnostic> {
        if self.more > 0 {
            let message = format!("{} more findings in this template are not shown", self.more);
            self.shown.push(Diagnostic::warning(Code::MoreFindings, message).hint("fix the ones above first"));
        }
        self.shown
    }
}

/// A name that fits into a message.
fn shown(name: &str) -> String {
    const LONGEST: usize = 80;
    match name.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

/// ECMAScript's white space, which differs from Unicode's: U+FEFF is in it, U+0085 is not.
fn is_space(c: char) -> bool {
    matches!(c, '\u{9}'..='\u{d}' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}'
        | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}')
}

/// What `.` does not match in ECMAScript.
fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}
