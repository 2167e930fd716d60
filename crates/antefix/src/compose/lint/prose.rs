//! The sentences of a Markdown text, with what they are about: enough to compare rules, and no parser of Markdown.
//!
//! 1. Code, tables, quotations and questions have no sentences.
//! 2. A sentence knows its scope: what the headings above it and the line that leads to its list narrow it to.
//! 3. What narrows a sentence down is bounded: each of very many sentences has it.
//! 4. What is under "never", "avoid" or "bad" is not a sentence either, because it means the opposite.

use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use crate::text::floor_char_boundary;

#[derive(Debug)]
pub(super) struct Sentence {
    /// Its bytes.
    pub(super) range: Range<usize>,
    /// Its words in lower case, without articles and marks.
    pub(super) words: Vec<String>,
    /// What it is about; nothing if it is about everything.
    pub(super) scope: Scope,
}

/// What a rule is about, besides what it says.
pub(super) type Scope = Rc<BTreeSet<String>>;

/// The deepest heading; what has more marks is text.
const LEVELS: usize = 6;
/// How many words of a heading narrow a rule down, how many words of a line that leads to a list are told apart, and how many
/// bytes of each.
const NARROWING: usize = 8;
const LEADING: usize = 16;
const WORD: usize = 64;

/// Words of headings that narrow a rule down.
const NARROW: &[&str] = &[
    "android",
    "api",
    "backend",
    "bash",
    "c",
    "c++",
    "ci",
    "client",
    "config",
    "css",
    "docs",
    "documentation",
    "e2e",
    "example",
    "examples",
    "frontend",
    "generated",
    "go",
    "golang",
    "html",
    "infra",
    "ios",
    "java",
    "javascript",
    "js",
    "json",
    "kotlin",
    "legacy",
    "library",
    "local",
    "macos",
    "make",
    "makefile",
    "makefiles",
    "markdown",
    "mobile",
    "node",
    "php",
    "production",
    "python",
    "react",
    "release",
    "releases",
    "ruby",
    "rust",
    "scripts",
    "server",
    "shell",
    "sql",
    "swift",
    "terraform",
    "test",
    "tests",
    "testing",
    "toml",
    "ts",
    "typescript",
    "vue",
    "web",
    "windows",
    "yaml",
];

/// Words that turn what follows around.
const AGAINST: &[&str] =
    &["anti-patterns", "avoid", "bad", "don't", "dont", "donts", "don'ts", "forbidden", "never", "no", "not", "wrong"];

/// Words of a line that leads to a list and narrows nothing down.
const GENERAL: &[&str] =
    &["conventions", "follow", "following", "general", "guidelines", "important", "must", "remember", "rules", "style"];

/// Tells the sentences of a text, one after the other.
pub(super) fn sentences(text: &str, tell: &mut dyn FnMut(Sentence)) {
    // The only heading of the first level is the title of the whole text, and narrows nothing down in it.
    let titles = text.lines().filter(|line| line.starts_with("# ")).count();
    let mut reading = Reading {
        tell,
        title: (titles == 1).then_some(1),
        fence: None,
        headings: Vec::new(),
        lead: Lead::default(),
        scope: Scope::default(),
        block: 0..0,
    };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        reading.line(text, start..start + line.len());
        start += line.len();
    }
    reading.end_block(text);
}

struct Reading<'t> {
    tell: &'t mut dyn FnMut(Sentence),
    /// The level of headings that are titles.
    title: Option<usize>,
    fence: Option<(char, usize)>,
    /// Headings in force, by level.
    headings: Vec<Heading>,
    /// The line that leads to a list.
    lead: Lead,
    /// What the headings and the line narrow sentences down to.
    scope: Scope,
    /// The paragraph or list item that is being read.
    block: Range<usize>,
}

struct Heading {
    level: usize,
    against: bool,
    /// The words of it that narrow a rule down.
    narrow: Vec<String>,
}

#[derive(Default)]
struct Lead {
    against: bool,
    /// What it narrows a rule down to, if it does.
    scope: Option<String>,
}

impl Lead {
    fn new(words: &[String]) -> Lead {
        let general = words.is_empty() || words.iter().any(|word| GENERAL.contains(&word.as_str()));
        let first = || words.iter().take(LEADING).map(|word| short(word)).collect::<Vec<_>>().join(" ");
        Lead { against: against(words), scope: (!general).then(first) }
    }
}

