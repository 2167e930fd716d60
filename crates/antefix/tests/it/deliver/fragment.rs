//! A fragment is the same JSON whichever way it is taken.

use antefix::deliver::{Content, Fragment, Target, deliver};
use antefix::discover::tools::{Tool, Tools};
use antefix::text::canonical;
use antefix::tokens::Tokenizer;
use serde::Serialize;
use serde_json::{Value, json};

use super::{content, model, no_tools, talk, tools};

/// Tools that are hard to write twice alike: keys out of order, numbers at their limits, escapes, depth.
fn hostile() -> Tools {
    let deep = (0..150).fold(json!("\u{1f}\"\\\n"), |inner, _| json!([inner]));
    let numbers = json!([u64::MAX, i64::MIN, 0.1 + 0.2, -0.0, 5e-324, f64::MAX, 1e21, 123_456_789.123_456_78]);
    let parameters = json!({"z": numbers, "a": {"é": null, "\"": true}, "m": deep});
    let description = Some("Says \"it\":\t\u{7f}\u{2028}𝄞".to_owned());
    Tools::from(vec![Tool { description, parameters: Some(parameters), ..Tool::named("odd") }, Tool::named("bash")])
}

fn everywhere(tools: &Tools, check: impl Fn(Target, Fragment)) {
    let talk = talk();
    for target in Target::ALL {
        // What Converse takes is another shape.
        let messages = if target == Target::Bedrock { &[] } else { talk.as_slice() };
        for name in ["claude-opus-5", "gpt-5.6-sol"] {
            check(target, deliver(&content(tools, messages), target, Some(&model(name))).unwrap().fragment);
        }
    }
}

#[test]
fn the_bytes_are_those_of_the_value() {
    for tools in [hostile(), tools(), no_tools().clone()] {
        everywhere(&tools, |target, fragment| {
            let value = fragment.to_value();
            assert_eq!(fragment.bytes(), canonical(&value), "{}", target.name());
            let has_tools = value.get("tools").or(value.get("toolConfig")).is_some();
            assert_eq!(has_tools, target != Target::Acp && !tools.is_empty());
        });
    }
}

#[test]
fn serde_writes_it_as_it_writes_the_value() {
    everywhere(&hostile(), |target, fragment| {
        let value = fragment.to_value();
        assert_eq!(serde_json::to_string(&fragment).unwrap(), value.to_string(), "{}", target.name());
        assert_eq!(
            serde_json::to_string_pretty(&json!({"fragment": &fragment})).unwrap(),
            serde_json::to_string_pretty(&json!({"fragment": value})).unwrap()
        );
        assert_eq!(serde_json::to_string_pretty(&fragment).unwrap(), serde_json::to_string_pretty(&value).unwrap());
    });
}

#[test]
fn a_request_has_the_callers_members_and_the_fragments_count() {
    everywhere(&tools(), |target, fragment| {
        let mut expected = fragment.to_value();
        expected["aa"] = json!({"b": 1, "a": [null]});
        expected["zz"] = json!("last");
        let taken: Vec<String> = fragment.to_value().as_object().unwrap().keys().cloned().collect();
        let own = [("zz", json!("last")), ("aa", json!({"b": 1, "a": [null]}))];
        let own = own.map(|(key, value)| (key.to_owned(), value));
        let stale = taken.into_iter().map(|key| (key, json!("the caller's")));
        assert_eq!(fragment.request(own.into_iter().chain(stale)), canonical(&expected), "{}", target.name());
    });
    let nothing = Fragment::default();
    assert_eq!(nothing.request([("stream", json!(true)), ("stream", json!(false))]), r#"{"stream":false}"#);
    assert_eq!(nothing.bytes(), "{}");
}

#[test]
fn a_request_of_ones_own_type_can_have_it_flattened() {
    #[derive(Serialize)]
    struct Request {
        model: &'static str,
        #[serde(flatten)]
        fragment: Fragment,
    }
    everywhere(&tools(), |_, fragment| {
        let mut expected = fragment.to_value();
        expected["model"] = json!("x");
        let sent = serde_json::to_string(&Request { model: "x", fragment }).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&sent).unwrap(), expected);
    });
}

#[test]
fn every_part_of_the_prefix_can_be_counted_for_every_target() {
    let tools = tools();
    for target in Target::ALL {
        for name in ["claude-opus-5", "gpt-5.6-sol", "gpt-4o"] {
            let content = Content { notices: Vec::new(), ..content(&tools, &[]) };
            let delivery = deliver(&content, target, Some(&model(name))).unwrap().counted(&Tokenizer::Exact);
            let prefix = delivery.receipt.parts.iter().filter(|part| part.is_prefix());
            let bytes: usize = prefix.filter(|part| part.what != "tools").map(|part| part.bytes).sum();
            assert_eq!(bytes, "FIXED\n\nFROZEN".len(), "{}", target.name());
            for part in delivery.receipt.parts {
                assert_eq!(part.tokens.is_some(), part.is_prefix(), "{} {}", target.name(), part.what);
                let whole = matches!(part.what.as_str(), "tools" | "fixed" | "frozen");
                assert!(!whole || part.tokens.is_some_and(|tokens| tokens.count > 0));
            }
        }
    }
}

#[test]
fn fragments_are_equal_if_their_tools_are() {
    let of = |tools: &Tools| deliver(&content(tools, &talk()), Target::Anthropic, None).unwrap().fragment;
    assert_eq!(of(&tools()), of(&tools()));
    assert_ne!(of(&tools()), of(&hostile()));
}
