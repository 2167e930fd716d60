//! The stand-in for providers refuses what the tables of rules say that providers refuse, and `antefix check` finds the same.

use std::io::{Read, Write};
use std::net::TcpStream;

use antefix_testing::{Need, Reply, Scratch};
use serde_json::{Value, json};

use crate::provider::Provider;
use crate::repository;

/// Where the stand-in takes requests of a target.
fn path(target: &str, model: &str) -> String {
    match target {
        "anthropic" => "/v1/messages".to_owned(),
        "openai-chat" => "/v1/chat/completions".to_owned(),
        "openai-responses" => "/v1/responses".to_owned(),
        "gemini" => format!("/v1beta/models/{model}:generateContent"),
        "bedrock" => format!("/model/{model}/converse"),
        other => panic!("no example is for {other}"),
    }
}

/// Sends a body to the stand-in.
fn post(provider: &Provider, path: &str, body: &Value) -> Reply {
    let host = provider.url.strip_prefix("http://").unwrap();
    let body = body.to_string();
    let head =
        format!("POST {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
    let mut stream = TcpStream::connect(host).unwrap();
    stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    Reply::parse(&answer)
}

fn sent(provider: &Provider, example: &Value, which: &str) -> Reply {
    let [target, model] = ["target", "model"].map(|key| example[key].as_str().unwrap());
    let mut body = example[which].clone();
    body["model"] = json!(model);
    post(provider, &path(target, model), &body)
}

fn examples() -> Vec<Value> {
    serde_json::from_str(&std::fs::read_to_string(repository("tests/providers/rules.json")).unwrap()).unwrap()
}

#[test]
fn the_stand_in_refuses_each_request_that_breaks_a_rule_and_takes_the_one_that_keeps_it() {
    if Need::PYTHON.is_left_out() {
        return;
    }
    let provider = Provider::start_alone();
    // A cache that requests can name.
    let words = "These words are long enough to be kept. ".repeat(500);
    let contents = json!({"model": "models/gemini-3.5-flash", "systemInstruction": {"parts": [{"text": words}]}});
    post(&provider, "/v1beta/cachedContents", &contents).ok();
    for example in examples() {
        let name = format!("{} {}", example["target"], example["rule"]);
        let refused = sent(&provider, &example, "breaks");
        assert!(refused.status == 400 && refused.body.contains("Refused: "), "{name}: {refused:?}");
        let taken = sent(&provider, &example, "keeps");
        assert_eq!(taken.status, 200, "{name}: {taken:?}");
    }
}

#[test]
fn the_program_names_the_rule_and_the_place_of_a_request_that_would_be_refused() {
    let scratch = Scratch::new(env!("CARGO_BIN_EXE_antefix"));
    for target in ["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock"] {
        let example = examples().into_iter().find(|one| one["target"] == target).unwrap();
        let model = example["model"].as_str().unwrap();
        let args = ["check", "--for", target, "--model", model, "--request", "-", "--json"];
        let ran = scratch.run_with(&args, &example["breaks"].to_string());
        assert_eq!(ran.code, 1, "{target}");
        let finding = &ran.json()["diagnostics"][0];
        assert_eq!(finding["code"], "refused-by-provider");
        assert_eq!(finding["refused"]["rule"], example["rule"], "{finding}");
        assert_eq!(finding["refused"]["pointer"], example["pointer"], "{finding}");
        scratch.ok_with(&args, &example["keeps"].to_string());
    }
}
