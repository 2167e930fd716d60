//! The table of codes, and the page that is printed from it.

use std::path::Path;

use antefix::Level;
use antefix::diagnostic::{Code, reference_page};

#[test]
fn codes_stand_in_the_order_of_their_names() {
    let names: Vec<&str> = Code::ALL.iter().map(|code| code.name()).collect();
    assert!(names.is_sorted_by(|one, next| one < next), "{names:?}");
    assert_eq!(names.first().zip(names.last()), Some((&"agent-above-root", &"volatile-in-prefix")));
}

#[test]
fn a_code_is_printed_as_it_is_spelled_in_the_sources() {
    for code in Code::ALL {
        let mut name = String::new();
        for c in format!("{code:?}").chars() {
            if c.is_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.extend(c.to_lowercase());
        }
        assert_eq!(code.to_string(), name);
    }
}

#[test]
fn few_findings_are_errors() {
    let errors: Vec<Code> =
        Code::ALL.iter().copied().filter(|code| code.entry().levels.contains(&Level::Error)).collect();
    let expected = [
        Code::EarlierTemplate,
        Code::HiddenText,
        Code::ModelsUnreadable,
        Code::OutsideProject,
        Code::ProjectUnreadable,
        Code::RefusedByProvider,
        Code::TooManyTokens,
        Code::Unrenderable,
    ];
    assert_eq!(errors, expected);
    for code in Code::ALL {
        let levels = code.entry().levels;
        assert!(!levels.is_empty() && levels.is_sorted_by(|one, next| one < next), "{code}: {levels:?}");
    }
}

#[test]
fn the_page_is_up_to_date() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/findings.md");
    assert_eq!(std::fs::read_to_string(page).unwrap(), reference_page(), "run `cargo xtask docs`");
}

#[test]
fn every_code_has_an_example() {
    let without: Vec<&str> =
        Code::ALL.iter().filter(|code| code.example().is_empty()).map(|code| code.name()).collect();
    assert_eq!(without, [""; 0], "write one into diagnostic/examples.rs");
}
