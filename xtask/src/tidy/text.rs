//! Rules about single files: white space, leftovers, names, lengths.

use super::Finding;
use super::code::Code;

/// Files whose bytes are input, and mean what they are, or were made by a program.
const BYTES: [&str; 6] =
    ["/tests/cases/", "/tests/http/cases/", "/layouts/", "/secrets/ordinary/", "fuzz/seeds/", "/web/dist/"];
/// Lines above which a file is an outlier.
const FILE_LINES: usize = 450;
/// Lines above which a function is an outlier.
const FUNCTION_LINES: usize = 80;

/// Words that say nothing about what a module or a type is for.
const EMPTY_WORDS: [&str; 10] =
    ["util", "utils", "common", "helper", "helpers", "manager", "service", "engine", "info", "data"];

/// Words of unfinished work, in halves so that this file does not hold them.
const LEFTOVERS: [&str; 5] = [
    concat!("to", "do!("),
    concat!("unimple", "mented!("),
    concat!("db", "g!("),
    concat!("FIX", "ME"),
    concat!("#[ig", "nore"),
];

/// Directories that exist on one machine, in halves likewise.
const MACHINES: [&str; 3] = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/Us", "ers/")];
const HOMES: &str = concat!("/ho", "me/");
/// People who live only in tests and examples.
const NOBODIES: [&str; 5] = ["ada", "somebody", "u", "user", "uu"];

/// No white space at the end of a line, one line break at the end of the file.
pub(super) fn white_space(path: &str, text: &str) -> Vec<Finding> {
    if BYTES.iter().any(|bytes| path.contains(bytes)) {
        return Vec::new();
    }
    let ends_in_space = |line: &str| line.ends_with([' ', '\t', '\r']);
    let mut findings: Vec<Finding> = numbered(text)
        .filter(|(_, line)| ends_in_space(line))
        .map(|(number, _)| Finding::new(path, number, "white space at the end of the line"))
        .collect();
    if !text.is_empty() && (!text.ends_with('\n') || text.ends_with("\n\n")) {
        findings.push(Finding::new(path, 0, "the file must end with one line break"));
    }
    findings
}

/// Nothing unfinished.
pub(super) fn leftovers(path: &str, text: &str) -> Vec<Finding> {
    let found = |(number, line): (usize, &str)| {
        let word = LEFTOVERS.iter().find(|word| line.contains(**word))?;
        Some(Finding::new(path, number, format!("`{word}` is unfinished work")))
    };
    numbered(text).filter_map(found).collect()
}

/// No path of somebody's machine.
pub(super) fn machine_paths(path: &str, text: &str) -> Vec<Finding> {
    let found = |(number, line): (usize, &str)| {
        let directory = MACHINES.iter().find(|directory| names_directory(line, directory)).copied();
        let directory = directory.or_else(|| somebody(line).then_some(HOMES))?;
        Some(Finding::new(path, number, format!("`{directory}…` is a path of one machine")))
    };
    numbered(text).filter_map(found).collect()
}

/// Whether a line names the directory from the root on: `a/b/` is not a `/b/`.
fn names_directory(line: &str, directory: &str) -> bool {
    let begins = |before: Option<char>| before.is_none_or(|c| !(c.is_alphanumeric() || "._-~}>)$".contains(c)));
    line.match_indices(directory).any(|(at, _)| begins(line[..at].chars().next_back()))
}

fn somebody(line: &str) -> bool {
    line.match_indices(HOMES).any(|(at, _)| {
        let rest = &line[at + HOMES.len()..];
        let name = &rest[..rest.find(|c: char| !(c.is_alphanumeric() || "._-".contains(c))).unwrap_or(rest.len())];
        !name.is_empty() && !NOBODIES.contains(&name) && names_directory(line, HOMES)
    })
}

/// Modules and types have names that say what they are for.
pub(super) fn names(path: &str, code: &Code) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut check = |line: usize, name: &str| {
        if let Some(word) = split(name).into_iter().find(|word| EMPTY_WORDS.contains(&word.as_str())) {
            findings.push(Finding::new(
                path,
                line,
                format!("`{name}` holds the word `{word}`, which names no purpose"),
            ));
        }
    };
    for part in path.trim_end_matches(".rs").split('/') {
        check(0, part);
    }
    let words: Vec<(usize, &str)> = code.words().collect();
    for pair in words.windows(2) {
        if let [(_, "mod" | "struct" | "enum" | "trait" | "union" | "type"), (at, name)] = pair {
            check(code.line(*at), name);
        }
    }
    findings
}

