//! `unresolved-variable`: what looks like a hole in a text that is data.
//!
//! Nothing in an instruction file or a skill is ever filled in, so that no text can reach for another one. Whoever wrote
//! `${PROJECT}` there expected otherwise, and the model is told `${PROJECT}`. Code is left alone.

use std::ops::Range;

use super::passages::Passage;
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::catalog::{self, Lookup};
use crate::text::FactName;

/// The longest hole, in bytes.
const LONGEST: usize = 120;

/// The first hole of each file, and how many more there are.
pub(super) fn findings(passages: &[Passage<'_>]) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for passage in passages.iter().filter(|passage| passage.is_file() && !passage.is_label()) {
        let holes = holes(passage.text);
        let Some(first) = holes.first() else { continue };
        let more = match holes.len() - 1 {
            0 => String::new(),
            1 => ", and so does 1 more".to_owned(),
            more => format!(", and so do {more} more"),
        };
        let message = format!("`{}` stays as it is: a file's text is data{more}", &passage.text[first.clone()]);
        let hint = "write what is meant, or move the text into a template: `$workspace/…` in the layout";
        findings
            .push(passage.finding_at(Diagnostic::note(Code::UnresolvedVariable, message).hint(hint), first.clone()));
    }
    findings
}

/// What looks like a hole, outside code.
fn holes(text: &str) -> Vec<Range<usize>> {
    let mut holes = Vec::new();
    let mut fence = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mark = line.trim_start().get(..3).filter(|mark| matches!(*mark, "```" | "~~~"));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) if !line.starts_with("    ") => in_line(line, start, &mut holes),
            _ => {}
        }
        start += line.len();
    }
    holes
}

fn in_line(line: &str, offset: usize, holes: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while let Some(next) = line[at..].find(['`', '$', '{', '[']) {
        let here = at + next;
        let rest = &line[here..];
        if rest.starts_with('`') {
            // A code span goes to the next run of as many backticks; without one they are text.
            let ticks = rest.len() - rest.trim_start_matches('`').len();
            let close = rest[ticks..].find(&rest[..ticks]).map_or(ticks, |close| ticks + close + ticks);
            at = here + close;
            continue;
        }
        match hole(rest) {
            Some(length) => {
                holes.push(offset + here..offset + here + length);
                at = here + length;
            }
            None => at = here + 1,
        }
    }
}

/// How long the hole is that begins a text, if one does.
fn hole(text: &str) -> Option<usize> {
    let within = |open: &str, close: &str| {
        let inner = text.strip_prefix(open)?;
        // No further than a hole can be long: a text may open very many and close none.
        let inner = &inner[..inner.floor_char_boundary(LONGEST + close.len())];
        let end = inner.find(close).filter(|end| (1..LONGEST).contains(end))?;
        Some((&inner[..end], open.len() + end + close.len()))
    };
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | ':'))
    };
    if let Some((name, length)) = within("${", "}") {
        return is_name(name).then_some(length);
    }
    if let Some((inner, length)) = within("{{", "}}") {
        let name = inner.split('|').next().unwrap_or_default().trim();
        return is_name(name).then_some(length);
    }
    if let Some((_, length)) = within("{% ", "%}") {
        return Some(length);
    }
    let (inner, length) = within("[", "]")?;
    let name = FactName::parse(inner.strip_prefix("if ").unwrap_or(inner))?;
    let is_link = text[length..].starts_with(['(', '[', ':']);
    (!is_link && matches!(catalog::lookup(&name), Lookup::Known(_))).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::holes;

    #[test]
    fn holes_are_found_outside_code() {
        let rows: [(&str, &[&str]); 8] = [
            ("Call it ${PROJECT} or ${env.NAME}.", &["${PROJECT}", "${env.NAME}"]),
            ("On {{ git.branch }}, {% if x %}.", &["{{ git.branch }}", "{% if x %}"]),
            ("See [file:README.md] [if git:branch].", &["[file:README.md]", "[if git:branch]"]),
            ("Code: `${X}` and ``{{ y }} ` z``.", &[]),
            ("```sh\necho ${X}\n```\n    ${Y}\n", &[]),
            ("[link](x.md) [file:x](y) [TODO: fix] [x:y] ${} $HOME {x}", &[]),
            ("{{ }} {{ 1 + 2 }} ${1:-x}", &[]),
            ("a ` tick ${X}", &["${X}"]),
        ];
        for (text, expected) in rows {
            let found: Vec<&str> = holes(text).into_iter().map(|hole| &text[hole]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
