//! `docs/reference/compatibility.md`: what the five systems promise, and what antefix does about it.
//!
//! 1. `tests/claims/<system>.toml` has one row a claim: what it says, whether antefix does exactly that, and the test that
//!    would fail if it did not.
//! 2. A row that differs says what antefix does instead, and why. There is no third verdict: nothing is missing.
//! 3. A test that a row names must exist: a function in a file, or the folder of a case.

use std::fmt::Write as _;
use std::fs;

use crate::step::{Outcome, root};

/// The systems in the order of the page: the file's name, and what the layout of that name behaves like.
const SYSTEMS: [(&str, &str); 5] = [
    ("dispatch", "one template with variables, built at the first turn and again by a compaction"),
    ("yoi", "a strict template by reference, with scope and AGENTS.md behind it"),
    ("pi", "layered sections with tools, context files and skills"),
    ("deepseek", "a base that never moves, and a project block that moves with every turn"),
    ("buzz", "an operator's prompt and a core memory as one identity"),
];

/// One claim.
struct Claim {
    id: String,
    says: String,
    test: String,
    /// What antefix does instead, and why; none if it does exactly what the claim says.
    differs: Option<(String, String)>,
}

/// The page.
pub(crate) fn page() -> Outcome<String> {
    let mut systems = Vec::new();
    for (system, about) in SYSTEMS {
        systems.push((system, about, read(system)?));
    }
    let mut page = String::from(HEAD);
    page.push_str("| system | claims | exact | different |\n|---|---|---|---|\n");
    let (mut all, mut different) = (0, 0);
    for (system, about, claims) in &systems {
        let differ = claims.iter().filter(|claim| claim.differs.is_some()).count();
        let (count, exact) = (claims.len(), claims.len() - differ);
        let _ = writeln!(page, "| [{system}](#{system}): {about} | {count} | {exact} | {differ} |");
        (all, different) = (all + count, different + differ);
    }
    let _ = writeln!(page, "| all | {all} | {} | {different} |", all - different);
    page.push_str("\n## Where antefix differs\n\n| system | claim | antefix | why |\n|---|---|---|---|\n");
    for (system, _, claims) in &systems {
        for Claim { id, says, differs, .. } in claims {
            if let Some((ours, why)) = differs {
                let _ = writeln!(page, "| {system} {id} | {says} | {ours} | {why} |");
            }
        }
    }
    for (system, _, claims) in &systems {
        let _ = write!(page, "\n## {system}\n\n| | claim | | seen in |\n|---|---|---|---|\n");
        for Claim { id, says, test, differs } in claims {
            let verdict = if differs.is_some() { "different" } else { "exact" };
            let _ = writeln!(page, "| {id} | {says} | {verdict} | {} |", link(test));
        }
    }
    Ok(page)
}

const HEAD: &str = "# Compatibility

<!-- Printed by `cargo xtask docs` from `tests/claims/`. -->

Five systems each solved a part of what antefix does, and a layout of the same name behaves like each of them. Every promise
that their documents make is a row here, with the test that would fail if antefix broke it. What antefix does better is in the
layout `coding-agent`, not in these five.

";

fn read(system: &str) -> Outcome<Vec<Claim>> {
    let path = format!("tests/claims/{system}.toml");
    let text = fs::read_to_string(root().join(&path)).map_err(|error| format!("{path} cannot be read: {error}"))?;
    let table: toml::Table = text.parse().map_err(|error| format!("{path}: {error}"))?;
    let rows = table.get("claim").and_then(toml::Value::as_array).ok_or(format!("{path} has no [[claim]]"))?;
    let mut claims: Vec<Claim> = Vec::new();
    for row in rows {
        let claim = claim(row).map_err(|why| format!("{path}: {why}"))?;
        if claims.iter().any(|before| before.id == claim.id) {
            return Err(format!("{path}: {} is there twice", claim.id));
        }
        claims.push(claim);
    }
    Ok(claims)
}

