//! Rules about the library's shape: who may touch the machine, who may know whom, what is embedded.

use super::Finding;
use super::code::{Code, words};

const LIBRARY: &str = "crates/antefix/src/";
const LAYOUTS: &str = "crates/antefix/layouts/";

/// The modules that touch the machine.
const EDGES: [&str; 2] = ["worlds/", "stores/"];

/// The order of the flow, with what all stages speak of before it. Nobody knows what comes later.
const FLOW: [&str; 10] =
    ["text", "discover", "compose", "agents", "freeze", "hooks", "deliver", "observe", "keeper", "project"];

/// What any stage may use, and what therefore knows no stage but `text`.
const BENEATH: [&str; 7] = ["diagnostic", "error", "reference", "stop", "toml_words", "tokens", "models"];

/// The edges, which only the front door puts together with the stages.
const OUTSIDE: [&str; 2] = ["worlds", "stores"];

/// Only the edges may allow what `clippy.toml` forbids.
pub(super) fn purity(path: &str, text: &str) -> Vec<Finding> {
    let Some(inside) = path.strip_prefix(LIBRARY) else { return Vec::new() };
    if EDGES.iter().any(|edge| inside.starts_with(edge)) {
        return Vec::new();
    }
    let lifts = |line: &str| line.contains("clippy::disallowed_");
    let what = "only `worlds` and `stores` may lift the ban on the machine's clock, files and programs";
    (1..).zip(text.lines()).filter(|(_, line)| lifts(line)).map(|(line, _)| Finding::new(path, line, what)).collect()
}

/// Nothing whose order is chance.
pub(super) fn order(path: &str, code: &Code) -> Vec<Finding> {
    if !path.starts_with(LIBRARY) {
        return Vec::new();
    }
    let chance = |(at, word): (usize, &str)| {
        matches!(word, "HashMap" | "HashSet").then(|| {
            Finding::new(path, code.line(at), format!("`{word}`: order is part of the bytes, use the BTree one"))
        })
    };
    code.words().filter_map(chance).collect()
}

/// Each stage knows only what comes before it. Unit tests may build their worlds.
pub(super) fn direction(path: &str, code: &Code) -> Vec<Finding> {
    let Some(inside) = path.strip_prefix(LIBRARY).filter(|inside| !inside.ends_with("tests.rs")) else {
        return Vec::new();
    };
    let stage = inside.split(['/', '.']).next().unwrap_or_default();
    let knows = |module: &str| {
        let place = |name: &str| FLOW.iter().position(|other| *other == name);
        match (place(stage), place(module)) {
            _ if OUTSIDE.contains(&module) => matches!(stage, "keeper" | "project"),
            (Some(stage), Some(module)) => module <= stage,
            (None, Some(module)) => module == 0,
            (_, None) => true,
        }
    };
    if !FLOW.contains(&stage) && !BENEATH.contains(&stage) {
        return Vec::new();
    }
    imports(code.without_tests())
        .into_iter()
        .filter(|(_, module)| !knows(module))
        .map(|(at, module)| Finding::new(path, code.line(at), format!("`{stage}` must not know `{module}`")))
        .collect()
}

/// The modules named behind `crate::`, alone or in a group in braces.
fn imports(code: &str) -> Vec<(usize, &str)> {
    let mut modules = Vec::new();
    for (at, found) in code.match_indices("crate::") {
        let start = at + found.len();
        let rest = &code[start..];
        if !rest.starts_with('{') {
            modules.extend(words(rest).next().map(|(word, module)| (start + word, module)));
            continue;
        }
        // In a group, a module is the first word of each entry at the outermost level.
        let mut depth = 0;
        for (position, c) in rest.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            if depth == 1 && matches!(c, '{' | ',') {
                let entry = rest[position + 1..].split(['}', ',', '{']).next().unwrap_or_default();
                let offset = start + position + 1;
                modules.extend(words(entry).next().map(|(word, module)| (offset + word, module)));
            }
        }
    }
    modules
}

