//! OpenAI's breakpoints, from GPT-5.6 on.

use serde_json::{Value, json};

use super::{billed, plays, words};
use crate::deliver::Target;

const MODEL: &str = "gpt-5.6-sol";

fn says(role: &str, word: &str, tokens: usize) -> Value {
    json!({"role": role, "content": words(word, tokens)})
}

fn marked(role: &str, word: &str, tokens: usize, ttl: &str) -> Value {
    let breakpoint = json!({"mode": "explicit", "ttl": ttl});
    let part = json!({"type": "input_text", "text": words(word, tokens), "prompt_cache_breakpoint": breakpoint});
    json!({"role": role, "content": [part]})
}

fn request(input: &[Value]) -> Value {
    json!({"input": input, "prompt_cache_key": "one"})
}

#[test]
fn a_conversation_that_only_grows_is_read_without_being_asked() {
    let (head, one, answer) =
        (says("developer", "red", 2000), says("user", "blue", 100), says("assistant", "gold", 50));
    plays(
        MODEL,
        Target::OpenAiResponses,
        &[
            (0, request(&[head.clone(), one.clone()]), billed(0, 2100, 0, 0)),
            (60, request(&[head, one, answer, says("user", "green", 100)]), billed(2100, 150, 0, 0)),
        ],
    );
}

#[test]
fn what_moves_at_the_end_loses_the_history_unless_it_is_marked() {
    let (head, one, answer) =
        (says("developer", "red", 2000), says("user", "blue", 100), says("assistant", "gold", 50));
    let live = |word: &str| says("developer", word, 30);
    plays(
        MODEL,
        Target::OpenAiResponses,
        &[
            (0, request(&[head.clone(), one.clone(), live("black")]), billed(0, 2130, 0, 0)),
            (
                60,
                request(&[head, one, answer.clone(), says("user", "green", 100), live("white")]),
                billed(0, 2280, 0, 0),
            ),
        ],
    );
    let (head, one) = (marked("developer", "red", 2000, "30m"), marked("user", "blue", 100, "30m"));
    let two = marked("user", "green", 100, "30m");
    plays(
        MODEL,
        Target::OpenAiResponses,
        &[
            (0, request(&[head.clone(), one.clone(), live("black")]), billed(0, 2130, 0, 0)),
            (60, request(&[head, one, answer, two, live("white")]), billed(2100, 180, 0, 0)),
        ],
    );
}

#[test]
fn twelve_hours_are_billed_apart_and_thirty_minutes_end() {
    let with = |user: &str| {
        request(&[marked("developer", "red", 2000, "12h"), marked("user", "blue", 100, "30m"), says("user", user, 10)])
    };
    plays(
        MODEL,
        Target::OpenAiResponses,
        &[
            (0, with("gold"), billed(0, 110, 2000, 0)),
            (1800, with("gold"), billed(2110, 0, 0, 0)),
            (1800 + 1801, with("gold"), billed(2000, 110, 0, 0)),
        ],
    );
}

#[test]
fn three_explicit_breakpoints_are_written_beside_the_implicit_one() {
    let head: Vec<Value> =
        ["red", "blue", "green", "gold"].iter().map(|word| marked("developer", word, 1100, "30m")).collect();
    let mut first = head.clone();
    first.push(says("user", "black", 10));
    // The first of four explicit ones is not written, so that nothing of it can be read alone.
    let only_first = [head[0].clone(), says("user", "white", 10)];
    let first_two = [head[0].clone(), head[1].clone(), says("user", "white", 10)];
    plays(
        MODEL,
        Target::OpenAiResponses,
        &[
            (0, request(&first), billed(0, 4410, 0, 0)),
            (9, request(&only_first), billed(0, 1110, 0, 0)),
            (18, request(&first_two), billed(2200, 10, 0, 0)),
        ],
    );
}

#[test]
fn explicit_mode_without_breakpoints_caches_nothing() {
    let mut all = request(&[says("developer", "red", 2000), says("user", "blue", 100)]);
    all["prompt_cache_options"] = json!({"mode": "explicit"});
    let plain = billed(0, 0, 0, 2100);
    plays(MODEL, Target::OpenAiResponses, &[(0, all.clone(), plain), (9, all, plain)]);
}

#[test]
fn another_key_is_another_cache() {
    let mut one = request(&[says("developer", "red", 2000)]);
    let first = one.clone();
    one["prompt_cache_key"] = json!("two");
    let written = billed(0, 2000, 0, 0);
    plays(MODEL, Target::OpenAiResponses, &[(0, first, written), (9, one, written)]);
}

#[test]
fn what_is_too_short_is_not_written() {
    let short = request(&[says("developer", "red", 1000), says("user", "blue", 23)]);
    let plain = billed(0, 0, 0, 1023);
    plays(MODEL, Target::OpenAiResponses, &[(0, short.clone(), plain), (9, short, plain)]);
}
