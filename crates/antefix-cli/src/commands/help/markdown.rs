//! Markdown for a terminal: as much of it as the pages of the book use.
//!
//! 1. Headings, paragraphs, lists and tables are wrapped; a block of code is as it was written.
//! 2. A table that does not fit is a list of records: the first cell is a heading, the others follow with their columns' names.
//! 3. `<br>` in a cell ends a line. A link is its text. Pictures and comments are left out.

use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

use crate::table::wrap;
use crate::terminal::{FAINT, HEADING, STRONG};

const CODE: Style = AnsiColor::Cyan.on_default();
/// Before everything but headings.
const INDENT: &str = "  ";

/// What ends a line inside of a cell.
const BREAK: &str = "<br>";

/// The page for a terminal of so many columns.
pub(super) fn rendered(markdown: &str, width: usize) -> String {
    let mut blocks = Blocks { text: String::new(), width: width.max(40) };
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim_start();
        if let Some(fence) = trimmed.strip_prefix("```") {
            let _language = fence;
            let code: Vec<&str> = lines.by_ref().take_while(|line| !line.trim_start().starts_with("```")).collect();
            blocks.code(&code);
        } else if trimmed.starts_with("<!--") {
            if !line.contains("-->") {
                lines.by_ref().find(|line| line.contains("-->"));
            }
        } else if trimmed.is_empty() || trimmed.starts_with("![") {
        } else if line.starts_with("    ") {
            let mut code = vec![line.trim_start_matches("    ")];
            while let Some(next) = lines.next_if(|line| line.starts_with("    ")) {
                code.push(next.strip_prefix("    ").unwrap_or(next));
            }
            blocks.code(&code);
        } else if let Some(heading) = trimmed.strip_prefix('#') {
            blocks.heading(heading.trim_start_matches('#').trim());
        } else if trimmed.starts_with('|') {
            let mut rows = vec![line];
            while let Some(next) = lines.next_if(|line| line.trim_start().starts_with('|')) {
                rows.push(next);
            }
            blocks.table(&rows);
        } else {
            let mut paragraph = line.trim().to_owned();
            while let Some(next) = lines.next_if(|line| goes_on(line)) {
                paragraph.push(' ');
                paragraph.push_str(next.trim());
            }
            blocks.paragraph(&paragraph, line.len() - trimmed.len());
        }
    }
    blocks.text
}

/// Whether a line goes on with a paragraph or an item.
fn goes_on(line: &str) -> bool {
    let line = line.trim_start();
    let begins = ["#", "|", "```", "<!--", "![", "- ", "* "].iter().any(|begin| line.starts_with(begin));
    !line.is_empty() && !begins && marker(line).is_none()
}

/// What an item of a list begins with.
fn marker(line: &str) -> Option<&str> {
    if line.starts_with("- ") || line.starts_with("* ") {
        return line.get(..2);
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && line[digits..].starts_with(". ")).then(|| &line[..digits + 2])
}

struct Blocks {
    text: String,
    width: usize,
}

impl Blocks {
    fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    fn heading(&mut self, words: &str) {
        self.gap();
        self.text.push_str(&format!("{HEADING}{}{HEADING:#}\n\n", plain(words)));
    }

    fn code(&mut self, lines: &[&str]) {
        self.gap();
        for line in lines {
            self.text.push_str(&format!("{INDENT}{INDENT}{CODE}{line}{CODE:#}\n"));
        }
        self.text.push('\n');
    }

    fn paragraph(&mut self, words: &str, indent: usize) {
        let (mark, rest) = match marker(words) {
            Some(mark) if mark.starts_with(['-', '*']) => ("• ", &words[mark.len()..]),
            Some(mark) => (mark, &words[mark.len()..]),
            None => ("", words),
        };
        // Items of one list follow one another without a gap.
        if !mark.is_empty() && self.text.ends_with("\n\n") && self.is_behind_item(mark) {
            self.text.pop();
        } else {
            self.gap();
        }
        let before = format!("{INDENT}{}", " ".repeat(indent));
        let hanging = " ".repeat(mark.chars().count());
        let room = self.width.saturating_sub(before.len() + hanging.len()).max(20);
        for (number, line) in wrapped(rest, room).into_iter().enumerate() {
            let mark = if number == 0 { mark } else { &hanging };
            self.text.push_str(&format!("{before}{mark}{line}\n"));
        }
        self.text.push('\n');
    }

