//! Instruction files, skills and rules with any front matter: reading them ends in texts and findings, the same each time.

#![no_main]

#[path = "../../crates/antefix/tests/parts/mod.rs"]
mod parts;

use std::path::Path;

use antefix::discover::{Workspace, discover};
use antefix::text::FactName;
use antefix::worlds::MemoryWorld;
use libfuzzer_sys::fuzz_target;
use parts::Parts;

fuzz_target!(|text: &str| {
    let world = MemoryWorld::new()
        .at("2026-01-02T03:04:05Z")
        .file("/p/.git/HEAD", "ref: refs/heads/main\n")
        .file("/p/AGENTS.md", text)
        .file("/p/.antefix/rules/a.md", text)
        .file("/p/.claude/rules/a.md", text)
        .file("/p/.cursor/rules/a.mdc", text)
        .file("/p/.github/instructions/a.instructions.md", text)
        .file("/p/.antefix/skills/a/SKILL.md", text)
        .file("/p/.claude/skills/a/SKILL.md", text);
    let workspace = Workspace::find(&world, Path::new("/p"));
    let situation = Parts::new(workspace);
    let facts =
        [FactName::new("instructions", "files"), FactName::new("skills", "listing"), FactName::new("skills", "index")];
    let found = discover(&world, &situation.situation(), &facts);
    let again = discover(&world, &situation.situation(), &facts);
    assert_eq!(format!("{:?}", found.facts), format!("{:?}", again.facts), "the same input, the same facts");
    assert_eq!(found.diagnostics, again.diagnostics, "and the same findings");
});
