//! What comes from elsewhere: every crate from the one registry, none by any version, and no code that the compiler cannot check.
//!
//! `cargo deny` says the same of sources and versions, with the rules of `deny.toml`; this needs no tool and no network. What
//! neither can say here is whether somebody has found a hole in a crate: for that `cargo deny check advisories` fetches a list.

use serde_json::Value;

use super::Finding;
use super::code::Code;

/// The registry of `cargo`.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Every crate is ours or from the registry, and is asked for by a version.
pub(super) fn sources(metadata: &Value) -> Vec<Finding> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut findings = Vec::new();
    for package in list(&metadata["packages"]) {
        let (name, source) = (package["name"].as_str().unwrap_or_default(), package["source"].as_str());
        if let Some(source) = source.filter(|source| *source != REGISTRY) {
            findings.push(Finding::new(
                "Cargo.lock",
                0,
                format!("{name} comes from {source}, and not from the registry"),
            ));
        }
        // What others ask for is theirs to say.
        for dependency in list(&package["dependencies"]).iter().filter(|_| source.is_none()) {
            if dependency["req"] == "*" && dependency["path"].is_null() {
                let wanted = dependency["name"].as_str().unwrap_or_default();
                findings.push(Finding::new("Cargo.toml", 0, format!("{name} takes any version of {wanted}")));
            }
        }
    }
    findings
}

/// No crate of ours, fuzz targets and tasks included, has code that the compiler cannot check.
pub(super) fn checked_code(path: &str, code: &Code) -> Vec<Finding> {
    let found = code.words().filter(|(_, word)| *word == UNCHECKED);
    found.map(|(at, word)| Finding::new(path, code.line(at), format!("`{word}` code is forbidden"))).collect()
}

/// Every crate forbids it, so that the compiler refuses it as well: the workspace for all, and the fuzz targets for themselves.
pub(super) fn forbids(path: &str, manifest: &str) -> Vec<Finding> {
    let Ok(table) = manifest.parse::<toml::Table>() else {
        return vec![Finding::new(path, 0, "the manifest cannot be read")];
    };
    let get = |keys: &[&str]| {
        keys.iter().try_fold(None, |at: Option<&toml::Value>, key| match at {
            None => table.get(*key).map(Some),
            Some(value) => value.get(key).map(Some),
        })
    };
    let is_forbidden = |keys: &[&str]| get(keys).flatten().and_then(toml::Value::as_str) == Some("forbid");
    let inherits = get(&["lints", "workspace"]).flatten().and_then(toml::Value::as_bool) == Some(true);
    let fuzz = path.starts_with("fuzz/");
    let fine = match table.contains_key("package") {
        // The macro of the fuzz targets writes such code itself, which only the rule above can tell apart.
        true => inherits || fuzz,
        false => is_forbidden(&["workspace", "lints", "rust", "unsafe_code"]),
    };
    if fine {
        Vec::new()
    } else {
        vec![Finding::new(path, 0, "it does not take the lints of the workspace, which forbid unchecked code")]
    }
}

/// The word that begins such code.
const UNCHECKED: &str = "unsafe";

#[cfg(test)]
mod tests {
    use super::super::code::Code;
    use super::{REGISTRY, checked_code, forbids, sources};
    use serde_json::json;

    #[test]
    fn other_sources_and_any_version_are_found() {
        let metadata = json!({"packages": [
            {"name": "own", "source": null, "dependencies": [
                {"name": "any", "req": "*"}, {"name": "near", "req": "*", "path": "/x"}, {"name": "good", "req": "^1"}]},
            {"name": "good", "source": REGISTRY, "dependencies": [{"name": "theirs", "req": "*"}]},
            {"name": "far", "source": "git+https://example.com/far", "dependencies": []},
        ]});
        let found: Vec<String> = sources(&metadata).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("any version of any") && found[1].contains("far comes from git+"), "{found:?}");
    }

    #[test]
    fn code_that_is_not_checked_is_found_and_its_name_in_texts_is_not() {
        let code = |text: &str| checked_code("a.rs", &Code::new(text)).len();
        assert_eq!(code("fn f() { unsafe { g() } }"), 1);
        assert_eq!(code("unsafe extern \"C\" {}"), 1);
        assert_eq!(code("// unsafe\nlet a = \"unsafe\"; #![forbid(unsafe_code)]"), 0);
    }

    #[test]
    fn every_manifest_takes_the_lints_of_the_workspace() {
        let found = |path: &str, text: &str| forbids(path, text).len();
        assert_eq!(found("Cargo.toml", "[workspace]\n[workspace.lints.rust]\nunsafe_code = \"forbid\""), 0);
        assert_eq!(found("Cargo.toml", "[workspace]\n[workspace.lints.rust]\nunsafe_code = \"warn\""), 1);
        assert_eq!(found("crates/a/Cargo.toml", "[package]\nname = \"a\"\n[lints]\nworkspace = true"), 0);
        assert_eq!(found("crates/a/Cargo.toml", "[package]\nname = \"a\""), 1);
        assert_eq!(found("fuzz/Cargo.toml", "[package]\nname = \"a\""), 0);
    }
}
