//! The table of lints: every code that is told is in it, and every code in it is told.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use antefix::compose::{LINTS, reference_page};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// The codes in a source file: the first text in quotes behind each making of a diagnostic.
fn codes(text: &str) -> BTreeSet<String> {
    let makers = ["Diagnostic::note(", "Diagnostic::warning(", "Diagnostic::new("];
    let behind = makers.iter().flat_map(|maker| text.match_indices(maker).map(|(at, maker)| &text[at + maker.len()..]));
    let quoted = behind.filter_map(|rest| {
        let (before, rest) = rest.split_once('"')?;
        // The makers themselves are given their code, and so are those who pass one on: their next text is far away.
        (before.len() < 200 && (!before.contains([';', '\u{7d}']) || before.contains("else")))
            .then(|| rest.split('"').next().unwrap_or_default())
    });
    let is_code = |code: &&str| {
        !code.is_empty() && code.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    quoted.filter(is_code).map(str::to_owned).collect()
}

#[test]
fn every_code_that_is_told_is_in_the_table_and_every_code_in_it_is_told() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    sources(&root.join("../antefix-cli/src"), &mut files);
    let told: BTreeSet<String> = files.iter().flat_map(|file| codes(&std::fs::read_to_string(file).unwrap())).collect();
    let known: BTreeSet<String> = LINTS.iter().map(|lint| lint.code.to_owned()).collect();
    assert!(told.len() >= 30, "the sources were not found: {told:?}");
    assert_eq!(told.difference(&known).collect::<Vec<_>>(), Vec::<&String>::new(), "add them to compose/lint/table.rs");
    assert_eq!(known.difference(&told).collect::<Vec<_>>(), Vec::<&String>::new(), "nobody tells these");
}

#[test]
fn the_table_is_in_order_and_its_page_is_up_to_date() {
    assert!(LINTS.is_sorted_by(|one, next| one.code < next.code));
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lints.md");
    assert_eq!(std::fs::read_to_string(page).unwrap(), reference_page(), "run `cargo xtask docs`");
}
