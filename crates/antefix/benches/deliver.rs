//! What it costs to put a turn into a provider's shape, and to have the bytes of a request then: 60 KB of prefix, 50 tools,
//! a conversation of 20 messages with a notice in it, and a live part.
//!
//! `cargo xtask bench` prints the table; nothing here prints a number.

use std::hint::black_box;

use antefix::deliver::{Content, Notice, NoticeKind, Target, deliver};
use antefix::discover::tools::{Tool, Tools};
use antefix::models::Models;
use antefix::text::{Digest, PrefixDigests};
use criterion::{Criterion, Throughput};
use serde_json::{Value, json};

/// The size that the figure is promised for.
const SIZE: usize = 60_000;

/// The targets, each with the model that asks for most.
const TARGETS: [(Target, &str); 8] = [
    (Target::Plain, "claude-opus-5"),
    (Target::Anthropic, "claude-opus-5"),
    (Target::OpenAiChat, "gpt-5.6"),
    (Target::OpenAiResponses, "gpt-5.6"),
    (Target::Gemini, "gemini-3.5-flash"),
    (Target::Bedrock, "anthropic.claude-opus-5"),
    (Target::Ollama, "llama3.3"),
    (Target::Acp, "any"),
];

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let prefix = "Write for the reader who comes next: say \"why\", and name the limits.\n".repeat(SIZE / 70);
    let tools: Tools = (0..50).map(tool).collect();
    let mut group = criterion.benchmark_group("deliver");
    group.throughput(Throughput::Bytes(prefix.len() as u64));
    // The floor: no receipt can be had for less.
    group.bench_function("digest", |bencher| bencher.iter(|| Digest::of(black_box(&prefix))));
    for (target, model) in TARGETS {
        let model = Models::built_in().find(model).map(|(model, _)| model);
        let messages = conversation(target);
        // An epoch remembers them from its first turn on.
        let digests = PrefixDigests::default();
        let content = Content {
            digests: Some(&digests),
            tools: Some(&tools),
            messages: Some(&messages),
            notices: vec![Notice {
                kind: NoticeKind::Amendment,
                number: 1,
                text: "The file AGENTS.md says something else now.",
                after: Some(7),
            }],
            ..Content::new(&prefix, SIZE / 3, "\n\nToday is a Monday.")
        };
        group.bench_function(target.name(), |bencher| {
            bencher.iter(|| deliver(black_box(&content), target, model.as_ref()).expect("it can be expressed"));
        });
        group.bench_function(format!("{}-request", target.name()), |bencher| {
            bencher.iter(|| {
                let delivery = deliver(black_box(&content), target, model.as_ref()).expect("it can be expressed");
                let own = [("model", json!("the model")), ("max_tokens", json!(1024)), ("stream", json!(true))];
                (delivery.fragment.request(own), delivery.receipt)
            });
        });
    }
    group.finish();
    criterion.final_summary();
}

/// A tool as real ones are: a paragraph of description, four parameters.
fn tool(number: usize) -> Tool {
    let text = |what: &str| json!({"type": "string", "description": format!("{what}, relative to the project's root")});
    let properties = json!({
        "path": text("The file"),
        "pattern": text("What is looked for"),
        "limit": {"type": "integer", "minimum": 1, "default": 100},
        "kind": {"type": "string", "enum": ["file", "directory", "any"]},
    });
    Tool {
        description: Some("Looks for a pattern in the files of the project, and says where it is. ".repeat(3)),
        parameters: Some(json!({"type": "object", "properties": properties, "required": ["path", "pattern"]})),
        ..Tool::named(format!("tool_{number:02}"))
    }
}

/// Questions and answers, as the target takes them.
fn conversation(target: Target) -> Vec<Value> {
    let text = "Where is the parser, and who calls it? ".repeat(5);
    let message = |number: usize| match (target, number.is_multiple_of(2)) {
        (Target::Gemini, asks) => json!({"role": if asks { "user" } else { "model" }, "parts": [{"text": text}]}),
        (Target::Bedrock, asks) => {
            json!({"role": if asks { "user" } else { "assistant" }, "content": [{"text": text}]})
        }
        (_, asks) => json!({"role": if asks { "user" } else { "assistant" }, "content": text}),
    };
    (0..19).map(message).collect()
}
