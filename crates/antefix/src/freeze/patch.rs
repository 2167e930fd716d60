//! The lines of a text that are others now.
//!
//! A patch is what `diff -U1` prints without the names of files: hunks with their line numbers, a line of context on either side. Whoever
//! has the text before and all patches since, in order, has the text of now, to the byte.

use similar::TextDiff;

/// How many lines a text may have to be compared line by line. What has more is said as a whole: comparing two texts that have
/// nothing in common takes the product of their lines.
const MOST_LINES: usize = 4_000;

/// The lines that differ; none if they are not much shorter than `whole` bytes, or if there are too many lines.
pub(super) fn patch(before: &str, after: &str, whole: usize) -> Option<String> {
    let lines = |text: &str| text.lines().take(MOST_LINES + 1).count();
    if lines(before) > MOST_LINES || lines(after) > MOST_LINES {
        return None;
    }
    let (before, after) = (lined(before), lined(after));
    let patch = TextDiff::from_lines(&before, &after).unified_diff().context_radius(1).to_string();
    let patch = patch.trim_end_matches('\n').to_owned();
    (!patch.is_empty() && 2 * patch.len() <= whole).then_some(patch)
}

/// A section's text as lines, without what joins it to others.
fn lined(text: &str) -> String {
    format!("{}\n", text.trim())
}

#[cfg(test)]
mod tests;
