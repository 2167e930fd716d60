//! What is put between the messages of a conversation, and what is handed over to append.

use antefix::compose::policy::Placement;
use antefix::deliver::{Content, Delivery, Inserted, Speaker, Target, deliver};
use serde_json::{Value, json};

use super::{content, model, no_tools, rolling, unmarked};

fn framed(text: &str) -> String {
    format!("<setting>\nThe program that you run in says this, not the person you talk with.\n\n{text}\n</setting>")
}

fn inserted<'c>(name: &'c str, text: &'c str, after: Option<u64>, says: Speaker) -> Inserted<'c> {
    Inserted { name: name.into(), text: text.into(), after, says, is_fresh: true }
}

fn queued(number: u64, text: &str, after: Option<u64>) -> Inserted<'_> {
    Inserted { name: format!("queued {number}").into(), ..inserted("", text, after, Speaker::User) }
}

/// One question and its answer, and another question.
fn talk(target: Target) -> Vec<Value> {
    [("user", "one"), ("assistant", "two"), ("user", "three")].map(|(role, text)| message(target, role, text)).to_vec()
}

fn message(target: Target, role: &str, text: &str) -> Value {
    match target {
        Target::Gemini => json!({"role": role, "parts": [{"text": text}]}),
        Target::Bedrock => json!({"role": role, "content": [{"text": text}]}),
        _ => json!({"role": role, "content": text}),
    }
}

/// What a message of the user's looks like that antefix makes.
fn ours(target: Target, text: &str) -> Value {
    match target {
        Target::Anthropic => json!({"role": "user", "content": [{"type": "text", "text": text}]}),
        _ => message(target, "user", text),
    }
}

fn parts(delivery: &Delivery) -> Vec<(&str, &str, &str)> {
    let parts = delivery.receipt.parts.iter().filter(|part| !part.is_prefix());
    parts.map(|part| (&*part.what, &*part.role, &*part.pointer)).collect()
}

#[test]
fn an_insertion_is_a_message_of_the_users_at_its_place_before_the_live_part() {
    use Target::{Anthropic, Bedrock, Gemini, Ollama, OpenAiChat, OpenAiResponses, Plain};
    for target in [Anthropic, OpenAiChat, OpenAiResponses, Gemini, Ollama, Plain, Bedrock] {
        let talk = talk(target);
        let insertions =
            vec![queued(1, "QUEUED", Some(1)), inserted("touched 2", "TOUCHED", Some(3), Speaker::Program)];
        let content = Content { insertions, notices: Vec::new(), ..content(no_tools(), &talk) };
        let delivery = deliver(&content, target, None).unwrap();
        let [one, two, three] = &talk[..] else { unreachable!() };
        let (queued, touched) = (ours(target, "QUEUED"), ours(target, &framed("TOUCHED")));
        let (expected, pointers) = match target {
            Plain => (json!([one, queued, two, three, touched]), vec!["/messages/1", "/messages/4"]),
            Bedrock => (
                json!([
                    {"role": "user", "content": [{"text": "one"}, {"text": "QUEUED"}]},
                    two,
                    {"role": "user", "content": [{"text": "three"}, {"text": framed("TOUCHED")}, {"text": framed("LIVE")}]},
                ]),
                vec!["/messages/0/content/1", "/messages/2/content/1", "/messages/2/content/2"],
            ),
            OpenAiChat | OpenAiResponses => {
                let live = json!({"role": "system", "content": "LIVE"});
                let key = target.messages_key();
                let first = json!({"role": "system", "content": "FIXED\n\nFROZEN"});
                let pointers: Vec<&str> = match key {
                    "input" => vec!["/input/2", "/input/5", "/input/6"],
                    _ => vec!["/messages/2", "/messages/5", "/messages/6"],
                };
                (json!([first, one, queued, two, three, touched, live]), pointers)
            }
            Ollama => (
                json!([{"role": "system", "content": "FIXED\n\nFROZEN"}, one, queued, two, three, touched,
                    ours(target, &framed("LIVE"))]),
                vec!["/messages/2", "/messages/5", "/messages/6"],
            ),
            Gemini => (
                json!([one, queued, two, three, touched, ours(target, &framed("LIVE"))]),
                vec!["/contents/1", "/contents/4", "/contents/5"],
            ),
            _ => (
                json!([one, queued, two, three, touched, ours(target, &framed("LIVE"))]),
                vec!["/messages/1", "/messages/4", "/messages/5"],
            ),
        };
        let sent = &delivery.fragment.to_value()[target.messages_key()];
        assert_eq!(unmarked(sent), unmarked(&expected), "{}", target.name());
        assert_eq!(delivery.append, None);
        let found: Vec<&str> =
            parts(&delivery).iter().map(|part| part.2).filter(|pointer| *pointer != "/text").collect();
        assert_eq!(found, pointers, "{}", target.name());
        let named: Vec<_> = parts(&delivery).into_iter().filter(|part| part.1 == "user").map(|part| part.0).collect();
        assert_eq!(named[..2], ["queued 1", "touched 2"], "{}", target.name());
    }
}

