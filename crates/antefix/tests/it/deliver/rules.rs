//! No history of a caller's makes a request that a provider is known to refuse.

use antefix::compose::Stability;
use antefix::compose::policy::{MessagePlace, Placement, Role};
use antefix::deliver::rules::breaches;
use antefix::deliver::{Block, Content, Inserted, Notice, NoticeKind, Speaker, Target, deliver};
use antefix::discover::tools::Tools;
use antefix::models::{Model, Models};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{content, model, no_tools, rolling};

/// What may come next in a conversation.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    User,
    Assistant,
    /// A call of so many tools, and their answers.
    Calls(usize),
    /// A call without an answer yet would be refused whatever we do, so that there is none.
    Image,
    BlankUser,
    BlankBlock,
    Thinking,
    System,
    Marked,
    MarkedLong,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => Just(Step::User),
        4 => Just(Step::Assistant),
        2 => (1_usize..24).prop_map(Step::Calls),
        1 => Just(Step::Image),
        1 => Just(Step::BlankUser),
        1 => Just(Step::BlankBlock),
        1 => Just(Step::Thinking),
        1 => Just(Step::System),
        1 => Just(Step::Marked),
        1 => Just(Step::MarkedLong),
    ];
    prop::collection::vec(step, 0..9)
}

/// The conversation in the shape of a target. It begins with the user.
fn history(steps: &[Step], target: Target) -> Vec<Value> {
    let (role, text) = match target {
        Target::Gemini => ("model", "parts"),
        _ => ("assistant", "content"),
    };
    let say = |who: &str, words: &str| match target {
        Target::Gemini => json!({"role": who, "parts": [{"text": words}]}),
        Target::Bedrock => json!({"role": who, "content": [{"text": words}]}),
        _ => json!({"role": who, "content": words}),
    };
    let mut messages = vec![say("user", "begin")];
    for (number, step) in steps.iter().enumerate() {
        let words = format!("words {number}");
        match step {
            Step::User => messages.push(say("user", &words)),
            Step::Assistant => messages.push(say(role, &words)),
            Step::BlankUser => messages.push(say("user", " \n")),
            Step::System if target != Target::Gemini => messages.push(say("system", &words)),
            Step::System => {}
            Step::Calls(count) => messages.extend(calls(*count, target)),
            Step::BlankBlock => {
                let blank = match target {
                    Target::Gemini | Target::Bedrock => json!({"text": ""}),
                    _ => json!({"type": "text", "text": ""}),
                };
                let mut message = blocks(say("user", &words), text, target);
                message[text].as_array_mut().unwrap().push(blank);
                messages.push(message);
            }
            Step::Image => messages.push(image(target)),
            Step::Thinking if target == Target::Anthropic => {
                let thinking = json!([{"type": "thinking", "thinking": "…", "signature": "s"}]);
                messages.push(json!({"role": "assistant", "content": thinking}));
            }
            Step::Thinking => {}
            Step::Marked | Step::MarkedLong if target == Target::Anthropic => {
                let marker = json!({"type": "ephemeral", "ttl": if *step == Step::MarkedLong { "1h" } else { "5m" }});
                let block = json!({"type": "text", "text": words, "cache_control": marker});
                messages.push(json!({"role": "user", "content": [block]}));
            }
            Step::Marked | Step::MarkedLong if matches!(target, Target::OpenAiChat | Target::OpenAiResponses) => {
                let of_type = if target == Target::OpenAiChat { "text" } else { "input_text" };
                let marker = json!({"mode": "explicit"});
                let part = json!({"type": of_type, "text": words, "prompt_cache_breakpoint": marker});
                messages.push(json!({"role": "user", "content": [part]}));
            }
            Step::Marked | Step::MarkedLong if target == Target::Bedrock => {
                let marker = match step {
                    Step::MarkedLong => json!({"cachePoint": {"type": "default", "ttl": "1h"}}),
                    _ => json!({"cachePoint": {"type": "default"}}),
                };
                messages.push(json!({"role": "user", "content": [{"text": words}, marker]}));
            }
            Step::Marked | Step::MarkedLong => {}
        }
    }
    messages
}