fn claim(row: &toml::Value) -> Outcome<Claim> {
    let id = row.get("id").and_then(toml::Value::as_str).ok_or("a claim has no `id`")?.to_owned();
    let text = |key: &str| row.get(key).and_then(toml::Value::as_str).map(cell);
    let needs = |key: &str| text(key).ok_or(format!("{id} has no `{key}`"));
    let known = ["id", "says", "verdict", "test", "ours", "why"];
    if let Some(key) = row.as_table().and_then(|row| row.keys().find(|key| !known.contains(&key.as_str()))) {
        return Err(format!("{id} has an unknown key `{key}`"));
    }
    let differs = match needs("verdict")?.as_str() {
        "exact" if text("ours").is_some() || text("why").is_some() => {
            return Err(format!("{id} is exact, so it has neither `ours` nor `why`"));
        }
        "exact" => None,
        "different" => Some((needs("ours")?, needs("why")?)),
        other => return Err(format!("{id} has the verdict `{other}`; expected exact or different")),
    };
    let (says, test) = (needs("says")?, needs("test")?);
    exists(&test).map_err(|why| format!("{id}: {why}"))?;
    Ok(Claim { id, says, test, differs })
}

/// Whether a test exists: `file#function`, or the folder of a case.
pub(crate) fn exists(test: &str) -> Outcome {
    let Some((file, function)) = test.split_once('#') else {
        return match root().join(test).is_dir() {
            true => Ok(()),
            false => Err(format!("`{test}` is neither a case folder nor file#function")),
        };
    };
    let source = fs::read_to_string(root().join(file)).map_err(|error| format!("{file} cannot be read: {error}"))?;
    // A test of the page is named by its sentence.
    let named = [format!("fn {function}("), format!("\"{function}\""), format!("def {function}(")];
    match named.iter().any(|name| source.contains(name.as_str())) {
        true => Ok(()),
        false => Err(format!("{file} has no test `{function}`")),
    }
}

/// A text as a cell of a table.
pub(crate) fn cell(text: &str) -> String {
    text.trim().replace('\n', " ").replace('|', "\\|")
}

pub(crate) fn link(test: &str) -> String {
    let (file, function) = test.split_once('#').unwrap_or((test, test.rsplit('/').next().unwrap_or(test)));
    format!("[{}](../../{file})", function.replace('_', " "))
}

#[cfg(test)]
mod tests {
    use super::claim;

    fn read(row: &str) -> Result<Option<(String, String)>, String> {
        claim(&toml::Value::Table(row.parse().expect("TOML"))).map(|claim| claim.differs)
    }

    #[test]
    fn a_claim_needs_a_verdict_its_reason_and_a_test_that_exists() {
        let here = "test = 'xtask/src/claims.rs#a_claim_needs_a_verdict_its_reason_and_a_test_that_exists'";
        assert_eq!(read(&format!("id='D1'\nsays='x'\nverdict='exact'\n{here}")), Ok(None));
        let different = format!("id='D1'\nsays='x'\nverdict='different'\nours='a'\nwhy='b'\n{here}");
        assert_eq!(read(&different), Ok(Some(("a".to_owned(), "b".to_owned()))));
        for (row, why) in [
            (
                format!("id='D1'\nsays='x'\nverdict='missing'\n{here}"),
                "D1 has the verdict `missing`; expected exact or different",
            ),
            (format!("id='D1'\nsays='x'\nverdict='different'\nours='a'\n{here}"), "D1 has no `why`"),
            (
                format!("id='D1'\nsays='x'\nverdict='exact'\nwhy='b'\n{here}"),
                "D1 is exact, so it has neither `ours` nor `why`",
            ),
            (format!("id='D1'\nsays='x'\nverdict='exact'\nnote='b'\n{here}"), "D1 has an unknown key `note`"),
            (
                "id='D1'\nsays='x'\nverdict='exact'\ntest='xtask/src/claims.rs#nobody'".to_owned(),
                "D1: xtask/src/claims.rs has no test `nobody`",
            ),
            (
                "id='D1'\nsays='x'\nverdict='exact'\ntest='xtask/nowhere'".to_owned(),
                "D1: `xtask/nowhere` is neither a case folder nor file#function",
            ),
        ] {
            assert_eq!(read(&row), Err(why.to_owned()));
        }
    }
}
