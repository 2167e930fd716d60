//! `link-text`: a file that has nothing but the name of another one in it.
//!
//! That is what a symbolic link becomes where a system, or a git that is set so, cannot make links: the agent is told
//! `AGENTS.md`, and not what is in that file.

use std::collections::BTreeMap;

use super::passages::Passage;
use crate::diagnostic::{Code, Diagnostic};

/// The longest name that is taken for one.
const LONGEST: usize = 200;

/// The files whose whole text is a name.
pub(super) fn findings(passages: &[Passage<'_>]) -> Vec<Diagnostic> {
    let of_files = |passage: &&Passage<'_>| passage.is_file() && !passage.is_label();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for passage in passages.iter().filter(of_files) {
        *counts.entry(passage.label).or_default() += 1;
    }
    let whole = |passage: &&Passage<'_>| counts.get(passage.label) == Some(&1);
    let mut findings = Vec::new();
    for passage in passages.iter().filter(of_files).filter(whole) {
        let name = passage.text.trim();
        if !is_name(name) {
            continue;
        }
        let message = format!("{} has nothing but the name `{name}` in it: a link that became a text", passage.label);
        let hint = "check the link out again (`git config core.symlinks true`), or copy the text of the file";
        let start = passage.text.len() - passage.text.trim_start().len();
        findings.push(
            passage.finding_at(Diagnostic::warning(Code::LinkText, message).hint(hint), start..start + name.len()),
        );
    }
    findings
}

fn is_name(text: &str) -> bool {
    let letters = |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '-' | '_');
    let ends = [".md", ".mdc", ".txt", ".markdown"].iter().any(|end| text.to_lowercase().ends_with(end));
    text.len() <= LONGEST && ends && text.chars().all(letters)
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn a_name_is_one_word_that_ends_as_texts_do() {
        let names = ["AGENTS.md", "../AGENTS.md", "docs/rules.txt"];
        assert!(names.iter().all(|name| is_name(name)));
        let others =
            ["", "Read AGENTS.md", "# AGENTS.md", "@AGENTS.md", "Makefile", "https://example.org/a.md", "a.md\nb.md"];
        assert!(!others.iter().any(|other| is_name(other)));
    }
}
