//! `cargo xtask book`: whether the book holds together.
//!
//! 1. Every page of `docs/` is in `SUMMARY.md` once, and every entry there is a page.
//! 2. Every link of every Markdown file of the repository leads to a file that is there, and to a heading that it has.
//! 3. Every redirect of `book.toml` leads to a page.
//! 4. The prices that the README and the introduction begin with are those of `docs/explain/economics.md`.
//! 5. Where mdBook is installed, it builds the book.
//!
//! The checks are our own because mdBook is not a package of Debian, and building it takes longer than all of our tests; it checks no links by
//! itself either.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::step::{Outcome, git, program, read, root, show};

/// Where the book's pages are.
const PAGES: &str = "docs";

pub(crate) fn run() -> Outcome {
    let files = Files::load()?;
    let mut wrong = files.summary()?;
    wrong.extend(files.links());
    wrong.extend(files.redirects()?);
    wrong.extend(files.figures());
    if !wrong.is_empty() {
        return Err(format!("the book does not hold together:\n  {}", wrong.join("\n  ")));
    }
    println!("{} pages hold together", files.texts.len());
    match read(&mut program("mdbook", &["--version"])) {
        Ok(version) => {
            println!("{}", version.trim());
            show(&mut program("mdbook", &["build"]))
        }
        Err(_) => {
            println!(
                "mdBook is not installed: the book was checked and not built (`cargo install mdbook --no-default-features`)"
            );
            Ok(())
        }
    }
}

/// The repository's files, and the texts of those that are Markdown.
struct Files {
    paths: BTreeSet<PathBuf>,
    texts: BTreeMap<PathBuf, String>,
}

impl Files {
    fn load() -> Outcome<Files> {
        let listed = read(&mut git(&["ls-files", "--cached", "--others", "--exclude-standard"]))?;
        let paths: BTreeSet<PathBuf> =
            listed.lines().map(PathBuf::from).filter(|path| root().join(path).exists()).collect();
        let is_markdown = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "md") && is_prose(path);
        let mut texts = BTreeMap::new();
        for path in paths.iter().filter(is_markdown) {
            let text = fs::read_to_string(root().join(path)).map_err(|error| format!("{}: {error}", path.display()))?;
            texts.insert(path.clone(), text);
        }
        Ok(Files { paths, texts })
    }

    /// What the table of contents and the directory disagree about.
    fn summary(&self) -> Outcome<Vec<String>> {
        let summary = Path::new(PAGES).join("SUMMARY.md");
        let text = self.texts.get(&summary).ok_or("docs/SUMMARY.md is missing")?;
        let mut wrong = Vec::new();
        let mut listed = BTreeSet::new();
        for (_, link) in links(text) {
            if !listed.insert(Path::new(PAGES).join(&link)) {
                wrong.push(format!("docs/SUMMARY.md has {link} twice"));
            }
        }
        let pages = self.texts.keys().filter(|path| path.starts_with(PAGES) && **path != summary);
        wrong.extend(
            pages
                .filter(|page| !listed.contains(*page))
                .map(|page| format!("{} is not in docs/SUMMARY.md", page.display())),
        );
        Ok(wrong)
    }

    /// Links that lead nowhere.
    fn links(&self) -> Vec<String> {
        let headings: BTreeMap<&PathBuf, BTreeSet<String>> =
            self.texts.iter().map(|(path, text)| (path, headings(text))).collect();
        let mut wrong = Vec::new();
        for (page, text) in &self.texts {
            for (line, link) in links(text) {
                let at = || format!("{}:{line}", page.display());
                if link.contains("://") || link.starts_with("mailto:") {
                    continue;
                }
                let (path, heading) = link.split_once('#').unwrap_or((link.as_str(), ""));
                let target = if path.is_empty() { page.clone() } else { joined(page, path) };
                let is_directory = self.paths.iter().any(|known| known.starts_with(&target));
                if !self.paths.contains(&target) && !is_directory {
                    wrong.push(format!("{}: there is no {}", at(), target.display()));
                } else if !heading.is_empty() && headings.get(&target).is_some_and(|known| !known.contains(heading)) {
                    wrong.push(format!("{}: {} has no heading #{heading}", at(), target.display()));
                }
            }
        }
        wrong
    }

    /// Prices on the first pages that are not those of the simulation.
    fn figures(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let day = self.texts.get(Path::new("docs/explain/economics.md")).and_then(|text| {
            let (_, behind) = text.split_once("### Anthropic: a working day")?;
            behind.split("\n### ").next()
        });
        for strategy in ["rebuild every turn", "antefix"] {
            let row = day.and_then(|day| day.lines().find(|line| line.starts_with(&format!("| {strategy} | $"))));
            let price = row.and_then(|row| row.split('$').nth(1)?.split(' ').next()?.parse::<f64>().ok());
            let Some(price) = price.map(|price| format!("${price:.2}")) else {
                wrong.push(format!("docs/explain/economics.md has no price of `{strategy}` in a working day"));
                continue;
            };
            for page in ["README.md", "docs/introduction.md"] {
                if !self.texts.get(Path::new(page)).is_some_and(|text| text.contains(&price)) {
                    wrong.push(format!("{page} does not say {price}, the price of `{strategy}`"));
                }
            }
        }
        wrong
    }

    /// Redirects to pages that are not there.
    fn redirects(&self) -> Outcome<Vec<String>> {
        let text = fs::read_to_string(root().join("book.toml")).map_err(|error| format!("book.toml: {error}"))?;
        let book: toml::Table = text.parse().map_err(|error| format!("book.toml: {error}"))?;
        let redirects = book.get("output").and_then(|output| output.get("html")?.get("redirect")?.as_table());
        let mut wrong = Vec::new();
        for (from, to) in redirects.into_iter().flatten() {
            let to = to.as_str().unwrap_or_default();
            if !self.texts.contains_key(&Path::new(PAGES).join(to).with_extension("md")) {
                wrong.push(format!("book.toml: {from} leads to {to}, which is no page"));
            }
        }
        Ok(wrong)
    }
}

