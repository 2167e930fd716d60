//! Files by agents, on one screen: agents that make the same of all files share a column.

use antefix::agents::{AgentView, FileState};

use crate::terminal::{FAINT, HEADING, visible};

/// A column: the agents that make the same of all files.
struct Column<'v> {
    agents: Vec<&'v str>,
    cells: Vec<char>,
}

/// How many files are listed one by one.
const FILES: usize = 40;

/// The grid, no wider than `width` columns.
pub(super) fn print(views: &[AgentView], width: usize) -> String {
    let files = files(views);
    if files.is_empty() {
        return "no agent reads a file here, and nothing looks like instructions\n".to_owned();
    }
    let mut columns: Vec<Column<'_>> = Vec::new();
    for view in views {
        let cells: Vec<char> = files.iter().map(|path| cell(view, path)).collect();
        match columns.iter_mut().find(|column| column.cells == cells) {
            Some(column) => column.agents.push(&view.agent.name),
            None => columns.push(Column { agents: vec![&view.agent.name], cells }),
        }
    }
    // Those whom nothing here is for come last.
    columns.sort_by_key(|column| column.cells.iter().all(|cell| *cell == IGNORED));
    let room = width.saturating_sub(4 + 3 * columns.len()).max(20);
    let label = files.iter().map(|path| visible(path).chars().count()).max().unwrap_or(0).min(room);
    let mut text = format!("  {HEADING}{:<label$}{HEADING:#}", "file");
    for number in 0..columns.len() {
        text.push_str(&format!("{HEADING}{:>3}{HEADING:#}", letter(number)));
    }
    text.push('\n');
    for (number, path) in files.iter().enumerate() {
        text.push_str(&format!("  {:<label$}", shortened(&visible(path), label)));
        columns.iter().for_each(|column| text.push_str(&format!("  {}", column.cells[number])));
        text.push('\n');
    }
    text.push('\n');
    for (number, column) in columns.iter().enumerate() {
        let names = column.agents.join(", ");
        text.push_str(&wrapped(&format!("  {HEADING}{:>2}{HEADING:#} ", letter(number)), &names, width));
    }
    let used: Vec<&str> = LEGEND
        .iter()
        .filter(|(sign, _)| columns.iter().any(|column| column.cells.contains(sign)))
        .map(|(_, words)| *words)
        .collect();
    text.push_str(&format!("\n{}", faint(&wrapped("  ", &used.join(", "), width))));
    text
}

/// The width of the terminal; 100 in a pipe.
pub(super) fn width() -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse::<usize>().ok());
    said.or_else(of_terminal).unwrap_or(100).clamp(40, 400)
}

fn of_terminal() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
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
fn files(views: &[AgentView]) -> Vec<&str> {
    let mut files: Vec<(&str, usize)> = Vec::new();
    for file in views.iter().flat_map(|view| &view.files) {
        let given = usize::from(file.state.is_given());
        match files.iter_mut().find(|(path, _)| *path == file.path) {
            Some((_, count)) => *count += given,
            None => files.push((&file.path, given)),
        }
    }
    files.sort_by_key(|(path, count)| (std::cmp::Reverse(*count), *path));
    files.into_iter().map(|(path, _)| path).take(FILES).collect()
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

/// Words in lines that fit, each set in as far as the first.
fn wrapped(before: &str, words: &str, width: usize) -> String {
    let set_in = 5;
    let mut lines = vec![String::new()];
    for word in words.split(' ') {
        let line = lines.last_mut().map_or(0, |line| line.chars().count());
        if line > 0 && set_in + line + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    let rest = format!("\n{}", " ".repeat(set_in));
    format!("{before}{}\n", lines.join(&rest))
}

fn faint(text: &str) -> String {
    format!("{FAINT}{text}{FAINT:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_not_broken_and_lines_fit() {
        let names = ["claude-code", "codex", "gemini-cli", "qwen-code", "opencode", "copilot-cli"].join(", ");
        assert_eq!(
            wrapped("   A ", &names, 40),
            "   A claude-code, codex, gemini-cli,\n     qwen-code, opencode, copilot-cli\n"
        );
    }

    #[test]
    fn a_long_path_keeps_its_end() {
        assert_eq!(shortened("packages/one/AGENTS.md", 12), "…e/AGENTS.md");
        assert_eq!(shortened("AGENTS.md", 12), "AGENTS.md");
        assert_eq!((letter(0), letter(25), letter(26)), ("A".to_owned(), "Z".to_owned(), "AA".to_owned()));
    }
}
