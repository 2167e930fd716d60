//! `cargo xtask sbom`: what the program is made of, as a document that other programs read (CycloneDX 1.5).
//!
//! 1. Everything that is linked into `antefix` with all of its features is a component: what is only needed to build or to test
//!    is not. Each has its version, its license, the checksum of `Cargo.lock` and what it needs itself.
//! 2. The same lock file gives the same bytes: no time, no random number, everything in order.
//! 3. It goes to `target/sbom.cdx.json`, for whoever releases to put beside the program. Nothing is asked of the network.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Value, json};

use crate::step::{Outcome, metadata, root};

/// The program.
const PROGRAM: &str = "antefix-cli";
const FILE: &str = "target/sbom.cdx.json";

/// Writes the document.
pub(crate) fn run() -> Outcome {
    let lock = fs::read_to_string(root().join("Cargo.lock")).map_err(|error| format!("Cargo.lock: {error}"))?;
    let document = document(&metadata(&["--all-features"])?, &lock)?;
    let text = serde_json::to_string_pretty(&document).map_err(|error| error.to_string())?;
    fs::create_dir_all(root().join("target")).map_err(|error| format!("target: {error}"))?;
    fs::write(root().join(FILE), text + "\n").map_err(|error| format!("{FILE}: {error}"))?;
    println!("{FILE}: {} components", document["components"].as_array().map_or(0, Vec::len));
    Ok(())
}

fn document(metadata: &Value, lock: &str) -> Outcome<Value> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages: BTreeMap<String, Value> =
        list(&metadata["packages"]).into_iter().map(|package| (text(&package["id"]), package)).collect();
    let nodes: BTreeMap<String, Value> =
        list(&metadata["resolve"]["nodes"]).into_iter().map(|node| (text(&node["id"]), node)).collect();
    let program = packages.iter().find(|(_, package)| package["name"] == PROGRAM).map(|(id, _)| id.clone());
    let program = program.ok_or_else(|| format!("`cargo metadata` lists no {PROGRAM}"))?;
    let needs = |id: &str| -> BTreeSet<String> {
        let linked = |dependency: &Value| list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
        let node = nodes.get(id).map(|node| list(&node["deps"])).unwrap_or_default();
        node.iter().filter(|dependency| linked(dependency)).map(|dependency| text(&dependency["pkg"])).collect()
    };
    let mut reached = BTreeSet::new();
    let mut left = vec![program.clone()];
    while let Some(id) = left.pop() {
        if reached.insert(id.clone()) {
            left.extend(needs(&id));
        }
    }
    let sums = checksums(lock)?;
    let reference = |id: &str| packages.get(id).map(purl).unwrap_or_default();
    let mut components: Vec<Value> = reached
        .iter()
        .filter(|id| **id != program)
        .filter_map(|id| Some(component(packages.get(id)?, &sums)))
        .collect();
    components.sort_by_key(|component| text(&component["bom-ref"]));
    let mut dependencies: Vec<Value> = reached
        .iter()
        .map(|id| {
            let on: BTreeSet<String> = needs(id).iter().map(|id| reference(id)).collect();
            json!({"ref": reference(id), "dependsOn": on})
        })
        .collect();
    dependencies.sort_by_key(|dependency| text(&dependency["ref"]));
    let mut itself = packages.get(&program).map(|package| component(package, &sums)).unwrap_or_default();
    itself["type"] = json!("application");
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": itself},
        "components": components,
        "dependencies": dependencies,
    }))
}

fn component(package: &Value, sums: &BTreeMap<(String, String), String>) -> Value {
    let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
    let mut component = json!({
        "type": "library",
        "bom-ref": purl(package),
        "name": text("name"),
        "version": text("version"),
        "purl": purl(package),
        // Old manifests write `/` for OR.
        "licenses": [{"expression": text("license").replace('/', " OR ")}],
    });
    if let Some(sum) = sums.get(&(text("name"), text("version"))) {
        component["hashes"] = json!([{"alg": "SHA-256", "content": sum}]);
    }
    component
}

/// A package's name for other programs.
fn purl(package: &Value) -> String {
    let text = |key: &str| package[key].as_str().unwrap_or_default();
    // What has no source is ours, and is in no registry.
    let own = if package["source"].is_null() { "?repository_url=local" } else { "" };
    format!("pkg:cargo/{}@{}{own}", text("name"), text("version"))
}

/// The checksums of `Cargo.lock`, by name and version.
fn checksums(lock: &str) -> Outcome<BTreeMap<(String, String), String>> {
    let table: toml::Table = lock.parse().map_err(|error| format!("Cargo.lock cannot be read: {error}"))?;
    let packages = table.get("package").and_then(toml::Value::as_array).ok_or("Cargo.lock lists no packages")?;
    let text = |package: &toml::Value, key| package.get(key).and_then(toml::Value::as_str).map(str::to_owned);
    let row = |package| Some(((text(package, "name")?, text(package, "version")?), text(package, "checksum")?));
    Ok(packages.iter().filter_map(row).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on says so by failing")]

    use super::{document, metadata};
    use serde_json::{Value, json};

    /// The program needs `a`, which needs `b`; `c` only tests it, and `d` only builds it.
    fn example() -> Value {
        let package = |name: &str, source: Value| json!({"id": name, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0", "source": source});
        let needs = |name: &str, kind: Value| json!({"pkg": name, "dep_kinds": [{"kind": kind}]});
        let registry = json!("registry+https://github.com/rust-lang/crates.io-index");
        json!({
            "packages": [package("antefix-cli", Value::Null), package("d", registry.clone()), package("b", registry.clone()),
                package("a", registry.clone()), package("c", registry)],
            "resolve": {"nodes": [
                {"id": "antefix-cli", "deps": [needs("c", json!("dev")), needs("d", json!("build")), needs("a", Value::Null)]},
                {"id": "a", "deps": [needs("b", Value::Null)]},
            ]},
        })
    }

    #[test]
    fn what_is_linked_is_listed_with_license_and_checksum_and_nothing_else() {
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"77\"\n";
        let document = document(&example(), lock).unwrap();
        let names: Vec<&str> =
            document["components"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(document["components"][0]["hashes"][0]["content"], "77");
        assert_eq!(document["components"][1]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(
            document["dependencies"][0],
            json!({"ref": "pkg:cargo/a@1.0.0", "dependsOn": ["pkg:cargo/b@1.0.0"]})
        );
        assert_eq!(document["metadata"]["component"]["type"], "application");
    }

    #[test]
    fn it_is_the_same_each_time_and_every_crate_of_a_registry_has_a_checksum() {
        let lock = std::fs::read_to_string(crate::step::root().join("Cargo.lock")).unwrap();
        let one = document(&metadata(&["--all-features"]).unwrap(), &lock).unwrap();
        assert_eq!(one.to_string(), document(&metadata(&["--all-features"]).unwrap(), &lock).unwrap().to_string());
        let components = one["components"].as_array().unwrap();
        assert!(components.len() > 50, "{}", components.len());
        for component in components {
            let own = component["purl"].as_str().unwrap().contains("repository_url=local");
            assert_eq!(component.get("hashes").is_none(), own, "{component}");
        }
    }
}
