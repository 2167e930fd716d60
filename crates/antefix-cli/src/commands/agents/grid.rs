//! Files by agents, on one screen: agents that make the same of all files share a column, and many files of one kind share a row.

use antefix::agents::{AgentView, FileState, How};
use antefix::document::{CountedTexts, Counting, given_to_any};

use crate::table::{Table, wrap};
use crate::terminal::{self, FAINT, HEADING, number, visible};

/// How much of it is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// What fits a screen.
    Screen,
    /// Every file in a row of its own.
    All,
}

/// So many rows are printed of what fits a screen.
const ROWS: usize = 24;
/// So many files of one kind share a row.
const ALIKE: usize = 3;
/// Fewer columns than this are little for files.
const CLOSE: usize = 36;
/// The width in a pipe, whose reader may have any.
const PIPE: usize = 100;

/// A row: a file, or many of one kind, and what each agent makes of it.
pub(super) struct Row<C> {
    pub(super) label: String,
    /// How many files it stands for.
    pub(super) files: usize,
    pub(super) cells: Vec<C>,
}

/// A column: the agents that make the same of all files, and are given as much.
struct Column<'v> {
    views: Vec<&'v AgentView>,
    cells: Vec<char>,
}

/// The grid, and what each column is given.
pub(super) fn print(views: &[AgentView], counting: Counting, extent: Extent) -> String {
    let width = terminal::width().unwrap_or(PIPE);
    let files = files(views);
    if files.is_empty() {
        return "no agent reads a file here, and nothing looks like instructions\n".to_owned();
    }
    let columns = columns(views, &files);
    let rows = rows(&files, extent, |number| columns.iter().map(|column| column.cells[number]).collect());
    let shown = if extent == Extent::All { rows.len() } else { rows.len().min(ROWS) };
    // One that only says that there is one more takes as much room as that one.
    let shown = if rows.len() == shown + 1 { rows.len() } else { shown };
    // Where many columns would leave little for the files, they are closer together.
    let close = columns.len() <= 26 && width.saturating_sub(4 + 3 * columns.len()) < CLOSE;
    let step = if close { 2 } else { 3 };
    let room = width.saturating_sub(3 + step * columns.len()).max(20);
    let label = rows[..shown].iter().map(|row| visible(&row.label).chars().count()).max().unwrap_or(0).min(room);
    let mut text = format!("  {HEADING}{:<label$}{HEADING:#}", "file");
    for number in 0..columns.len() {
        text.push_str(&format!("{HEADING}{:>step$}{HEADING:#}", letter(number)));
    }
    text.push('\n');
    for row in &rows[..shown] {
        text.push_str(&format!("  {:<label$}", shortened(&visible(&row.label), label)));
        row.cells.iter().for_each(|cell| text.push_str(&format!("{cell:>step$}")));
        text.push('\n');
    }
    let left: usize = rows[shown..].iter().map(|row| row.files).sum();
    if left > 0 {
        let s = if left == 1 { "" } else { "s" };
        text.push_str(&format!("  {FAINT}and {} more file{s}: --all lists them{FAINT:#}\n", number(left)));
    }
    text.push_str(&legend(&columns, width));
    text.push_str(&format!("\n{}", given(&columns, views, counting).print()));
    text
}

/// What each column is given, and how much all files have together.
fn given<'v>(columns: &[Column<'v>], views: &'v [AgentView], counting: Counting) -> Table {
    let mut counts = CountedTexts::default();
    let mut table = Table::new(&["", "agents", "#files", "#bytes", "#tokens"]);
    for (number_of, column) in columns.iter().enumerate() {
        let Some(first) = column.views.first() else { continue };
        let names: Vec<String> = column.views.iter().map(|view| name(view)).collect();
        let bytes: usize = first.texts.iter().map(|(_, text)| text.len()).sum();
        let tokens = counts.of(first, counting);
        table.row([
            letter(number_of),
            names.join(", "),
            number(first.texts.len()),
            number(bytes),
            tokens.map(number).unwrap_or_default(),
        ]);
    }
    let all = given_to_any(views, counting, &mut counts);
    let tokens = all.tokens.map(number).unwrap_or_default();
    table.rule("each file once");
    table.row([String::new(), "all of them".to_owned(), number(all.files), number(all.bytes), tokens]);
    table
}

/// An agent; one whose files nobody has seen in a request has a mark.
fn name(view: &AgentView) -> String {
    let doubt = if view.agent.file.known.instructions == How::Run { "" } else { "~" };
    format!("{}{doubt}", view.agent.name)
}

fn columns<'v>(views: &'v [AgentView], files: &[&str]) -> Vec<Column<'v>> {
    let mut columns: Vec<Column<'v>> = Vec::new();
    let size = |view: &AgentView| -> usize { view.texts.iter().map(|(_, text)| text.len()).sum() };
    for view in views {
        let cells: Vec<char> = files.iter().map(|path| cell(view, path)).collect();
        let is_same = |column: &&mut Column<'v>| column.cells == cells && size(column.views[0]) == size(view);
        match columns.iter_mut().find(is_same) {
            Some(column) => column.views.push(view),
            None => columns.push(Column { views: vec![view], cells }),
        }
    }
    // Those whom nothing here is for come last.
    columns.sort_by_key(|column| column.cells.iter().all(|cell| *cell == IGNORED));
    columns
}

