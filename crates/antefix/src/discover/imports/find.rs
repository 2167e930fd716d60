//! Where imports could be: outside code, as CommonMark has it.
//!
//! Fences end where they are closed, or with the quote or the item of a list that they are in. Indented code is code, and so is
//! what is between as many backticks.

use crate::discover::instructions::{ImportAfter, Indented, Keep};

/// How imports are written, where programs differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::discover) struct Spelling {
    /// What may be before the `@`.
    pub(in crate::discover) after: ImportAfter,
    /// Punctuation at the end of the path.
    pub(in crate::discover) punctuation: Keep,
    /// Whether they count in indented code.
    pub(in crate::discover) indented: Indented,
}

impl Default for Spelling {
    fn default() -> Spelling {
        Spelling { after: ImportAfter::Bracket, punctuation: Keep::Remove, indented: Indented::Code }
    }
}

/// Where imports could be: from the `@` to the end of the path.
pub(super) fn find(text: &str, spelling: Spelling) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let lines: Vec<(usize, &str)> = text
        .split_inclusive('\n')
        .scan(0, |start, line| {
            let begins = *start;
            *start += line.len();
            Some((begins, line))
        })
        .collect();
    // A paragraph is scanned as a whole, because a code span may go on in the next line.
    let mut paragraph = 0..0;
    let mut items = Items::default();
    let mut number = 0;
    // Whether an indented line is code: it cannot interrupt a paragraph.
    let mut apart = true;
    while let Some((start, line)) = lines.get(number).copied() {
        let end = start + line.len();
        if line.trim().is_empty() {
            in_paragraph(text, std::mem::replace(&mut paragraph, end..end), spelling, &mut found);
            apart = true;
            number += 1;
            continue;
        }
        let place = items.enter(line);
        if let Some(last) = fence_end(&lines, number, place) {
            in_paragraph(text, paragraph, spelling, &mut found);
            number = last;
            let (start, line) = lines[number];
            paragraph = start + line.len()..start + line.len();
            apart = true;
        } else if apart && place.set_in > 3 && spelling.indented == Indented::Code {
            // Code, line by line.
            paragraph = end..end;
        } else {
            paragraph.end = end;
            apart = false;
        }
        number += 1;
    }
    in_paragraph(text, paragraph, spelling, &mut found);
    found
}

/// The items of lists that a line is in, by the columns in which their texts begin.
#[derive(Default)]
struct Items(Vec<usize>);

/// Where the text of a line is.
#[derive(Clone, Copy)]
struct Position<'l> {
    /// The line behind the marks of lists.
    text: &'l str,
    /// The column in which the innermost item begins.
    item: usize,
    /// How much further in the text begins.
    set_in: usize,
}

impl Items {
    /// Leaves the items that a line does not belong to, and enters those that begin in it.
    fn enter<'l>(&mut self, line: &'l str) -> Position<'l> {
        let mut column = columns_of(line);
        let mut text = line.trim_start_matches([' ', '\t']);
        while self.0.last().is_some_and(|item| column < *item) {
            self.0.pop();
        }
        // A mark that is set in as far as code is none.
        while column < self.inner() + 4
            && let Some((mark, behind)) = item_mark(text)
        {
            let blanks = columns_of(behind);
            // Text that is set in further is code, and begins behind one blank.
            self.0.push(column + mark + if (1..=4).contains(&blanks) { blanks } else { 1 });
            column += mark + blanks;
            text = behind.trim_start_matches([' ', '\t']);
        }
        Position { text, item: self.inner(), set_in: column.saturating_sub(self.inner()) }
    }

    fn inner(&self) -> usize {
        self.0.last().copied().unwrap_or(0)
    }
}

/// How long the mark of a list is with which a text begins, and what follows it.
fn item_mark(text: &str) -> Option<(usize, &str)> {
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = match text.len() - number.len() {
        0 => text.strip_prefix(['-', '*', '+'])?,
        1..=9 => number.strip_prefix(['.', ')'])?,
        _ => return None,
    };
    behind.starts_with([' ', '\t', '\n']).then_some((text.len() - behind.len(), behind))
}

/// The fence that a line is: its character and how often it is repeated.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Fence {
    c: char,
    length: usize,
}

/// What a fence is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Container {
    Quote,
    /// An item whose text begins in this column; in none it is the first.
    Item(usize),
}

impl Container {
    /// Whether a line still belongs to it.
    fn has(self, line: &str) -> bool {
        match self {
            Container::Quote => line.trim_start().starts_with('>'),
            Container::Item(column) => line.trim().is_empty() || columns_of(line) >= column,
        }
    }

    /// Whether a line closes a fence in it: with the same character, at least as often, and nothing behind.
    fn is_closed_by(self, line: &str, open: Fence) -> bool {
        let inner = match self {
            Container::Item(column) if columns_of(line) > column + 3 => return false,
            Container::Item(_) => line.trim_start(),
            Container::Quote => line.trim_start_matches([' ', '\t', '>']),
        };
        matches!(parse_fence(inner), Some((close, "")) if close.c == open.c && close.length >= open.length)
    }
}

/// The number of the last line of the fence that a line opens, if it does: the one that closes it, or the last one of what it
/// is in.
fn fence_end(lines: &[(usize, &str)], number: usize, place: Position<'_>) -> Option<usize> {
    if place.set_in > 3 {
        return None;
    }
    let (container, text) = match place.text.strip_prefix('>') {
        // Whatever is in the quote.
        Some(quoted) => {
            let inside = Items::default().enter(quoted.trim_start_matches([' ', '\t', '>'])).text;
            (Container::Quote, inside)
        }
        None => (Container::Item(place.item), place.text),
    };
    let (open, info) = parse_fence(text)?;
    if open.c == '`' && info.contains('`') {
        return None;
    }
    for (number, (_, line)) in lines.iter().enumerate().skip(number + 1) {
        if !container.has(line) {
            return Some(number - 1);
        }
        if container.is_closed_by(line, open) {
            return Some(number);
        }
    }
    Some(lines.len() - 1)
}

