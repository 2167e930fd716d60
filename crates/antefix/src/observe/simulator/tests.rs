//! Short histories of requests, and what each is billed: written down from the providers' pages, before anything ran.
//!
//! Each word of a text is one token, so that sums can be done in the head.

mod anthropic;
mod automatic;
mod breakpoints;
mod properties;

use serde_json::{Value, json};

use super::Simulator;
use crate::deliver::Target;
use crate::models::{Model, Models};
use crate::observe::Billed;
use crate::tokens::Tokenizer;

/// The row of a model, counted as o200k_base counts.
fn model(name: &str) -> Model {
    let (mut model, _) = Models::built_in().find(name).expect("it is in the table");
    model.tokenizer = Tokenizer::Exact;
    model
}

/// A text of so many tokens.
fn words(word: &str, tokens: usize) -> String {
    format!(" {word}").repeat(tokens)
}

/// Read, written, written for longer, plain.
fn billed(read: usize, written: usize, written_long: usize, plain: usize) -> Billed {
    Billed { read, written, written_long, plain }
}

/// Sends a history, and compares what each request is billed.
fn plays(name: &str, target: Target, history: &[(u64, Value, Billed)]) {
    let mut simulator = Simulator::new(&model(name));
    for (number, (at, request, expected)) in history.iter().enumerate() {
        let found = simulator.send(*at, target, request).expect("the provider takes it");
        assert_eq!(found, *expected, "{name}: request {number} at {at} s");
    }
}

#[test]
fn each_word_is_a_token() {
    for word in ["red", "blue", "green", "black", "white", "gold"] {
        assert_eq!(crate::tokens::count(&words(word, 1000)), Some(1000), "{word}");
    }
}

#[test]
fn a_model_that_reads_nothing_is_billed_in_full() {
    let request = json!({"contents": [{"role": "user", "parts": [{"text": words("red", 9000)}]}]});
    let all = billed(0, 0, 0, 9000);
    plays("gemini-omni-1.1-flash", Target::Gemini, &[(0, request.clone(), all), (9, request, all)]);
}
