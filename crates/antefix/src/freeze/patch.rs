//! The lines of a text that are others now.
//!
//! A patch is what `git diff -U0` prints without the names of files: hunks with their line numbers, and behind them the heading that they
//! are under, so that a reader who does not count lines knows the place as well. Lines that stay are not said again. Whoever has the text
//! before and all patches since, in order, has the text of now, to the byte.

use similar::TextDiff;

/// How many lines a text may have to be compared line by line. What has more is said as a whole: comparing two texts that have
/// nothing in common takes the product of their lines.
const MOST_LINES: usize = 4_000;

/// How many bytes of a heading are said.
const HEADING: usize = 80;

/// The lines that differ; none if they are not much shorter than `whole` bytes, or if there are too many lines.
pub(super) fn patch(before: &str, after: &str, whole: usize) -> Option<String> {
    let lines = |text: &str| text.lines().take(MOST_LINES + 1).count();
    if lines(before) > MOST_LINES || lines(after) > MOST_LINES {
        return None;
    }
    let (before, after) = (lined(before), lined(after));
    let diff = TextDiff::from_lines(&before, &after);
    let mut patch = String::new();
    for hunk in diff.unified_diff().context_radius(0).iter_hunks() {
        let hunk_text = hunk.to_string();
        let (numbers, lines) = hunk_text.split_once('\n').unwrap_or((&hunk_text, ""));
        patch.push_str(numbers);
        let from = hunk.ops().first().map_or(0, |op| op.old_range().start);
        if let Some(heading) = heading(&before, from) {
            patch.push(' ');
            patch.push_str(heading);
        }
        patch.push('\n');
        patch.push_str(lines);
    }
    let patch = patch.trim_end_matches('\n').to_owned();
    (!patch.is_empty() && 2 * patch.len() <= whole).then_some(patch)
}

/// The heading that a line is under, in Markdown.
fn heading(text: &str, line: usize) -> Option<&str> {
    let is_heading = |line: &&str| line.trim_start_matches('#').starts_with(' ') && line.starts_with('#');
    let heading = text.lines().take(line).filter(is_heading).last()?.trim_end();
    Some(&heading[..heading.floor_char_boundary(HEADING)])
}

/// A section's text as lines, without what joins it to others.
fn lined(text: &str) -> String {
    format!("{}\n", text.trim())
}

#[cfg(test)]
mod tests;
