//! `cargo xtask tidy`: the rules that no compiler knows.
//!
//! 1. Each rule is a function from text to [`Finding`]s, with a test that shows it failing.
//! 2. All findings are printed, sorted by file; any of them fails the command.
//! 3. Outliers (long files, long functions) are printed and fail nothing: a long table is fine, a long function rarely.

mod architecture;
mod code;
mod licenses;
mod manifests;
mod supply;
mod text;

use std::fs;

use self::code::Code;
use crate::step::{Outcome, cargo, git, metadata, read, root};

/// A rule that is broken somewhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    /// Zero if the file as a whole is meant.
    line: usize,
    what: String,
}

impl Finding {
    fn new(path: &str, line: usize, what: impl Into<String>) -> Finding {
        Finding { path: path.to_owned(), line, what: what.into() }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.what),
            line => write!(f, "{}:{line}: {}", self.path, self.what),
        }
    }
}

/// A file that git tracks, or would with the next `git add`.
struct File {
    path: String,
    text: String,
}

/// Checks the whole repository.
pub(crate) fn run() -> Outcome {
    let files = files()?;
    let (mut findings, mut outliers) = (Vec::new(), Vec::new());
    for file in &files {
        let (path, text) = (file.path.as_str(), file.text.as_str());
        findings.extend(text::white_space(path, text));
        findings.extend(text::machine_paths(path, text));
        if path.ends_with(".rs") {
            let code = Code::new(text);
            findings.extend(text::leftovers(path, text));
            findings.extend(text::names(path, &code));
            findings.extend(supply::checked_code(path, &code));
            findings.extend(architecture::purity(path, text));
            findings.extend(architecture::order(path, &code));
            findings.extend(architecture::direction(path, &code));
            outliers.extend(text::long(path, &code));
        }
        if path.ends_with("Cargo.toml") {
            findings.extend(manifests::reasons(path, text));
            findings.extend(supply::forbids(path, text));
        }
    }
    let text_of = |path: &str| files.iter().find(|file| file.path == path).map(|file| file.text.as_str());
    findings.extend(text::changelog(text_of("CHANGELOG.md")));
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    findings.extend(architecture::embedded(
        &paths,
        text_of("crates/antefix/src/compose/builtin.rs").unwrap_or_default(),
        text_of("crates/antefix/src/compose/wording.rs").unwrap_or_default(),
    ));
    findings.extend(manifests::handful(&read(&mut cargo(&manifests::TREE))?));
    let metadata = metadata(&["--all-features"])?;
    findings.extend(licenses::check(&metadata, text_of("deny.toml").unwrap_or_default())?);
    findings.extend(supply::sources(&metadata));

    findings.sort();
    outliers.sort();
    for outlier in &outliers {
        println!("outlier: {outlier}");
    }
    for finding in &findings {
        println!("{finding}");
    }
    println!("{} files, {} outliers, {} findings", files.len(), outliers.len(), findings.len());
    if findings.is_empty() { Ok(()) } else { Err(format!("{} rules are broken, see above", findings.len())) }
}

/// The text files of the repository, without what git ignores.
fn files() -> Outcome<Vec<File>> {
    let listed = read(&mut git(&["ls-files", "-z", "--cached", "--others", "--exclude-standard"]))?;
    let mut paths: Vec<&str> = listed.split('\0').filter(|path| !path.is_empty()).collect();
    paths.sort_unstable();
    paths.dedup();
    let text = |path: &str| {
        // What is listed and gone was removed without `git rm`; what is not UTF-8 or has a NUL in it is not text.
        let text = fs::read_to_string(root().join(path)).ok().filter(|text| !text.contains('\0'))?;
        Some(File { path: path.to_owned(), text })
    };
    let files: Vec<File> = paths.into_iter().filter_map(text).collect();
    if files.is_empty() { Err("git lists no files, so nothing would be checked".to_owned()) } else { Ok(files) }
}
