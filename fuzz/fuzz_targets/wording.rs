//! Wordings from anybody, as a project's layer: they end in an error, or in a prompt that is the same each time.

#![no_main]

use std::path::Path;

use antefix::project::LayoutChoice;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let world = MemoryWorld::new()
        .at("2026-01-02T03:04:05Z")
        .file("/p/.git/HEAD", "ref: refs/heads/main\n")
        .file("/p/AGENTS.md", "Use tabs.\n")
        .file("/p/.antefix/wording.toml", text);
    let antefix = Antefix::builder().world(world).store("memory").build();
    let Ok(antefix) = antefix else { return };
    for layout in ["coding-agent", "deepseek"] {
        let ask = || Ask::new().layout(LayoutChoice::named(layout, Path::new("/p")));
        let Ok(project) = antefix.project("/p") else { return };
        let Ok(one) = project.draft(ask()) else { continue };
        let other = project.draft(ask());
        assert_eq!(
            other.map(|other| other.text().to_owned()).as_deref(),
            Ok(one.text()),
            "the same input, the same bytes"
        );
    }
});
