//! What a person sees: diagnostics with excerpt and caret, tables, and no raw control characters.

use std::collections::BTreeMap;
use std::io::{BufWriter, IsTerminal, Stdout, Write};

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use anstyle::{AnsiColor, Style};
use antefix::Diagnostic;
use antefix::diagnostic::Subject;
use antefix::text::Place;
pub(crate) use antefix::text::grouped as number;
use serde::Serialize;

use crate::table::wrap;
use crate::{Failure, machine};

/// Headings of tables.
pub(crate) const HEADING: Style = AnsiColor::Green.on_default().bold();
/// What matters in a row.
pub(crate) const STRONG: Style = Style::new().bold();
/// What is as it should be.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What is worth a look.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default().bold();
/// What does not work.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
/// What matters less.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// A count as one that can be shown.
pub(crate) fn to_usize(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// Prints the result: bytes, nothing added.
pub(crate) fn print_result(text: &str) -> Result<(), Failure> {
    // What was composed while its programs were being killed is nobody's result.
    machine::die_if_ending();
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| output_failed(&error))?;
    // On a terminal the shell's next line begins at the left; a pipe and a file get the bytes and nothing else.
    if stdout.is_terminal() && !text.is_empty() && !text.ends_with('\n') {
        writeln!(stdout).map_err(|error| output_failed(&error))?;
    }
    Ok(())
}

/// Prints JSON that a program takes as it is: in lines on a terminal, where a person reads it.
pub(crate) fn print_json(text: &str) -> Result<(), Failure> {
    let document: Option<serde_json::Value> = match std::io::stdout().is_terminal() {
        true => serde_json::from_str(text).ok(),
        false => None,
    };
    match document {
        Some(document) => print_result(&antefix::document::print(&document)),
        None => print_result(text),
    }
}

/// How many columns there are to print in: those of the variable `COLUMNS`, else of the terminal. None in a pipe, whose reader
/// may have any number.
pub(crate) fn width() -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0);
    said.or_else(|| {
        let (columns, _) = std::io::stdout().is_terminal().then(terminal_size::terminal_size).flatten()?;
        Some(usize::from(columns.0))
    })
}

/// Prints a table or a message with styles, which go away in a pipe.
pub(crate) fn print_styled(text: &str) -> Result<(), Failure> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| output_failed(&error))
}