/// The rows of a table of files: those of one kind that all agents make the same of share one.
pub(super) fn rows<C: Clone + PartialEq>(
    files: &[&str],
    extent: Extent,
    cells: impl Fn(usize) -> Vec<C>,
) -> Vec<Row<C>> {
    let mut groups: Vec<(String, Vec<C>, Vec<&str>)> = Vec::new();
    for (number, path) in files.iter().enumerate() {
        let (kind, cells) = (kind(path), cells(number));
        match groups.iter_mut().find(|(known, same, _)| *known == kind && *same == cells) {
            Some((.., paths)) => paths.push(path),
            None => groups.push((kind, cells, vec![path])),
        }
    }
    let mut rows = Vec::new();
    for (kind, cells, paths) in groups {
        if extent == Extent::All || paths.len() < ALIKE {
            let each = |path: &&str| Row { label: (*path).to_owned(), files: 1, cells: cells.clone() };
            rows.extend(paths.iter().map(each));
        } else {
            rows.push(Row { label: format!("{kind} ×{}", paths.len()), files: paths.len(), cells });
        }
    }
    rows
}

/// What files of one kind are called together: rules of one directory, and files of one name in other directories.
fn kind(path: &str) -> String {
    let Some((directory, name)) = path.rsplit_once('/') else { return path.to_owned() };
    let is_hidden = directory.split('/').any(|part| part.starts_with('.'));
    match (is_hidden, name.split_once('.'), directory.split_once('/')) {
        (true, Some((_, ending)), _) => format!("{directory}/*.{ending}"),
        (true, None, _) => format!("{directory}/*"),
        (false, _, Some((top, _))) => format!("{top}/*/{name}"),
        (false, _, None) => format!("*/{name}"),
    }
}

const IGNORED: char = '·';

const LEGEND: [(char, &str); 9] = [
    ('●', "● loaded"),
    ('✂', "✂ cut"),
    ('▸', "▸ imported"),
    ('◐', "◐ waits for a path, a person or the model"),
    ('○', "○ another file comes first"),
    ('=', "= the same as another"),
    ('✗', "✗ left out, or unusable"),
    ('∅', "∅ empty"),
    (IGNORED, "· not read"),
];

fn legend(columns: &[Column<'_>], width: usize) -> String {
    let is_used = |sign: char| columns.iter().any(|column| column.cells.contains(&sign));
    let used = LEGEND.iter().filter(|(sign, _)| is_used(*sign)).map(|(_, words)| (*words).to_owned());
    let unseen = |view: &&AgentView| view.agent.file.known.instructions != How::Run;
    let unseen = columns.iter().flat_map(|column| &column.views).any(unseen);
    let mut words: Vec<String> = used.collect();
    words.extend(unseen.then(|| "~ from code or documents, not from a run".to_owned()));
    let lines = wrap(&words.join(", "), width.saturating_sub(2));
    let lines: Vec<String> = lines.iter().map(|line| format!("  {FAINT}{line}{FAINT:#}\n")).collect();
    format!("\n{}", lines.concat())
}

fn cell(view: &AgentView, path: &str) -> char {
    let Some(file) = view.files.iter().find(|file| file.path == path) else { return IGNORED };
    match file.state {
        FileState::Loaded | FileState::Linked => '●',
        FileState::Cut => '✂',
        FileState::Imported => '▸',
        FileState::Waits { .. } => '◐',
        FileState::Shadowed { .. } => '○',
        FileState::Duplicate { .. } => '=',
        FileState::Dropped | FileState::Unusable { .. } => '✗',
        FileState::Empty => '∅',
        FileState::Ignored => IGNORED,
    }
}

/// The files, those that most agents are given first.
pub(super) fn files(views: &[AgentView]) -> Vec<&str> {
    let mut files: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for file in views.iter().flat_map(|view| &view.files) {
        *files.entry(&file.path).or_default() += usize::from(file.state.is_given());
    }
    let mut files: Vec<(&str, usize)> = files.into_iter().collect();
    files.sort_by_key(|(path, count)| (std::cmp::Reverse(*count), *path));
    files.into_iter().map(|(path, _)| path).collect()
}

/// `A` to `Z`, then two letters.
fn letter(number: usize) -> String {
    let one = |number: usize| char::from(b'A' + u8::try_from(number % 26).unwrap_or(0));
    match number / 26 {
        0 => one(number).to_string(),
        more => format!("{}{}", one(more - 1), one(number)),
    }
}

/// A path that fits: its end says more than its beginning.
fn shortened(path: &str, width: usize) -> String {
    let count = path.chars().count();
    if count <= width {
        return path.to_owned();
    }
    let end: String = path.chars().skip(count + 1 - width).collect();
    format!("…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_path_keeps_its_end() {
        assert_eq!(shortened("packages/one/AGENTS.md", 12), "…e/AGENTS.md");
        assert_eq!(shortened("AGENTS.md", 12), "AGENTS.md");
        assert_eq!((letter(0), letter(25), letter(26)), ("A".to_owned(), "Z".to_owned(), "AA".to_owned()));
    }

    #[test]
    fn files_of_one_kind_have_one_name_together() {
        for (path, expected) in [
            ("AGENTS.md", "AGENTS.md"),
            ("sub/AGENTS.md", "*/AGENTS.md"),
            ("services/a/b/AGENTS.md", "services/*/AGENTS.md"),
            (".cursor/rules/one.mdc", ".cursor/rules/*.mdc"),
            (".github/instructions/a.instructions.md", ".github/instructions/*.instructions.md"),
        ] {
            assert_eq!(kind(path), expected);
        }
    }
}
