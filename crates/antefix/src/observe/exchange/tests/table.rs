//! Before → after → what is said.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::deliver::Target;
use crate::models::Models;
use crate::observe::{Exchange, Judgment, Known, KnownKind, KnownText, SentRequest, Usage};

/// A request of an agent, with what was read and written and when.
fn exchange(at: &str, read: usize, write: usize, edit: impl FnOnce(&mut Value)) -> Exchange {
    let marker = json!({"type": "ephemeral"});
    let mut body = json!({
        "model": "claude-opus-5-5",
        "tools": [{"name": "Bash", "description": "d ".repeat(700), "input_schema": {}}, {"name": "Read", "input_schema": {}}],
        "system": [{"type": "text", "text": format!("{}\n# Rules\n\nUse tabs in every file here.\nRun the tests first.\n", "a ".repeat(700)), "cache_control": marker}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "b ".repeat(300), "cache_control": marker}]}],
    });
    edit(&mut body);
    let request = SentRequest::of_value(&body, None).unwrap();
    let said = None;
    let usage = Usage {
        target: Target::Anthropic,
        input: Some(read + write + 3),
        read: Some(read),
        write: Some(write),
        long_write: Some(0),
        output: None,
        said,
    };
    Exchange::new(request).billed(usage).sent_at(format!("2026-11-18T{at}Z").parse::<Timestamp>().unwrap())
}

fn said(before: &Exchange, now: &Exchange) -> String {
    let file = "# Rules\n\nUse tabs in every file here.\nRun all tests first.\n";
    let known = Known::new(vec![KnownText::new(KnownKind::Instructions, "AGENTS.md", file)]);
    Judgment::of(Some(before), now, Models::built_in(), &known).to_string()
}

#[test]
fn what_is_said_of_each_change() {
    let first = || exchange("10:00:00", 0, 12_000, |_| {});
    let answered = |body: &mut Value| {
        let messages = body["messages"].as_array_mut().unwrap();
        messages[0]["content"] = json!("b ".repeat(300));
        messages.push(json!({"role": "assistant", "content": "Yes."}));
        messages.push(json!({"role": "user", "content": [{"type": "text", "text": "Go.", "cache_control": {"type": "ephemeral"}}]}));
    };
    let table: [(&str, Exchange, &str); 9] = [
        (
            "the same, and its marker moved on",
            exchange("10:00:09", 12_000, 90, answered),
            "The cache was hit: 12,000 tokens were read, of 12,000 that were to be expected.",
        ),
        (
            "idle",
            exchange("10:06:12", 0, 12_090, answered),
            "The cache was missed: nothing was read, of 12,000 tokens that were to be expected. Idle for 6 min 12 s: the lifetime of 5 min had run out. 12,000 tokens were billed anew, $0.0576 more than reading them.",
        ),
        (
            "another model",
            exchange("10:00:09", 0, 12_090, |body| {
                answered(body);
                body["model"] = json!("claude-sonnet-5-5");
            }),
            "The cache was missed: nothing was read, of 12,000 tokens that were to be expected. The model is claude-sonnet-5-5, and was claude-opus-5-5: models share no cache. 12,000 tokens were billed anew, $0.0288 more than reading them.",
        ),
        (
            "a line of a file",
            exchange("10:00:09", 0, 12_090, |body| {
                answered(body);
                let text = body["system"][0]["text"].as_str().unwrap().replace("Run the tests", "Run all tests");
                body["system"][0]["text"] = json!(text);
            }),
            "The cache was missed: nothing was read, of 12,000 tokens that were to be expected. The system text differs from byte 1,443 of /system/0 on, in AGENTS.md:4: “the tests first.\\n” → “all tests first.\\n”. 12,000 tokens were billed anew, $0.0576 more than reading them.",
        ),
        (
            "a tool that came",
            exchange("10:00:09", 0, 12_090, |body| {
                answered(body);
                body["tools"].as_array_mut().unwrap().insert(1, json!({"name": "Grep", "input_schema": {}}));
            }),
            "The cache was missed: nothing was read, of 12,000 tokens that were to be expected. The tool `Grep` came at /tools/1, and tools come before everything else. 12,000 tokens were billed anew, $0.0576 more than reading them.",
        ),
        (
            "the choice of tools",
            exchange("10:00:09", 10_200, 1_890, |body| {
                answered(body);
                body["tool_choice"] = json!({"type": "none"});
            }),
            "The cache was hit in part: 10,200 of 12,000 tokens were read (up to the end of the system). `tool_choice` is new: {\"type\":\"none\"}. 1,800 tokens were billed anew, $0.00864 more than reading them.",
        ),
        (
            "a summary",
            exchange("10:00:09", 10_200, 1_000, |body| {
                body["messages"][0]["content"] =
                    json!([{"type": "text", "text": "A summary.", "cache_control": {"type": "ephemeral"}}])
            }),
            "The cache was hit in part: 10,200 of 12,000 tokens were read (up to the end of the system). The conversation differs from byte 0 of /messages/0/content/0 on, in the conversation: “b b b b b b b b b b b b b b b b b b b b b b b b b b b b b b ” → “A summary.”. 1,003 tokens were billed anew, $0.004811 more than reading them.",
        ),
        (
            "nothing at all",
            exchange("10:00:41", 0, 12_090, answered),
            "The cache was missed: nothing was read, of 12,000 tokens that were to be expected. Provider side, nothing you did. Ruled out: the model is the same; so are all parameters; all that the request before said is there, byte for byte; 41 s of 5 min have passed. 12,000 tokens were billed anew, $0.0576 more than reading them.",
        ),
        (
            "no marker",
            exchange("10:00:09", 0, 0, |body| {
                answered(body);
                body["messages"][2]["content"] = json!("Go.");
                body["system"] = json!(body["system"][0]["text"].as_str().unwrap());
            }),
            "The cache was missed: nothing was read, of 12,000 tokens that were to be expected. Nothing in the request marks what is to be cached. 12,000 tokens were billed anew, $0.0456 more than reading them.",
        ),
    ];
    for (what, mut now, expected) in table {
        if let Some(usage) = now.usage.as_mut().filter(|usage| usage.write == Some(0)) {
            usage.input = Some(12_093);
        }
        assert_eq!(said(&first(), &now), expected, "{what}");
    }
}

