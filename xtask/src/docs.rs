//! `cargo xtask docs`: pages that are printed from tables in the code.

use std::fs;

use antefix::discover::catalog;

use crate::book;
use crate::claims;
use crate::clients;
use crate::promises;
use crate::step::{Outcome, root};

/// Writes the pages, or with `check` says which are stale.
pub(crate) fn run(check: bool) -> Outcome {
    let openapi = openapi()?;
    let of_clients = clients::pages(&openapi)?;
    let pages = [
        ("DESIGN.md", design()?),
        ("docs/reference/layout.md", antefix::compose::layout_page()),
        ("docs/reference/settings.md", antefix::project::settings_page()),
        ("docs/reference/wordings.md", antefix::compose::wordings_page()),
        ("docs/reference/variables.md", catalog::reference_page()),
        ("docs/reference/findings.md", antefix::diagnostic::reference_page()),
        ("docs/reference/compatibility.md", claims::page()?),
        ("docs/explain/promises.md", promises::page()?),
        ("docs/openapi.json", openapi),
    ];
    for (path, expected) in pages.into_iter().chain(of_clients) {
        let file = root().join(path);
        // A page that cannot be read is as stale as one that differs.
        let found = fs::read_to_string(&file).unwrap_or_default();
        if found == expected {
            println!("{path} is up to date");
        } else if check {
            let line = first_difference(&found, &expected);
            return Err(format!("{path} is stale from line {line} on: run `cargo xtask docs`"));
        } else {
            let written = fs::create_dir_all(file.parent().unwrap_or(&file)).and_then(|()| fs::write(&file, expected));
            written.map_err(|error| format!("{path} cannot be written: {error}"))?;
            println!("{path} written");
        }
    }
    Ok(())
}

/// `DESIGN.md`: its own words, and under each chapter the questions that the chapter answers.
fn design() -> Outcome<String> {
    let read = |path: &str| fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"));
    let mut text = String::new();
    for line in read("DESIGN.md")?.lines().filter(|line| !line.starts_with("- [")) {
        // The list is behind the sentence about its chapter, which is behind the heading.
        text.push_str(line);
        text.push('\n');
    }
    let mut page = String::new();
    for (number, chapter) in text.split("\n## ").enumerate() {
        if number == 0 {
            page.push_str(chapter.trim_end());
            continue;
        }
        page.push_str(&format!("\n\n## {}\n", chapter.trim_end()));
        let Some(file) = chapter.lines().next().and_then(|heading| heading.split(['(', ')']).nth(1)) else { continue };
        page.push('\n');
        for question in read(file)?.lines().filter_map(|line| line.strip_prefix("## ")) {
            page.push_str(&format!("- [{question}]({file}#{})\n", book::slug(question)));
        }
    }
    Ok(format!("{}\n", page.trim_end()))
}

/// What the program says of its routes.
fn openapi() -> Outcome<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = std::process::Command::new(cargo);
    command.args(["run", "--quiet", "--package", "antefix-cli", "--", "serve", "--openapi"]).current_dir(root());
    let output = command.output().map_err(|error| format!("cargo cannot be run: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}

/// The number of the first line that differs.
fn first_difference(found: &str, expected: &str) -> usize {
    found.split('\n').zip(expected.split('\n')).take_while(|(one, other)| one == other).count() + 1
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn the_first_difference_is_a_line() {
        assert_eq!(first_difference("", "a\n"), 1);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), 2);
        assert_eq!(first_difference("a", "a\nb"), 2);
    }
}
