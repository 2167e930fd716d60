//! A request names the response before it where its provider can say why a cache was missed, and nowhere else.

use antefix::deliver::{Content, Target, check_response_id, deliver};
use serde_json::{Value, json};

use super::{content, model, no_tools};

/// What of a fragment asks for the comparison, and what the receipt says of it.
fn asked(target: Target, name: Option<&str>, id: &str) -> (Value, String) {
    let talk = [json!({"role": "user", "content": [{"text": "one"}]})];
    let content = Content { previous_response: Some(id), ..content(no_tools(), &talk) };
    let delivery = deliver(&content, target, name.map(model).as_ref()).unwrap();
    let fragment = delivery.fragment.to_value();
    let keys = ["diagnostics", "prompt_cache_options"];
    let found = keys.iter().filter_map(|key| fragment.get(key).map(|value| ((*key).to_owned(), value.clone())));
    let instead = delivery.receipt.substitutions.iter().find(|one| one.what == "comparison with the last response");
    let said = match (&delivery.receipt.compared_with, instead) {
        (Some(id), None) => id.clone(),
        (None, Some(one)) => one.instead.clone(),
        other => panic!("{other:?}"),
    };
    (Value::Object(found.collect()), said)
}

#[test]
fn every_target_asks_in_its_own_words_or_says_why_not() {
    let anthropic = json!({"diagnostics": {"previous_message_id": "msg_1"}});
    let openai = json!({"prompt_cache_options": {"comparison_response_id": "resp_1"}});
    let nothing = json!({});
    let no_target = "left out: the target compares no requests";
    let other = "left out: the id is that of another provider's response";
    let table = [
        (Target::Anthropic, Some("claude-opus-5"), "msg_1", &anthropic, "msg_1"),
        (Target::Anthropic, Some("claude-haiku-4-5"), "msg_1", &anthropic, "msg_1"),
        (Target::Anthropic, Some("claude-opus-5"), "resp_1", &nothing, other),
        (
            Target::Anthropic,
            Some("us.anthropic.claude-opus-5"),
            "msg_1",
            &nothing,
            "left out: only Anthropic's own API compares requests",
        ),
        (
            Target::Anthropic,
            None,
            "msg_1",
            &nothing,
            "left out: whether the model's provider compares requests is not known",
        ),
        (Target::OpenAiResponses, Some("gpt-5.6-sol"), "resp_1", &openai, "resp_1"),
        (Target::OpenAiResponses, Some("gpt-5.6-sol"), "msg_1", &nothing, other),
        (
            Target::OpenAiResponses,
            Some("gpt-5"),
            "resp_1",
            &nothing,
            "left out: OpenAI compares requests from GPT-5.6 on",
        ),
        (Target::OpenAiChat, Some("gpt-5.6-sol"), "chatcmpl-1", &nothing, no_target),
        (Target::Gemini, Some("gemini-2.5-pro"), "msg_1", &nothing, no_target),
        (Target::Bedrock, Some("us.anthropic.claude-opus-5"), "msg_1", &nothing, no_target),
        (Target::Ollama, None, "msg_1", &nothing, no_target),
        (Target::Acp, None, "msg_1", &nothing, no_target),
        (Target::Plain, None, "msg_1", &nothing, no_target),
    ];
    for (target, name, id, expected, said) in table {
        let (found, instead) = asked(target, name, id);
        assert_eq!((&found, instead.as_str()), (expected, said), "{} {name:?} {id}", target.name());
    }
}

#[test]
fn the_comparison_changes_neither_the_prefix_nor_the_messages() {
    let talk = [json!({"role": "user", "content": "one"})];
    let base = content(no_tools(), &talk);
    for (target, name, id) in
        [(Target::Anthropic, "claude-opus-5", "msg_1"), (Target::OpenAiResponses, "gpt-5.6-sol", "resp_1")]
    {
        let without = deliver(&base, target, Some(&model(name))).unwrap();
        let with = Content { previous_response: Some(id), ..base.clone() };
        let with = deliver(&with, target, Some(&model(name))).unwrap();
        assert_eq!(with.receipt.prefix_form, without.receipt.prefix_form);
        assert_eq!((&with.receipt.parts, with.receipt.key), (&without.receipt.parts, without.receipt.key));
        assert_eq!(with.headers, without.headers, "what is generally available needs no beta");
        let mut value = with.fragment.to_value();
        for key in ["diagnostics", "prompt_cache_options"] {
            value.as_object_mut().unwrap().remove(key);
        }
        assert_eq!(value, without.fragment.to_value());
    }
}

#[test]
fn only_what_a_provider_gave_is_taken_for_an_id() {
    for id in ["msg_01XFDUDYJgAACzvnptvVoYEL", "resp_68af4030b5", "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT"] {
        assert!(check_response_id(id).is_ok(), "{id}");
    }
    let long = format!("msg_{}", "a".repeat(197));
    for id in ["", "msg_", "turn-7", "msg 1", "msg_1\n", "msg_é", "MSG_1", "req_1", long.as_str()] {
        assert!(check_response_id(id).is_err(), "{id:?}");
    }
}