/// Who says the prefix, in how many messages.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Messages {
    /// The system, in one.
    Usual,
    /// The system and two developers, each in one of its own.
    Own,
    /// A developer, and the user before the conversation.
    User,
    /// The user before the conversation and behind its first message.
    Behind,
    /// Nobody but the user.
    UserAlone,
}

impl Messages {
    /// What is fixed and what is frozen, as one text.
    fn prefix(self, usual: (&'static str, &'static str)) -> (&'static str, &'static str) {
        match self {
            Messages::Usual => usual,
            Messages::Own => ("SYSTEM", "DEVELOPER-1DEVELOPER-2"),
            Messages::User => ("DEVELOPER-1", "USER-1"),
            Messages::Behind => ("DEVELOPER-1", "USER-1USER-2"),
            Messages::UserAlone => ("", "USER-1"),
        }
    }

    fn words(self) -> &'static [&'static str] {
        match self {
            Messages::Usual => &[],
            Messages::Own => &["SYSTEM", "DEVELOPER-1", "DEVELOPER-2"],
            Messages::User => &["DEVELOPER-1", "USER-1"],
            Messages::Behind => &["DEVELOPER-1", "USER-1", "USER-2"],
            Messages::UserAlone => &["USER-1"],
        }
    }

    fn blocks(self) -> Vec<Block<'static>> {
        let mut start = 0;
        let block = |(number, text): (usize, &&'static str)| {
            let role = match text.as_bytes()[0] {
                b'S' => Role::System,
                b'D' => Role::Developer,
                _ => Role::User,
            };
            let place = if *text == "USER-2" { MessagePlace::Behind } else { MessagePlace::Before };
            let is_fixed = number == 0 && self != Messages::UserAlone;
            let stability = if is_fixed { Stability::Fixed } else { Stability::Frozen };
            let begins = start;
            start += text.len();
            Block {
                name: format!("block {number}").into(),
                message: number,
                role,
                place,
                stability,
                start: begins,
                text,
            }
        };
        self.words().iter().enumerate().map(block).collect()
    }
}

fn blocks(mut message: Value, key: &str, target: Target) -> Value {
    if let Some(text) = message[key].as_str().map(str::to_owned) {
        let of_type = if target == Target::OpenAiResponses { "input_text" } else { "text" };
        message[key] = json!([{"type": of_type, "text": text}]);
    }
    message
}

fn image(target: Target) -> Value {
    match target {
        Target::Gemini => json!({"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": "AA=="}}]}),
        Target::Bedrock => {
            json!({"role": "user", "content": [{"image": {"format": "png", "source": {"bytes": "AA=="}}}]})
        }
        Target::OpenAiChat => {
            json!({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:"}}]})
        }
        Target::OpenAiResponses => json!({"role": "user", "content": [{"type": "input_image", "image_url": "data:"}]}),
        _ => json!({"role": "user", "content": [{"type": "image", "source": {"type": "base64", "data": "AA=="}}]}),
    }
}

fn calls(count: usize, target: Target) -> Vec<Value> {
    let ids: Vec<String> = (0..count).map(|number| format!("c{number}")).collect();
    match target {
        Target::Gemini => vec![
            json!({"role": "model", "parts": ids.iter().map(|_| json!({"functionCall": {"name": "f", "args": {}}})).collect::<Vec<_>>()}),
            json!({"role": "user", "parts": ids.iter().map(|_| json!({"functionResponse": {"name": "f", "response": {}}})).collect::<Vec<_>>()}),
        ],
        Target::Bedrock => vec![
            json!({"role": "assistant", "content": ids.iter().map(|id| json!({"toolUse": {"toolUseId": id, "name": "f", "input": {}}})).collect::<Vec<_>>()}),
            json!({"role": "user", "content": ids.iter().map(|id| json!({"toolResult": {"toolUseId": id, "content": [{"text": "r"}]}})).collect::<Vec<_>>()}),
        ],
        Target::OpenAiChat | Target::Ollama => {
            let calls: Vec<Value> = ids
                .iter()
                .map(|id| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}}))
                .collect();
            let answers = ids.iter().map(|id| json!({"role": "tool", "tool_call_id": id, "content": "r"}));
            std::iter::once(json!({"role": "assistant", "content": "", "tool_calls": calls})).chain(answers).collect()
        }
        Target::OpenAiResponses => {
            let call = |id: &String| json!({"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"});
            let answer = |id: &String| json!({"type": "function_call_output", "call_id": id, "output": "r"});
            ids.iter().flat_map(|id| [call(id), answer(id)]).collect()
        }
        _ => vec![
            json!({"role": "assistant", "content": ids.iter().map(|id| json!({"type": "tool_use", "id": id, "name": "f", "input": {}})).collect::<Vec<_>>()}),
            json!({"role": "user", "content": ids.iter().map(|id| json!({"type": "tool_result", "tool_use_id": id, "content": "r"})).collect::<Vec<_>>()}),
        ],
    }
}

