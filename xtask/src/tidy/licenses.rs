//! Every crate's license is one that `deny.toml` allows.
//!
//! An expression of SPDX is `MIT OR (Apache-2.0 AND BSD-3-Clause)`: one side of an `OR` is enough, an `AND` needs both.

use serde_json::Value;

use super::Finding;
use crate::step::Outcome;

/// Checks what `cargo metadata` says against the list in `deny.toml`.
pub(super) fn check(metadata: &Value, deny: &str) -> Outcome<Vec<Finding>> {
    let allowed = allowed(deny)?;
    let packages = metadata["packages"].as_array().ok_or("`cargo metadata` lists no packages")?;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut findings = Vec::new();
    for package in packages {
        let license = text(&package["license"]);
        if !is_allowed(&license, &allowed) {
            let what = format!("{} {} has the license `{license}`", text(&package["name"]), text(&package["version"]));
            findings.push(Finding::new("Cargo.lock", 0, format!("{what}, which deny.toml does not allow")));
        }
    }
    Ok(findings)
}

fn allowed(deny: &str) -> Outcome<Vec<String>> {
    let table: toml::Table = deny.parse().map_err(|error| format!("deny.toml cannot be read: {error}"))?;
    let list = table.get("licenses").and_then(|licenses| licenses.get("allow")).and_then(toml::Value::as_array);
    let list = list.ok_or("deny.toml has no list `licenses.allow`")?;
    Ok(list.iter().filter_map(|license| license.as_str().map(str::to_owned)).collect())
}

/// Whether an expression can be met with allowed licenses.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    // Old manifests write `/` for OR.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let met = any(&mut words, allowed);
    met && words.next().is_none()
}

type Words<'w> = std::iter::Peekable<std::str::SplitWhitespace<'w>>;

fn any(words: &mut Words<'_>, allowed: &[String]) -> bool {
    let mut met = all(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        met |= all(words, allowed);
    }
    met
}

fn all(words: &mut Words<'_>, allowed: &[String]) -> bool {
    let mut met = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words, allowed);
    }
    met
}

fn one(words: &mut Words<'_>, allowed: &[String]) -> bool {
    match words.next() {
        Some("(") => {
            let met = any(words, allowed);
            words.next_if_eq(&")").is_some() && met
        }
        Some(license) => {
            let exception = words.next_if_eq(&"WITH").and_then(|_| words.next());
            let license = exception.map_or(license.to_owned(), |exception| format!("{license} WITH {exception}"));
            allowed.contains(&license)
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENY: &str = "[licenses]\nallow = [\"MIT\", \"Zlib\", \"Apache-2.0 WITH LLVM-exception\"]\n";

    #[test]
    fn expressions_are_met_as_spdx_says() {
        let allowed = allowed(DENY).unwrap();
        for met in [
            "MIT",
            "MIT OR GPL-3.0",
            "GPL-3.0/MIT",
            "MIT AND Zlib",
            "Apache-2.0 WITH LLVM-exception OR GPL-3.0",
            "(GPL-3.0 OR Zlib) AND MIT",
        ] {
            assert!(is_allowed(met, &allowed), "{met}");
        }
        for unmet in ["", "GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0", "(MIT", "MIT)", "GPL-3.0 OR", "MIT WITH x"] {
            assert!(!is_allowed(unmet, &allowed), "{unmet}");
        }
    }

    #[test]
    fn a_crate_with_another_license_is_found() {
        let metadata = serde_json::json!({ "packages": [
            { "name": "good", "version": "1.0.0", "license": "MIT" },
            { "name": "bad", "version": "2.0.0", "license": "GPL-3.0" },
            { "name": "none", "version": "3.0.0", "license": null },
        ] });
        let found = check(&metadata, DENY).unwrap();
        assert_eq!(found.len(), 2);
        assert!(found[0].what.starts_with("bad 2.0.0 has the license `GPL-3.0`"));
    }

    #[test]
    fn a_list_that_cannot_be_read_is_an_error() {
        assert!(check(&serde_json::json!({ "packages": [] }), "").is_err());
        assert!(check(&serde_json::json!({}), DENY).is_err());
    }
}