#[test]
fn an_insertion_comes_before_a_notice_of_the_same_place_because_claude_answers_after_the_system() {
    let talk = talk(Target::Anthropic);
    let insertions = vec![queued(1, "FIRST", Some(1)), queued(2, "SECOND", Some(1))];
    let content = Content { insertions, ..content(no_tools(), &talk) };
    let delivery = deliver(&content, Target::Anthropic, Some(&model("claude-opus-5"))).unwrap();
    let said = |text: &str| ours(Target::Anthropic, text);
    assert_eq!(
        delivery.fragment.to_value()["messages"],
        json!([
            talk[0], said("FIRST"), said("SECOND"), {"role": "system", "content": "NOTICE"}, talk[1],
            rolling("user", "three"),
            {"role": "system", "content": "LIVE"},
        ])
    );
}

#[test]
fn a_notice_waits_until_the_assistant_answers_if_claude_hears_it_from_the_system() {
    // The first request failed, and the user said something else.
    let talk = [("user", "one"), ("user", "two"), ("assistant", "three"), ("user", "four")];
    let talk = talk.map(|(role, text)| message(Target::Anthropic, role, text));
    let content = Content { suffix: "", ..content(no_tools(), &talk) };
    let delivery = deliver(&content, Target::Anthropic, Some(&model("claude-opus-5"))).unwrap();
    let notice = json!({"role": "system", "content": "NOTICE"});
    assert_eq!(
        delivery.fragment.to_value()["messages"],
        json!([talk[0], talk[1], notice, talk[2], rolling("user", "four")])
    );
}