/// Prints something with styles that is not the result.
pub(crate) fn print_aside(text: &str) {
    // There is nobody left to report this to.
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

fn output_failed(error: &std::io::Error) -> Failure {
    match error.kind() {
        std::io::ErrorKind::BrokenPipe => Failure::Closed,
        _ => Failure::plain(format!("the output cannot be written: {error}")),
    }
}

/// Prints diagnostics to stderr, errors last so that they are seen.
pub(crate) fn print_diagnostics(diagnostics: &[Diagnostic]) {
    let mut sorted: Vec<&Diagnostic> = once(diagnostics);
    sorted.sort_by_key(|diagnostic| diagnostic.level);
    for diagnostic in sorted {
        print_diagnostic(diagnostic);
    }
}

/// Prints findings to stderr in a few lines each, those that matter more first, and says how many are left.
pub(crate) fn print_briefly(diagnostics: &[Diagnostic], most: usize) {
    let mut sorted: Vec<&Diagnostic> = once(diagnostics);
    sorted.sort_by_key(|diagnostic| std::cmp::Reverse(diagnostic.level));
    let shown = if sorted.len() <= most.saturating_add(1) { sorted.len() } else { most };
    let room = width().filter(|_| std::io::stderr().is_terminal()).map_or(usize::MAX, |width| width.saturating_sub(4));
    let mut text = String::new();
    for finding in &sorted[..shown] {
        let (level, style) = level_of(finding.level);
        let code = finding.code.name();
        text.push_str(&format!("\n{style}{level}{style:#} {FAINT}{code}{FAINT:#}\n"));
        for line in wrap(&visible(&finding.message), room) {
            text.push_str(&format!("  {line}\n"));
        }
        for line in finding.hint.iter().flat_map(|hint| wrap(&visible(&format!("→ {hint}")), room)) {
            text.push_str(&format!("  {FAINT}{line}{FAINT:#}\n"));
        }
    }
    let left = sorted.len() - shown;
    if left > 0 {
        text.push_str(&format!("\n{FAINT}and {left} more findings: --all lists them{FAINT:#}\n"));
    }
    print_aside(&text);
}

fn print_diagnostic(diagnostic: &Diagnostic) {
    let level = match diagnostic.level {
        antefix::Level::Note => Level::NOTE,
        antefix::Level::Warning => Level::WARNING,
        antefix::Level::Error => Level::ERROR,
    };
    report(
        level,
        Some(diagnostic.code.name()),
        &diagnostic.message,
        diagnostic.place.as_ref(),
        diagnostic.hint.as_deref(),
    );
}

/// Each finding once, in order. A template can have tens of thousands: only those that say the same of one place are compared.
fn once(diagnostics: &[Diagnostic]) -> Vec<&Diagnostic> {
    let mut found = Vec::new();
    let mut alike: BTreeMap<(&str, Option<usize>), Vec<&Diagnostic>> = BTreeMap::new();
    for finding in diagnostics {
        let at = finding.place.as_ref().map(|place| place.range.start);
        let before = alike.entry((&finding.message, at)).or_default();
        if !before.contains(&finding) {
            before.push(finding);
            found.push(finding);
        }
    }
    found
}

/// Prints diagnostics to stderr file by file, with a heading for each. What is about no file comes first, and in a file
/// what matters more.
pub(crate) fn print_by_file(diagnostics: &[Diagnostic]) {
    let mut files: Vec<Option<&str>> = vec![None];
    let (diagnostics, alike) = without_alike(once(diagnostics));
    for file in diagnostics.iter().map(|finding| file_of(finding)) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    for file in files {
        let mut found: Vec<&Diagnostic> =
            diagnostics.iter().copied().filter(|finding| file_of(finding) == file).collect();
        if found.is_empty() {
            continue;
        }
        if let Some(file) = file {
            let count = found.len();
            let s = if count == 1 { "" } else { "s" };
            let heading = format!("{STRONG}{}{STRONG:#} {FAINT}({count} finding{s}){FAINT:#}", visible(file));
            let _ = writeln!(anstream::stderr().lock(), "{heading}\n");
        }
        found.sort_by_key(|finding| std::cmp::Reverse(finding.level));
        for finding in found {
            print_diagnostic(finding);
            let _ = writeln!(anstream::stderr().lock());
        }
    }
    alike.iter().for_each(|found| print_alike(found));
}

/// So many findings that differ only in their file are printed together.
const ALIKE: usize = 4;

/// Findings one by one, and those of which many say the same of a file each.
fn without_alike(diagnostics: Vec<&Diagnostic>) -> (Vec<&Diagnostic>, Vec<Vec<&Diagnostic>>) {
    let mut kinds: BTreeMap<_, Vec<&Diagnostic>> = BTreeMap::new();
    for finding in diagnostics.iter().filter(|finding| finding.place.is_none() && file_of(finding).is_some()) {
        kinds.entry((finding.level, finding.code, finding.hint.as_deref())).or_default().push(finding);
    }
    let alike: Vec<Vec<&Diagnostic>> = kinds.into_values().filter(|found| found.len() >= ALIKE).collect();
    let is_alike = |finding: &&Diagnostic| alike.iter().flatten().any(|other| std::ptr::eq(*other, *finding));
    (diagnostics.into_iter().filter(|finding| !is_alike(finding)).collect(), alike)
}

/// Prints findings that say the same of a file each: a line a file, and once what to do.
fn print_alike(found: &[&Diagnostic]) {
    let Some(first) = found.first() else { return };
    let (level, style) = level_of(first.level);
    let room = width().filter(|_| std::io::stderr().is_terminal()).map_or(usize::MAX, |width| width.saturating_sub(4));
    let code = first.code.name();
    let mut text = format!("{style}{level}[{code}]{style:#}{STRONG}: {} findings{STRONG:#}\n", found.len());
    for finding in found {
        for (number, line) in wrap(&visible(&finding.message), room).iter().enumerate() {
            text.push_str(&format!("{}{line}\n", if number == 0 { "  " } else { "    " }));
        }
    }
    for hint in first.hint.iter().flat_map(|hint| wrap(&visible(&format!("help: {hint}")), room)) {
        text.push_str(&format!("  {FAINT}{hint}{FAINT:#}\n"));
    }
    print_aside(&format!("{text}\n"));
}

/// How a level is called, and its color.
fn level_of(level: antefix::Level) -> (&'static str, Style) {
    match level {
        antefix::Level::Note => ("note", AnsiColor::Green.on_default().bold()),
        antefix::Level::Warning => ("warning", AnsiColor::Yellow.on_default().bold()),
        antefix::Level::Error => ("error", AnsiColor::Red.on_default().bold()),
    }
}

/// The file that a finding is about.
fn file_of(finding: &Diagnostic) -> Option<&str> {
    let about = || finding.about.as_ref().and_then(Subject::path);
    finding.place.as_ref().map(|place| place.source.label()).or_else(about)
}

/// Prints something good to know.
pub(crate) fn print_note(message: &str) {
    report(Level::NOTE, None, message, None, None);
}

/// Prints what stopped the work.
pub(crate) fn print_error(error: &antefix::Error) {
    report(Level::ERROR, None, error.message(), error.place(), error.hint());
}

/// Prints what stopped the work and is about no text.
pub(crate) fn print_plain_error(message: &str, hint: Option<&str>) {
    report(Level::ERROR, None, message, None, hint);
}

/// Prints something worth knowing that is about no text.
pub(crate) fn print_plain_note(message: &str) {
    report(Level::NOTE, None, message, None, None);
}

fn report(level: Level<'_>, code: Option<&'static str>, message: &str, place: Option<&Place>, hint: Option<&str>) {
    let room = width().filter(|_| std::io::stderr().is_terminal());
    // What comes before the words: `warning[code]: `, and `  ╰ help: `.
    let message = in_lines(&visible(message), room, 11 + code.map_or(0, |code| code.len()));
    let title = level.primary_title(message.as_str());
    let title = match code {
        Some(code) => title.id(code),
        None => title,
    };
    let excerpt = place.map(Excerpt::new);
    let mut group = Group::with_title(title);
    if let Some(excerpt) = &excerpt {
        group = group.element(
            Snippet::source(excerpt.text.as_str())
                .line_start(excerpt.line)
                .path(excerpt.path.as_str())
                .annotation(AnnotationKind::Primary.span(excerpt.range.clone()).label(excerpt.label.as_str())),
        );
    }
    let hint = hint.map(|hint| in_lines(&visible(hint), room, 14));
    if let Some(hint) = &hint {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    let renderer = Renderer::styled().decor_style(DecorStyle::Unicode).term_width(room.unwrap_or(140));
    // A stderr that is closed leaves nobody to tell.
    let _ = writeln!(anstream::stderr().lock(), "{}", renderer.render(&[group]));
}

/// A message in lines that fit beside what comes before it.
fn in_lines(message: &str, room: Option<usize>, before: usize) -> String {
    match room {
        Some(room) => wrap(message, room.saturating_sub(before).max(30)).join("\n"),
        None => message.to_owned(),
    }
}

/// The line that a place begins in.
struct Excerpt {
    text: String,
    path: String,
    line: usize,
    range: std::ops::Range<usize>,
    label: String,
}

impl Excerpt {
    fn new(place: &Place) -> Excerpt {
        let (text, range) = place.excerpt();
        let (line, column) = place.line_column();
        // An excerpt from within a long line begins at a column of its own.
        let shown = 1 + text[..range.start].chars().count();
        let label = if shown == column { String::new() } else { format!("at column {column}") };
        // Control characters of the second set command a terminal too, and take two bytes like the dot in their place.
        let text = text.replace(|c: char| ('\u{80}'..='\u{9f}').contains(&c), "·");
        Excerpt { text, path: visible(place.source.label()), line, range, label }
    }
}

/// A text without raw control characters: a file's name or a branch's must not drive the terminal.
pub(crate) fn visible(text: &str) -> String {
    let mut visible = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => visible.push_str("\\n"),
            '\t' => visible.push_str("\\t"),
            c if c.is_control() || is_hidden(c) => visible.push_str(&format!("<U+{:04X}>", u32::from(c))),
            c => visible.push(c),
        }
    }
    visible
}

