//! Where the bytes of a request come from, whoever sent it.
//!
//! 1. Every byte of every block has one [`SentOrigin`]: the ranges of a block cover it without gap or overlap.
//! 2. What the agent itself says about a block comes first, then the files that are known, found by their content, then the name of a
//!    tool, then the shape of a line. What is left is the conversation, or the agent's own words.
//! 3. A file is found as a whole or in part: behind a wrapper, cut, with other line ends, with its characters escaped as in JSON or
//!    markup. A few common words are not enough.
//! 4. It takes time that grows with the request and with the files, and no faster, whatever they contain.

mod known;
mod marks;
mod search;
mod segments;

use std::collections::BTreeMap;
use std::ops::Range;

pub use self::known::{Known, KnownKind, KnownText};
use super::sent::{BlockKind, Part, SentBlock, SentRequest};
use crate::tokens::{Tokenizer, Tokens};

/// A range of a block, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribution {
    /// The number of the block in its request.
    pub block: usize,
    /// The bytes of the block's text.
    pub range: Range<usize>,
    /// Where they come from.
    pub origin: SentOrigin,
}

/// Where a range of a request comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SentOrigin {
    /// A file that is known, found by its content.
    File {
        /// What the file is.
        kind: KnownKind,
        /// Where it is.
        path: String,
        /// The first and the last line of it.
        lines: (usize, usize),
    },
    /// Instruction files, by the agent's own word; which one is not known.
    Instructions,
    /// The list of skills, by the agent's own word.
    Skills,
    /// The definition of a tool, with the server that it comes from; none for one of the agent's own.
    Tool {
        /// The server or namespace.
        server: Option<String>,
    },
    /// What git printed.
    Git,
    /// The machine: directory, system, shell.
    Environment,
    /// The date or the time.
    Date,
    /// What was said: by the user, the model, and the tools that it called.
    Conversation,
    /// The agent's own words.
    Agent,
}

impl SentOrigin {
    /// The name in documents, from a closed set.
    pub fn name(&self) -> &'static str {
        match self {
            SentOrigin::File { kind, .. } => kind.name(),
            SentOrigin::Instructions => "instructions",
            SentOrigin::Skills => "skill",
            SentOrigin::Tool { .. } => "tool",
            SentOrigin::Git => "git",
            SentOrigin::Environment => "environment",
            SentOrigin::Date => "date",
            SentOrigin::Conversation => "conversation",
            SentOrigin::Agent => "agent",
        }
    }
}

impl SentOrigin {
    /// Whether what follows has the same origin; lines of one file are put together.
    fn takes_in(&mut self, next: &SentOrigin) -> bool {
        match (self, next) {
            (SentOrigin::File { path, lines, .. }, SentOrigin::File { path: other, lines: more, .. })
                if path == other && lines.1 <= more.0 && more.0 <= lines.1 + 1 =>
            {
                lines.1 = lines.1.max(more.1);
                true
            }
            (one, other) => one == other,
        }
    }
}

impl std::fmt::Display for SentOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            SentOrigin::File { path, lines: (first, last), .. } if first == last => write!(f, "{path}:{first}"),
            SentOrigin::File { path, lines: (first, last), .. } => write!(f, "{path}:{first}-{last}"),
            SentOrigin::Instructions => f.write_str("instruction files"),
            SentOrigin::Skills => f.write_str("the list of skills"),
            SentOrigin::Tool { server: Some(server) } => write!(f, "tools of {server}"),
            SentOrigin::Tool { server: None } => f.write_str("the agent's own tools"),
            SentOrigin::Git => f.write_str("git"),
            SentOrigin::Environment => f.write_str("the environment"),
            SentOrigin::Date => f.write_str("the date"),
            SentOrigin::Conversation => f.write_str("the conversation"),
            SentOrigin::Agent => f.write_str("the agent's own words"),
        }
    }
}

impl SentRequest {
    /// Where every byte comes from, block by block.
    ///
    /// ```
    /// use antefix::observe::{Known, KnownKind, KnownText, SentRequest};
    ///
    /// let file = KnownText::new(KnownKind::Instructions, "AGENTS.md", "# Rules\r\n\r\nUse tabs in every file.\r\n");
    /// let body = br#"{"system": "You help.\n<file>\n# Rules\n\nUse tabs in every file.\n</file>", "messages": []}"#;
    /// let request = SentRequest::parse(body, None)?;
    /// let found: Vec<String> =
    ///     request.attribute(&Known::new(vec![file])).iter().map(|one| one.origin.to_string()).collect();
    /// assert_eq!(found, ["the agent's own words", "AGENTS.md:1-3", "the agent's own words"]);
    /// # Ok::<(), antefix::Error>(())
    /// ```
    pub fn attribute(&self, known: &Known) -> Vec<Attribution> {
        let mut all: Vec<Attribution> = Vec::new();
        for (number, block) in self.blocks.iter().enumerate() {
            for (range, origin) in of_block(block, known) {
                let last = all.last_mut().filter(|last| last.block == number);
                match last.and_then(|last| last.origin.takes_in(&origin).then_some(last)) {
                    Some(last) => last.range.end = range.end,
                    None => all.push(Attribution { block: number, range, origin }),
                }
            }
        }
        all
    }