fn models(target: Target) -> Vec<Option<Model>> {
    let names: &[&str] = match target {
        Target::Anthropic => &["claude-opus-5", "claude-haiku-4-5", "claude-sonnet-5"],
        Target::OpenAiChat => &["gpt-5.6-sol", "gpt-4o", "mistral-large-latest", "deepseek-chat"],
        Target::OpenAiResponses => &["gpt-5.6-sol", "gpt-5"],
        Target::Gemini => &["gemini-2.5-pro"],
        Target::Bedrock => {
            &["us.anthropic.claude-opus-5", "anthropic.claude-sonnet-4-20250514-v1:0", "amazon.nova-pro-v1:0"]
        }
        Target::Ollama | Target::Acp | Target::Plain => &[],
    };
    names.iter().map(|name| Models::built_in().find(name).map(|(model, _)| model)).chain([None]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn no_history_makes_a_request_that_is_refused(
        steps in steps(),
        notice in prop::option::of(0_usize..10),
        queued in prop::option::of(0_u64..10),
        in_system in any::<bool>(),
        texts in prop::sample::select(vec![("FIXED", "\n\nFROZEN"), ("", "FROZEN"), ("FIXED", ""), ("", "")]),
        messages in prop::sample::select(vec![Messages::Usual, Messages::Own, Messages::User, Messages::Behind, Messages::UserAlone]),
        tools in prop::sample::select(vec![json!([]), json!(["read"]),
            json!([{"name": "read", "input_schema": {}, "cache_control": {"type": "ephemeral"}}])]),
    ) {
        let tools: Tools = serde_json::from_value(tools).unwrap();
        for target in Target::ALL {
            let history = history(&steps, target);
            for model in models(target) {
                let notices = notice.map(|after| Notice { kind: NoticeKind::Amendment, number: 1, text: "NOTICE", after: Some(after) });
                let insertions = queued.map(|after| Inserted {
                    name: "queued 1".into(), text: "QUEUED".into(), after: Some(after), says: Speaker::User, is_fresh: false,
                });
                let placement = if in_system { Placement::System } else { Placement::default() };
                let prefix = messages.prefix(texts);
                let content = Content {
                    fixed: prefix.0, frozen: prefix.1, blocks: messages.blocks(), suffix: "\n\nLIVE", placement,
                    notices: notices.into_iter().collect(), insertions: insertions.into_iter().collect(),
                    messages: Some(&history), ..content(&tools, &[])
                };
                let delivery = deliver(&content, target, model.as_ref()).unwrap();
                let request = delivery.fragment.to_value();
                let found = breaches(&request, target, model.as_ref());
                // What the caller's own history breaks by itself is the caller's.
                let bare = Content { fixed: "", frozen: "", blocks: Vec::new(), suffix: "", notices: Vec::new(), insertions: Vec::new(), ..content.clone() };
                let bare = deliver(&bare, target, model.as_ref()).unwrap().fragment.to_value();
                let own = breaches(&bare, target, model.as_ref());
                let ours: Vec<_> = found.iter().filter(|one| !own.iter().any(|own| own.rule == one.rule)).collect();
                prop_assert!(ours.is_empty(), "{} {:?}: {ours:#?}\n{request:#}", target.name(), model.as_ref().map(|model| &model.name));
                prop_assert!(own.iter().all(|one| one.rule == "user-not-after-tool" || one.rule == "system-in-front" || one.rule == "user-or-tool-last"), "{own:#?}");
                let said = request.to_string();
                for text in messages.words() {
                    let count = said.matches(text).count() + json!(delivery.append).to_string().matches(text).count();
                    prop_assert_eq!(count, 1, "{} {} {}", target.name(), text, &request);
                }
                // An agent of the protocol is told what is new, and has the rest.
                for text in ["LIVE", "NOTICE", "QUEUED"].into_iter().filter(|_| target != Target::Acp) {
                    let is_said = match text { "LIVE" => true, "NOTICE" => notice.is_some(), _ => queued.is_some() };
                    let count = said.matches(text).count() + json!(delivery.append).to_string().matches(text).count();
                    prop_assert_eq!(count, usize::from(is_said), "{} {} {}", target.name(), text, &request);
                }
            }
        }
    }
}

fn sent(messages: &[Value], notices: Vec<Notice<'_>>, name: &str) -> (Value, Vec<String>) {
    let content = Content { notices, messages: Some(messages), ..content(no_tools(), &[]) };
    let delivery = deliver(&content, Target::Anthropic, Some(&model(name))).unwrap();
    let instead = delivery.receipt.substitutions.iter().map(|one| format!("{}: {}", one.what, one.instead));
    (delivery.fragment.to_value(), instead.collect())
}

fn marked(text: &str) -> Value {
    rolling("user", text)["content"].take()
}

#[test]
fn a_notice_of_an_interrupted_turn_is_said_behind_the_next_message_and_the_receipt_says_so() {
    let user = |text: &str| json!({"role": "user", "content": text});
    let talk = [user("u1"), json!({"role": "assistant", "content": "a1"}), user("u2"), user("u3")];
    let notice = || vec![Notice { kind: NoticeKind::Amendment, number: 1, text: "NOTICE", after: Some(3) }];
    let (one, instead) = sent(&talk[..3], notice(), "claude-opus-5");
    let blocks = json!([{"type": "text", "text": "NOTICE"}, {"type": "text", "text": "LIVE"}]);
    assert_eq!(
        one["messages"],
        json!([talk[0], talk[1], {"role": "user", "content": marked("u2")}, {"role": "system", "content": blocks}])
    );
    assert_eq!(instead, [""; 0]);
    let (two, instead) = sent(&talk, notice(), "claude-opus-5");
    assert_eq!(
        two["messages"],
        json!([talk[0], talk[1], talk[2], {"role": "user", "content": marked("u3")}, {"role": "system", "content": blocks}])
    );
    assert_eq!(instead, ["notice 1: behind message 4 instead of 3: nobody may speak there any more"]);
}

#[test]
fn the_live_part_is_in_front_of_an_answer_that_the_caller_has_begun() {
    let talk = [json!({"role": "user", "content": "u1"}), json!({"role": "assistant", "content": "{\"a\":"})];
    let (sent, _) = sent(&talk, Vec::new(), "claude-opus-5");
    assert_eq!(
        sent["messages"],
        json!([{"role": "user", "content": marked("u1")}, {"role": "system", "content": "LIVE"}, talk[1]])
    );
}

#[test]
fn ours_live_as_long_as_the_callers_behind_them_and_there_are_four_in_all() {
    let marker = |ttl: &str| json!({"type": "ephemeral", "ttl": ttl});
    let user =
        |ttl: &str| json!({"role": "user", "content": [{"type": "text", "text": "u", "cache_control": marker(ttl)}]});
    for name in [Some("claude-opus-5"), None] {
        let ttls = |messages: &[Value]| {
            let content = Content { messages: Some(messages), ..content(no_tools(), &[]) };
            let model = name.map(model);
            let sent = deliver(&content, Target::Anthropic, model.as_ref()).unwrap().fragment.to_value();
            let ttl = |block: &Value| block["cache_control"]["ttl"].as_str().unwrap_or("-").to_owned();
            sent["system"].as_array().unwrap().iter().map(ttl).collect::<Vec<_>>().join(" ")
        };
        let known = name.is_some();
        assert_eq!(ttls(&[user("1h")]), if known { "1h 1h" } else { "- 1h" });
        assert_eq!(ttls(&[user("5m")]), if known { "5m 5m" } else { "- 5m" });
        assert_eq!(ttls(&[user("5m"), user("5m"), user("5m")]), "- 5m");
        assert_eq!(ttls(&[user("5m"), user("5m"), user("5m"), user("5m")]), "- -");
    }
}

/// The caller's lifetimes, and what is sent of them.
#[test]
fn the_callers_own_breakpoints_are_put_in_order_and_the_last_four_count() {
    let user = |ttl: &&str| {
        let marker = json!({"type": "ephemeral", "ttl": ttl});
        json!({"role": "user", "content": [{"type": "text", "text": "u", "cache_control": marker}]})
    };
    let tool = json!([{"name": "read", "input_schema": {}, "cache_control": {"type": "ephemeral"}}]);
    let tools = [json!([]), tool].map(|tools| serde_json::from_value::<Tools>(tools).unwrap());
    let table: [(usize, &[&str], &str, &[&str]); 5] = [
        (0, &["1h", "5m"], "1h 5m", &[]),
        (0, &["5m", "1h", "5m"], "1h 1h 5m", &["other lifetimes"]),
        (0, &["5m", "5m", "5m", "5m", "5m"], "- 5m 5m 5m 5m", &["the first 1 of them left out"]),
        (
            0,
            &["1h", "5m", "5m", "5m", "5m", "1h"],
            "- - 1h 1h 1h 1h",
            &["the first 2 of them left out", "other lifetimes"],
        ),
        // Tools are shared by all turns, and stay as they are.
        (1, &["1h"], "5m", &["other lifetimes"]),
    ];
    for (with, callers, expected, told) in table {
        let messages: Vec<Value> = callers.iter().map(user).collect();
        let content = Content { messages: Some(&messages), suffix: "", ..content(&tools[with], &[]) };
        let delivery = deliver(&content, Target::Anthropic, Some(&model("claude-opus-5"))).unwrap();
        let sent = delivery.fragment.to_value();
        let ttl = |message: &Value| message["content"][0]["cache_control"]["ttl"].as_str().unwrap_or("-").to_owned();
        let sent_messages = sent["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "user");
        let found: Vec<String> = sent_messages.map(ttl).collect();
        assert_eq!(found.join(" "), expected, "{callers:?}");
        assert_eq!(breaches(&sent, Target::Anthropic, Some(&model("claude-opus-5"))), [], "{callers:?}");
        let said = delivery.receipt.substitutions.iter().filter(|one| one.what == "the caller's breakpoints");
        let said: Vec<&str> = said.map(|one| one.instead.as_str()).collect();
        assert_eq!(said.len(), told.len(), "{said:?}");
        assert!(said.iter().zip(told).all(|(said, told)| said.starts_with(told)), "{said:?}");
    }
}

#[test]
fn the_conversation_is_marked_at_its_end_and_as_far_before_as_a_provider_looks_back() {
    let user = |text: &str| json!({"role": "user", "content": text});
    let answer = json!({"role": "assistant", "content": "a"});
    let long: Vec<Value> =
        (0..60).map(|at| if at % 2 == 0 { user("u") } else { answer.clone() }).chain([user("end")]).collect();
    let content = Content { notices: Vec::new(), messages: Some(&long), ..content(no_tools(), &[]) };
    let delivery = deliver(&content, Target::Anthropic, Some(&model("claude-opus-5"))).unwrap();
    assert_eq!(delivery.receipt.rolling, ["/messages/60", "/messages/41"]);
    let fragment = delivery.fragment.to_value();
    assert_eq!(fragment["messages"][60]["content"], marked("end"));
    assert_eq!(fragment["messages"][61], json!({"role": "system", "content": "LIVE"}));
    // Who marks the conversation itself is left alone.
    let own = [json!({"role": "user", "content": marked("u1")}), answer, user("u2")];
    let content = Content { messages: Some(&own), ..content };
    let delivery = deliver(&content, Target::Anthropic, Some(&model("claude-opus-5"))).unwrap();
    assert_eq!(delivery.receipt.rolling, [""; 0]);
    assert_eq!(delivery.fragment.to_value()["messages"][2], user("u2"));
}
