//! What holds for every history.

use serde_json::{Value, json};

use super::super::Simulator;
use super::{model, words};
use crate::deliver::Target;
use crate::models::{Model, Price};
use crate::observe::Billed;

const CASES: [(&str, Target); 5] = [
    ("claude-opus-5", Target::Anthropic),
    ("gpt-5", Target::OpenAiChat),
    ("gpt-5.6-sol", Target::OpenAiChat),
    ("gemini-3.8-flash", Target::Gemini),
    ("deepseek-flash", Target::OpenAiChat),
];

/// Numbers that look random and are always the same: the generator of Steele, Lea and Flood (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((number ^ (number >> 31)) % end as u64) as usize
    }
}

/// A request that has something in common with others of its kind.
fn request(numbers: &mut Numbers, target: Target) -> Value {
    let word = |numbers: &mut Numbers| ["red", "blue"][numbers.below(2)];
    let system = words(word(numbers), 2000 + 1500 * numbers.below(3));
    let messages: Vec<(&str, String)> = (0..=numbers.below(4))
        .map(|number| (["user", "assistant"][number % 2], words(word(numbers), 50 + numbers.below(600))))
        .collect();
    let mark = |value: Value, key: &str, marker: Value, is_marked: bool| {
        let mut value = value;
        if is_marked {
            value[key] = marker;
        }
        value
    };
    match target {
        Target::Anthropic => {
            let marker = || json!({"type": "ephemeral", "ttl": "5m"});
            let head = json!({"type": "text", "text": system});
            let head = mark(head, "cache_control", json!({"type": "ephemeral", "ttl": "1h"}), numbers.below(2) == 0);
            let list: Vec<Value> = messages
                .iter()
                .take(3)
                .map(|(role, text)| {
                    let block = json!({"type": "text", "text": text});
                    json!({"role": role, "content": [mark(block, "cache_control", marker(), numbers.below(2) == 0)]})
                })
                .collect();
            json!({"system": [head], "messages": list})
        }
        Target::Gemini => {
            let list: Vec<Value> =
                messages.iter().map(|(role, text)| json!({"role": role, "parts": [{"text": text}]})).collect();
            json!({"systemInstruction": {"parts": [{"text": system}]}, "contents": list})
        }
        _ => {
            let mut list = vec![json!({"role": "system", "content": system})];
            list.extend(messages.iter().map(|(role, text)| json!({"role": role, "content": text})));
            json!({"messages": list})
        }
    }
}

fn dearest(billed: &Billed, model: &Model) -> u128 {
    let prices = [Price::Input, Price::Write, Price::LongWrite];
    let all = prices.iter().filter_map(|price| model.price(billed.input(), *price));
    all.max().map_or(0, |cost| cost.micro_dollars())
}

#[test]
fn a_cache_never_costs_more_than_writing_everything() {
    for (name, target) in CASES {
        let model = model(name);
        let (mut numbers, mut simulator, mut at) = (Numbers(7), Simulator::new(&model), 0);
        for _ in 0..200 {
            let request = request(&mut numbers, target);
            at += [1, 30, 200, 400, 4000][numbers.below(5)];
            let fresh = Simulator::new(&model).send(0, target, &request).unwrap();
            let billed = simulator.send(at, target, &request).unwrap();
            assert_eq!(billed.input(), fresh.input(), "{name}: a cache changes no count");
            assert!(
                billed.cost(&model).unwrap() <= fresh.cost(&model).unwrap(),
                "{name}: {billed:?} against {fresh:?}"
            );
            assert!(billed.cost(&model).unwrap().micro_dollars() <= dearest(&billed, &model), "{name}");
        }
    }
}

#[test]
fn the_same_request_again_reads_all_that_was_written() {
    for (name, target) in CASES {
        let model = model(name);
        let mut numbers = Numbers(11);
        for _ in 0..100 {
            let request = request(&mut numbers, target);
            let mut simulator = Simulator::new(&model);
            let first = simulator.send(0, target, &request).unwrap();
            let again = simulator.send(250, target, &request).unwrap();
            assert_eq!((again.written, again.written_long), (0, 0), "{name}");
            let written = first.written + first.written_long;
            match name {
                // Asked for, and not one token more.
                "claude-opus-5" | "gpt-5.6-sol" => assert_eq!(again.read, written, "{name}"),
                "gpt-5" => assert_eq!(again.read, first.input() - first.input() % 128, "{name}"),
                "gemini-3.8-flash" if first.input() < 4096 => assert_eq!(again.read, 0, "{name}"),
                _ => assert_eq!(again.read, first.input(), "{name}"),
            }
        }
    }
}
