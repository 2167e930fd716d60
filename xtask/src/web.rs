//! `cargo xtask web`: the page of `antefix serve`, and its tests in a browser.
//!
//! 1. What the page is built with is pinned in `crates/antefix-server/web/package-lock.json`, with digests, and installed beside it.
//!    Node is the one that the SDKs came with.
//! 2. The built files are committed, so that `cargo build` needs no Node. `--check` builds elsewhere and compares.
//! 3. The tests run in Debian's Chromium, which is installed if it is missing and we may.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sdk;
use crate::step::{Outcome, cargo, metadata, program, read, root, show};

/// Names the browser to test with; `none` leaves these tests out.
pub(crate) const VARIABLE: &str = "ANTEFIX_TEST_CHROMIUM";
/// Where Debian puts it.
const CHROMIUM: &str = "/usr/bin/chromium";

const WEB: &str = "crates/antefix-server/web";
/// What the build gives. Each has a compressed copy beside it.
const FILES: [&str; 3] = ["index.html", "page.css", "page.js"];

/// Formats and builds the page, or with `check` says whether that was done and the committed files are what the sources give.
pub(crate) fn run(check: bool) -> Outcome {
    let node = prepare()?;
    let formats = if check { "--check" } else { "--write" };
    show(node.run("node_modules/prettier/bin/prettier.cjs").args([formats, "--log-level", "warn", "."]))?;
    if !check {
        return build(&node, &root().join(WEB).join("dist"));
    }
    let elsewhere = target()?.join("web-check");
    build(&node, &elsewhere)?;
    compare(&root().join(WEB).join("dist"), &elsewhere)
}

/// Runs the tests in a browser, or says why they cannot run.
pub(crate) fn test() -> Outcome<Result<(), String>> {
    let ready = chromium().and_then(|browser| prepare().map(|node| (browser, node)));
    let (browser, node) = match ready {
        Ok(ready) => ready,
        Err(why) => return Ok(Err(why)),
    };
    run(true)?;
    show(&mut cargo(&["build", "--package", "antefix-cli"]))?;
    show(node.run("tests/all.js").env(VARIABLE, browser).env("ANTEFIX_TEST_PROGRAM", target()?.join("debug/antefix")))?;
    Ok(Ok(()))
}

/// A Node whose packages are installed.
struct Node(PathBuf);

impl Node {
    /// A script, run beside the page's sources.
    fn run(&self, script: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = program(&self.0, &[]);
        command.arg(script).current_dir(root().join(WEB));
        command
    }
}

fn target() -> Outcome<PathBuf> {
    let metadata = metadata(&["--no-deps"])?;
    Ok(metadata["target_directory"].as_str().ok_or("cargo does not say where it builds")?.into())
}

/// Makes sure that Node and the packages are there.
fn prepare() -> Outcome<Node> {
    let place = sdk::prepare()?;
    let node = Node(place.join("nodejs/bin/node"));
    let web = root().join(WEB);
    let (lock, stamp) = (web.join("package-lock.json"), web.join("node_modules/.installed"));
    let wanted = fs::read_to_string(&lock).map_err(|error| format!("{} cannot be read: {error}", lock.display()))?;
    if fs::read_to_string(&stamp).is_ok_and(|there| there == wanted) {
        return Ok(node);
    }
    // No program of a package runs while it is installed.
    let npm = place.join("nodejs/lib/node_modules/npm/bin/npm-cli.js");
    show(node.run(npm).args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]))?;
    // Written last: an installation that was broken off is begun anew.
    fs::write(&stamp, wanted).map_err(|error| format!("{} cannot be written: {error}", stamp.display()))?;
    Ok(node)
}

fn build(node: &Node, into: &Path) -> Outcome {
    show(node.run("node_modules/typescript/bin/tsc").arg("--noEmit"))?;
    show(
        node.run("node_modules/vite/bin/vite.js")
            .args(["build", "--emptyOutDir", "--logLevel", "warn", "--outDir"])
            .arg(into),
    )
}

/// The committed files must be those that the sources give. What compresses them may differ from machine to machine, so of
/// compressed files only what is in them counts.
fn compare(committed: &Path, built: &Path) -> Outcome {
    let text = |place: &Path, name: &str| fs::read_to_string(place.join(name)).unwrap_or_default();
    let mut stale = Vec::new();
    for name in FILES {
        let expected = text(built, name);
        let unpacked = read(program("gzip", &["-dc"]).arg(committed.join(format!("{name}.gz"))));
        if expected.is_empty() || text(committed, name) != expected || unpacked != Ok(expected) {
            stale.push(name);
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("{WEB}/dist is not what the sources give ({}): `cargo xtask web`", stale.join(", ")))
}

/// Makes sure that there is a browser, and says where.
pub(crate) fn chromium() -> Outcome<PathBuf> {
    match std::env::var(VARIABLE) {
        Ok(value) if value == "none" => return Err(format!("{VARIABLE} is `none`")),
        Ok(value) => return Ok(value.into()),
        Err(_) => {}
    }
    let browser = Path::new(CHROMIUM);
    if !browser.exists() {
        let is_root = read(&mut program("id", &["-u"])).is_ok_and(|id| id.trim() == "0");
        if !is_root || read(&mut program("apt-get", &["--version"])).is_err() {
            return Err(format!("Chromium is not installed: `apt-get install chromium`, or name one in {VARIABLE}"));
        }
        show(&mut program("apt-get", &["update", "-q"]))?;
        show(
            program("apt-get", &["install", "-y", "-q", "--no-install-recommends", "chromium"])
                .env("DEBIAN_FRONTEND", "noninteractive"),
        )?;
    }
    Ok(browser.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_file_is_named() {
        let place = std::env::temp_dir().join(format!("antefix-web-{}", std::process::id()));
        let dist = root().join(WEB).join("dist");
        fs::create_dir_all(&place).unwrap();
        for name in FILES {
            fs::copy(dist.join(name), place.join(name)).unwrap();
        }
        assert_eq!(compare(&dist, &place), Ok(()));
        fs::write(place.join("page.css"), "body {}\n").unwrap();
        assert!(compare(&dist, &place).unwrap_err().contains("(page.css)"));
        fs::remove_dir_all(&place).unwrap();
    }
}
