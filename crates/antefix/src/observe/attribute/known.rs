//! Texts that may be in a request, in a form in which they are found fast.

use std::collections::BTreeMap;

use aho_corasick::{AhoCorasick, MatchKind};

use super::segments::{Segment, segments};

/// A text that may be in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownText {
    /// What it is.
    pub kind: KnownKind,
    /// The file, as it is shown.
    pub path: String,
    /// Its text, or the part of it that agents tell.
    pub text: String,
    /// The line of the file at which the text begins.
    pub line: usize,
}

/// What a text that is known is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum KnownKind {
    /// An instruction file.
    Instructions,
    /// A rule for some paths.
    Rule,
    /// A skill, or its description.
    Skill,
    /// A memory.
    Memory,
}

impl KnownKind {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            KnownKind::Instructions => "instructions",
            KnownKind::Rule => "rule",
            KnownKind::Skill => "skill",
            KnownKind::Memory => "memory",
        }
    }
}

impl KnownText {
    /// A whole file.
    pub fn new(kind: KnownKind, path: impl Into<String>, text: impl Into<String>) -> KnownText {
        KnownText { kind, path: path.into(), text: text.into(), line: 1 }
    }
}

/// At how many places of all texts one line is looked for. A line that is at more places says little.
const PLACES: usize = 8;

/// How many bytes of a text of one line are looked for anywhere in a line.
const BEGINNING: usize = 24;

/// Texts that may be in requests.
#[derive(Debug, Clone, Default)]
pub struct Known {
    texts: Vec<KnownText>,
    /// The lines of each text.
    segments: Vec<Vec<Segment>>,
    /// How many lines of each text are worth looking for.
    strong: Vec<usize>,
    /// Where a line is, by the digest of what it says.
    places: BTreeMap<u64, Vec<(usize, usize)>>,
    /// The beginnings of texts that have only one line of any length, which may be within a line of a request.
    beginnings: Option<AhoCorasick>,
    /// Whose beginning each is: the text, and the line of it.
    of_beginning: Vec<(usize, usize)>,
}

impl Known {
    /// Prepares texts to be looked for.
    pub fn new(texts: Vec<KnownText>) -> Known {
        let mut known = Known { segments: texts.iter().map(|text| segments(&text.text)).collect(), ..Known::default() };
        let mut beginnings = Vec::new();
        for (number, (text, lines)) in texts.iter().zip(&known.segments).enumerate() {
            let strong: Vec<usize> = (0..lines.len()).filter(|line| lines[*line].is_strong(&text.text)).collect();
            for line in &strong {
                let places = known.places.entry(lines[*line].hash(&text.text)).or_default();
                if places.len() < PLACES {
                    places.push((number, *line));
                }
            }
            known.strong.push(strong.len());
            if let [line] = strong[..] {
                let said = lines[line].said(&text.text);
                let end = crate::text::floor_char_boundary(&said, BEGINNING);
                beginnings.push(said[..end].to_owned());
                known.of_beginning.push((number, line));
            }
        }
        if !beginnings.is_empty() {
            known.beginnings = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&beginnings).ok();
        }
        known.texts = texts;
        known
    }

    /// The texts.
    pub fn texts(&self) -> &[KnownText] {
        &self.texts
    }

    /// The same text, and the same line of it, for each place where a line of a request may come from.
    pub(super) fn places(&self, hash: u64) -> &[(usize, usize)] {
        self.places.get(&hash).map_or(&[], Vec::as_slice)
    }

    pub(super) fn strong(&self, text: usize) -> usize {
        self.strong[text]
    }

    pub(super) fn lines(&self, text: usize) -> &[Segment] {
        &self.segments[text]
    }

    /// Where texts of one line begin within a text: where, which text, which line of it.
    pub(super) fn within<'k>(&'k self, text: &'k str) -> impl Iterator<Item = (usize, usize, usize)> + 'k {
        self.beginnings.iter().flat_map(move |beginnings| {
            beginnings.find_iter(text).map(|found| {
                let (number, line) = self.of_beginning[found.pattern().as_usize()];
                (found.start(), number, line)
            })
        })
    }
}
