//! Many repositories, with what people have in theirs: nothing fails, and every file that looks like instructions is accounted for by every
//! agent.

use std::path::Path;

use antefix::Antefix;
use antefix::agents::FileState;

use crate::homeless::Homeless;
use crate::repositories;

/// How many; `cargo xtask bench` looks at a thousand.
const MANY: u64 = 40;

#[test]
fn every_agent_accounts_for_every_file_of_every_repository() {
    let antefix = Antefix::builder().world(Homeless::new()).store("memory").build().unwrap();
    for seed in 0..MANY {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let cwd = root.join(repositories::make(&root, seed));
        let report = antefix.project(&cwd).unwrap().agents(&[] as &[&str]).unwrap();
        let mut all: Vec<&str> =
            report.views.iter().flat_map(|view| &view.files).map(|file| file.path.as_str()).collect();
        all.sort_unstable();
        all.dedup();
        // What looks like instructions in the project is known to all; what is in a place of an agent's own, or above the project, to
        // those that look there. A directory is no file.
        let project = if root.join(".git").exists() { &root } else { &cwd };
        let known = |path: &&str| {
            let path = Path::new(path);
            path.is_relative() && path.file_name().is_some_and(|name| name == "AGENTS.md" || name == "CLAUDE.md")
        };
        for view in &report.views {
            let name = &view.agent.name;
            let find = |path: &str| view.files.iter().find(|file| file.path == path);
            for path in all.iter().copied().filter(known).filter(|path| project.join(path).is_file()) {
                assert!(find(path).is_some(), "seed {seed}: {name} says nothing about {path}");
            }
            for (path, _) in &view.texts {
                let state = find(path).map(|file| &file.state);
                assert!(
                    state.is_some_and(FileState::is_given),
                    "seed {seed}: {name} is given {path}, which is {state:?}"
                );
            }
            for file in view.files.iter().filter(|file| !file.state.is_given()) {
                assert_eq!(file.bytes, 0, "seed {seed}: {name}, {}", file.path);
            }
        }
    }
}
