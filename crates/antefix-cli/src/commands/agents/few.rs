//! A few agents side by side: what each makes of every file, in words.

use antefix::agents::{AgentView, FileState};
use antefix::document::{CountedTexts, Counting};

use super::grid::{self, Extent};
use crate::table::Table;
use crate::terminal::number;

/// Files by agents, in words.
pub(super) fn print(views: &[AgentView], counting: Counting, extent: Extent) -> String {
    let mut headings = vec!["file".to_owned()];
    headings.extend(views.iter().map(|view| view.agent.name.clone()));
    let mut table = Table::new(&headings);
    let files = grid::files(views);
    let cells = |number: usize| -> Vec<String> { views.iter().map(|view| cell(view, files[number])).collect() };
    for row in grid::rows(&files, extent, cells) {
        if row.cells.iter().any(|cell| cell != NOT_READ) {
            table.row(std::iter::once(row.label).chain(row.cells));
        }
    }
    if table.is_empty() {
        return "none of these agents reads a file here\n".to_owned();
    }
    let mut counts = CountedTexts::default();
    let mut total = |view| {
        let view: &AgentView = view;
        let bytes: usize = view.texts.iter().map(|(_, text)| text.len()).sum();
        match counts.of(view, counting) {
            Some(tokens) => format!("{} tokens", number(tokens)),
            None => format!("{} bytes", number(bytes)),
        }
    };
    table.rule("given in all");
    table.row(std::iter::once(String::new()).chain(views.iter().map(&mut total)));
    table.print()
}

const NOT_READ: &str = "·";

fn cell(view: &AgentView, path: &str) -> String {
    let Some(file) = view.files.iter().find(|file| file.path == path) else { return NOT_READ.to_owned() };
    match &file.state {
        FileState::Cut => format!("cut at {}", number(file.bytes)),
        FileState::Shadowed { by } => format!("shadowed by {by}"),
        FileState::Duplicate { of } => format!("the same as {of}"),
        FileState::Waits { until } => format!("waits {until}"),
        FileState::Unusable { why } => why.clone(),
        FileState::Ignored => NOT_READ.to_owned(),
        state => state.name().to_owned(),
    }
}
