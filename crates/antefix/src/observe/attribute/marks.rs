//! What lines are by their shape: dates, what git prints, what is said of a machine.

use std::ops::Range;

use super::SentOrigin;

/// What a text is where no known file is in it.
pub(super) enum Rest {
    /// The agent says what it is.
    All(SentOrigin),
    /// The agent's own words, by line.
    Agent,
    /// The conversation; the agent speaks in it between tags.
    Reminders,
}

/// Tags between which agents speak in what users say.
const TAGS: [(&str, &str); 3] = [
    ("<system-reminder>", "</system-reminder>"),
    ("<environment_context>", "</environment_context>"),
    ("<session_context>", "</session_context>"),
];

/// How lines about a machine begin, in lower case, without bullets, tags and emphasis.
const MACHINE: [&str; 18] = [
    "working directory",
    "primary working directory",
    "current working directory",
    "additional working directories",
    "workspace root",
    "cwd",
    "platform",
    "shell",
    "os version",
    "operating system",
    "my operating system",
    "is directory a git repo",
    "is a git repository",
    "home directory",
    "timezone",
    "environment_context",
    "env>",
    "i'm currently working in the directory",
];

/// How lines begin behind which git is quoted, until a blank line or a tag.
const GIT: [&str; 7] =
    ["gitstatus", "git status", "current branch", "main branch", "status:", "recent commits", "git branch"];

/// Fills a range that no known file is in.
pub(super) fn fill(text: &str, range: Range<usize>, rest: &Rest, ranges: &mut Vec<(Range<usize>, SentOrigin)>) {
    if range.is_empty() {
        return;
    }
    match rest {
        Rest::All(origin) => ranges.push((range, origin.clone())),
        Rest::Agent => lines(text, range, ranges),
        Rest::Reminders => {
            let mut at = range.start;
            for (open, close) in reminders(&text[range.clone()]) {
                push(at..range.start + open, SentOrigin::Conversation, ranges);
                lines(text, range.start + open..range.start + close, ranges);
                at = range.start + close;
            }
            push(at..range.end, SentOrigin::Conversation, ranges);
        }
    }
}

/// Where texts of the agent's begin and end; one that is never closed is not one, and neither is a later one of its kind.
fn reminders(text: &str) -> Vec<(usize, usize)> {
    let mut unclosed = [false; TAGS.len()];
    let (mut found, mut free) = (Vec::new(), 0);
    for at in memchr::memchr_iter(b'<', text.as_bytes()) {
        let tag = (at >= free).then(|| TAGS.iter().position(|(open, _)| text[at..].starts_with(open))).flatten();
        let Some(tag) = tag.filter(|tag| !unclosed[*tag]) else { continue };
        let (open, close) = TAGS[tag];
        match memchr::memmem::find(&text.as_bytes()[at + open.len()..], close.as_bytes()) {
            Some(end) => {
                free = at + open.len() + end + close.len();
                found.push((at, free));
            }
            None => unclosed[tag] = true,
        }
    }
    found
}

/// The agent's own words, by line.
fn lines(text: &str, range: Range<usize>, ranges: &mut Vec<(Range<usize>, SentOrigin)>) {
    let mut at = range.start;
    let mut is_git = false;
    for line in text[range].split_inclusive('\n') {
        let plain = plain(line);
        is_git = match () {
            () if GIT.iter().any(|word| plain.starts_with(word)) => true,
            () => is_git && !plain.is_empty() && !line.trim_start().starts_with('<'),
        };
        let origin = match () {
            () if is_git => SentOrigin::Git,
            () if is_date(&plain) => SentOrigin::Date,
            () if MACHINE.iter().any(|word| plain.starts_with(word)) => SentOrigin::Environment,
            () => SentOrigin::Agent,
        };
        push(at..at + line.len(), origin, ranges);
        at += line.len();
    }
}

fn push(range: Range<usize>, origin: SentOrigin, ranges: &mut Vec<(Range<usize>, SentOrigin)>) {
    if !range.is_empty() {
        ranges.push((range, origin));
    }
}

/// How many bytes of a line say what it is.
const LOOKED_AT: usize = 120;

/// The beginning of a line in lower case, without bullets, tags and emphasis.
fn plain(line: &str) -> String {
    let line = line.trim().trim_start_matches(['-', '*', '#', '<', '/', ' ']);
    line[..crate::text::floor_char_boundary(line, LOOKED_AT)].to_ascii_lowercase()
}

/// Whether a line says which day or time it is.
fn is_date(line: &str) -> bool {
    let says = ["date", "today", "time is", "current_time", "current time"].iter().any(|word| line.contains(word));
    says && (has_iso(line) || has_month(line))
}

/// `2026-11-18`.
fn has_iso(line: &str) -> bool {
    let is_date = |window: &[u8]| {
        window.starts_with(b"20")
            && window.iter().enumerate().all(|(at, byte)| match at {
                4 | 7 => matches!(byte, b'-' | b'/'),
                _ => byte.is_ascii_digit(),
            })
    };
    line.as_bytes().windows(10).any(is_date)
}

/// `november 18`, or `18 nov`.
fn has_month(line: &str) -> bool {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let has_year =
        line.as_bytes().windows(4).any(|year| year.starts_with(b"20") && year.iter().all(u8::is_ascii_digit));
    has_year
        && line.split(|c: char| !c.is_ascii_alphabetic()).any(|word| MONTHS.iter().any(|month| word.starts_with(month)))
}
