//! Tables that fit the terminal.
//!
//! 1. A column is as wide as its widest cell, as long as all fit. Otherwise the widest columns become narrower, and their
//!    cells go on in the next line, between words. Numbers are never wrapped.
//! 2. A word is not broken. A path is, behind a slash, if it does not fit otherwise.
//! 3. If there is hardly room for the last column, it goes below its row, with an indent.

use anstyle::Style;
use unicode_width::UnicodeWidthStr;

use crate::terminal::{FAINT, HEADING, visible, width};

/// Before the first column.
const INDENT: usize = 2;
/// Between two columns.
const GAP: usize = 2;
/// The narrowest last column that stays beside the others.
const BESIDE: usize = 30;
/// Before a last column that goes below.
const BELOW: usize = 6;

/// A table, all of whose rows are known.
pub(crate) struct Table {
    columns: Columns,
    rows: Vec<Row>,
}

enum Row {
    Cells(Vec<String>),
    Rule(String),
}

impl Table {
    /// Columns whose heading begins with `#` are numbers, and are aligned to the right.
    pub(crate) fn new(headings: &[impl AsRef<str>]) -> Table {
        Table { columns: Columns::new(headings), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().collect();
        self.columns.measure(cells.clone());
        self.rows.push(Row::Cells(cells));
    }

    /// A line across the table.
    pub(crate) fn rule(&mut self, text: &str) {
        self.rows.push(Row::Rule(text.to_owned()));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn print(&self) -> String {
        self.print_in(width())
    }

    fn print_in(&self, room: Option<usize>) -> String {
        let columns = self.columns.clone().fit(room);
        let mut text = columns.heading();
        for row in &self.rows {
            match row {
                Row::Cells(cells) => text.push_str(&columns.line(cells.clone())),
                Row::Rule(rule) => {
                    let line = columns.total().saturating_sub(INDENT + 4 + rule.width()).clamp(4, 48);
                    text.push_str(&format!("  {FAINT}── {rule} {}{FAINT:#}\n", "─".repeat(line)));
                }
            }
        }
        text
    }
}

/// The columns of a table whose rows are measured first and printed later.
#[derive(Clone)]
pub(crate) struct Columns {
    headings: Vec<String>,
    widths: Vec<usize>,
    /// The widest part of each column that cannot be wrapped.
    least: Vec<usize>,
    below: Option<usize>,
}

impl Columns {
    pub(crate) fn new(headings: &[impl AsRef<str>]) -> Columns {
        let headings: Vec<String> = headings.iter().map(|heading| heading.as_ref().to_owned()).collect();
        let widths: Vec<usize> = headings.iter().map(|heading| heading.trim_start_matches('#').width()).collect();
        Columns { headings, least: widths.clone(), widths, below: None }
    }

    /// Makes room for a row.
    pub(crate) fn measure(&mut self, cells: Vec<String>) {
        for (number, cell) in cells.iter().enumerate().take(self.widths.len()) {
            let cell = visible(cell);
            let least = if self.is_number(number) {
                cell.width()
            } else {
                parts(&cell).map(UnicodeWidthStr::width).max().unwrap_or(0)
            };
            self.widths[number] = self.widths[number].max(cell.width());
            self.least[number] = self.least[number].max(least);
        }
    }

    /// The same columns, in so much room.
    pub(crate) fn fit(mut self, room: Option<usize>) -> Columns {
        let Some(room) = room.filter(|room| self.total() > *room) else { return self };
        let natural = self.widths.clone();
        self.shrink(room);
        let last = self.widths.len() - 1;
        if last > 0 && natural[last] >= BESIDE && self.widths[last] < BESIDE && !self.is_number(last) {
            self.widths = natural;
            self.widths[last] = 0;
            self.below = Some(room.saturating_sub(BELOW).max(BESIDE));
            self.shrink(room);
        }
        self
    }

    /// Narrows the widest column, again and again.
    fn shrink(&mut self, room: usize) {
        while self.total() > room {
            let wide = (0..self.widths.len()).filter(|number| self.widths[*number] > self.least[*number]);
            let Some(widest) = wide.max_by_key(|number| self.widths[*number]) else { return };
            self.widths[widest] -= 1;
        }
    }

    fn total(&self) -> usize {
        let beside = self.widths.len() - usize::from(self.below.is_some());
        INDENT + self.widths[..beside].iter().sum::<usize>() + GAP * (beside.max(1) - 1)
    }

    fn is_number(&self, number: usize) -> bool {
        self.headings.get(number).is_some_and(|heading| heading.starts_with('#'))
    }

    pub(crate) fn heading(&self) -> String {
        let heading = |heading: &String| heading.trim_start_matches('#').to_owned();
        let mut headings: Vec<String> = self.headings.iter().map(heading).collect();
        // What goes below its row explains itself.
        if let Some(last) = headings.last_mut().filter(|_| self.below.is_some()) {
            last.clear();
        }
        self.styled(headings, HEADING)
    }

    /// A row that was measured.
    pub(crate) fn line(&self, cells: Vec<String>) -> String {
        self.styled(cells, Style::new())
    }

    fn styled(&self, mut cells: Vec<String>, style: Style) -> String {
        let below = self.below.and_then(|room| Some((cells.pop()?, room)));
        let wrapped: Vec<Vec<String>> =
            cells.iter().zip(&self.widths).map(|(cell, width)| wrap(&visible(cell), *width)).collect();
        let lines = wrapped.iter().map(Vec::len).max().unwrap_or(1);
        let mut text = String::new();
        for line in 0..lines {
            let mut row = String::from("  ");
            for (number, (cell, width)) in wrapped.iter().zip(&self.widths).enumerate() {
                let cell = cell.get(line).map_or("", String::as_str);
                let padding = " ".repeat(width.saturating_sub(cell.width()));
                let (before, after) =
                    if self.is_number(number) { (padding.as_str(), "") } else { ("", padding.as_str()) };
                let gap = if number == 0 { "" } else { "  " };
                row.push_str(&match cell.is_empty() {
                    true => format!("{gap}{before}{after}"),
                    false => format!("{gap}{before}{style}{cell}{style:#}{after}"),
                });
            }
            text.push_str(row.trim_end());
            text.push('\n');
        }
        if let Some((cell, room)) = below {
            for line in wrap(&visible(&cell), room).iter().filter(|line| !line.is_empty()) {
                text.push_str(&format!("{}{style}{line}{style:#}\n", " ".repeat(BELOW)));
            }
        }
        text
    }
}

/// A text in lines of at most so many columns, broken at spaces, else behind slashes. A part that is wider has a line for itself.
pub(crate) fn wrap(text: &str, room: usize) -> Vec<String> {
    if text.width() <= room {
        return vec![text.to_owned()];
    }
    let mut lines = vec![String::new()];
    for word in text.split_inclusive(' ') {
        for part in if word.trim_end().width() > room { parts(word).collect() } else { vec![word] } {
            let last = lines.last().map_or(0, |line| line.width());
            if last > 0 && last + part.trim_end().width() > room {
                lines.push(String::new());
            }
            if let Some(line) = lines.last_mut() {
                line.push_str(part);
            }
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

/// What cannot be wrapped: words, and what is between the slashes of a path.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(' ').flat_map(|word| word.split_inclusive('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn lines_end_between_words_and_a_path_behind_a_slash() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("one two three", 13), ["one two three"]);
        assert_eq!(wrap("in packages/deep/AGENTS.md now", 15), ["in packages/", "deep/AGENTS.md", "now"]);
        assert_eq!(wrap("unbreakable", 4), ["unbreakable"]);
        assert_eq!(wrap("漢字 漢字", 5), ["漢字", "漢字"]);
    }

    #[test]
    fn a_table_takes_the_room_that_there_is() {
        let mut table = Table::new(&["file", "#bytes", "why"]);
        table.row([
            "a/AGENTS.md".into(),
            "1,234".into(),
            "it waits for a path that is like one of its own patterns".into(),
        ]);
        table.rule("half");
        table.row(["b.md".into(), "7".into(), "short".into()]);
        let wide = "  file         bytes  why\n  a/AGENTS.md  1,234  it waits for a path that is like one of its own patterns\n  \
                    ── half ────────────────────────────────────────────────\n  b.md             7  short\n";
        assert_eq!(plain(&table.print_in(None)), wide);
        assert_eq!(plain(&table.print_in(Some(78))), wide);
        let narrow = "  file         bytes  why\n  a/AGENTS.md  1,234  it waits for a path that is like one\n                      of its own \
                      patterns\n  ── half ────────────────────────────────────────────────\n  b.md             7  short\n";
        assert_eq!(plain(&table.print_in(Some(60))).lines().nth(1), narrow.lines().nth(1));
        assert_eq!(plain(&table.print_in(Some(60))).lines().nth(2), narrow.lines().nth(2));
        // With less than thirty columns for it, the last column goes below.
        let below = "  file         bytes\n  a/AGENTS.md  1,234\n      it waits for a path that is like one\n      \
                     of its own patterns\n";
        assert!(plain(&table.print_in(Some(42))).starts_with(below), "{}", plain(&table.print_in(Some(42))));
    }
}
