//! Projects that are made rather than kept: for benchmarks, and for tests of bounds.

#![allow(dead_code, reason = "not every binary needs every project")]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use antefix::project::Look;
use antefix::text::FactName;
use antefix::{Antefix, Ask};

use crate::homeless::Homeless;

/// A line of prose.
const RULE: &str = "Say why, name the limits, and leave the place tidier than it was; tests are sentences.\n";

/// Six instruction files and 51 skills: a prompt of some 60 KB, seen from `a/b/c/d/e`.
pub(crate) fn around(root: &Path) {
    write(root, ".git/HEAD", "ref: refs/heads/main\n");
    for (number, place) in ["", "a/", "a/b/", "a/b/c/", "a/b/c/d/", "a/b/c/d/e/"].iter().enumerate() {
        write(root, &format!("{place}AGENTS.md"), &format!("# Level {number}\n\n{}", RULE.repeat(90)));
    }
    skills(root, 51, &RULE.repeat(20));
}

/// So many skills.
pub(crate) fn skills(root: &Path, count: usize, body: &str) {
    for number in 0..count {
        let about = format!("Does the work of kind {number} when it is asked for");
        let text = format!("---\nname: skill-{number}\ndescription: {about}\n---\n{body}");
        write(root, &format!(".agents/skills/skill-{number}/SKILL.md"), &text);
    }
}

/// What a huge file has behind its beginning.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fill {
    /// Nothing: it only says that it is huge.
    Sparse,
    /// Text to its end.
    Dense,
}

/// An AGENTS.md of so many bytes, and an ignore file as large among the skills.
pub(crate) fn huge(root: &Path, bytes: u64, fill: Fill) {
    write(root, ".git/HEAD", "ref: refs/heads/main\n");
    skills(root, 1, "");
    for name in ["AGENTS.md", ".agents/skills/.gitignore"] {
        let file = File::create(root.join(name)).expect("a file can be made");
        let mut writer = BufWriter::new(&file);
        let lines = match fill {
            // The beginning, past every limit, is text, so that it is not refused for what follows.
            Fill::Sparse => (4 << 20) / RULE.len() as u64,
            Fill::Dense => bytes / RULE.len() as u64,
        };
        for _ in 0..lines {
            writer.write_all(RULE.as_bytes()).expect("there is room for a file");
        }
        writer.flush().expect("there is room for a file");
        file.set_len(bytes).expect("a file can be as long as it says");
    }
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("it lies in the project")).expect("a directory can be made");
    fs::write(path, text).expect("a file can be written");
}

/// What a look at a project cost.
pub(crate) struct Cost {
    pub(crate) time: Duration,
    /// The bytes of the prompt.
    pub(crate) prompt: usize,
    /// The codes of what was reported, each once.
    pub(crate) reported: Vec<&'static str>,
    /// The most memory that this process ever had, in bytes; none where the system does not say.
    pub(crate) peak: Option<u64>,
}

/// Asks and composes with the default layout, once.
pub(crate) fn look(root: &Path) -> Cost {
    let start = Instant::now();
    let antefix = Antefix::builder().world(Homeless::new()).store("memory").build().expect("there is a world");
    let git = ["branch", "status"].map(|fact| FactName::new("git", fact));
    let ask = git.into_iter().fold(Ask::new(), |ask, fact| ask.given(fact, "main"));
    let preview = antefix.project(root).and_then(|project| project.preview(ask, Look::Composing));
    let preview = preview.expect("the built-in layout can be composed");
    let prompt = preview.prompt.text().len();
    let mut reported: Vec<&'static str> = preview.diagnostics.iter().map(|reported| reported.code.name()).collect();
    reported.sort_unstable();
    reported.dedup();
    Cost { time: start.elapsed(), prompt, reported, peak: antefix_testing::memory::peak(std::process::id()) }
}
