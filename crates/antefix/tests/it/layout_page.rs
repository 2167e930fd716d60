//! `docs/layouts.md` has every key that a layout may have.

use std::path::Path;
use std::sync::Arc;

use antefix::compose::{Layout, Wording};
use antefix::text::{Source, SourceKind};

use crate::given::MemoryTemplates;

/// The keys of a table: what is said to somebody who writes another one.
fn keys(table: &str) -> Vec<String> {
    let source = Arc::new(Source::new(SourceKind::Layout, "test", format!("{table}nobody_knows_it = 1\n")));
    let error = Layout::parse(&source, &Wording::built_in(), &MemoryTemplates::default()).unwrap_err();
    let hint = error.hint().unwrap_or_default().to_owned();
    let listed = hint.strip_prefix("the keys are ").unwrap_or_else(|| panic!("{table}: {error}: {hint}"));
    listed.split(", ").map(|key| key.trim_matches('`').to_owned()).collect()
}

#[test]
fn every_key_of_a_layout_is_on_the_page() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/layouts.md");
    let page = std::fs::read_to_string(path).unwrap();
    let tables = ["", "[instructions]\n", "[skills]\n", "[tools]\n", "[git]\n", "[remote]\n", "[[section]]\n"];
    let mut missing = Vec::new();
    for table in tables {
        for key in keys(table) {
            // A table of the layout has a heading or a row of its own.
            let forms = [format!("`{key}`"), format!("[{key}]"), format!("[[{key}]]"), format!("] {key}`")];
            if !forms.iter().any(|form| page.contains(form)) {
                missing.push(format!("{table:?} {key}"));
            }
        }
    }
    assert_eq!(missing, [""; 0], "docs/layouts.md does not have these keys");
}