/// Whether a Markdown file is for people, and not a prompt or a case of a test.
fn is_prose(path: &Path) -> bool {
    let shown = path.to_string_lossy();
    let skipped = ["/cases/", "/layouts/", "/seeds/", "fuzz/", "/src/", "tests/"];
    !skipped.iter().any(|part| shown.contains(part))
}

/// A path as a link on a page names it.
fn joined(page: &Path, link: &str) -> PathBuf {
    let mut path: PathBuf = page.parent().map(Path::to_owned).unwrap_or_default();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}

/// The addresses of links and pictures, each with its line. What is in code is no link.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        let line = without_code(line);
        let mut rest = line.as_str();
        while let Some(at) = rest.find("](") {
            rest = &rest[at + 2..];
            let end = rest.find([')', ' ']).unwrap_or(rest.len());
            found.push((number, rest[..end].to_owned()));
        }
    }
    found
}

/// The names by which headings are linked to, as GitHub and mdBook make them.
fn headings(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (_, line) in prose(text) {
        let Some(words) = line.strip_prefix('#').map(|rest| rest.trim_start_matches('#').trim()) else { continue };
        let name = slug(words);
        let again = (1..).map(|number| format!("{name}-{number}")).find(|name| !names.contains(name));
        if !names.insert(name) {
            names.extend(again);
        }
    }
    names
}

/// The name by which one heading is linked to.
pub(crate) fn slug(words: &str) -> String {
    let kept = words.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// The lines that are not in blocks of code, with their numbers.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut in_code = false;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code && !line.starts_with("    ") {
            lines.push((number, line));
        }
    }
    lines
}

fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("``")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{headings, joined, links};

    #[test]
    fn links_are_found_where_they_are_links() {
        let text = "See [one](a.md#b), ![two](c.svg \"t\").\n`[no](x)`\n```\n[no](y)\n```\n    [no](z)\n";
        assert_eq!(links(text), [(1, "a.md#b".to_owned()), (1, "c.svg".to_owned())]);
    }

    #[test]
    fn headings_have_the_names_that_github_gives_them() {
        let text = "# `[identity.operator]` and `[memory.core]`\n## Ready?\n## Ready?\n";
        let names: Vec<String> = headings(text).into_iter().collect();
        assert_eq!(names, ["identityoperator-and-memorycore", "ready", "ready-1"]);
    }

    #[test]
    fn a_link_is_relative_to_its_page() {
        assert_eq!(joined(Path::new("docs/a/b.md"), "../c.md"), Path::new("docs/c.md"));
    }
}
