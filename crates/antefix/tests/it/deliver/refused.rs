//! Each rule of the tables finds the request that breaks it, and nothing else does.
//!
//! `tests/providers/rules.json` has the requests. The stand-in for providers gets the same ones: see `refused.rs` among the tests of the
//! SDKs.

use antefix::Level;
use antefix::deliver::Target;
use antefix::deliver::rules::{breaches, names};
use antefix::models::Models;
use serde::Deserialize;
use serde_json::{Value, json};

/// A request that breaks a rule, and the same without the mistake.
#[derive(Deserialize)]
struct Example {
    target: String,
    rule: String,
    model: String,
    pointer: String,
    breaks: Value,
    keeps: Value,
}

fn examples() -> Vec<Example> {
    serde_json::from_str(include_str!("../../../../../tests/providers/rules.json")).unwrap()
}

#[test]
fn every_rule_has_an_example_and_every_example_its_rule() {
    let found: Vec<(String, String)> = examples().into_iter().map(|one| (one.target, one.rule)).collect();
    let rules = Target::ALL
        .into_iter()
        .flat_map(|target| names(target).map(move |rule| (target.name().to_owned(), rule.to_owned())));
    let (mut found, mut rules) = (found, rules.collect::<Vec<_>>());
    found.sort();
    rules.sort();
    assert_eq!(found, rules);
}

#[test]
fn each_rule_finds_its_example_at_its_place_and_leaves_the_other_alone() {
    for Example { target, rule, model, pointer, breaks, keeps } in examples() {
        let at = Target::parse(&target).unwrap();
        let model = Models::built_in().find(&model).map(|(model, _)| model);
        assert!(model.is_some(), "{target} {rule}: the model is not in the table");
        let found = breaches(&breaks, at, model.as_ref());
        let places: Vec<(&str, &str)> = found.iter().map(|one| (one.rule, one.pointer.as_str())).collect();
        assert_eq!(places, [(rule.as_str(), pointer.as_str())], "{target} {breaks}");
        assert_eq!(breaches(&keeps, at, model.as_ref()), [], "{target} {rule} {keeps}");
        // Whoever reads the finding is led to the place.
        assert!(breaks.pointer(&pointer).is_some(), "{target} {rule}: nothing is at {pointer}");
        assert!(!found[0].hint.is_empty() && !found[0].source.is_empty(), "{target} {rule}");
    }
}

#[test]
fn a_breakpoint_of_the_whole_request_is_counted_and_is_its_last() {
    let marker = |ttl: &str| json!({"type": "ephemeral", "ttl": ttl});
    let block = |ttl: &str| json!({"type": "text", "text": "words", "cache_control": marker(ttl)});
    let request = |system: Vec<Value>, ttl: &str| {
        let messages = json!([{"role": "user", "content": "Hello"}]);
        json!({"system": system, "messages": messages, "cache_control": marker(ttl)})
    };
    let rules = |request: Value| -> Vec<(&str, String)> {
        breaches(&request, Target::Anthropic, None).into_iter().map(|one| (one.rule, one.pointer)).collect()
    };
    assert_eq!(rules(request(vec![block("5m"); 3], "5m")), []);
    assert_eq!(rules(request(vec![block("5m"); 4], "5m")), [("breakpoint-count", "/cache_control".to_owned())]);
    assert_eq!(rules(request(vec![block("5m")], "1h")), [("breakpoint-order", "/cache_control".to_owned())]);
}

#[test]
fn a_breach_is_a_finding_that_names_rule_place_source_and_what_to_do() {
    let request = json!({"messages": [], "tools": []});
    let found: Vec<String> =
        breaches(&request, Target::OpenAiChat, None).iter().map(|one| one.to_diagnostic().to_string()).collect();
    assert_eq!(
        found,
        [
            "error[refused-by-provider]: /tools: the list of tools is empty (leave the list out if there are no tools \
             (rule tools-not-empty, continuedev/continue#3370))",
            "error[refused-by-provider]: /messages: there is no message (send at least one message (rule \
             messages-not-empty, https://platform.openai.com/docs/api-reference/chat/create))",
        ]
    );
    assert_eq!(breaches(&request, Target::OpenAiChat, None)[0].to_diagnostic().level, Level::Error);
}
