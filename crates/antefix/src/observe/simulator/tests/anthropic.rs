//! Breakpoints as Anthropic has them.

use serde_json::{Value, json};

use super::super::Simulator;
use super::{billed, model, plays, words};
use crate::deliver::Target;

const MODEL: &str = "claude-opus-5";

fn text(word: &str, tokens: usize) -> Value {
    json!({"type": "text", "text": words(word, tokens)})
}

fn marked(word: &str, tokens: usize, ttl: &str) -> Value {
    let mut block = text(word, tokens);
    block["cache_control"] = json!({"type": "ephemeral", "ttl": ttl});
    block
}

/// A request with these system blocks and one message of the user's with these blocks.
fn request(system: &[Value], user: &[Value]) -> Value {
    json!({"system": system, "messages": [{"role": "user", "content": user}]})
}

#[test]
fn five_minutes_begin_anew_with_each_use() {
    let same = request(&[marked("red", 1000, "5m")], &[text("blue", 10)]);
    plays(
        MODEL,
        Target::Anthropic,
        &[
            (0, same.clone(), billed(0, 1000, 0, 10)),
            (300, same.clone(), billed(1000, 0, 0, 10)),
            (600, same.clone(), billed(1000, 0, 0, 10)),
            (901, same, billed(0, 1000, 0, 10)),
        ],
    );
}

#[test]
fn what_is_too_short_is_not_cached() {
    let short = request(&[marked("red", 511, "5m")], &[text("blue", 10)]);
    let long = request(&[marked("red", 512, "5m")], &[text("blue", 10)]);
    plays(MODEL, Target::Anthropic, &[(0, short.clone(), billed(0, 0, 0, 521)), (9, short, billed(0, 0, 0, 521))]);
    plays(MODEL, Target::Anthropic, &[(0, long.clone(), billed(0, 512, 0, 10)), (9, long, billed(512, 0, 0, 10))]);
}

#[test]
fn nothing_is_written_where_there_is_no_breakpoint() {
    // The first block is the same, but no entry ends with it.
    plays(
        MODEL,
        Target::Anthropic,
        &[
            (0, request(&[text("red", 1000)], &[marked("blue", 100, "5m")]), billed(0, 1100, 0, 0)),
            (9, request(&[text("red", 1000)], &[marked("gold", 100, "5m")]), billed(0, 1100, 0, 0)),
        ],
    );
}

#[test]
fn a_breakpoint_sees_twenty_positions_and_itself_is_the_first() {
    let first = request(&[text("red", 1000)], &[marked("blue", 1, "5m")]);
    let later = |appended: usize| {
        let mut user = vec![text("blue", 1)];
        user.extend((1..appended).map(|_| text("gold", 1)));
        user.push(marked("gold", 1, "5m"));
        request(&[text("red", 1000)], &user)
    };
    plays(
        MODEL,
        Target::Anthropic,
        &[(0, first.clone(), billed(0, 1001, 0, 0)), (9, later(19), billed(1001, 19, 0, 0))],
    );
    plays(MODEL, Target::Anthropic, &[(0, first, billed(0, 1001, 0, 0)), (9, later(20), billed(0, 1021, 0, 0))]);
}

#[test]
fn an_hour_and_five_minutes_are_billed_apart() {
    let with = |frozen: &str, user: &str| {
        request(&[marked("red", 1000, "1h"), marked(frozen, 500, "5m")], &[marked(user, 100, "5m")])
    };
    plays(
        MODEL,
        Target::Anthropic,
        &[
            (0, with("blue", "gold"), billed(0, 600, 1000, 0)),
            // Another frozen part: what lasts an hour is read.
            (60, with("green", "gold"), billed(1000, 600, 0, 0)),
            // Six minutes later only the hour is left.
            (420, with("green", "gold"), billed(1000, 600, 0, 0)),
            (430, with("green", "white"), billed(1500, 100, 0, 0)),
            // Seventy minutes later nothing is.
            (430 + 4200, with("green", "white"), billed(0, 600, 1000, 0)),
        ],
    );
}