    /// Where one byte of a block comes from.
    pub(super) fn origin_at(&self, block: usize, byte: usize, known: &Known) -> SentOrigin {
        let ranges = self.blocks.get(block).map(|block| of_block(block, known)).unwrap_or_default();
        let found = ranges.iter().find(|(range, _)| range.contains(&byte)).or(ranges.last());
        let Some((range, mut origin)) = found.cloned() else { return SentOrigin::Agent };
        if let SentOrigin::File { lines, path, .. } = &mut origin {
            // The line itself, as far as lines of the request are lines of the file.
            let text = &self.blocks[block].text[range.start..byte.clamp(range.start, range.end)];
            let whole = known.texts().iter().find(|text| text.path == *path);
            let line = whole.map_or(lines.0, |whole| line_of(whole, lines.0, text));
            *lines = (line.min(lines.1), line.min(lines.1));
        }
        origin
    }

    /// The tokens of each origin, the largest first; files are one each, whatever their lines.
    pub fn shares(&self, known: &Known, tokenizer: &Tokenizer) -> Vec<(SentOrigin, Tokens)> {
        let mut shares: BTreeMap<SentOrigin, ((usize, usize), Tokens)> = BTreeMap::new();
        for Attribution { block, range, mut origin } in self.attribute(known) {
            let tokens = super::sent::count(&self.blocks[block].text[range], tokenizer);
            let lines = match &mut origin {
                SentOrigin::File { lines, .. } => std::mem::take(lines),
                _ => (0, 0),
            };
            let share = shares.entry(origin).or_insert((lines, Tokens::default()));
            share.0 = (share.0.0.min(lines.0), share.0.1.max(lines.1));
            share.1 = share.1 + tokens;
        }
        let with_lines = |(mut origin, (all, tokens))| {
            if let SentOrigin::File { lines, .. } = &mut origin {
                *lines = all;
            }
            (origin, tokens)
        };
        let mut shares: Vec<(SentOrigin, Tokens)> = shares.into_iter().map(with_lines).collect();
        shares.sort_by(|one, other| other.1.count.cmp(&one.1.count).then_with(|| one.0.cmp(&other.0)));
        shares
    }
}

/// The line of a file behind a text that begins with one of its lines: blank lines that the text leaves out are counted.
fn line_of(file: &KnownText, first: usize, text: &str) -> usize {
    let said = segments::segments(text);
    let worded = said.iter().filter(|line| !line.is_blank(text)).count().max(1);
    // The last one is the line itself, also if nothing of it is there yet.
    let wanted =
        if said.last().is_some_and(|line| line.is_blank(text)) && said.len() > 1 { worded + 1 } else { worded };
    let lines = segments::segments(&file.text);
    let from = lines.iter().filter(|line| file.line + line.line > first && !line.is_blank(&file.text));
    from.map(|line| file.line + line.line - 1).nth(wanted - 1).unwrap_or(first)
}

/// How many bytes between two parts of one file are taken for lines that were others when it was read.
const EDITED: usize = 4096;

/// The ranges of one block, in order.
fn of_block(block: &SentBlock, known: &Known) -> Vec<(Range<usize>, SentOrigin)> {
    if block.text.is_empty() {
        return Vec::new();
    }
    let whole = |origin: SentOrigin| vec![(0..block.text.len(), origin)];
    if block.part == Part::Tools {
        return whole(SentOrigin::Tool { server: block.server.clone() });
    }
    if block.kind != BlockKind::Text || block.is_answer() || block.role == "output" || block.role == "tool" {
        return whole(SentOrigin::Conversation);
    }
    let labeled = match block.label.as_deref() {
        Some("agents_md") => Some(SentOrigin::Instructions),
        Some("skills") => Some(SentOrigin::Skills),
        Some("user" | "tool") => return whole(SentOrigin::Conversation),
        _ => None,
    };
    let runs = search::find(&block.text, known);
    let is_agents = block.part == Part::System || matches!(block.role.as_str(), "system" | "developer");
    let rest = match (labeled, is_agents || !runs.is_empty()) {
        (Some(origin), _) => marks::Rest::All(origin),
        (None, true) => marks::Rest::Agent,
        (None, false) => marks::Rest::Reminders,
    };
    let mut ranges = Vec::new();
    let mut at = 0;
    let mut last: Option<&search::Run> = None;
    for run in &runs {
        let text = &known.texts()[run.text];
        let of_file = |lines| SentOrigin::File { kind: text.kind, path: text.path.clone(), lines };
        // What lies between two parts of one file, in order, is what the file said there when it was read.
        let goes_on = |last: &&search::Run| {
            last.text == run.text && last.last_line <= run.first_line && run.range.start - at <= EDITED
        };
        match last.filter(goes_on) {
            Some(last) if run.range.start > at => {
                ranges.push((at..run.range.start, of_file((last.last_line, run.first_line))));
            }
            Some(_) => {}
            None => marks::fill(&block.text, at..run.range.start, &rest, &mut ranges),
        }
        ranges.push((run.range.clone(), of_file((run.first_line, run.last_line))));
        (at, last) = (run.range.end, Some(run));
    }
    marks::fill(&block.text, at..block.text.len(), &rest, &mut ranges);
    ranges
}

#[cfg(test)]
mod tests;