/// Characters that reorder or hide what surrounds them.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}'
        | '\u{061c}' | '\u{e0000}'..='\u{e007f}')
}

/// A list as JSON on stdout, element by element: the bytes that the whole list would be printed as.
pub(crate) struct JsonList {
    stdout: BufWriter<Stdout>,
    is_empty: bool,
}

impl JsonList {
    pub(crate) fn begin() -> Result<JsonList, Failure> {
        let mut list = JsonList { stdout: BufWriter::new(std::io::stdout()), is_empty: true };
        list.write("[")?;
        Ok(list)
    }

    pub(crate) fn element(&mut self, element: &impl Serialize) -> Result<(), Failure> {
        let text = antefix::document::print(element);
        self.write(if self.is_empty { "\n" } else { ",\n" })?;
        self.is_empty = false;
        let lines: Vec<String> = text.trim_end().lines().map(|line| format!("  {line}")).collect();
        self.write(&lines.join("\n"))
    }

    pub(crate) fn end(mut self) -> Result<(), Failure> {
        self.write(if self.is_empty { "]\n" } else { "\n]\n" })?;
        self.stdout.flush().map_err(|error| output_failed(&error))
    }

    fn write(&mut self, text: &str) -> Result<(), Failure> {
        self.stdout.write_all(text.as_bytes()).map_err(|error| output_failed(&error))
    }
}
