//! Finding known texts in a text: runs of lines that follow each other in both.

use std::ops::Range;

use super::known::Known;
use super::segments::{Segment, segments};

/// A part of a known text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) range: Range<usize>,
    pub(super) text: usize,
    pub(super) first_line: usize,
    pub(super) last_line: usize,
}

/// How many bytes of lines make a run more than chance, unless it is all that the known text has.
const ENOUGH: usize = 24;

/// How many blank lines in a row may be more or fewer than in the known text.
const BLANKS: usize = 4;

/// How many bytes of a line that is only there in part are more than chance.
const PART: usize = 8;

/// The known texts in a text, in order, without overlap.
///
/// From each line that has not been found yet, the longest run of at most eight is taken, and the search goes on behind it: no line is
/// compared more often than that.
pub(super) fn find(text: &str, known: &Known) -> Vec<Run> {
    let mut runs = Vec::new();
    if known.texts().is_empty() {
        return runs;
    }
    let lines = segments(text);
    let search = Search { text, lines: &lines, known };
    let (mut at, mut free) = (0, 0);
    while at < lines.len() {
        let found = lines[at].is_strong(text).then(|| search.longest(at)).flatten();
        match found.and_then(|pair| search.run(pair, free)) {
            Some((run, next)) => {
                free = run.range.end;
                runs.push(run);
                at = next;
            }
            None => at += 1,
        }
    }
    search.add_within(&mut runs);
    runs
}

/// Lines that are the same: from where on in each, and how many steps were made in each.
#[derive(Clone, Copy)]
struct Pair {
    here: (usize, usize),
    text: usize,
    there: (usize, usize),
}

struct Search<'s> {
    text: &'s str,
    lines: &'s [Segment],
    known: &'s Known,
}

impl Search<'_> {
    /// The longest run that begins with this line.
    fn longest(&self, at: usize) -> Option<Pair> {
        let places = self.known.places(self.lines[at].hash(self.text));
        let pairs = places.iter().filter_map(|(text, line)| self.extend(at, *text, *line));
        // Of two that are equally long the first text counts.
        pairs.fold(None, |best: Option<Pair>, pair| match best {
            Some(best) if best.here.1 >= pair.here.1 => Some(best),
            _ => Some(pair),
        })
    }

    /// Goes on as long as lines are the same; blank ones may be more or fewer.
    fn extend(&self, at: usize, text: usize, line: usize) -> Option<Pair> {
        let (theirs, their_text) = (self.known.lines(text), self.known.texts()[text].text.as_str());
        let (mut here, mut there) = (at, line);
        let (mut ends, mut blanks) = (None, 0);
        while let (Some(own), Some(other)) = (self.lines.get(here), theirs.get(there))
            && blanks <= BLANKS
        {
            if own.said(self.text) == other.said(their_text) {
                (here, there) = (here + 1, there + 1);
                if !own.is_blank(self.text) {
                    (ends, blanks) = (Some((here, there)), 0);
                    continue;
                }
            } else if own.is_blank(self.text) {
                here += 1;
            } else if other.is_blank(their_text) {
                there += 1;
            } else {
                break;
            }
            blanks += 1;
        }
        let (here, there) = ends?;
        Some(Pair { here: (at, here), text, there: (line, there) })
    }

    /// The bytes of a run and the line at which the search goes on; none if it is too little.
    fn run(&self, pair: Pair, free: usize) -> Option<(Run, usize)> {
        let theirs = self.known.lines(pair.text);
        let known = &self.known.texts()[pair.text];
        let (mut first, mut last) = (pair.there.0, pair.there.1 - 1);
        // Lines before it that say too little to be looked for.
        let mut from = pair.here.0;
        let (mut here, mut there, mut blanks) = (from, first, 0);
        while here > 0 && there > 0 && blanks <= BLANKS && self.lines[here - 1].start >= free {
            let (own, other) = (&self.lines[here - 1], &theirs[there - 1]);
            if own.said(self.text) == other.said(&known.text) {
                (here, there) = (here - 1, there - 1);
                if !own.is_blank(self.text) {
                    (from, first, blanks) = (here, there, 0);
                    continue;
                }
            } else if own.is_blank(self.text) {
                here -= 1;
            } else if other.is_blank(&known.text) {
                there -= 1;
            } else {
                break;
            }
            blanks += 1;
        }
        let mut start = self.lines[from].trimmed(self.text).0;
        let mut end = self.lines[pair.here.1 - 1].trimmed(self.text).1;
        let matched = end - start;
        // A wrapper on the same line, and a cut in the middle of one.
        if let (Some(own), Some(other)) = (from.checked_sub(1), first.checked_sub(1)) {
            let (own, other) = (self.lines[own], theirs[other]);
            let part =
                common_suffix(&self.text[own.start.max(free)..own.end.max(free)], &known.text[other.start..other.end]);
            if part >= PART {
                (start, first) = (own.end - part, first - 1);
            }
        }
        let mut next = pair.here.1;
        let cut = (worded(self.lines, self.text, next), worded(theirs, &known.text, pair.there.1));
        if let (Some((own, number)), Some((other, theirs))) = cut {
            let part = common_prefix(&self.text[own.start..own.end], &known.text[other.start..other.end]);
            if part >= PART {
                (end, last, next) = (own.start + part, theirs, number + 1);
            }
        }
        let strong = || theirs[first..=last].iter().filter(|line| line.is_strong(&known.text)).count();
        if matched < ENOUGH && strong() < self.known.strong(pair.text) {
            return None;
        }
        let line = |number: usize| known.line + theirs[number].line - 1;
        let run = Run { range: start..end, text: pair.text, first_line: line(first), last_line: line(last) };
        Some((run, next))
    }

    /// Texts of one line, which may be anywhere within a line.
    fn add_within(&self, runs: &mut Vec<Run>) {
        let mut more = Vec::new();
        let mut taken = runs.iter().map(|run| run.range.clone()).peekable();
        let mut free = 0;
        for (start, text, line) in self.known.within(self.text) {
            while taken.next_if(|range| range.end <= start).is_some() {}
            if start < free || taken.peek().is_some_and(|range| range.start <= start) {
                continue;
            }
            let known = &self.known.texts()[text];
            let segment = self.known.lines(text)[line];
            let said = segment.said(&known.text);
            let room = taken.peek().map_or(self.text.len(), |range| range.start);
            let length = common_prefix(&self.text[start..room], &said);
            let line = known.line + segment.line - 1;
            free = start + length;
            more.push(Run { range: start..free, text, first_line: line, last_line: line });
        }
        if !more.is_empty() {
            runs.extend(more);
            runs.sort_by_key(|run| run.range.start);
        }
    }
}

/// The next line that says anything, with its number.
fn worded(lines: &[Segment], text: &str, from: usize) -> Option<(Segment, usize)> {
    (from..lines.len()).take(BLANKS).find(|at| !lines[*at].is_blank(text)).map(|at| (lines[at], at))
}

/// With how many bytes both begin, on a character boundary.
fn common_prefix(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    crate::text::floor_char_boundary(one, same)
}

/// With how many bytes both end, on a character boundary.
fn common_suffix(one: &str, other: &str) -> usize {
    let same = one.bytes().rev().zip(other.bytes().rev()).take_while(|(one, other)| one == other).count();
    let start = (one.len() - same..=one.len()).find(|at| one.is_char_boundary(*at));
    start.map_or(0, |start| one.len() - start)
}