/// How far a line is set in; a tab goes to the next fourth column.
fn columns_of(line: &str) -> usize {
    let mut columns = 0;
    for c in line.chars() {
        match c {
            ' ' => columns += 1,
            '\t' => columns += 4 - columns % 4,
            _ => break,
        }
    }
    columns
}

/// The fence that a line without indentation is, and what follows it.
fn parse_fence(line: &str) -> Option<(Fence, &str)> {
    let c = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = line.trim_start_matches(c);
    let length = line.len() - rest.len();
    (length >= 3).then_some((Fence { c, length }, rest.trim()))
}

/// The imports of a paragraph, outside code spans.
fn in_paragraph(text: &str, paragraph: std::ops::Range<usize>, spelling: Spelling, found: &mut Vec<(usize, usize)>) {
    let whole = &text[paragraph.clone()];
    let run = |at: usize| whole[at..].bytes().take_while(|byte| *byte == b'`').count();
    let mut at = 0;
    while let Some(next) = whole[at..].find(['`', '@']) {
        let here = at + next;
        if whole[here..].starts_with('`') {
            // A span ends at a run of just as many backticks as it began with; without one they are text.
            let length = run(here);
            let mut behind = here + length;
            at = loop {
                let Some(tick) = whole[behind..].find('`') else { break here + length };
                let close = behind + tick;
                behind = close + run(close);
                if behind - close == length {
                    break behind;
                }
            };
            continue;
        }
        at = here + 1;
        let before = whole[..here].chars().next_back();
        let alone = before.is_none_or(|c| c.is_whitespace() || (c == '(' && spelling.after == ImportAfter::Bracket));
        let mut path = whole[at..].split(char::is_whitespace).next().unwrap_or_default();
        if spelling.punctuation == Keep::Remove {
            path = path.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '\'']);
        }
        if alone && !path.is_empty() {
            found.push((paragraph.start + here, paragraph.start + at + path.len()));
            at += path.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(text: &str) -> Vec<&str> {
        find(text, Spelling::default()).into_iter().map(|(start, end)| &text[start..end]).collect()
    }

    #[test]
    fn programs_differ_in_what_is_around_a_path() {
        let text = "See @a.md, (@b.md).\n\n    @c.md\n";
        let strict = Spelling { after: ImportAfter::Space, punctuation: Keep::Keep, indented: Indented::Text };
        let found: Vec<&str> = find(text, strict).into_iter().map(|(start, end)| &text[start..end]).collect();
        assert_eq!(found, ["@a.md,", "@c.md"]);
        assert_eq!(targets(text), ["@a.md", "@b.md"]);
    }

    #[test]
    fn imports_stand_alone_and_outside_code() {
        assert_eq!(targets("See @docs/x.md, and (@./y.md).\n@~/z.md"), ["@docs/x.md", "@./y.md", "@~/z.md"]);
        assert_eq!(targets("mail a@example.org `@docs/x.md` ``a ` @b.md``"), Vec::<&str>::new());
        assert_eq!(targets("```\n@a.md\n```\n@b.md\n~~~\n@c.md\n~~~\n"), ["@b.md"]);
        assert_eq!(targets("one ` tick @a.md"), ["@a.md"]);
        // In quotes and lists, and further in, fences are fences too.
        for fenced in [
            "> ~~~\n> @a.md\n> ~~~\n@b.md",
            "- item\n    ~~~\n    @a.md\n    ~~~\n@b.md",
            "1. n:\n\n     ```sh\n\n     @a.md\n     ```\n@b.md",
            "\t```\n\t@a.md\n\t```\n@b.md",
            "- ```\n  @a.md\n  ```\n@b.md",
        ] {
            assert_eq!(targets(fenced), ["@b.md"], "{fenced}");
        }
        // They end with what they are in.
        for unclosed in ["> ~~~\n> @a.md\n\n@b.md", "- ```\n  @a.md\n@b.md", "> ```\n> x\n\n@b.md\n\n```\n@c.md\n```\n"]
        {
            assert_eq!(targets(unclosed), ["@b.md"], "{unclosed}");
        }
        // An item has what is set in as far as its text, and ends before what is not.
        for (text, expected) in [
            ("- item\n\n  ```\n  open\n\n@a.md\n\n```\n@b.md\n```\n@c.md", &["@a.md", "@c.md"][..]),
            ("- a\n  ```\n  code\n- b @a.md", &["@a.md"]),
            ("1. step\n\n    ```sh\n    run\n   ```\n\n@a.md", &["@a.md"]),
            ("1. step\n\n    ```sh\n    run\n   less @b.md\n    ```\n@a.md", &["@a.md"]),
            ("x\n\n    @b.md\n\n@a.md", &["@a.md"]),
            ("x\n    @a.md", &["@a.md"]),
            ("- x\n\n    @a.md\n", &["@a.md"]),
            ("* @a.md\n  - @b.md\n    1. @c.md\n", &["@a.md", "@b.md", "@c.md"]),
        ] {
            assert_eq!(targets(text), expected, "{text}");
        }
        // What is in something else closes none.
        for open in ["```md\n> ```\n@a.md\n```\n@b.md", "~~~md\n    ~~~\n@a.md\n~~~\n@b.md"] {
            assert_eq!(targets(open), ["@b.md"], "{open}");
        }
        assert_eq!(targets("~~~\n@a.md\n\n@b.md"), Vec::<&str>::new());
    }
}
