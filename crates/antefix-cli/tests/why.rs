//! What came back, as a person asks for it: real processes, a real ledger, made-up bills.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by failing")]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

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

/// A scratch project with a home beside it.
struct Scratch(TempDir);

impl Scratch {
    fn new() -> Scratch {
        let scratch = Scratch(tempfile::tempdir().unwrap());
        std::fs::create_dir_all(scratch.path("home")).unwrap();
        std::fs::create_dir_all(scratch.path("p/.antefix")).unwrap();
        scratch.write("p/.antefix/layout.toml", LAYOUT);
        scratch.write("p/AGENTS.md", &rules("tabs"));
        scratch
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Its code, what it prints, and what it says on the side.
    fn run(&self, args: &[&str], input: &str) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_antefix"));
        command.args(args).current_dir(self.path("p")).env_clear();
        command.env("HOME", self.path("home")).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        // A command that refuses its arguments does not read.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
    }

    #[track_caller]
    fn ok(&self, args: &[&str], input: &str) -> String {
        let (code, stdout, stderr) = self.run(args, input);
        assert_eq!(code, 0, "{args:?}: {stderr}");
        stdout
    }

    /// A turn, whose document is kept under a name.
    fn turn(&self, name: &str) {
        let args = [&["turn", "c", "--json"][..], &OPUS].concat();
        let document = self.ok(&args, "");
        self.write(&format!("p/{name}"), &document);
    }
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
    let scratch = Scratch::new();
    scratch.turn("1.json");
    assert_eq!(
        scratch.ok(&["why", "--receipt", "1.json"], &usage(0, 3_000)),
        "The cache was written as expected, 3,000 tokens. This is the first turn.\n"
    );
    scratch.turn("2.json");
    let hit = scratch.ok(&["why", "--receipt", "2.json", "--before", "1.json"], &usage(9_999, 0));
    assert!(hit.starts_with("The cache was hit as expected: 9,999 of 10,004 input tokens were read from it"), "{hit}");

    scratch.write("p/AGENTS.md", &rules("spaces"));
    let predicted = scratch.ok(&[&["drift", "c"][..], &OPUS].concat(), "");
    let where_to = "in section `files` (file AGENTS.md:2): “Use tabs.” → “Use spaces.”.";
    // `Be brief.`, a blank line, `# Rules`, a line feed and `Use `.
    let would = format!("The prefix would differ from the turn before from byte 23 on, {where_to}");
    assert!(predicted.contains(&would), "{predicted}");
    scratch.ok(&["renew", "c"], "");
    scratch.turn("3.json");

    // The fixed part has too few tokens to be cached by itself.
    let miss = usage(0, 3_000);
    let by_part = scratch.ok(&["why", "--receipt", "3.json", "--before", "2.json"], &miss);
    let begins =
        "The prefix differs from the turn before in the frozen part, which stands at /system/1 and begins at byte 9.";
    assert!(by_part.starts_with("The cache was not hit, as expected") && by_part.contains(begins), "{by_part}");
    let args = ["why", "--receipt", "3.json", "--before", "2.json", "--conversation", "c"];
    let by_byte = scratch.ok(&args, &miss);
    assert!(by_byte.contains(&format!("from byte 23 on, {where_to}")), "{by_byte}");
    let by_ledger = scratch.ok(&[&["why", "--conversation", "c"][..], &OPUS].concat(), &miss);
    assert_eq!(by_ledger, by_byte);
    let json = scratch.ok(&[&args[..], &["--json"]].concat(), &miss);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["outcome"], &json["as_expected"]), (&json!("missed"), &json!(true)));
    assert_eq!(json["expected"]["difference"]["after"]["origin"]["path"], "AGENTS.md");
    assert_eq!(json["words"].as_str().unwrap(), by_byte.trim_end());
    // Two turns of one epoch are the same bytes.
    let same = [&["why", "--conversation", "c", "--epochs", "2", "2", "--elapsed", "1m"][..], &OPUS].concat();
    let same = scratch.ok(&same, &miss);
    assert!(same.contains("and only 60 seconds have passed of 5 minutes: the provider let it go"), "{same}");
}

#[test]
fn a_prediction_is_in_the_document_of_drift() {
    let scratch = Scratch::new();
    scratch.turn("1.json");
    let predict = |target: &str, model: &str| -> Value {
        let text = scratch.ok(&["drift", "c", "--for", target, "--model", model, "--json"], "");
        serde_json::from_str::<Value>(&text).unwrap()["prediction"].take()
    };
    let same = predict("anthropic", "claude-opus-5");
    assert_eq!((&same["parting"]["code"], &same["lost"]["bytes"]), (&json!("nowhere"), &json!(0)));
    scratch.write("p/AGENTS.md", &rules("spaces"));
    let gemini = predict("gemini", "gemini-2.5-pro");
    assert_eq!((&gemini["parting"]["part"], &gemini["difference"]["at"]), (&json!("frozen"), &json!(23)));
    assert_eq!(gemini["short"]["code"], "below-minimum");
    assert!(gemini["cost"].as_str().unwrap().starts_with("$0.0"), "{gemini}");
    let without: Value = serde_json::from_str(&scratch.ok(&["drift", "c", "--json"], "")).unwrap();
    assert_eq!(without.get("prediction"), None);
}

#[test]
fn what_makes_no_sense_is_refused_with_the_codes_of_all_commands() {
    let scratch = Scratch::new();
    scratch.turn("1.json");
    scratch.write("p/bad.json", "{\"version\": 7}");
    let refused = |args: &[&str], input: &str| {
        let (code, stdout, stderr) = scratch.run(args, input);
        assert_eq!(stdout, "");
        (code, stderr)
    };
    let (code, said) = refused(&["why"], "{}");
    assert!(code == 2 && said.contains("--receipt <FILE>"), "{said}");
    let (code, said) = refused(&["why", "--conversation", "c"], "{}");
    assert!(code == 2 && said.contains("say it with --for TARGET"), "{said}");
    let (code, said) = refused(&["why", "--receipt", "1.json"], "{\"tokens\": 3}");
    assert!(code == 1 && said.contains("no usage block of a provider that antefix knows: it has `tokens`"), "{said}");
    let (code, said) = refused(&["why", "--receipt", "1.json"], "{\"prompt_tokens\": 3}");
    assert!(code == 1 && said.contains("has the shape of openai-chat, and the request went to anthropic"), "{said}");
    let (code, said) = refused(&["why", "--receipt", "bad.json"], "{}");
    assert!(code == 1 && said.contains("bad.json: the receipt has version 7"), "{said}");
    let (code, said) = refused(&["why", "--receipt", "1.json", "--conversation", "nobody"], &usage(0, 0));
    assert!(code == 1 && said.contains("there is no conversation"), "{said}");
    let (code, said) = refused(&["why", "--receipt", "1.json", "--elapsed", "soon"], &usage(0, 0));
    assert!(code == 2 && said.contains("90s, 7m, 2h"), "{said}");
}