#[test]
fn a_marker_that_moves_on_and_a_text_that_becomes_a_list_are_the_same_blocks() {
    let system = json!([marked("red", 1000, "5m")]);
    let first = json!({"system": system, "messages": [{"role": "user", "content": [marked("blue", 50, "5m")]}]});
    let second = json!({"system": system, "messages": [
        {"role": "user", "content": words("blue", 50)},
        {"role": "assistant", "content": words("green", 20)},
        {"role": "user", "content": [marked("gold", 30, "5m")]},
    ]});
    plays(MODEL, Target::Anthropic, &[(0, first, billed(0, 1050, 0, 0)), (9, second, billed(1050, 50, 0, 0))]);
}

#[test]
fn requests_at_the_same_moment_do_not_read_each_other() {
    let same = request(&[marked("red", 1000, "5m")], &[text("blue", 10)]);
    plays(
        MODEL,
        Target::Anthropic,
        &[
            (0, same.clone(), billed(0, 1000, 0, 10)),
            (1, same.clone(), billed(0, 1000, 0, 10)),
            (2, same, billed(1000, 0, 0, 10)),
        ],
    );
}

#[test]
fn a_tool_loses_everything_and_a_parameter_the_messages() {
    let with = |tool: &str, choice: &str| {
        json!({
            "tools": [{"name": tool}],
            "system": [marked("red", 1000, "5m")],
            "tool_choice": {"type": choice},
            "messages": [{"role": "user", "content": [marked("blue", 100, "5m")]}],
        })
    };
    let tool = |name: &str| crate::tokens::count(&format!(r#"{{"name":"{name}"}}"#)).unwrap();
    assert_eq!(tool("read"), tool("write"));
    let tools = tool("read");
    plays(
        MODEL,
        Target::Anthropic,
        &[
            (0, with("read", "auto"), billed(0, 1100 + tools, 0, 0)),
            (9, with("read", "any"), billed(1000 + tools, 100, 0, 0)),
            (18, with("write", "any"), billed(0, 1100 + tools, 0, 0)),
        ],
    );
}

#[test]
fn the_request_as_a_whole_can_be_marked() {
    let mut whole = request(&[text("red", 600)], &[text("blue", 100)]);
    whole["cache_control"] = json!({"type": "ephemeral"});
    plays(MODEL, Target::Anthropic, &[(0, whole.clone(), billed(0, 700, 0, 0)), (9, whole, billed(700, 0, 0, 0))]);
}

#[test]
fn what_the_provider_refuses_is_refused() {
    let four = vec![marked("red", 600, "5m"); 4];
    let mut whole = request(&four, &[text("blue", 1)]);
    whole["cache_control"] = json!({"type": "ephemeral"});
    let mut other = request(&[text("red", 600)], &[marked("blue", 1, "5m")]);
    other["cache_control"] = json!({"type": "ephemeral", "ttl": "1h"});
    let table = [
        (request(&four, &[marked("blue", 1, "5m")]), "5 breakpoints; at most 4 are taken"),
        (whole, "5 breakpoints; at most 4 are taken"),
        (
            request(&[marked("red", 600, "5m")], &[marked("blue", 1, "1h")]),
            "a breakpoint for an hour comes after one for five minutes",
        ),
        (other, "the last block has a `cache_control` with another lifetime than the request's"),
    ];
    for (request, expected) in table {
        let error = Simulator::new(&model(MODEL)).send(0, Target::Anthropic, &request).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    assert!(Simulator::new(&model(MODEL)).send(0, Target::Anthropic, &request(&four, &[])).is_ok());
}

#[test]
fn converse_has_its_breakpoints_in_blocks_of_their_own() {
    let point = |ttl: &str| json!({"cachePoint": {"type": "default", "ttl": ttl}});
    let with = |user: &str| {
        json!({
            "system": [{"text": words("red", 1000)}, point("1h"), {"text": words("blue", 500)}, point("5m")],
            "messages": [{"role": "user", "content": [{"text": words(user, 10)}]}],
        })
    };
    plays(
        "anthropic.claude-opus-5",
        Target::Bedrock,
        &[(0, with("gold"), billed(0, 500, 1000, 10)), (400, with("white"), billed(1000, 500, 0, 10))],
    );
}