/// Calls of tools and their answers, in each provider's words.
fn calls() -> Vec<(Target, Vec<Value>)> {
    let user = |text: &str| json!({"role": "user", "content": text});
    vec![
        (
            Target::Anthropic,
            vec![
                user("one"),
                json!({"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "read", "input": {}}]}),
                json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]}),
                json!({"role": "assistant", "content": "done"}),
            ],
        ),
        (
            Target::OpenAiChat,
            vec![
                user("one"),
                json!({"role": "assistant", "content": null, "tool_calls": [{"id": "a"}, {"id": "b"}]}),
                json!({"role": "tool", "tool_call_id": "a", "content": "x"}),
                json!({"role": "tool", "tool_call_id": "b", "content": "y"}),
                json!({"role": "assistant", "content": "done"}),
            ],
        ),
        (
            Target::OpenAiResponses,
            vec![
                user("one"),
                json!({"type": "reasoning", "id": "r", "summary": []}),
                json!({"type": "function_call", "call_id": "a", "name": "read", "arguments": "{}"}),
                json!({"type": "function_call", "call_id": "b", "name": "read", "arguments": "{}"}),
                json!({"type": "function_call_output", "call_id": "a", "output": "x"}),
                json!({"type": "function_call_output", "call_id": "b", "output": "y"}),
                json!({"role": "assistant", "content": "done"}),
            ],
        ),
        (
            Target::Gemini,
            vec![
                message(Target::Gemini, "user", "one"),
                json!({"role": "model", "parts": [{"functionCall": {"name": "read", "args": {}}}]}),
                json!({"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {}}}]}),
                message(Target::Gemini, "model", "done"),
            ],
        ),
        (
            Target::Bedrock,
            vec![
                message(Target::Bedrock, "user", "one"),
                json!({"role": "assistant", "content": [{"toolUse": {"toolUseId": "a", "name": "read", "input": {}}}]}),
                json!({"role": "user", "content": [{"toolResult": {"toolUseId": "a", "content": [{"text": "x"}]}}]}),
                message(Target::Bedrock, "assistant", "done"),
            ],
        ),
        (
            Target::Ollama,
            vec![
                user("one"),
                json!({"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "read"}}]}),
                json!({"role": "tool", "tool_name": "read", "content": "x"}),
                json!({"role": "assistant", "content": "done"}),
            ],
        ),
    ]
}

#[test]
fn nothing_comes_between_a_call_of_a_tool_and_its_answer() {
    for (target, talk) in calls() {
        // Where the reasoning of a model begins is a place as well.
        let answered = talk.len() - 1;
        for after in 0..=talk.len() + 2 {
            let insertions = vec![queued(1, "QUEUED", Some(after as u64))];
            let content = Content {
                insertions,
                fixed: "",
                frozen: "",
                suffix: "",
                notices: Vec::new(),
                ..content(no_tools(), &talk)
            };
            let delivery = deliver(&content, target, None).unwrap();
            let sent = delivery.fragment.to_value()[target.messages_key()].as_array().unwrap().clone();
            let place = match after {
                0 | 1 => after,
                _ if after <= answered => answered,
                _ => talk.len(),
            };
            let mut expected = talk.clone();
            match target {
                Target::Bedrock => {
                    let block = json!({"text": "QUEUED"});
                    match place {
                        0 => expected[0]["content"].as_array_mut().unwrap().insert(0, block),
                        1 => expected[0]["content"].as_array_mut().unwrap().push(block),
                        3 => expected[2]["content"].as_array_mut().unwrap().push(block),
                        _ => expected.push(json!({"role": "user", "content": [block]})),
                    }
                }
                _ => expected.insert(place, ours(target, "QUEUED")),
            }
            assert_eq!(unmarked(&json!(sent)), unmarked(&json!(expected)), "{} after {after}", target.name());
        }
    }
}

#[test]
fn in_converse_what_came_before_the_user_stays_before() {
    let talk: Vec<Value> = talk(Target::Bedrock)[..2].to_vec();
    let insertions = vec![queued(1, "FIRST", Some(2)), queued(2, "SECOND", Some(2))];
    let base = Content { insertions, notices: Vec::new(), suffix: "", ..content(no_tools(), &talk) };
    let sent = |content: &Content<'_>| {
        deliver(content, Target::Bedrock, None).unwrap().fragment.to_value()["messages"].clone()
    };
    let both = json!([{"text": "FIRST"}, {"text": "SECOND"}]);
    assert_eq!(sent(&base), json!([talk[0], talk[1], {"role": "user", "content": both}]));
    let more = [&talk[..], &[message(Target::Bedrock, "user", "three")]].concat();
    let three = json!({"role": "user", "content": [{"text": "FIRST"}, {"text": "SECOND"}, {"text": "three"}]});
    assert_eq!(sent(&Content { messages: Some(&more), ..base }), json!([talk[0], talk[1], three]));
}

#[test]
fn what_has_no_words_is_left_out_and_the_receipt_says_so() {
    let talk = talk(Target::Anthropic);
    let removed = [("queued 2".to_owned(), "quiet".to_owned())];
    let insertions = vec![queued(1, "", Some(1))];
    let content =
        Content { insertions, removed: &removed, notices: Vec::new(), suffix: "", ..content(no_tools(), &talk) };
    for target in Target::ALL.into_iter().filter(|target| *target != Target::Bedrock) {
        let delivery = deliver(&content, target, Some(&model("claude-opus-5"))).unwrap();
        let instead: Vec<_> = delivery.receipt.substitutions.iter().map(|one| (&*one.what, &*one.instead)).collect();
        assert!(instead.contains(&("queued 1", "left out: it is empty")), "{}: {instead:?}", target.name());
        let hook = ("queued 2", "left out of this request by hook `quiet`");
        assert!(instead.contains(&hook), "{}: {instead:?}", target.name());
    }
}

#[test]
fn without_messages_what_moves_is_to_append_and_never_in_the_system_text() {
    let insertions = vec![queued(1, "QUEUED", Some(1))];
    let content = Content { insertions, ..content(no_tools(), &[]) };
    let system = |text: &str| json!({"role": "system", "content": text});
    for target in Target::ALL {
        let delivery = deliver(&content, target, None).unwrap();
        let user = |text: &str| ours(target, text);
        let prefix = "FIXED\n\nFROZEN";
        let block = |text: &str| json!({"type": "text", "text": text});
        let (fragment, append) = match target {
            Target::Plain => (json!({"text": "FIXED\n\nFROZEN\n\nNOTICE\n\nLIVE"}), json!([user("QUEUED")])),
            Target::Anthropic => {
                let marked =
                    json!({"type": "text", "text": "\n\nFROZEN", "cache_control": {"type": "ephemeral", "ttl": "5m"}});
                (
                    json!({"system": [block("FIXED"), marked]}),
                    json!([user("QUEUED"), user(&framed("NOTICE")), user(&framed("LIVE"))]),
                )
            }
            Target::OpenAiChat | Target::OpenAiResponses => {
                let mut fragment = json!({});
                fragment[target.messages_key()] = json!([system(prefix)]);
                (fragment, json!([user("QUEUED"), system("NOTICE"), system("LIVE")]))
            }
            Target::Gemini => (
                json!({
                    "systemInstruction": {"parts": [{"text": "FIXED"}, {"text": "\n\nFROZEN"}]},
                }),
                json!([user("QUEUED"), user(&framed("NOTICE")), user(&framed("LIVE"))]),
            ),
            Target::Bedrock => {
                let blocks = ["QUEUED".to_owned(), framed("NOTICE"), framed("LIVE")].map(|text| json!({"text": text}));
                (
                    json!({"system": [{"text": "FIXED"}, {"text": "\n\nFROZEN"}]}),
                    json!([{"role": "user", "content": blocks}]),
                )
            }
            Target::Ollama => (
                json!({"messages": [system(prefix)]}),
                json!([user("QUEUED"), user(&framed("NOTICE")), user(&framed("LIVE"))]),
            ),
            Target::Acp => (
                json!({"systemPrompt": {"mode": "append", "content": [block(prefix)]}}),
                json!([block("QUEUED"), block(&framed("NOTICE")), block(&framed("LIVE"))]),
            ),
        };
        assert_eq!(delivery.fragment.to_value(), fragment, "{}", target.name());
        assert_eq!(json!(delivery.append), append, "{}", target.name());
        for (what, _, pointer) in parts(&delivery) {
            let in_text = target == Target::Plain && !what.starts_with("queued");
            assert_eq!(pointer.starts_with("/append/"), !in_text, "{} {what} {pointer}", target.name());
            let found = json!({"append": delivery.append, "text": ""}).pointer(pointer).is_some();
            assert!(found, "{} {pointer}", target.name());
        }
    }
}

#[test]
fn claude_that_hears_the_system_in_mid_conversation_is_appended_one_message_of_it() {
    let delivery = deliver(&content(no_tools(), &[]), Target::Anthropic, Some(&model("claude-opus-5"))).unwrap();
    let blocks = ["NOTICE", "LIVE"].map(|text| json!({"type": "text", "text": text}));
    assert_eq!(json!(delivery.append), json!([{"role": "system", "content": blocks}]));
}

#[test]
fn a_layout_that_wants_the_live_part_in_the_system_text_gets_it_there() {
    let insertions = vec![queued(1, "QUEUED", None)];
    let content = Content { insertions, placement: Placement::System, ..content(no_tools(), &[]) };
    for target in Target::ALL.into_iter().filter(|target| !matches!(target, Target::Plain | Target::Acp)) {
        let delivery = deliver(&content, target, None).unwrap();
        let bytes = delivery.bytes();
        assert!(bytes.contains("NOTICE") && bytes.contains("LIVE"), "{bytes}");
        assert_eq!(json!(delivery.append), json!([ours(target, "QUEUED")]), "{}", target.name());
    }
}

#[test]
fn a_request_is_merged_in_one_way_whoever_keeps_the_messages() {
    for target in Target::ALL.into_iter().filter(|target| *target != Target::Acp) {
        let key = target.messages_key();
        let talk = talk(target);
        let insertions = vec![queued(1, "QUEUED", None)];
        let handed = Content { insertions, notices: Vec::new(), ..content(no_tools(), &talk) };
        let kept = Content { messages: None, ..handed.clone() };
        let request = |content: &Content<'_>, messages: Value| {
            let delivery = deliver(content, target, None).unwrap();
            delivery.request([("model".to_owned(), json!("m")), (key.to_owned(), messages)])
        };
        let [kept, handed] = [request(&kept, json!(talk)), request(&handed, json!("the caller's"))]
            .map(|request| serde_json::from_str::<Value>(&request).unwrap());
        // Only what is handed over is marked.
        assert_eq!(unmarked(&kept[key]), unmarked(&handed[key]), "{}", target.name());
        let rest = |mut request: Value| request.as_object_mut().map(|members| members.remove(key)).map(|_| request);
        assert_eq!(rest(kept), rest(handed), "{}", target.name());
    }
}

#[test]
fn an_agent_that_keeps_its_history_is_sent_what_is_new() {
    let talk = talk(Target::Acp);
    let old = Inserted { is_fresh: false, ..queued(1, "OLD", Some(1)) };
    let insertions = vec![old, queued(2, "NEW", Some(3))];
    let content = Content { insertions, notices: Vec::new(), suffix: "", ..content(no_tools(), &talk) };
    let delivery = deliver(&content, Target::Acp, None).unwrap();
    assert_eq!(json!(delivery.append), json!([{"type": "text", "text": "NEW"}]));
    assert_eq!(parts(&delivery), [("queued 2", "user", "/append/0")]);
}
