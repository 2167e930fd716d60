//! What came back, as a person asks for it: real processes, a real ledger, made-up bills.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by failing")]

use antefix_testing::Scratch;
use serde_json::{Value, json};

/// A sentence that is fixed, and one file of instructions, which holds.
const LAYOUT: &str = r#"
[instructions]
global = "none"
[[section]]
id = "base"
stability = "fixed"
text = "Be brief."
[[section]]
id = "files"
stability = "frozen"
joint = "paragraph"
only_if = ["instructions:files"]
text = "{% for one in instructions.files %}{{ one.body }}{% endfor %}"
"#;

const OPUS: [&str; 4] = ["--for", "anthropic", "--model", "claude-opus-5"];

/// A scratch project with that layout.
fn project() -> Scratch {
    let scratch = Scratch::new(env!("CARGO_BIN_EXE_antefix"));
    scratch.file("p/.antefix/layout.toml", LAYOUT).file("p/AGENTS.md", &rules("tabs"))
}

/// A turn, whose document is kept under a name.
fn turn(scratch: &Scratch, name: &str) {
    let document = scratch.print(&[&["turn", "c", "--json"][..], &OPUS].concat());
    scratch.write(&format!("p/{name}"), &document);
}

/// Far more than 512 tokens, the second line with a word of its own.
fn rules(word: &str) -> String {
    format!("# Rules\nUse {word}.\n{}", "Test the edge cases of everything that you write.\n".repeat(200))
}

fn usage(read: usize, write: usize) -> String {
    json!({"usage": {"input_tokens": 5, "cache_read_input_tokens": read, "cache_creation_input_tokens": write}})
        .to_string()
}

#[test]
fn an_edited_file_is_named_with_its_line_by_receipts_and_ledger() {
    let scratch = project();
    turn(&scratch, "1.json");
    assert_eq!(
        scratch.ok_with(&["why", "--receipt", "1.json"], &usage(0, 3_000)).stdout,
        "The cache was written as expected, 3,000 tokens. This is the first turn.\n"
    );
    turn(&scratch, "2.json");
    let hit = scratch.ok_with(&["why", "--receipt", "2.json", "--before", "1.json"], &usage(9_999, 0)).stdout;
    assert!(hit.starts_with("The cache was hit as expected: 9,999 of 10,004 input tokens were read from it"), "{hit}");

    scratch.write("p/AGENTS.md", &rules("spaces"));
    let predicted = scratch.print(&[&["drift", "c"][..], &OPUS].concat());
    let where_to = "in section `files` (file AGENTS.md:2): “Use tabs.” → “Use spaces.”.";
    // `Be brief.`, a blank line, `# Rules`, a line feed and `Use `.
    let would = format!("The prefix would differ from the turn before from byte 23 on, {where_to}");
    assert!(predicted.contains(&would), "{predicted}");
    scratch.ok(&["renew", "c"]);
    turn(&scratch, "3.json");

    // The fixed part has too few tokens to be cached by itself.
    let miss = usage(0, 3_000);
    let by_part = scratch.ok_with(&["why", "--receipt", "3.json", "--before", "2.json"], &miss).stdout;
    let begins =
        "The prefix differs from the turn before in the frozen part, which is at /system/1 and begins at byte 9.";
    assert!(by_part.starts_with("The cache was not hit, as expected") && by_part.contains(begins), "{by_part}");
    let args = ["why", "--receipt", "3.json", "--before", "2.json", "--conversation", "c"];
    let by_byte = scratch.ok_with(&args, &miss).stdout;
    assert!(by_byte.contains(&format!("from byte 23 on, {where_to}")), "{by_byte}");
    let by_ledger = scratch.ok_with(&[&["why", "--conversation", "c"][..], &OPUS].concat(), &miss).stdout;
    assert_eq!(by_ledger, by_byte);
    let json = scratch.ok_with(&[&args[..], &["--json"]].concat(), &miss).json();
    assert_eq!((&json["outcome"], &json["as_expected"]), (&json!("missed"), &json!(true)));
    assert_eq!(json["expected"]["difference"]["after"]["origin"]["path"], "AGENTS.md");
    assert_eq!(json["words"].as_str().unwrap(), by_byte.trim_end());
    // Two turns of one epoch are the same bytes.
    let same = [&["why", "--conversation", "c", "--epochs", "2", "2", "--elapsed", "1m"][..], &OPUS].concat();
    let same = scratch.ok_with(&same, &miss).stdout;
    assert!(same.contains("and only 60 seconds have passed of 5 minutes: the provider let it go"), "{same}");
}

