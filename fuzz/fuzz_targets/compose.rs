//! Layouts and jinja templates from anybody: composing them ends in an error or in a prompt that is fully accounted for,
//! and the same input gives the same prompt again.
//!
//! An input is a layout and up to three templates, `a`, `b` and `c`, with a line of four percent signs between them. An
//! input without such a line is the template `a` of a layout that prints it, so that templates are reached without a
//! valid layout in front of them.

#![no_main]

mod accounted;

#[path = "../../crates/antefix/tests/parts/mod.rs"]
mod parts;

use std::path::Path;

use antefix::compose::{Layout, Wording, compose};
use antefix::discover::tools::Tool;
use antefix::discover::{Given, Workspace, discover};
use antefix::project::TemplateDirectories;
use antefix::text::{FactName, Source, SourceKind};
use antefix::worlds::MemoryWorld;
use libfuzzer_sys::fuzz_target;
use parts::Parts;

const BETWEEN: &str = "\n%%%%\n";
const ONE_TEMPLATE: &str = "[[section]]\nid = \"a\"\nstability = \"live\"\nfile = \"a\"\n";
const PROMPTS: &str = "/p/.antefix/prompts";

fuzz_target!(|text: &str| {
    let mut parts = text.split(BETWEEN);
    let (layout, templates): (&str, Vec<&str>) = match (parts.next(), parts.next()) {
        (Some(layout), Some(first)) => (layout, std::iter::once(first).chain(parts).collect()),
        _ => (ONE_TEMPLATE, vec![text]),
    };
    let mut world = MemoryWorld::new()
        .at("2026-01-02T03:04:05Z")
        .file("/p/.git/HEAD", "ref: refs/heads/main\n")
        .file("/p/AGENTS.md", "Use tabs.\n{{ cwd }} [prompt:cwd]\n")
        .file("/p/empty.md", "")
        .file("/p/bytes.bin", b"\xff\x00".to_vec());
    for (name, template) in ["a", "b", "c"].iter().zip(templates) {
        world = world.file(format!("{PROMPTS}/{name}.md"), template);
    }
    let workspace = Workspace::find(&world, Path::new("/p"));
    let templates = TemplateDirectories::new(&world, &workspace, Some(Path::new(PROMPTS)));
    let source = Source::new(SourceKind::Layout, "fuzz", layout).into();
    let Ok(layout) = Layout::parse(&source, &Wording::built_in(), &templates) else { return };

    let mut situation = Parts::new(workspace.clone());
    situation.rules.paths = layout.rules().paths;
    situation.caller.model = Some("model".to_owned());
    situation.caller.tools = Some(["edit", "grep", "read"].map(Tool::named).into_iter().collect());
    situation.caller.given.insert(FactName::new("git", "branch"), Given::Text("main".to_owned()));
    let discovery = discover(&world, &situation.situation(), &layout.facts());
    let Ok(prompt) = compose(&layout, &discovery.facts) else { return };
    accounted::check(&prompt);
    assert_eq!(compose(&layout, &discovery.facts).as_ref(), Ok(&prompt), "the same input gives the same prompt");
});
