//! Pairs of requests whose cause is known, billed by the rules of their provider: the judgment names it, or says that it cannot know.
//!
//! `ANTEFIX_TEST_PAIRS=100000` makes more of them; `ANTEFIX_TEST_SEED` other ones.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use antefix::deliver::Target;
use antefix::models::Models;
use antefix::observe::{Billed, Exchange, Judgment, Known, SentRequest, Simulator, Usage};

/// Models, their shapes, and another one of the same provider.
const PROVIDERS: [(&str, Target, &str); 6] = [
    ("claude-opus-5-5", Target::Anthropic, "claude-sonnet-5-5"),
    ("claude-haiku-4-5", Target::Anthropic, "claude-opus-5"),
    ("gpt-5.4", Target::OpenAiChat, "gpt-5"),
    ("gpt-5.4", Target::OpenAiResponses, "gpt-5"),
    ("gpt-5.6-sol", Target::OpenAiResponses, "gpt-5.6-luna"),
    ("gemini-3.8-flash", Target::Gemini, "gemini-3.5-flash"),
];

/// What is done to the second request, and the words that may be said of it.
const CAUSES: [(&str, &[&str]); 16] = [
    ("nothing", &[]),
    ("model", &["model_changed"]),
    ("parameter", &["parameter_changed"]),
    ("key", &["prompt_cache_key_changed"]),
    ("tool added", &["tools_changed"]),
    ("tool removed", &["tools_changed"]),
    ("tool changed", &["tools_changed"]),
    ("tools reordered", &["tools_changed"]),
    ("system", &["system_changed"]),
    ("history", &["messages_changed"]),
    ("history gone", &["messages_changed"]),
    ("no breakpoint", &["no_breakpoint"]),
    ("look back", &["look_back_exceeded"]),
    ("expired", &["lifetime_passed"]),
    ("system and expired", &["system_changed", "lifetime_passed"]),
    ("provider", &["provider_side"]),
];

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((number ^ (number >> 31)) % end as u64) as usize
    }

    /// So many words, all of which are tokens.
    fn words(&mut self, count: usize) -> String {
        const WORDS: [&str; 12] =
            ["red", "blue", "green", "house", "tree", "river", "stone", "cloud", "bread", "paper", "glass", "light"];
        (0..count).map(|_| WORDS[self.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
    }
}

/// A conversation in no shape yet.
#[derive(Clone)]
struct Talk {
    tools: Vec<(String, String)>,
    system: Vec<String>,
    /// In turns: the user's and the model's.
    messages: Vec<String>,
    parameter: bool,
    key: bool,
    marked: bool,
    long: bool,
}

impl Talk {
    /// A talk that is long enough to be cached.
    fn new(numbers: &mut Numbers, minimum: usize) -> Talk {
        let tools =
            (0..2 + numbers.below(4)).map(|number| (format!("tool{number}"), numbers.words(20 + number))).collect();
        let system = (0..1 + numbers.below(2)).map(|_| numbers.words(minimum + 200)).collect();
        let messages = (0..3 + 2 * numbers.below(4)).map(|_| numbers.words(150 + 10)).collect();
        Talk { tools, system, messages, parameter: false, key: false, marked: true, long: numbers.below(2) == 0 }
    }

    fn body(&self, target: Target, model: &str) -> Value {
        let roles = |number: usize| ["user", "assistant"][number % 2];
        let pairs = || self.messages.iter().enumerate().map(|(number, text)| (roles(number), text));
        match target {
            Target::Anthropic => {
                let marker = json!({"type": "ephemeral", "ttl": if self.long { "1h" } else { "5m" }});
                let mark = |mut block: Value, is_last: bool| {
                    if is_last && self.marked {
                        block["cache_control"] = marker.clone();
                    }
                    block
                };
                let system = self.system.iter().enumerate();
                let system = system
                    .map(|(number, text)| mark(json!({"type": "text", "text": text}), number + 1 == self.system.len()));
                let last = self.messages.len() - 1;
                let messages = pairs().enumerate();
                let messages = messages.map(|(number, (role, text))| json!({"role": role, "content": [mark(json!({"type": "text", "text": text}), number == last)]}));
                let tools = self
                    .tools
                    .iter()
                    .map(|(name, text)| json!({"name": name, "description": text, "input_schema": {}}));
                let mut body = json!({"model": model, "tools": tools.collect::<Vec<_>>(), "system": system.collect::<Vec<_>>(), "messages": messages.collect::<Vec<_>>()});
                if self.parameter {
                    body["tool_choice"] = json!({"type": "any"});
                }
                body
            }
            Target::Gemini => {
                let tools = self.tools.iter().map(|(name, text)| json!({"name": name, "description": text}));
                let contents = pairs().map(|(role, text)| json!({"role": if role == "user" { "user" } else { "model" }, "parts": [{"text": text}]}));
                let mut body = json!({"model": model, "tools": [{"functionDeclarations": tools.collect::<Vec<_>>()}],
                    "systemInstruction": {"parts": self.system.iter().map(|text| json!({"text": text})).collect::<Vec<_>>()},
                    "contents": contents.collect::<Vec<_>>()});
                if self.parameter {
                    body["toolConfig"] = json!({"functionCallingConfig": {"mode": "ANY"}});
                }
                body
            }
            _ => {
                let tools = self
                    .tools
                    .iter()
                    .map(|(name, text)| json!({"type": "function", "name": name, "description": text}));
                let system = self.system.iter().map(|text| json!({"role": "developer", "content": text}));
                let messages = pairs().map(|(role, text)| json!({"role": role, "content": text}));
                let key = if target == Target::OpenAiChat { "messages" } else { "input" };
                let mut body = json!({"model": model, "tools": tools.collect::<Vec<_>>(),
                    "prompt_cache_key": if self.key { "other" } else { "key" }});
                body[key] = system.chain(messages).collect();
                if self.parameter {
                    body["reasoning"] = json!({"effort": "high"});
                    body["service_tier"] = json!("flex");
                }
                body
            }
        }
    }

    /// The same talk, a turn later, with something done to it; false if it cannot be done here.
    fn change(&mut self, cause: &str, target: Target, numbers: &mut Numbers) -> bool {
        let grown = if cause == "look back" { 30 } else { 2 };
        self.messages.extend((0..grown).map(|_| numbers.words(40)));
        let is_anthropic = target == Target::Anthropic;
        match cause {
            "parameter" => self.parameter = true,
            "key" => self.key = true,
            "tool added" => self.tools.insert(numbers.below(self.tools.len()), ("new".to_owned(), numbers.words(30))),
            "tool removed" => drop(self.tools.remove(numbers.below(self.tools.len()))),
            "tool changed" => {
                let tool = numbers.below(self.tools.len());
                self.tools[tool].1.push_str(" changed");
            }
            "tools reordered" => self.tools.reverse(),
            "system" | "system and expired" => {
                let block = numbers.below(self.system.len());
                self.system[block].insert_str(numbers.below(3) * 500, "edited ");
            }
            "history" => {
                let message = numbers.below(2);
                self.messages[message].insert_str(0, "edited ");
            }
            "history gone" => self.messages = vec![format!("summary {}", numbers.words(30))],
            "no breakpoint" => self.marked = false,
            _ => {}
        }
        match cause {
            "key" => !is_anthropic && target != Target::Gemini,
            "no breakpoint" | "look back" => is_anthropic,
            _ => true,
        }
    }
}

fn usage(target: Target, billed: Billed) -> Usage {
    let written = billed.written + billed.written_long;
    let explicit = matches!(target, Target::Anthropic | Target::OpenAiResponses);
    Usage {
        target,
        input: Some(billed.input()),
        read: Some(billed.read),
        write: explicit.then_some(written),
        long_write: explicit.then_some(billed.written_long),
        output: None,
        said: None,
    }
}

#[test]
fn the_cause_of_every_pair_is_named_or_said_not_to_be_known_and_never_another() {
    let number =
        |name: &str, otherwise: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise);
    let (pairs, seed) = (number("ANTEFIX_TEST_PAIRS", 600), number("ANTEFIX_TEST_SEED", 1));
    let (models, known) = (Models::built_in(), Known::default());
    let begin: Timestamp = "2026-11-18T10:00:00Z".parse().unwrap();
    let mut tally: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for pair in 0..pairs {
        let mut numbers = Numbers(seed.wrapping_mul(1_000_003).wrapping_add(pair));
        let (model, target, other) = PROVIDERS[numbers.below(PROVIDERS.len())];
        let (cause, allowed) = CAUSES[numbers.below(CAUSES.len())];
        let row = |name: &str| models.find(name).unwrap().0;
        let before =
            Talk::new(&mut numbers, row(model).minimum.unwrap_or(0).max(row(other).minimum.unwrap_or(0)).max(1_000));
        let mut now = before.clone();
        if !now.change(cause, target, &mut numbers) {
            continue;
        }
        let now_model = if cause == "model" { other } else { model };
        let mut simulator = Simulator::new(&row(model));
        let read = |talk: &Talk, model: &str| SentRequest::of_value(&talk.body(target, model), None).unwrap();
        let (first, second) = (read(&before, model), read(&now, now_model));
        let billed = simulator.send_request(0, &first).unwrap();
        let late = match target {
            Target::Anthropic if before.long => 3_601,
            Target::Anthropic | Target::OpenAiChat => 301,
            _ if model.contains("5.6") => 1_801,
            _ => 301,
        };
        let is_late = cause.contains("expired");
        let elapsed = if is_late { late + numbers.below(1_000) as u64 } else { 10 + numbers.below(280) as u64 };
        let mut later = match cause {
            "model" => Simulator::new(&row(other)).send_request(elapsed, &second).unwrap(),
            _ => simulator.send_request(elapsed, &second).unwrap(),
        };
        if cause == "provider" {
            later = match target {
                Target::Anthropic => Billed { written: later.anew() + later.read, ..Billed::default() },
                _ => Billed { plain: later.anew() + later.read, ..Billed::default() },
            };
        }
        let knows_time = numbers.below(4) > 0;
        let mut first = Exchange::new(first).billed(usage(target, billed));
        let mut second = Exchange::new(second).billed(usage(target, later));
        if knows_time {
            first = first.sent_at(begin);
            second = second.sent_at(begin + SignedDuration::from_secs(elapsed as i64));
        }
        let judgment = Judgment::of(Some(&first), &second, models, &known);
        let named: Vec<&str> = judgment.causes.iter().map(|one| one.name()).collect();
        let unknown = "lifetime_may_have_passed";
        let is_known =
            |name: &&str| allowed.contains(name) || (*name == unknown && (!knows_time || target == Target::Gemini));
        let shown = || {
            format!(
                "pair {pair} of seed {seed}: {cause} at {model} ({target:?}), {elapsed} s, {billed:?} then {later:?}\n{judgment}\n{named:?}"
            )
        };
        assert!(named.iter().all(is_known), "another cause is named: {}", shown());
        // Where the lifetime's end is all that there is, nobody can know it without the time.
        let count = tally.entry(cause).or_default();
        count.0 += 1;
        match judgment.lost {
            Some(_) => assert!(!named.is_empty(), "something is lost, and no cause is named: {}", shown()),
            None => assert!(later.read > 0 || judgment.expected == Some(0) || cause == "nothing", "{}", shown()),
        }
        count.1 += usize::from(named.iter().any(|name| allowed.contains(name)));
    }
    for (cause, (all, named)) in &tally {
        println!("{cause}: {named} of {all} named");
    }
    // It may not hide behind not knowing.
    for (cause, least) in
        [("model", 95), ("system", 90), ("tool changed", 90), ("history", 80), ("expired", 60), ("provider", 60)]
    {
        let (all, named) = tally[cause];
        assert!(named * 100 >= all * least, "{cause}: only {named} of {all} are named");
    }
}