    /// Whether the last block is an item of a list of the same kind.
    fn is_behind_item(&self, mark: &str) -> bool {
        let is_bullet = mark.starts_with('•');
        let last = self.text.trim_end().rsplit("\n\n").next().unwrap_or_default();
        last.lines().any(|line| {
            let line = line.trim_start();
            if is_bullet { line.starts_with('•') } else { marker(line).is_some() }
        })
    }

    fn table(&mut self, rows: &[&str]) {
        self.gap();
        let rows: Vec<Vec<String>> = rows.iter().map(|row| cells(row)).collect();
        let Some((headings, rows)) = rows.split_first() else { return };
        let rows: Vec<&Vec<String>> = rows.iter().filter(|row| !row.iter().all(|cell| is_rule(cell))).collect();
        let columns = headings.len();
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                let cell = |row: &Vec<String>| row.get(column).map_or(0, |cell| plain(cell).width());
                rows.iter().map(|row| cell(row)).chain([plain(&headings[column]).width()]).max().unwrap_or(0)
            })
            .collect();
        let narrow: usize = widths[..columns - 1].iter().sum::<usize>() + 2 * columns;
        // The last column may go on in the next line, if there is room for a few words.
        let is_broken =
            rows.iter().any(|row| row[..row.len().min(columns - 1)].iter().any(|cell| cell.contains(BREAK)));
        if columns <= 3 && !is_broken && narrow + 30.min(widths[columns - 1]) <= self.width {
            let room = self.width - narrow;
            for row in std::iter::once(headings)
                .chain(rows.iter().copied())
                .filter(|row| row.iter().any(|cell| !cell.is_empty()))
            {
                self.row(row, &widths, room, std::ptr::eq(row, headings));
            }
        } else {
            for row in rows {
                self.record(headings, row);
            }
        }
        self.text.push('\n');
    }

    fn row(&mut self, row: &[String], widths: &[usize], room: usize, is_heading: bool) {
        let (last, before) = match row.split_last() {
            Some((last, before)) => (last, before),
            None => return,
        };
        let mut line = INDENT.to_owned();
        for (cell, width) in before.iter().zip(widths) {
            let fill = " ".repeat(width.saturating_sub(plain(cell).width()) + 2);
            let cell = if is_heading { format!("{FAINT}{}{FAINT:#}", plain(cell)) } else { styled(cell) };
            line.push_str(&format!("{cell}{fill}"));
        }
        let indent = INDENT.len() + widths[..before.len()].iter().map(|width| width + 2).sum::<usize>();
        let lines = match is_heading {
            true => vec![format!("{FAINT}{}{FAINT:#}", plain(last))],
            false => wrapped(last, room),
        };
        line.push_str(&lines.join(&format!("\n{}", " ".repeat(indent))));
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn record(&mut self, headings: &[String], row: &[String]) {
        let Some((first, rest)) = row.split_first() else { return };
        self.text.push_str(&format!("{INDENT}{STRONG}{}{STRONG:#}\n", styled(first)));
        let widest = headings.iter().skip(1).map(|heading| plain(heading).width()).max().unwrap_or(0);
        for (heading, cell) in headings.iter().skip(1).zip(rest).filter(|(_, cell)| !cell.is_empty()) {
            let heading = plain(heading);
            let fill = " ".repeat(widest - heading.width() + 2);
            let room = self.width.saturating_sub(6 + widest).max(20);
            let indent = " ".repeat(6 + widest);
            let words = wrapped(cell, room).join(&format!("\n{indent}"));
            self.text.push_str(&format!("{INDENT}{INDENT}{FAINT}{heading}{FAINT:#}{fill}{words}\n"));
        }
    }
}

fn is_rule(cell: &str) -> bool {
    cell.chars().all(|c| matches!(c, '-' | ':' | ' '))
}

/// The cells of a row. A bar in code is written `\|`.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim().trim_start_matches('|');
    let row = row.strip_suffix('|').unwrap_or(row);
    row.replace("\\|", "\u{0}").split('|').map(|cell| cell.trim().replace('\u{0}', "|")).collect()
}