#[test]
fn what_the_provider_says_is_shown_beside_it() {
    let mut now = exchange("10:00:09", 0, 12_090, |_| {});
    let usage = r#"{"id": "msg_2", "diagnostics": {"cache_miss_reason": {"type": "system_changed", "cache_missed_input_tokens": 11990}},
        "usage": {"input_tokens": 3, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 12090}}"#;
    now.usage = Some(Usage::parse(usage, None).unwrap());
    let text = said(&exchange("10:00:00", 0, 12_000, |_| {}), &now);
    assert!(
        text.contains("Provider side") && text.ends_with("The provider says `system_changed`, 11,990 tokens."),
        "{text}"
    );
}

#[test]
fn without_a_bill_it_is_a_prediction() {
    let plain = |mut exchange: Exchange| {
        exchange.usage = None;
        exchange
    };
    let before = plain(exchange("10:00:00", 0, 0, |_| {}));
    let now = plain(exchange("10:00:09", 0, 0, |body| body["tools"][0]["description"] = json!("other")));
    let text = said(&before, &now);
    assert!(
        text.starts_with("The cache would not be hit as it could be. The tool `Bash` has another definition"),
        "{text}"
    );
    assert!(text.contains("tokens would be billed anew, $"), "{text}");
    assert_eq!(
        said(&before, &plain(exchange("10:00:09", 0, 0, |_| {}))),
        "All that the request before cached would be read."
    );
}

#[test]
fn what_survives_is_no_loss_of_the_change_behind_it() {
    // The system's breakpoint should have been read: a change behind it cannot be why it was not.
    let first = exchange("10:00:00", 0, 12_000, |_| {});
    let now = exchange("10:00:20", 0, 12_090, |body| {
        body["messages"][0]["content"] =
            json!([{"type": "text", "text": "Other.", "cache_control": {"type": "ephemeral"}}])
    });
    let text = said(&first, &now);
    assert!(text.contains("That does not explain ") && text.contains("provider side, nothing you did"), "{text}");
}