#[test]
fn a_prediction_is_in_the_document_of_drift() {
    let scratch = project();
    turn(&scratch, "1.json");
    let predict = |target: &str, model: &str| -> Value {
        scratch.ok(&["drift", "c", "--for", target, "--model", model, "--json"]).json()["prediction"].take()
    };
    let same = predict("anthropic", "claude-opus-5");
    assert_eq!((&same["parting"]["code"], &same["lost"]["bytes"]), (&json!("nowhere"), &json!(0)));
    scratch.write("p/AGENTS.md", &rules("spaces"));
    let gemini = predict("gemini", "gemini-2.5-pro");
    assert_eq!((&gemini["parting"]["part"], &gemini["difference"]["at"]), (&json!("frozen"), &json!(23)));
    assert_eq!(gemini["short"]["code"], "below-minimum");
    assert_eq!(gemini.get("cost"), None, "what is too short to be cached has no price");
    let without = scratch.ok(&["drift", "c", "--json"]).json();
    assert_eq!(without.get("prediction"), None);
}

#[test]
fn what_makes_no_sense_is_refused_with_the_codes_of_all_commands() {
    let scratch = project();
    turn(&scratch, "1.json");
    scratch.write("p/bad.json", "{\"version\": 7}");
    let refused = |args: &[&str], input: &str| {
        let ran = scratch.run_with(args, input);
        assert_eq!(ran.stdout, "");
        (ran.code, ran.stderr)
    };
    let (code, said) = refused(&["why"], "{}");
    assert!(code == 2 && said.contains("--receipt <FILE>"), "{said}");
    let (code, said) = refused(&["why", "--conversation", "c"], "{}");
    assert!(code == 2 && said.contains("say it with --for TARGET"), "{said}");
    let (code, said) = refused(&["why", "--receipt", "1.json"], "{\"tokens\": 3}");
    assert!(
        code == 1 && said.contains("not a usage block of a provider that antefix knows: it has `tokens`"),
        "{said}"
    );
    let (code, said) = refused(&["why", "--receipt", "1.json"], "{\"prompt_tokens\": 3}");
    assert!(code == 1 && said.contains("has the shape of openai-chat, and the request went to anthropic"), "{said}");
    let (code, said) = refused(&["why", "--receipt", "bad.json"], "{}");
    assert!(code == 1 && said.contains("bad.json: the receipt has version 7"), "{said}");
    let (code, said) = refused(&["why", "--receipt", "1.json", "--conversation", "nobody"], &usage(0, 0));
    assert!(code == 1 && said.contains("there is no conversation"), "{said}");
    let (code, said) = refused(&["why", "--receipt", "1.json", "--elapsed", "soon"], &usage(0, 0));
    assert!(code == 2 && said.contains("90s, 7m, 2h"), "{said}");
}

/// A request of an agent that puts an instruction file into its system text.
fn request(instructions: &str, messages: &[&str]) -> Value {
    let messages: Vec<Value> = (0..)
        .zip(messages)
        .map(|(at, text): (usize, _)| json!({"role": (["user", "assistant"][at % 2]), "content": text}))
        .collect();
    let system = format!(
        "You are an agent.\n{}\nContents of AGENTS.md:\n{instructions}\nGo.",
        "Be kind to everybody. ".repeat(300)
    );
    json!({"model": "claude-opus-5", "messages": messages,
        "system": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]})
}

