//! Rules about dependencies: few, and each with a reason.

use super::Finding;

/// What the pure library needs. A new name here is a decision; say why in its `Cargo.toml`.
const HANDFUL: [&str; 12] = [
    "aho-corasick",
    "jiff",
    "memchr",
    "minijinja",
    "serde",
    "serde-saphyr",
    "serde_json",
    "sha2",
    "similar",
    "stacker",
    "strsim",
    "toml",
];

/// How cargo lists what the pure library needs.
pub(super) const TREE: [&str; 10] =
    ["tree", "--package", "antefix", "--no-default-features", "--edges", "normal", "--depth", "1", "--prefix", "none"];

/// Every dependency has a comment above it that says why. Paths and what the workspace decides need none.
pub(super) fn reasons(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (mut in_dependencies, mut open, mut reason) = (false, 0_i32, false);
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        let continues = open > 0;
        open += line.matches(['[', '{']).count() as i32 - line.matches([']', '}']).count() as i32;
        if continues || line.is_empty() {
            reason &= continues;
            continue;
        }
        if line.starts_with('#') {
            reason = true;
            continue;
        }
        if let Some(table) = line.strip_prefix('[') {
            let table = table.trim_end_matches(']');
            in_dependencies = table.ends_with("dependencies");
            // `[dependencies.name]` is a dependency of its own.
            if table.rsplit_once('.').is_some_and(|(table, _)| table.ends_with("dependencies")) && !reason {
                findings.push(Finding::new(path, number, format!("`{table}` needs a comment above it that says why")));
            }
            reason = false;
            continue;
        }
        let exempt = line.contains("path =") || line.contains("workspace = true");
        if in_dependencies && !exempt && !reason {
            let name = line.split(['=', '.', ' ']).next().unwrap_or_default();
            findings.push(Finding::new(path, number, format!("`{name}` needs a comment above it that says why")));
        }
        reason = false;
    }
    findings
}

/// The pure library needs the handful and nothing else. `tree` is what cargo prints for [`TREE`].
pub(super) fn handful(tree: &str) -> Vec<Finding> {
    let manifest = "crates/antefix/Cargo.toml";
    let names = tree.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    let extra = |name: &str| format!("the library without features now needs `{name}`; its handful is in tidy");
    let mut findings: Vec<Finding> =
        names.filter(|name| !HANDFUL.contains(name)).map(|name| Finding::new(manifest, 0, extra(name))).collect();
    if !tree.starts_with("antefix ") {
        findings.push(Finding::new(manifest, 0, "`cargo tree` did not list the library"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_without_a_reason_are_found() {
        let text = "\
[package]
name = \"x\"

[dependencies]
# Why.
a = \"1\"
b = \"1\"
# Why, too.
c = { version = \"1\", features = [
    \"d\",
] }
e = { path = \"../e\" }
f.workspace = true
# Too far away.

g = \"1\"

[dev-dependencies.h]
version = \"1\"

# Why.
[target.'cfg(unix)'.dependencies]
i = \"1\"

[features]
j = []
";
        let lines: Vec<usize> = reasons("Cargo.toml", text).iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [7, 16, 18, 23]);
    }

    #[test]
    fn a_seventh_crate_is_found() {
        assert!(handful("antefix v0.1.0 (here)\njiff v0.2.39\nserde v1.0.229\n").is_empty());
        assert_eq!(handful("antefix v0.1.0 (here)\ntokio v1.0.0\n").len(), 1);
        assert_eq!(handful("").len(), 1);
    }
}
