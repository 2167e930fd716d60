//! `repeated-text`: the same words twice in the prefix.
//!
//! 1. Paragraphs, and items of lists, of at least [`LEAST`] characters are compared, white space aside.
//! 2. Both places are named. Files that repeat much of each other are reported once, and files that say the same once more.

use std::collections::BTreeMap;
use std::ops::Range;

use super::passages::Passage;
use super::prose::without_mark;
use crate::diagnostic::{Code, Diagnostic};

/// Shorter paragraphs repeat by chance.
const LEAST: usize = 80;
/// How many paragraphs that two files share are reported one by one.
const REPORTED: usize = 3;

/// A paragraph: the number of its passage, and its bytes there.
type Paragraph = (usize, Range<usize>);

/// What is repeated in the passages.
pub(super) fn findings(passages: &[Passage<'_>]) -> Vec<Diagnostic> {
    let mut first: BTreeMap<String, Paragraph> = BTreeMap::new();
    let mut repeats: Vec<(Paragraph, Paragraph)> = Vec::new();
    // Whether the words were somewhere else before; if not, they are known from here on.
    let mut is_repeated = |paragraph: Paragraph| {
        let words = normalized(&passages[paragraph.0].text[paragraph.1.clone()]);
        if words.chars().count() < LEAST {
            return false;
        }
        match first.get(&words) {
            Some(known) if address(passages, known) != address(passages, &paragraph) => {
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
        for range in paragraphs(passage.text) {
            // A list that is not the same as a whole may still have items of another one.
            if !is_repeated((number, range.clone())) {
                for item in items(passage.text, &range) {
                    is_repeated((number, item));
                }
            }
        }
    }
    to_diagnostics(passages, &repeats)
}

fn to_diagnostics(passages: &[Passage<'_>], repeats: &[(Paragraph, Paragraph)]) -> Vec<Diagnostic> {
    let labels = |(first, second): &(Paragraph, Paragraph)| (passages[first.0].label, passages[second.0].label);
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for pair in repeats.iter().map(labels) {
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    let mut findings = Vec::new();
    for (one, other) in pairs {
        let shared: Vec<_> = repeats.iter().filter(|repeat| labels(repeat) == (one, other)).collect();
        let Some((first, second)) = shared.first() else { continue };
        let bytes: usize = shared.iter().map(|(_, (_, range))| range.len()).sum();
        let here = &passages[second.0];
        let report = |message: String, place: &Paragraph| {
            let hint = "keep it in one of them: every copy is billed, and one of two copies is soon out of date";
            passages[place.0].finding_at(Diagnostic::warning(Code::RepeatedText, message).hint(hint), place.1.clone())
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
                let bytes = second.1.len();
                let message = format!("this paragraph repeats {}: {bytes} bytes", address(passages, first));
                findings.push(report(message, second));
            }
        }
    }
    findings
}

fn address(passages: &[Passage<'_>], (number, range): &Paragraph) -> String {
    passages[*number].address(range.start)
}

/// All words of a file.
fn all_words(passages: &[Passage<'_>], label: &str) -> String {
    let texts = passages.iter().filter(|passage| passage.label == label && !passage.is_label());
    texts.map(|passage| normalized(passage.text)).collect::<Vec<_>>().join(" ")
}

/// The paragraphs of a text: what is between empty lines.
fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut paragraphs = Vec::new();
    let mut paragraph = 0..0;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        if line.trim().is_empty() {
            paragraphs.push(std::mem::take(&mut paragraph));
        } else if paragraph.is_empty() {
            paragraph = start..end;
        } else {
            paragraph.end = end;
        }
        start = end;
    }
    paragraphs.push(paragraph);
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

/// The items of lists in a paragraph. Their marks are not part of them.
fn items(text: &str, paragraph: &Range<usize>) -> Vec<Range<usize>> {
    let mut items: Vec<Range<usize>> = Vec::new();
    let mut start = paragraph.start;
    for line in text[paragraph.clone()].split_inclusive('\n') {
        let end = start + line.len();
        let inner = line.trim_start();
        let words = without_mark(inner);
        match items.last_mut() {
            _ if words.len() < inner.len() => items.push(end - words.len()..end),
            Some(item) => item.end = end,
            None => {}
        }
        start = end;
    }
    items
}

fn normalized(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
