//! Messages and tools as callers hand them over, in bodies over HTTP or in files: delivering them to any target ends in an error
//! or in a fragment, the same each time.

#![no_main]

use antefix::deliver::Target;
use antefix::discover::tools::Tool;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask};
use libfuzzer_sys::fuzz_target;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    messages: Vec<Value>,
    #[serde(default)]
    tools: Vec<Tool>,
}

fuzz_target!(|text: &str| {
    let Ok(Body { messages, tools }) = serde_json::from_str::<Body>(text) else { return };
    let world = MemoryWorld::new().at("2026-01-02T03:04:05Z").file("/p/AGENTS.md", "Use tabs.\n");
    let antefix = Antefix::builder().world(world).store("memory").build().expect("there is a world");
    let conversation = antefix.project("/p").and_then(|project| project.conversation("c")).expect("a directory");
    let mut said = Vec::new();
    for _ in 0..2 {
        let ask = Ask::new().messages(messages.clone()).tools(tools.clone());
        let Ok(turn) = conversation.turn(ask) else { return };
        said.push(Target::ALL.map(|target| turn.deliver(target).map(|delivery| delivery.fragment.bytes()).ok()));
    }
    assert_eq!(said[0], said[1], "the same turn, the same fragments");
});