#[test]
fn two_requests_of_any_agent_are_compared_and_the_file_and_line_are_named() {
    let scratch = Scratch::new(env!("CARGO_BIN_EXE_antefix"));
    let (old, new) = (
        "# Rules\n\nUse tabs everywhere in the code.\nRun the tests.\n",
        "# Rules\n\nUse tabs everywhere in the code.\nRun all of the tests.\n",
    );
    scratch.write("p/AGENTS.md", new);
    scratch.write("p/1.json", &request(old, &["Hello."]).to_string());
    scratch.write("p/2.json", &request(new, &["Hello.", "Hi.", "Go on."]).to_string());
    scratch.write("p/usage.json", &usage(0, 2_400));
    let args = ["why", "--requests", "1.json", "2.json"];
    let predicted = scratch.ok(&args).stdout;
    assert!(
        predicted.starts_with("The cache would not be hit as it could be. The system text differs from byte "),
        "{predicted}"
    );
    assert!(predicted.contains("in AGENTS.md:4: “the tests."), "{predicted}");
    assert!(predicted.contains("  AGENTS.md:1-4 "), "what fills it is listed: {predicted}");
    // With bills it is a verdict; the bill is the first thing that is named, as without requests.
    let billed = scratch
        .ok(&["why", "usage.json", "--requests", "1.json", "2.json", "--usage-before", "usage.json", "--elapsed", "7m"])
        .stdout;
    assert!(
        billed.starts_with("The cache was missed: nothing was read, of 2,400 tokens that were to be expected."),
        "{billed}"
    );
    assert!(billed.contains("Idle for 7 min: the lifetime of 5 min had run out."), "both are said: {billed}");
    let document: Value = serde_json::from_str(&scratch.ok(&[&args[..], &["--json"]].concat()).stdout).unwrap();
    let cause = &document["requests"][1]["judgment"]["causes"][0];
    assert_eq!((cause["code"].as_str(), cause["now"]["path"].as_str()), (Some("system_changed"), Some("AGENTS.md")));
    assert_eq!(cause["now"]["lines"], json!([4, 4]));
}

#[test]
fn a_recording_is_told_apart_into_conversations_and_other_entries_are_counted() {
    let scratch = Scratch::new(env!("CARGO_BIN_EXE_antefix"));
    let entry = |at: &str, body: &Value, read: usize, write: usize| {
        let answer = format!("event: message_start\ndata: {{\"message\":{}}}\n\n", usage(read, write));
        json!({"startedDateTime": format!("2026-11-18T10:{at}Z"), "request": {"url": "https://api.anthropic.com/v1/messages", "headers": [],
            "postData": {"text": body.to_string()}}, "response": {"content": {"text": answer}}})
    };
    let text = "# Rules\n";
    let entries = json!([
        entry("00:00", &request(text, &["One."]), 0, 2_400),
        {"startedDateTime": "2026-11-18T10:00:01Z", "request": {"url": "https://example.com", "headers": []}, "response": {}},
        entry("00:10", &request(text, &["Another one."]), 2_400, 0),
        entry("00:20", &request(text, &["One.", "Yes.", "Two."]), 2_400, 0),
        entry("06:00", &request(text, &["One.", "Yes.", "Two.", "Yes.", "Three."]), 0, 2_400),
    ]);
    scratch.write("p/a.har", &json!({"log": {"entries": entries}}).to_string());
    let said = scratch.ok(&["why", "--requests", "a.har"]).stdout;
    assert!(said.contains("missed: lifetime_passed"), "{said}");
    assert!(said.contains("Idle for 5 min 40 s: the lifetime of 5 min had run out."), "{said}");
    assert!(said.contains("1 other entries are no requests to a model"), "{said}");
    let document: Value = serde_json::from_str(&scratch.ok(&["why", "--requests", "a.har", "--json"]).stdout).unwrap();
    let list = document["requests"].as_array().unwrap();
    let links: Vec<(u64, Option<u64>)> =
        list.iter().map(|one| (one["conversation"].as_u64().unwrap(), one["before"].as_u64())).collect();
    assert_eq!(links, [(0, None), (1, None), (0, Some(0)), (0, Some(2))]);
}

#[test]
fn what_is_no_request_is_refused_by_its_name() {
    let scratch = Scratch::new(env!("CARGO_BIN_EXE_antefix"));
    scratch.write("p/a.json", "{\"foo\": 1}");
    for (args, expected) in [
        (
            ["why", "--requests", "a.json", "a.json"].as_slice(),
            "this is not a request of a provider that antefix knows: it has `foo`",
        ),
        (["why", "--requests", "a.json"].as_slice(), "a.json: the recording has neither `log.entries` nor `exchanges`"),
        (["why", "--requests", "none.json"].as_slice(), "none.json: "),
    ] {
        let output = scratch.run(args);
        assert!(output.code == 1 && output.stderr.contains(expected), "{}", output.stderr);
    }
}
