//! What is reported about a text that lost its end: the files that lost something, or else the section.

use std::collections::BTreeMap;

use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::text::{Draft, FactName, Origin};

/// How many files are reported one by one.
const REPORTED: usize = 5;

/// The findings about the section `id`, of whose text only what precedes `end` is left. `why` says what does not fit, and
/// `budget` which one could be raised.
pub(super) fn cut(id: &str, text: &Draft, end: usize, why: &str, budget: &str) -> Vec<Diagnostic> {
    let section = Diagnostic::warning(Code::Cut, why).about(id);
    let message = |file: &File<'_>| {
        let what = if file.stays { "is cut" } else { "is left out" };
        format!("{} {what}: {why}", file.path)
    };
    report(section, &losses(text, end), message, budget)
}

/// The findings about the section `id`, which is left out with all its text.
pub(super) fn left_out(id: &str, text: &Draft, why: &str, budget: &str) -> Vec<Diagnostic> {
    let section = Diagnostic::warning(Code::OverBudget, format!("section `{id}` is left out: {why}")).about(id);
    let message = |file: &File<'_>| format!("section `{id}` is left out, and {} with it: {why}", file.path);
    report(section, &losses(text, 0), message, budget)
}

/// A finding for each file, or the one about the section if no file lost anything.
fn report(
    section: Diagnostic,
    files: &[File<'_>],
    message: impl Fn(&File<'_>) -> String,
    budget: &str,
) -> Vec<Diagnostic> {
    if files.is_empty() {
        return vec![section.hint(format!("shorten the text, or raise {budget}"))];
    }
    let hint = format!("shorten the file, or raise {budget}");
    let finding = |file: &File<'_>| {
        let code = if file.stays { Code::Cut } else { Code::OverBudget };
        let about = Subject::file_of(file.fact.as_str(), file.path);
        Diagnostic::warning(code, message(file)).about(about).hint(hint.as_str())
    };
    let mut findings: Vec<Diagnostic> = files.iter().take(REPORTED).map(finding).collect();
    if files.len() > REPORTED {
        let message = format!("{} more files are cut or left out: {}", files.len() - REPORTED, section.message);
        findings.push(Diagnostic { message, ..section }.hint(hint));
    }
    findings
}

/// A file with text in a section, and what a cut does to it.
struct File<'d> {
    path: &'d str,
    fact: &'d FactName,
    /// Whether some of its text stays.
    stays: bool,
    /// Whether some of its text goes.
    goes: bool,
}

/// The files that have text behind `end`, in order.
fn losses(text: &Draft, end: usize) -> Vec<File<'_>> {
    let mut files: Vec<File<'_>> = Vec::new();
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for piece in text.pieces() {
        let Origin::Fact { fact, .. } = &piece.origin else { continue };
        let Some(path) = fact.path.as_deref() else { continue };
        // A frame names a file with the file's own origin, which is none of its text.
        if &text.as_str()[piece.range.clone()] == path {
            continue;
        }
        let number = *numbers.entry(path).or_insert(files.len());
        if number == files.len() {
            files.push(File { path, fact: &fact.name, stays: false, goes: false });
        }
        files[number].stays |= piece.range.start < end;
        files[number].goes |= piece.range.end > end;
    }
    files.retain(|file| file.goes);
    files
}
