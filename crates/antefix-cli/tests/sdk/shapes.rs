//! Fragments are what the SDKs' own types say, and the check can fail.

use serde_json::{Value, json};

use crate::{Asked, Sdk, fragments, line, repository, run, run_well, sdk};

/// Fragments of a target, each broken in one place.
fn broken(fragment: &Value) -> Vec<(&'static str, Value)> {
    let change = |what, change: &dyn Fn(&mut Value)| {
        let mut broken = fragment.clone();
        change(&mut broken);
        assert_ne!(&broken, fragment, "{what} changes nothing");
        (what, broken)
    };
    let mut all = vec![change("a key that nobody knows", &|value| value["sytem"] = json!([]))];
    if let Some(block) = fragment.pointer("/system/0/type") {
        assert_eq!(block, "text");
        all.push(change("a block of another type", &|value| value["system"][0]["type"] = json!("txt")));
        all.push(change("a block without its text", &|value| {
            value["system"][0].as_object_mut().unwrap().remove("text");
        }));
    }
    if fragment.pointer("/system/0/cache_control").is_some() {
        all.push(change("an unknown lifetime", &|value| value["system"][0]["cache_control"]["ttl"] = json!("2h")));
    }
    for list in ["messages", "input"] {
        if fragment.pointer(&format!("/{list}/0/content/0/prompt_cache_breakpoint")).is_some() {
            all.push(change("an unknown mode", &|value| {
                value[list][0]["content"][0]["prompt_cache_breakpoint"]["mode"] = json!("wish");
            }));
        }
        if fragment.pointer(&format!("/{list}/0/role")).is_some() {
            all.push(change("an unknown role", &|value| value[list][0]["role"] = json!("boss")));
        }
    }
    if fragment.pointer("/system/1/cachePoint").is_some() {
        all.push(change("a text in a cachePoint", &|value| value["system"][1]["text"] = json!("both")));
    }
    if fragment.get("systemInstruction").is_some() {
        all.push(change("a type in a part", &|value| value["systemInstruction"]["parts"][0]["type"] = json!("text")));
    }
    all
}

#[test]
fn python_types_allow_every_fragment_and_refuse_broken_ones() {
    let Some(sdk) = sdk() else { return };
    let mut requests = String::new();
    let mut expected = Vec::new();
    for (asked, turns) in fragments() {
        for fragment in turns {
            requests += &line(asked, fragment);
            expected.push((asked, "a fragment", true));
        }
        for (what, fragment) in broken(&turns[2]) {
            // Ollama's types let roles be what they are; so do those of Bedrock, whose service does not.
            if what != "an unknown role" || asked.has_types() {
                requests += &line(asked, &fragment);
                expected.push((asked, what, false));
            }
        }
    }
    let said = run_well(sdk.python(&repository("tests/sdk/python/shapes.py")), &requests);
    assert_eq!(said.lines().count(), expected.len(), "{said}");
    for ((asked, what, well), verdict) in expected.iter().zip(said.lines()) {
        assert_eq!(verdict == "well", *well, "{}: {what}: {verdict}", asked.name());
    }
    assert!(expected.iter().filter(|(_, _, well)| !well).count() >= 25, "{expected:?}", expected = expected.len());
}

#[test]
fn typescript_allows_every_fragment_and_refuses_broken_ones() {
    let Some(sdk) = sdk() else { return };
    let mut text = String::from(
        "import type { MessageCreateParamsNonStreaming as anthropic } from \"@anthropic-ai/sdk/resources/messages\";\n\
         import type { ChatCompletionCreateParamsNonStreaming as openai_chat } from \"openai/resources/chat/completions\";\n\
         import type { ResponseCreateParamsNonStreaming as openai_responses } from \"openai/resources/responses/responses\";\n",
    );
    let mut number = 0;
    let mut constant = |asked: &Asked, fragment: &Value, expected: &str| {
        let mut request = fragment.clone();
        request["model"] = json!(asked.model);
        if asked.target == "anthropic" {
            request["max_tokens"] = json!(16);
        }
        number += 1;
        let kind = asked.target.replace('-', "_");
        // A whole request as one literal on one line: keys too many are errors in a literal alone.
        text += &format!("{expected}export const c{number}: {kind} = {request};\n");
    };
    for (asked, turns) in fragments().iter().filter(|(asked, _)| asked.has_types()) {
        for fragment in turns {
            constant(asked, fragment, "");
        }
        for (what, fragment) in broken(&turns[2]) {
            // The compiler complains if there is no error on the next line.
            constant(asked, &fragment, &format!("// @ts-expect-error {what}\n"));
        }
    }
    assert!(text.matches("@ts-expect-error").count() >= 14);
    let settings = r#"{"compilerOptions": {"target": "es2023", "module": "nodenext", "strict": true, "noEmit": true,
        "skipLibCheck": true, "types": ["node"]}, "files": ["fragments.ts"]}"#;
    let place = sdk.beside_modules("shapes", &[("fragments.ts", &text), ("tsconfig.json", settings)]);
    run_well(tsc(&sdk, &place), "");
    // And without the expectations the compiler refuses them, so it does look.
    let bare = text.replace("// @ts-expect-error", "//");
    let place = sdk.beside_modules("shapes-broken", &[("fragments.ts", &bare), ("tsconfig.json", settings)]);
    let (well, said) = run(tsc(&sdk, &place), "");
    assert!(!well && said.contains("error TS"), "{said:.2000}");
}

fn tsc(sdk: &Sdk, place: &std::path::Path) -> std::process::Command {
    let mut command = sdk.tsc();
    command.arg("--project").arg(place);
    command
}
