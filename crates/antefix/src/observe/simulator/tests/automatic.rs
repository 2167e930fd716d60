//! Caches that nobody has to ask: OpenAI's before GPT-5.6, Gemini's, DeepSeek's.

use serde_json::{Value, json};

use super::{billed, plays, words};
use crate::deliver::Target;

fn says(role: &str, word: &str, tokens: usize) -> Value {
    json!({"role": role, "content": words(word, tokens)})
}

fn chat(messages: &[Value]) -> Value {
    json!({"messages": messages})
}

#[test]
fn openai_reads_from_1024_tokens_on_in_steps_of_128() {
    let short = chat(&[says("developer", "red", 1000), says("user", "blue", 23)]);
    let long = chat(&[says("developer", "red", 1000), says("user", "blue", 24)]);
    let plain = billed(0, 0, 0, 1023);
    plays("gpt-5", Target::OpenAiChat, &[(0, short.clone(), plain), (9, short, plain)]);
    plays("gpt-5", Target::OpenAiChat, &[(0, long.clone(), billed(0, 0, 0, 1024)), (9, long, billed(1024, 0, 0, 0))]);
    let with = |user: &str| chat(&[says("developer", "red", 2000), says("user", user, 100)]);
    // Of 2,000 tokens that are the same, 15 steps are read.
    plays(
        "gpt-5",
        Target::OpenAiChat,
        &[(0, with("blue"), billed(0, 0, 0, 2100)), (9, with("gold"), billed(1920, 0, 0, 180))],
    );
}

#[test]
fn openai_reads_what_is_the_same_within_a_text() {
    // The place of a difference within a text is known to 64 tokens or so, and 2,150 are 16 steps and 102 more.
    let with = |end: &str| chat(&[json!({"role": "developer", "content": words("red", 2150) + end})]);
    plays(
        "gpt-5",
        Target::OpenAiChat,
        &[(0, with(" blue"), billed(0, 0, 0, 2151)), (9, with(" gold"), billed(2048, 0, 0, 103))],
    );
}

#[test]
fn openai_forgets_after_five_minutes_and_minds_the_key() {
    let same = chat(&[says("developer", "red", 1280)]);
    let mut keyed = same.clone();
    keyed["prompt_cache_key"] = json!("other");
    plays(
        "gpt-5",
        Target::OpenAiChat,
        &[
            (0, same.clone(), billed(0, 0, 0, 1280)),
            (300, same.clone(), billed(1280, 0, 0, 0)),
            (310, keyed, billed(0, 0, 0, 1280)),
            (601, same, billed(0, 0, 0, 1280)),
        ],
    );
}

#[test]
fn gemini_reads_from_its_minimum_on() {
    let with = |system: usize, user: &str| {
        json!({
            "systemInstruction": {"parts": [{"text": words("red", system)}]},
            "contents": [{"role": "user", "parts": [{"text": words(user, 10)}]}],
        })
    };
    plays(
        "gemini-3.8-flash",
        Target::Gemini,
        &[(0, with(4095, "blue"), billed(0, 0, 0, 4105)), (9, with(4095, "gold"), billed(0, 0, 0, 4105))],
    );
    plays(
        "gemini-3.8-flash",
        Target::Gemini,
        &[
            (0, with(4096, "blue"), billed(0, 0, 0, 4106)),
            (9, with(4096, "gold"), billed(4096, 0, 0, 10)),
            (9 + 301, with(4096, "gold"), billed(0, 0, 0, 4106)),
        ],
    );
    plays(
        "gemini-2.5-pro",
        Target::Gemini,
        &[(0, with(2048, "blue"), billed(0, 0, 0, 2058)), (9, with(2048, "gold"), billed(2048, 0, 0, 10))],
    );
}

#[test]
fn deepseek_keeps_what_two_requests_share_for_the_third() {
    // The example of the page: A+B, A+C, A+D.
    let with = |user: &str| chat(&[says("system", "red", 1000), says("user", user, 100)]);
    plays(
        "deepseek-flash",
        Target::OpenAiChat,
        &[
            (0, with("blue"), billed(0, 0, 0, 1100)),
            (60, with("gold"), billed(0, 0, 0, 1100)),
            (120, with("green"), billed(1000, 0, 0, 100)),
        ],
    );
}

#[test]
fn deepseek_finds_what_is_shared_whoever_else_asks_at_that_moment() {
    let with = |user: &str| chat(&[says("system", "red", 1000), says("user", user, 100)]);
    plays(
        "deepseek-flash",
        Target::OpenAiChat,
        &[
            (0, with("blue"), billed(0, 0, 0, 1100)),
            (60, with("gold"), billed(0, 0, 0, 1100)),
            (60, with("green"), billed(0, 0, 0, 1100)),
            (62, with("white"), billed(1000, 0, 0, 100)),
        ],
    );
}

#[test]
fn deepseek_reads_a_conversation_with_its_answer_for_hours() {
    let (head, one, answer) = (says("system", "red", 1000), says("user", "blue", 100), says("assistant", "gold", 50));
    let second = chat(&[head.clone(), one.clone(), answer, says("user", "green", 100)]);
    plays(
        "deepseek-flash",
        Target::OpenAiChat,
        &[
            (0, chat(&[head, one]), billed(0, 0, 0, 1100)),
            (60, second.clone(), billed(1150, 0, 0, 100)),
            (60 + 21_600, second.clone(), billed(1250, 0, 0, 0)),
            (60 + 21_600 + 21_601, second, billed(0, 0, 0, 1250)),
        ],
    );
}

#[test]
fn deepseek_reads_a_conversation_whose_end_moves_one_turn_late() {
    let live = |word: &str| says("user", word, 30);
    let history = [
        says("system", "red", 1000),
        says("user", "blue", 100),
        says("assistant", "gold", 50),
        says("user", "green", 100),
        says("assistant", "gold", 50),
        says("user", "red", 100),
    ];
    let with = |messages: usize, end: &str| chat(&[&history[..messages], &[live(end)]].concat());
    plays(
        "deepseek-flash",
        Target::OpenAiChat,
        &[
            (0, with(2, "black"), billed(0, 0, 0, 1130)),
            (60, with(4, "white"), billed(0, 0, 0, 1280)),
            (120, with(6, "black"), billed(1100, 0, 0, 330)),
        ],
    );
}