impl Reading<'_> {
    fn line(&mut self, text: &str, range: Range<usize>) {
        let line = &text[range.clone()];
        let inner = line.trim();
        let mark = inner.chars().next().filter(|c| matches!(c, '`' | '~'));
        let length = mark.map_or(0, |mark| inner.chars().take_while(|c| *c == mark).count());
        match (self.fence, mark) {
            (None, Some(mark)) if length >= 3 => {
                self.end_block(text);
                self.fence = Some((mark, length));
                return;
            }
            (Some((open, least)), Some(mark)) if mark == open && length >= least => {
                self.fence = None;
                return;
            }
            (Some(_), _) => return,
            _ => {}
        }
        if inner.is_empty() {
            return self.end_block(text);
        }
        let level = inner.chars().take_while(|c| *c == '#').count();
        if (1..=LEVELS).contains(&level) && inner[level..].starts_with(' ') {
            self.end_block(text);
            self.headings.retain(|above| above.level < level);
            let words = words(&inner[level..]);
            self.headings.push(Heading { level, against: against(&words), narrow: narrow(&words).collect() });
            self.leads_to(Lead::default());
            return;
        }
        if inner.starts_with(['|', '>']) {
            return self.end_block(text);
        }
        let item = inner.len() - without_mark(inner).len();
        if item > 0 || self.block.is_empty() {
            self.end_block(text);
            let indent = line.len() - line.trim_start().len();
            if item == 0 && indent == 0 {
                self.leads_to(Lead::default());
            }
            self.block = range.start + indent + item..range.end;
        } else {
            self.block.end = range.end;
        }
        if inner.ends_with(':') {
            let lead = Lead::new(&words(&text[self.block.clone()]));
            self.leads_to(lead);
            self.block = 0..0;
        }
    }

    /// Takes another line that leads to a list, or none. What sentences are narrowed down to follows from it and the headings.
    fn leads_to(&mut self, lead: Lead) {
        let narrowing = self.headings.iter().filter(|heading| Some(heading.level) != self.title);
        let words = narrowing.flat_map(|heading| &heading.narrow).chain(&lead.scope);
        self.scope = Rc::new(words.cloned().collect());
        self.lead = lead;
    }

    fn end_block(&mut self, text: &str) {
        let block = std::mem::take(&mut self.block);
        let Some(whole) = text.get(block.clone()).filter(|whole| !whole.is_empty()) else { return };
        let mut start = 0;
        for (at, mark) in whole.match_indices(['.', '!', '?', ';']) {
            let behind = whole[at + mark.len()..].chars().next();
            if behind.is_none_or(char::is_whitespace) {
                if mark != "?" {
                    self.sentence(whole, start..at, block.start);
                }
                start = at + mark.len();
            }
        }
        self.sentence(whole, start..whole.len(), block.start);
    }

    fn sentence(&mut self, whole: &str, range: Range<usize>, offset: usize) {
        let written = &whole[range.clone()];
        let indent = written.len() - written.trim_start().len();
        let range = offset + range.start + indent..offset + range.start + written.trim_end().len().max(indent);
        // `**Indentation:** use tabs` is a sentence with a heading of its own.
        let (label, said) = match written.split_once(':') {
            Some((label, said)) if label.split_whitespace().count() <= 4 && said.starts_with([' ', '*', '_']) => {
                (words(label), words(said))
            }
            _ => (Vec::new(), words(written)),
        };
        let is_against = self.lead.against || self.headings.iter().any(|heading| heading.against) || against(&label);
        if said.is_empty() || is_against {
            return;
        }
        let mut scope = Rc::clone(&self.scope);
        for word in narrow(&label) {
            Rc::make_mut(&mut scope).insert(word);
        }
        (self.tell)(Sentence { range, words: said, scope });
    }
}

/// Whether words turn what follows around.
fn against(words: &[String]) -> bool {
    words.iter().any(|word| AGAINST.contains(&word.as_str()))
}

/// The words that narrow a rule down.
fn narrow(words: &[String]) -> impl Iterator<Item = String> {
    let narrows = |word: &&String| NARROW.contains(&word.as_str()) || word.contains(['/', '.', '*', '<']);
    words.iter().filter(narrows).take(NARROWING).map(|word| short(word))
}

/// As much of a word as is told apart.
fn short(word: &str) -> String {
    word[..floor_char_boundary(word, WORD)].to_owned()
}

/// A line without the mark of a list item.
pub(super) fn without_mark(line: &str) -> &str {
    let bullet = ["- [ ] ", "- [x] ", "- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = [". ", ") "].iter().find_map(|mark| line[digits..].strip_prefix(mark).filter(|_| digits > 0));
    bullet.or(number).unwrap_or(line).trim_start()
}

/// How many words of a sentence are looked at. One that goes on for longer says no rule, and may be as long as a prompt.
const WORDS: usize = 500;

/// Words in lower case, without articles and marks.
fn words(text: &str) -> Vec<String> {
    let bare = |word: &str| {
        let edges = |c: char| !c.is_alphanumeric() && !matches!(c, '/' | '+' | '#' | '<' | '*');
        word.replace(['`', '"', '’'], "").trim_matches(edges).trim_matches('*').to_lowercase()
    };
    let words = text.split_whitespace().map(bare);
    let said = words.filter(|word| !word.is_empty() && !matches!(word.as_str(), "the" | "a" | "an" | "please"));
    said.take(WORDS).collect()
}
