//! Real agents, for the tests that run them.
//!
//! 1. Each is installed once, into `target/agents/<name>`: what npm shall fetch is pinned in `tests/agents/<name>`, with digests.
//!    The lock file's own digest is kept beside, so that a change installs anew.
//! 2. No script of a package runs. Node is the one of the SDKs, because some agents want a newer one than machines have.
//! 3. The tests are told where by `ANTEFIX_TEST_AGENTS`; `none` leaves them out. `ANTEFIX_TEST_ALL_AGENTS` is for those
//!    that are not run by default.

use std::fs;
use std::path::{Path, PathBuf};

use crate::sdk;
use crate::step::{Outcome, metadata, program, root, show};

/// Names the directory with the agents; `none` leaves these tests out.
pub(crate) const VARIABLE: &str = "ANTEFIX_TEST_AGENTS";
/// Set, it runs all of them.
pub(crate) const ALL: &str = "ANTEFIX_TEST_ALL_AGENTS";
/// Those that could not be installed, with commas in between: their tests are left out.
pub(crate) const WITHOUT: &str = "ANTEFIX_TEST_WITHOUT_AGENTS";

/// Those that are run by default: they start within a second or two.
const USUAL: [&str; 3] = ["claude-code", "codex", "gemini-cli"];

/// Which agents are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// Those that start fast.
    Usual,
    /// All.
    All,
}

/// What was installed where.
pub(crate) struct Installed {
    pub(crate) place: PathBuf,
    /// Those that could not be installed, with the reason.
    pub(crate) missing: Vec<(String, String)>,
}

/// `cargo xtask agents`.
pub(crate) fn command(which: Which) -> Outcome {
    let installed = prepare(which)?;
    println!("{}", installed.place.display());
    match installed.missing.as_slice() {
        [] => Ok(()),
        missing => Err(missing.iter().map(|(name, why)| format!("{name}: {why}")).collect::<Vec<_>>().join("\n")),
    }
}

/// Makes sure that the agents are there, and says where and which are not; or says why none is.
pub(crate) fn prepare(which: Which) -> Outcome<Installed> {
    match std::env::var(VARIABLE) {
        Ok(value) if value == "none" => return Err(format!("{VARIABLE} is `none`")),
        Ok(value) => {
            eprintln!("\n▸ agents: those in {value}, which {VARIABLE} names");
            return Ok(Installed { place: value.into(), missing: Vec::new() });
        }
        Err(_) => {}
    }
    let target = metadata(&["--no-deps"])?;
    let place =
        Path::new(target["target_directory"].as_str().ok_or("cargo does not say where it builds")?).join("agents");
    let node = sdk::prepare()?.join("nodejs");
    fs::create_dir_all(&place).map_err(|error| format!("{} cannot be made: {error}", place.display()))?;
    sdk::link_anew(&node.join("bin/node"), &place.join("node"))?;
    let mut missing = Vec::new();
    for name in names()? {
        if which == Which::All || USUAL.contains(&name.as_str()) {
            let installed = install(&name, &place.join(&name), &node);
            missing.extend(installed.err().map(|why| (name, why)));
        }
    }
    Ok(Installed { place, missing })
}

/// The agents that have a lock file.
fn names() -> Outcome<Vec<String>> {
    let directory = root().join("tests/agents");
    let entries =
        fs::read_dir(&directory).map_err(|error| format!("{} cannot be listed: {error}", directory.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path().join("package-lock.json").exists())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    Ok(names)
}

fn install(name: &str, place: &Path, node: &Path) -> Outcome {
    let locked = root().join("tests/agents").join(name);
    let lock = locked.join("package-lock.json");
    let text = fs::read_to_string(&lock).map_err(|error| format!("{} cannot be read: {error}", lock.display()))?;
    let (stamp, wanted) = (place.join("installed"), antefix::text::Digest::of(&text).to_string());
    if fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
        return Ok(());
    }
    if place.exists() {
        fs::remove_dir_all(place).map_err(|error| format!("{} cannot be removed: {error}", place.display()))?;
    }
    fs::create_dir_all(place).map_err(|error| format!("{} cannot be made: {error}", place.display()))?;
    for from in [locked.join("package.json"), lock, root().join("tests/sdk/node/.npmrc")] {
        let to = place.join(from.file_name().unwrap_or_default());
        fs::copy(&from, to).map_err(|error| format!("{} cannot be copied: {error}", from.display()))?;
    }
    // No program of a package runs while it is installed.
    show(
        program(node.join("bin/node"), &[])
            .arg(node.join("lib/node_modules/npm/bin/npm-cli.js"))
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"])
            .current_dir(place),
    )?;
    // Written last: an installation that was broken off is begun anew.
    fs::write(&stamp, wanted).map_err(|error| format!("{} cannot be written: {error}", stamp.display()))
}

#[cfg(test)]
mod tests {
    use super::{USUAL, names};

    #[test]
    fn every_usual_agent_has_a_lock_file() {
        let names = names().unwrap_or_default();
        assert!(USUAL.iter().all(|usual| names.iter().any(|name| name == usual)), "{names:?}");
    }
}
