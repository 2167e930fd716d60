//! An agent loop in Rust: the conversation says what holds and what to send, and one POST sends it.
//!
//!     ANTHROPIC_API_KEY=… cargo run --package antefix --features http --example agent
//!     cargo run --package antefix --example agent -- http://127.0.0.1:8080 PROJECT
//!
//! Watch the last two columns: the prefix is written to the provider's cache once and read from then on, although AGENTS.md
//! changes on the way, and although the ledger is closed and opened anew before the last turn. The change arrives as a
//! notice behind the conversation, where it re-bills nothing.

#![allow(clippy::disallowed_methods, reason = "an agent reads arguments and files; the library is what does not")]

use std::error::Error;
use std::path::{Path, PathBuf};

use antefix::discover::tools::Tool;
use antefix::{Antefix, Ask, Conversation, Delivery, Target};
use serde_json::{Value, json};

const MODEL: &str = "claude-opus-5";
const QUESTIONS: [&str; 4] = ["Where is the parser?", "Who calls it?", "Rename it, please.", "Is there a test for it?"];

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

fn main() -> Outcome {
    let mut args = std::env::args().skip(1);
    let base = args.next().unwrap_or_else(|| "https://api.anthropic.com".to_owned());
    let project = args.next().map_or_else(|| std::env::temp_dir().join("antefix-example"), PathBuf::from);
    std::fs::create_dir_all(&project)?;
    let instructions = project.join("AGENTS.md");
    if !instructions.exists() {
        // Providers cache from a few thousand bytes on, so this file is longer than is wise.
        std::fs::write(&instructions, "Indent with tabs.\n".repeat(400))?;
    }

    let mut conversation = open(&project)?;
    let mut messages: Vec<Value> = Vec::new();
    println!("turn  epoch  notices  prefix        read  written");
    for (number, question) in (1..).zip(QUESTIONS) {
        if number == 3 {
            // Somebody edits the instructions while the conversation goes on.
            let text = std::fs::read_to_string(&instructions)?;
            std::fs::write(&instructions, text + "Indent with spaces from now on.\n")?;
        }
        if number == 4 {
            // A new process knows nothing but the ledger, and sends the same bytes.
            conversation = open(&project)?;
        }
        messages.push(user(question));
        let turn = conversation.turn(Ask::new().model(MODEL).tools([read()]).messages(messages.clone()))?;
        let delivery = turn.deliver(Target::Anthropic)?;
        let answer = send(&base, &delivery)?;
        messages.push(json!({"role": "assistant", "content": answer["content"]}));

        let epoch = turn.epoch.as_ref().map_or(0, |epoch| epoch.number());
        let form = delivery.receipt.prefix_form.to_string();
        let usage = |key: &str| answer["usage"][key].as_u64().unwrap_or(0);
        let (read, written) = (usage("cache_read_input_tokens"), usage("cache_creation_input_tokens"));
        let (notices, prefix) = (turn.amendments.len(), &form[form.len().saturating_sub(8)..]);
        println!("{number:4}  {epoch:5}  {notices:7}  {prefix:8}  {read:8}  {written:7}");
    }
    Ok(())
}

/// The ledger is a file: whoever opens it again goes on with the conversation.
fn open(project: &Path) -> antefix::Result<Conversation> {
    let ledger = format!("sqlite:{}", project.join("ledger.sqlite").display());
    Antefix::builder().store(ledger).build()?.project(project)?.conversation("example")
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

/// The agent's only tool.
fn read() -> Tool {
    let path = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    Tool { description: Some("Reads a file.".to_owned()), parameters: Some(path), ..Tool::named("read") }
}

/// Merges the fragment into a request and sends it.
fn send(base: &str, delivery: &Delivery) -> Outcome<Value> {
    let request = delivery.request([("model", json!(MODEL)), ("max_tokens", json!(1024))]);
    let key = std::env::var("ANTHROPIC_API_KEY").unwrap_or_default();
    let mut answer = ureq::post(format!("{base}/v1/messages"))
        .header("x-api-key", key)
        .header("anthropic-version", "2026-10-21")
        .header("content-type", "application/json")
        .send(request)?;
    Ok(serde_json::from_str(&answer.body_mut().read_to_string()?)?)
}