/// `GitInfo`, `git_info` and `git-info` are the words `git` and `info`.
fn split(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    for c in name.chars() {
        if c.is_uppercase() || c == '_' || c == '-' {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words
}

/// Files and functions that are longer than most.
pub(super) fn long(path: &str, code: &Code) -> Vec<Finding> {
    let lines = code.text().lines().count();
    let file = (lines > FILE_LINES).then(|| Finding::new(path, 0, format!("{lines} lines")));
    let functions = code.functions().into_iter().filter(|function| function.lines > FUNCTION_LINES);
    let function = |found: super::code::Function| {
        Finding::new(path, found.line, format!("fn {} has {} lines", found.name, found.lines))
    };
    file.into_iter().chain(functions.map(function)).collect()
}

/// There is a changelog, and a place in it for the next change.
pub(super) fn changelog(text: Option<&str>) -> Vec<Finding> {
    let heading = |line: &str| line.starts_with("## ") && line.contains("Unreleased");
    match text {
        Some(text) if text.lines().any(heading) => Vec::new(),
        _ => vec![Finding::new("CHANGELOG.md", 0, "there must be a heading `## Unreleased`")],
    }
}

fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    // Split by hand, because `lines` swallows a carriage return.
    text.split('\n').enumerate().map(|(number, line)| (number + 1, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(findings: &[Finding]) -> Vec<usize> {
        findings.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn white_space_at_an_end_is_found() {
        assert_eq!(lines(&white_space("a.rs", "a \nb\nc\t\nd\r\n")), [1, 3, 4]);
        assert_eq!(lines(&white_space("a.rs", "a")), [0]);
        assert_eq!(lines(&white_space("a.rs", "a\n\n")), [0]);
        assert!(white_space("a.rs", "a\n").is_empty());
        assert!(white_space("a.rs", "").is_empty());
        assert!(white_space("crates/antefix/tests/cases/x/prompt", "a ").is_empty());
        assert!(white_space("crates/antefix/layouts/x/y.md", "a ").is_empty());
    }

    #[test]
    fn each_leftover_is_found() {
        for word in LEFTOVERS {
            assert_eq!(lines(&leftovers("a.rs", &format!("a\nb {word} c\n"))), [2], "{word}");
        }
        assert!(leftovers("a.rs", "// TODO: x is fine in prose\n").is_empty());
    }

    #[test]
    fn paths_of_a_machine_are_found() {
        for directory in MACHINES {
            assert_eq!(lines(&machine_paths("a.md", &format!("x\n\"{directory}x\""))), [2], "{directory}");
            assert!(machine_paths("a.md", &format!("frame{directory}x")).is_empty(), "{directory}");
        }
        assert_eq!(lines(&machine_paths("a.md", &format!("{HOMES}kim/x"))), [1]);
        assert_eq!(lines(&machine_paths("a.md", &format!("{HOMES}ada, {HOMES}kim"))), [1]);
        assert!(machine_paths("a.md", &format!("{HOMES}ada/x {HOMES}user {HOMES}<you>")).is_empty());
    }

    #[test]
    fn empty_names_are_found() {
        let found = |path: &str, source: &str| lines(&names(path, &Code::new(source)));
        assert_eq!(found("src/utils.rs", ""), [0]);
        assert_eq!(found("src/common/x.rs", ""), [0]);
        assert_eq!(
            found("a.rs", "mod helper;\nstruct GitInfo;\nenum RequestData {}\ntype StoreManager = ();"),
            [1, 2, 3, 4]
        );
        assert_eq!(found("a.rs", "trait Engine {}"), [1]);
        assert!(found("a.rs", "struct Metadata;\n// struct Info\nfn data() {}\nlet engine = 1;").is_empty());
    }

    #[test]
    fn long_files_and_functions_are_outliers() {
        let short = format!("fn a() {{{}}}\n", "\n".repeat(FUNCTION_LINES - 1));
        assert!(long("a.rs", &Code::new(&short)).is_empty());
        assert_eq!(lines(&long("a.rs", &Code::new(&short.replacen('\n', "\n\n", 1)))), [1]);
        assert_eq!(lines(&long("a.rs", &Code::new(&"a;\n".repeat(FILE_LINES + 1)))), [0]);
    }

    #[test]
    fn a_changelog_has_a_place_for_the_next_change() {
        assert!(changelog(Some("# Changelog\n\n## Unreleased\n")).is_empty());
        assert!(changelog(Some("## [Unreleased]\n")).is_empty());
        assert_eq!(changelog(Some("# Changelog\n\n## 0.1.0\n")).len(), 1);
        assert_eq!(changelog(None).len(), 1);
    }
}
