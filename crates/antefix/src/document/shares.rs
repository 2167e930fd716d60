//! Who says how much of a prompt: the answer to "why is it so long?".
//!
//! 1. Everything that has one file, or one name where there is no file, is one share. Most bytes come first.
//! 2. The tokens of a share are counted in each run of its bytes by itself. So they do not quite add up to those of the
//!    prompt, where texts that meet may share a token.

use std::ops::Range;

use crate::compose::Prompt;
use crate::text::Origin;
use crate::tokens::{Tokenizer, Tokens};

/// What one origin says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// Where it begins.
    pub origin: Origin,
    /// The sections that it is in, in order.
    pub sections: Vec<String>,
    /// How many bytes of the prompt it has.
    pub bytes: usize,
    /// How many tokens those are; none if this build counts none.
    pub tokens: Option<Tokens>,
    /// What is under each Markdown heading, if that was asked for and there is one.
    pub headings: Vec<Heading>,
}

/// What is said under a Markdown heading, up to the next one of any level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// From 1; none for what comes before the first heading.
    pub level: Option<usize>,
    /// The heading's words.
    pub title: String,
    /// How many bytes it has, with the heading's own line.
    pub bytes: usize,
    /// How many tokens those are.
    pub tokens: Option<Tokens>,
}

/// Whether shares are counted by heading, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByHeading {
    /// As a whole alone.
    No,
    /// Under each Markdown heading as well.
    Yes,
}

/// Who says how much of a prompt, most bytes first.
pub fn shares(prompt: &Prompt, tokenizer: &Tokenizer, by_heading: ByHeading) -> Vec<Share> {
    let mut shares: Vec<(Share, Vec<Range<usize>>)> = Vec::new();
    for span in prompt.spans() {
        let section = prompt.sections().get(span.section).map_or("", |section| &section.id);
        let number = shares.iter().position(|(share, _)| is_same(&share.origin, &span.origin)).unwrap_or_else(|| {
            shares.push((Share::empty(&span.origin), Vec::new()));
            shares.len() - 1
        });
        let (share, runs) = &mut shares[number];
        match runs.last_mut().filter(|run| run.end == span.range.start) {
            Some(run) => run.end = span.range.end,
            None => runs.push(span.range.clone()),
        }
        share.bytes += span.range.len();
        if share.sections.last().is_none_or(|last| last != section) {
            share.sections.push(section.to_owned());
        }
    }
    let count = |(mut share, runs): (Share, Vec<Range<usize>>)| {
        let runs: Vec<&str> = runs.into_iter().map(|run| &prompt.text()[run]).collect();
        share.tokens = runs.iter().map(|run| tokenizer.count(run)).sum();
        if by_heading == ByHeading::Yes {
            share.headings = headings(&runs, tokenizer);
        }
        share
    };
    let mut shares: Vec<Share> = shares.into_iter().map(count).collect();
    shares.sort_by_key(|share| std::cmp::Reverse(share.bytes));
    shares
}

impl Share {
    fn empty(origin: &Origin) -> Share {
        Share { origin: origin.clone(), sections: Vec::new(), bytes: 0, tokens: None, headings: Vec::new() }
    }
}

/// Whether two origins are one to a reader: the same file, or the same name where there is none.
fn is_same(one: &Origin, other: &Origin) -> bool {
    match (one.path(), other.path()) {
        (Some(one), Some(other)) => one == other,
        (None, None) => one.kind() == other.kind() && one.name() == other.name(),
        _ => false,
    }
}

/// Texts by their Markdown headings; nothing if they have none. What a text says before its first heading belongs to the last
/// one of the text before: something else may be printed in the middle of a file.
fn headings(texts: &[&str], tokenizer: &Tokenizer) -> Vec<Heading> {
    let mut headings = vec![Heading { level: None, title: String::new(), bytes: 0, tokens: None }];
    let mut fence: Option<&str> = None;
    let add = |headings: &mut [Heading], text: &str| {
        if let Some(last) = headings.last_mut().filter(|_| !text.is_empty()) {
            last.bytes += text.len();
            last.tokens = [last.tokens, tokenizer.count(text)].into_iter().flatten().reduce(|sum, count| sum + count);
        }
    };
    for text in texts {
        let (mut start, mut at) = (0, 0);
        for line in text.split_inclusive('\n') {
            let words = line.trim();
            match fence {
                Some(open) if words.starts_with(open) => fence = None,
                Some(_) => {}
                None => fence = ["```", "~~~"].into_iter().find(|fence| words.starts_with(fence)),
            }
            if let Some((level, title)) = heading(line).filter(|_| fence.is_none()) {
                add(&mut headings, &text[start..at]);
                start = at;
                headings.push(Heading { level: Some(level), title: title.to_owned(), bytes: 0, tokens: None });
            }
            at += line.len();
        }
        add(&mut headings, &text[start..]);
    }
    if headings.len() == 1 {
        return Vec::new();
    }
    headings.retain(|heading| heading.bytes > 0);
    headings
}

/// The level and the words of a heading of the kind `## words`.
fn heading(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_end();
    let words = line.trim_start_matches('#');
    let level = line.len() - words.len();
    let is_one = (1..=6).contains(&level) && (words.is_empty() || words.starts_with([' ', '\t']));
    is_one.then(|| (level, words.trim().trim_end_matches('#').trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_counted_by_its_headings_and_a_comment_in_code_is_none() {
        let text = "before\n# One #\na b\n## Two\n```sh\n# no heading\n```\n#hash\n####### seven\n";
        let found: Vec<(Option<usize>, String, usize)> = headings(&["path.md", text, "more"], &Tokenizer::Exact)
            .into_iter()
            .map(|one| (one.level, one.title, one.bytes))
            .collect();
        let expected = [(None, "", 14), (Some(1), "One", 12), (Some(2), "Two", 54)];
        let expected: Vec<_> =
            expected.into_iter().map(|(level, title, bytes)| (level, title.to_owned(), bytes)).collect();
        assert_eq!(found, expected);
        assert_eq!(headings(&["no heading\n"], &Tokenizer::Exact), []);
        // A text that begins with its heading has nothing before it.
        assert_eq!(headings(&["# One\n"], &Tokenizer::Exact).len(), 1);
    }
}
