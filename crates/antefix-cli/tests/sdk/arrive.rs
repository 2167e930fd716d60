//! What an SDK sends is what it was given.

use std::process::Command;

use antefix::deliver::{Content, cached_contents};
use antefix::discover::tools::{Tool, Tools};
use serde_json::{Value, json};

use crate::provider::{Provider, Request};
use crate::{Asked, fragments, line, repository, run_well, sdk};

#[test]
fn python_sends_every_fragment_unchanged() {
    let Some(sdk) = sdk() else { return };
    let fragments: Vec<_> = fragments().iter().collect();
    sent(&Provider::start(&sdk), sdk.python(&repository("tests/sdk/python/send.py")), &fragments);
}

#[test]
fn node_sends_every_fragment_unchanged() {
    let Some(sdk) = sdk() else { return };
    let text = std::fs::read_to_string(repository("tests/sdk/node/send.js")).unwrap();
    let script = sdk.beside_modules("send", &[("send.js", &text)]).join("send.js");
    let fragments: Vec<_> = fragments().iter().filter(|(asked, _)| asked.has_types()).collect();
    sent(&Provider::start(&sdk), sdk.node(&script), &fragments);
}

#[test]
fn a_cache_that_gemini_keeps_holds_the_prefix_and_the_tools() {
    let Some(sdk) = sdk() else { return };
    let provider = Provider::start(&sdk);
    let prefix = "Indent with tabs: they are what everybody here has agreed upon.\n".repeat(330);
    let tools = Tools::from(vec![Tool { parameters: Some(json!({"type": "object"})), ..Tool::named("read") }]);
    let content = Content { tools: Some(&tools), ..Content::new(&prefix, 64, "") };
    let body = cached_contents(&content, "gemini-3.5-flash", 3600).unwrap();
    let asked = Asked { target: "gemini-cache", model: "gemini-3.5-flash", said: crate::text };
    let mut script = sdk.python(&repository("tests/sdk/python/send.py"));
    script.arg(&provider.url);
    run_well(script, &line(&asked, &body));
    let requests = provider.requests();
    arrived(&asked, &body, &requests[0]);
    assert!(requests[0].written > 5000);
    assert_eq!(requests[1].read, requests[0].written);
    assert!(!requests[1].members.contains_key("systemInstruction"));
}

#[test]
fn the_mock_reports_a_miss_if_one_byte_differs() {
    let Some(sdk) = sdk() else { return };
    let (provider, (asked, turns)) = (Provider::start(&sdk), &fragments()[0]);
    let mut other = turns[0].clone();
    let text = other["system"][1]["text"].as_str().unwrap().replacen("tabs", "tobs", 1);
    other["system"][1]["text"] = text.into();
    let mut script = sdk.python(&repository("tests/sdk/python/send.py"));
    script.arg(&provider.url);
    run_well(script, &[&turns[0], &other, &turns[1]].map(|fragment| line(asked, fragment)).concat());
    let requests = provider.requests();
    assert_eq!(requests[1].read, 0);
    assert_eq!(requests[1].written, requests[0].written);
    // What is new in the conversation is written, and nothing else.
    assert_eq!(requests[2].read, requests[0].written);
    assert!(requests[2].written < 200, "{}", requests[2].written);
}

/// Sends the turns of all conversations with a script, and compares what was given with what arrived.
fn sent(provider: &Provider, mut script: Command, all: &[&(&Asked, Vec<Value>)]) {
    let lines = all.iter().flat_map(|(asked, turns)| turns.iter().map(|fragment| line(asked, fragment)));
    let lines: String = lines.collect();
    script.arg(&provider.url);
    run_well(script, &lines);
    let requests = provider.requests();
    assert_eq!(requests.len(), lines.lines().count());
    for ((asked, turns), requests) in all.iter().zip(requests.chunks(4)) {
        for (fragment, request) in turns.iter().zip(requests) {
            arrived(asked, fragment, request);
            // The same bytes as in the first turn: tools, and the system in one place or the other.
            assert_eq!(request.prefix(), requests[0].prefix(), "{}", asked.name());
            assert!(request.prefix().len() >= 2, "{}", asked.name());
        }
        cached(asked, &requests.iter().map(|request| (request.read, request.written)).collect::<Vec<_>>());
    }
}

/// Every member of the fragment is in the request, and is the same.
fn arrived(asked: &Asked, fragment: &Value, request: &Request) {
    for (key, value) in fragment.as_object().unwrap() {
        let arrived = request.members.get(key).unwrap_or_else(|| panic!("{}: no {key} arrived", asked.name()));
        // Google takes two spellings of a key, and its SDK writes this one in the other.
        let arrived = arrived.get().replace("\"parameters_json_schema\"", "\"parametersJsonSchema\"");
        assert_eq!(&serde_json::from_str::<Value>(&arrived).unwrap(), value, "{}: {key}", asked.name());
    }
}

/// What the first turn wrote is read by all that follow, whatever was edited.
fn cached(asked: &Asked, usage: &[(u64, u64)]) {
    let [(read, written), later @ ..] = usage else { panic!("no turns") };
    let name = format!("{}: {usage:?}", asked.name());
    assert_eq!(*read, 0, "{name}");
    match asked.target {
        // Breakpoints of ours alone: all that was read or written before is what is read.
        "anthropic" | "bedrock" => {
            assert!(*written > 5000, "{name}");
            let mut known = *written;
            for (read, written) in later {
                assert_eq!(*read, known, "{name}");
                known += written;
            }
        }
        // It tells nothing about its cache.
        "ollama" => assert!(later.iter().all(|later| *later == (0, 0)), "{name}"),
        // These also keep the end of a request, or all of it: at least the prefix is read.
        _ => assert!(later.iter().all(|(read, _)| *read > 5000), "{name}"),
    }
}