/// Lines with styles; words are measured without the marks.
fn wrapped(words: &str, room: usize) -> Vec<String> {
    // Styles go on over the end of a line, so that each line is styled by itself.
    let mut open = Marks::default();
    let words = without_links(words);
    let parts = words.split(BREAK).flat_map(|part| wrap(part, room + marks(part)));
    parts.map(|line| open.styled(&line)).collect()
}

/// Marks take no room on the terminal; a few columns of a line are given to them.
fn marks(words: &str) -> usize {
    let count = words.matches('`').count() + words.matches("**").count() * 2;
    let lines = words.len() / 80 + 1;
    (count / lines).min(12)
}

fn styled(words: &str) -> String {
    Marks::default().styled(&without_links(words))
}

/// What is open at the end of a line.
#[derive(Default)]
struct Marks {
    is_code: bool,
    is_strong: bool,
}

impl Marks {
    fn styled(&mut self, line: &str) -> String {
        let mut text = String::new();
        if self.is_strong {
            text.push_str(&STRONG.to_string());
        }
        if self.is_code {
            text.push_str(&CODE.to_string());
        }
        let mut rest = line;
        while let Some(at) = rest.find(['`', '*']) {
            text.push_str(&rest[..at]);
            let (mark, behind) = (&rest[at..], &rest[at + 1..]);
            rest = behind;
            if mark.starts_with('`') {
                text.push_str(&if self.is_code { format!("{CODE:#}") } else { CODE.to_string() });
                self.is_code = !self.is_code;
            } else if mark.starts_with("**") && !self.is_code {
                text.push_str(&if self.is_strong { format!("{STRONG:#}") } else { STRONG.to_string() });
                self.is_strong = !self.is_strong;
                rest = &behind[1..];
            } else if self.is_code {
                text.push('*');
            }
        }
        text.push_str(rest);
        if self.is_code || self.is_strong {
            text.push_str("\u{1b}[0m");
        }
        text
    }
}

/// The words alone.
fn plain(words: &str) -> String {
    without_links(words).replace("**", "").replace('`', "").replace(BREAK, " ")
}

/// `[text](address)` is its text.
fn without_links(words: &str) -> String {
    let mut text = String::new();
    let mut rest = words;
    while let Some(middle) = rest.find("](") {
        let Some(start) = rest[..middle].rfind('[') else {
            text.push_str(&rest[..middle + 2]);
            rest = &rest[middle + 2..];
            continue;
        };
        let Some(end) = rest[middle..].find(')') else { break };
        text.push_str(&rest[..start]);
        text.push_str(&rest[start + 1..middle]);
        rest = &rest[middle + end + 1..];
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::rendered;

    fn words(markdown: &str, width: usize) -> String {
        anstream::adapter::strip_str(&rendered(markdown, width)).to_string()
    }

    #[test]
    fn headings_paragraphs_lists_and_code_become_plain_text() {
        let page = "# A `page`\n\n<!-- not\nthis -->\nSome **strong** words\nand [a link](x.md#y).\n\n- one\n- two\n  goes on\n\n1. first\n\n```toml\nkey = 1  # as it is\n```\n\n![picture](x.svg)\n";
        let expected = "\
A page

  Some strong words and a link.

  • one
  • two goes on

  1. first

    key = 1  # as it is

";
        assert_eq!(words(page, 60), expected);
    }

    #[test]
    fn a_table_that_fits_has_columns_and_one_that_does_not_is_a_list_of_records() {
        let table = "| key | says |\n|---|---|\n| `a` | one \\| two |\n";
        assert_eq!(words(table, 60), "  key  says\n  a    one | two\n\n");
        let broken = "| key | type | says |\n|---|---|---|\n| `a` | text<br>default: x | words<br>`a = 1` |\n";
        let expected = "  a\n    type  text\n          default: x\n    says  words\n          a = 1\n\n";
        assert_eq!(words(broken, 60), expected);
        let wide = "| key | type | default | says |\n|---|---|---|---|\n| `a` | text | | first words |\n| `b` | n | 1 | more |\n";
        let expected = "  a\n    type     text\n    says     first words\n  b\n    type     n\n    default  1\n    says     more\n\n";
        assert_eq!(words(wide, 60), expected);
    }
}
