//! Exports from anybody: an import takes in all of it or nothing, a second time nothing, and what was taken in can be given out
//! and goes on.

#![no_main]

use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Error};
use libfuzzer_sys::fuzz_target;

fn empty() -> Antefix {
    let world = MemoryWorld::new().at("2026-01-02T03:04:05Z").directory("/p");
    Antefix::builder().world(world).store("memory").build().expect("there is a world")
}

fuzz_target!(|text: &str| {
    let lines = || text.lines().map(|line| Ok(line.to_owned()));
    let antefix = empty();
    let Ok(imported) = antefix.import(lines(), |_| true) else { return };
    let again = antefix.import(lines(), |_| true).expect("what was imported is imported again");
    for (one, other) in imported.iter().zip(&again) {
        assert_eq!((other.epochs, other.known), (0, one.epochs + one.known), "a second time nothing");
        let mut given = String::new();
        let result = antefix.export::<Error>(one.conversation.as_str(), |more| {
            given.push_str(more);
            Ok(())
        });
        assert_eq!(result, Ok(()), "what was imported is exported");
        let copied = empty().import(given.lines().map(|line| Ok(line.to_owned())), |_| true);
        assert_eq!(copied.map(|copied| copied.len()), Ok(1), "and imported elsewhere");
    }
});