/// Every layout, prompt and wording is embedded: a file that nobody reads misleads whoever edits it.
pub(super) fn embedded(paths: &[&str], builtin: &str, wording: &str) -> Vec<Finding> {
    let is_embedded = |file: &str| match file.strip_suffix("/layout.toml") {
        Some(layout) => builtin.contains(&format!("\"{layout}\"")),
        None => match (file.strip_prefix("wording/"), file.strip_suffix(".md")) {
            (Some(key), _) => key.strip_suffix(".md").is_some_and(|key| wording.contains(&format!("    {key}("))),
            (None, Some(prompt)) => builtin.contains(&format!("\"{prompt}\"")),
            (None, None) => false,
        },
    };
    let files = paths.iter().filter_map(|path| Some((*path, path.strip_prefix(LAYOUTS)?)));
    files
        .filter(|(_, file)| !is_embedded(file))
        .map(|(path, _)| Finding::new(path, 0, "neither `builtin.rs` nor `wording.rs` embeds this file"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(findings: &[Finding]) -> Vec<usize> {
        findings.iter().map(|finding| finding.line).collect()
    }

    fn in_library(path: &str) -> String {
        format!("{LIBRARY}{path}")
    }

    #[test]
    fn only_the_edges_lift_the_ban() {
        let text = "//! x\n#![allow(clippy::disallowed_methods)]\n";
        assert_eq!(lines(&purity(&in_library("compose/mod.rs"), text)), [2]);
        assert!(purity(&in_library("worlds/os.rs"), text).is_empty());
        assert!(purity(&in_library("stores/sqlite.rs"), text).is_empty());
        assert!(purity("crates/antefix/tests/it/main.rs", text).is_empty());
    }

    #[test]
    fn order_by_chance_is_found_in_the_library() {
        let code = Code::new("// HashMap\nuse std::collections::{BTreeMap, HashSet};\n");
        assert_eq!(lines(&order(&in_library("a.rs"), &code)), [2]);
        assert!(order("crates/antefix-cli/src/main.rs", &code).is_empty());
    }

    #[test]
    fn knowing_what_comes_later_is_found() {
        let found = |path: &str, source: &str| lines(&direction(&in_library(path), &Code::new(source)));
        assert_eq!(found("compose/x.rs", "use crate::discover::A;\nuse crate::freeze::B;\n"), [2]);
        assert_eq!(found("discover/x.rs", "use crate::compose::A;\nfn a() { crate::deliver::b() }\n"), [1, 2]);
        assert_eq!(found("text/x.rs", "use crate::tokens::A;\nuse crate::discover::B;\n"), [2]);
        assert_eq!(found("models/x.rs", "use crate::text::A;\nuse crate::discover::B;\n"), [2]);
        assert!(found("project/x.rs", "use crate::stores::A;\nuse crate::discover::B;\n").is_empty());
        assert_eq!(found("freeze/x.rs", "use crate::{\n    compose::{A, deliver},\n    worlds::B,\n};\n"), [3]);
        assert_eq!(found("deliver.rs", "use crate::stores;\n"), [1]);
        assert!(found("deliver/x.rs", "use crate::{freeze, compose};\n// crate::worlds\n").is_empty());
        assert!(
            found("compose/x.rs", "a\n#[cfg(test)]\nmod tests {\n    use crate::worlds::MemoryWorld;\n}\n").is_empty()
        );
        assert!(found("worlds/os.rs", "use crate::deliver;\n").is_empty());
        assert!(found("composer.rs", "use crate::deliver;\n").is_empty());
    }

    #[test]
    fn files_that_nobody_embeds_are_found() {
        let builtin = "layouts![\"a\"]; prompts![\"a/b\"]";
        let wording = "wordings![\n    c(x),\n]";
        let paths = |names: &[&str]| -> Vec<String> { names.iter().map(|name| format!("{LAYOUTS}{name}")).collect() };
        let check = |names: &[&str]| {
            let paths = paths(names);
            embedded(&paths.iter().map(String::as_str).collect::<Vec<_>>(), builtin, wording).len()
        };
        assert_eq!(check(&["a/layout.toml", "a/b.md", "wording/c.md"]), 0);
        assert_eq!(check(&["d/layout.toml", "a/e.md", "wording/f.md", "wording/c.txt", "a/g.txt"]), 5);
        assert!(embedded(&["README.md"], "", "").is_empty());
    }
}
