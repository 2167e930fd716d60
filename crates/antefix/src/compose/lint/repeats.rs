//! `repeated-text`: the same words twice in the prefix.
//!
//! 1. Paragraphs, and items of lists, of at least [`LEAST`] characters are compared, white space aside.
//! 2. Both places are named. Files that repeat much of each other are reported once, and files that say the same once more.

use std::collections::BTreeMap;
use std::ops::Range;

use super::passages::Passage;
use super::prose::without_mark;
use crate::diagnostic::{Code, Diagnostic};
use crate::stop::Stop;
use crate::text::LineNumbers;

/// Shorter paragraphs repeat by chance.
const LEAST: usize = 80;
/// How many paragraphs that two files share are reported one by one.
const REPORTED: usize = 3;

/// How many pairs of files are reported.
const PAIRS: usize = 20;

/// A paragraph.
#[derive(Clone)]
struct Paragraph {
    /// The number of its passage.
    passage: usize,
    /// Its bytes there, and how many lines end before it there.
    range: Range<usize>,
    lines: usize,
}

/// What is repeated in the passages.
pub(super) fn findings(passages: &[Passage<'_>], stop: &Stop) -> Vec<Diagnostic> {
    let mut first: BTreeMap<String, Paragraph> = BTreeMap::new();
    let mut repeats: Vec<(Paragraph, Paragraph)> = Vec::new();
    let mut numbers = LineNumbers::default();
    // Very many paragraphs may be repeated, and counting lines takes as long as their text is.
    let mut place = |paragraph: &Paragraph| {
        let passage = &passages[paragraph.passage];
        (passage.label, passage.line(paragraph.range.start, paragraph.lines, &mut numbers))
    };
    // Whether the words were somewhere else before; if not, they are known from here on.
    let mut is_repeated = |paragraph: Paragraph| {
        let words = normalized(&passages[paragraph.passage].text[paragraph.range.clone()]);
        if words.chars().count() < LEAST {
            return false;
        }
        match first.get(&words) {
            Some(known) if place(known) != place(&paragraph) => {
                repeats.push((known.clone(), paragraph));
                true
            }
            Some(_) => false,
            None => {
                first.insert(words, paragraph);
                false
            }
        }
    };
    for (number, passage) in passages.iter().enumerate() {
        for (range, lines) in paragraphs(passage.text) {
            if stop.is_set() {
                return Vec::new();
            }
            // A list that is not the same as a whole may still have items of another one.
            if !is_repeated(Paragraph { passage: number, range: range.clone(), lines }) {
                for (item, before) in items(passage.text, &range) {
                    is_repeated(Paragraph { passage: number, range: item, lines: lines + before });
                }
            }
        }
    }
    to_diagnostics(passages, &repeats)
}

fn to_diagnostics(passages: &[Passage<'_>], repeats: &[(Paragraph, Paragraph)]) -> Vec<Diagnostic> {
    // What each pair of files shares, in the order in which the pairs were found.
    let mut pairs: Vec<Vec<&(Paragraph, Paragraph)>> = Vec::new();
    let mut known: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for repeat in repeats {
        let labels = (passages[repeat.0.passage].label, passages[repeat.1.passage].label);
        match known.get(&labels) {
            Some(number) => pairs[*number].push(repeat),
            None => {
                known.insert(labels, pairs.len());
                pairs.push(vec![repeat]);
            }
        }
    }
    let more = pairs.len().saturating_sub(PAIRS);
    let mut findings = Vec::new();
    for shared in pairs.into_iter().take(PAIRS) {
        let Some((first, second)) = shared.first() else { continue };
        let bytes: usize = shared.iter().map(|(_, second)| second.range.len()).sum();
        let here = &passages[second.passage];
        let (one, other) = (passages[first.passage].label, here.label);
        let report = |message: String, place: &Paragraph| {
            let hint = "keep it in one of them: every copy is billed, and one of two copies is soon out of date";
            let finding = Diagnostic::warning(Code::RepeatedText, message).hint(hint);
            passages[place.passage].finding_at(finding, place.range.clone())
        };
        if one != other && all_words(passages, one) == all_words(passages, other) {
            let message = format!("{other} says the same as {one}, word for word: {} bytes twice", here.text.len());
            findings.push(report(message, second));
        } else if shared.len() > REPORTED {
            let there = address(passages, first);
            let message =
                format!("{} paragraphs of {other} are in {one} too, from {there} on: {bytes} bytes", shared.len());
            findings.push(report(message, second));
        } else {
            for (first, second) in shared {
                let bytes = second.range.len();
                let message = format!("this paragraph repeats {}: {bytes} bytes", address(passages, first));
                findings.push(report(message, second));
            }
        }
    }
    if more > 0 {
        let message = format!("{more} more pairs of texts repeat each other");
        findings.push(Diagnostic::warning(Code::MoreFindings, message).hint("fix the ones above first"));
    }
    findings
}

fn address(passages: &[Passage<'_>], paragraph: &Paragraph) -> String {
    passages[paragraph.passage].address(paragraph.range.start)
}

/// All words of a file.
fn all_words(passages: &[Passage<'_>], label: &str) -> String {
    let texts = passages.iter().filter(|passage| passage.label == label && !passage.is_label());
    texts.map(|passage| normalized(passage.text)).collect::<Vec<_>>().join(" ")
}

/// The paragraphs of a text, which are what is between empty lines, each with how many lines are before it.
fn paragraphs(text: &str) -> Vec<(Range<usize>, usize)> {
    let mut paragraphs = Vec::new();
    let mut paragraph = (0..0, 0);
    let mut start = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let end = start + line.len();
        if line.trim().is_empty() {
            paragraphs.push(std::mem::take(&mut paragraph));
        } else if paragraph.0.is_empty() {
            paragraph = (start..end, number);
        } else {
            paragraph.0.end = end;
        }
        start = end;
    }
    paragraphs.push(paragraph);
    paragraphs.retain(|(paragraph, _)| !paragraph.is_empty());
    paragraphs
}

/// The items of lists in a paragraph, each with how many lines of it are before it. Their marks are not part of them.
fn items(text: &str, paragraph: &Range<usize>) -> Vec<(Range<usize>, usize)> {
    let mut items: Vec<(Range<usize>, usize)> = Vec::new();
    let mut start = paragraph.start;
    for (number, line) in text[paragraph.clone()].split_inclusive('\n').enumerate() {
        let end = start + line.len();
        let inner = line.trim_start();
        let words = without_mark(inner);
        match items.last_mut() {
            _ if words.len() < inner.len() => items.push((end - words.len()..end, number)),
            Some((item, _)) => item.end = end,
            None => {}
        }
        start = end;
    }
    items
}

/// A text with one space between its words.
pub(super) fn normalized(text: &str) -> String {
    let mut normalized = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !normalized.is_empty() {
            normalized.push(' ');
        }
        normalized.push_str(word);
    }
    normalized
}
