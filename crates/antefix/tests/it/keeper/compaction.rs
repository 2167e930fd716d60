//! Compaction in two steps.

use antefix::compose::policy::CompactionForm;
use antefix::freeze::Cause;
use antefix::keeper::Began;
use antefix::worlds::MemoryWorld;
use antefix::{ErrorKind, Target};
use serde_json::{Value, json};

use super::{Talk, project};

const LAYOUT: &str = r#"
on_compaction = "renew"
[instructions]
global = "none"
[[section]]
id = "files"
stability = "frozen"
only_if = ["instructions:files"]
on_drift = "amend"
trim = "end"
text = "{% for one in instructions.files %}{{ one.body }}{% endfor %}"
"#;

fn agents(text: &str) -> MemoryWorld {
    project().file("/p/AGENTS.md", text)
}

/// What the compaction wording begins with.
const WORDING: &str = "You shorten a conversation";

impl Talk {
    fn begin(&self, world: &MemoryWorld) -> antefix::keeper::Compaction {
        self.at(world, |conversation| conversation.begin_compaction(self.ask())).unwrap()
    }

    fn commit(&self, token: &str) -> antefix::Result<u64> {
        let compacted = self.at(&project(), |conversation| conversation.commit_compaction(token, self.ask()));
        compacted.map(|compacted| compacted.epoch.number())
    }
}

#[test]
fn the_prompt_is_the_fresh_prefix_a_blank_line_and_the_wording() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&agents("one"));
    let compaction = talk.begin(&agents("two"));
    assert!(compaction.prompt.starts_with(&format!("two\n\n{WORDING}")), "{}", compaction.prompt);
    assert_eq!(talk.ledger(), [(1, "opened")]);
    assert_eq!(talk.turn(&agents("one")).prefix(), "one", "nothing changes before the commit");
    assert_eq!(talk.commit(&compaction.token).unwrap(), 2);
    assert_eq!(talk.turn(&agents("two")).prefix(), "two");
    assert_eq!(talk.ledger(), [(1, "opened"), (2, "compacted")]);
}

/// Like the original, whose text is built whether there was one before or not.
#[test]
fn a_conversation_that_nobody_opened_is_opened_by_it() {
    for policy in ["renew", "keep"] {
        let talk = Talk::new(&LAYOUT.replace("\"renew\"", &format!("{policy:?}")));
        let compaction = talk.begin(&agents("one"));
        assert!(compaction.prompt.starts_with(&format!("one\n\n{WORDING}")), "{policy}: {}", compaction.prompt);
        assert_eq!((compaction.opened, compaction.next.is_some()), (Began::Now, false), "{policy}");
        assert_eq!(talk.ledger(), [(1, "opened")], "{policy}");
        assert_eq!(talk.commit(&compaction.token).unwrap(), 1, "{policy}");
        let again = talk.begin(&agents("one"));
        assert_eq!(again.opened, Began::Before, "{policy}");
        assert_eq!(talk.turn(&agents("one")).prefix(), "one", "{policy}");
        assert_eq!(talk.ledger(), [(1, "opened")], "{policy}");
    }
}

#[test]
fn what_is_committed_is_what_was_begun_whatever_the_files_say_by_then() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&agents("one"));
    let compaction = talk.begin(&agents("two"));
    talk.commit(&compaction.token).unwrap();
    let turn = talk.turn(&agents("three"));
    assert_eq!((turn.prefix(), turn.fresh), ("two", 1), "the edit in between is a notice");
}

#[test]
fn an_aborted_compaction_leaves_no_trace() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&agents("one"));
    let compaction = talk.begin(&agents("two"));
    for _ in 0..2 {
        talk.at(&project(), |conversation| conversation.abort_compaction(&compaction.token)).unwrap();
    }
    assert_eq!(talk.commit(&compaction.token).unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(talk.ledger(), [(1, "opened")]);
}

#[test]
fn a_second_begin_takes_the_place_of_the_first() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&agents("one"));
    let first = talk.begin(&agents("two"));
    let second = talk.begin(&agents("three"));
    assert_eq!(talk.commit(&first.token).unwrap_err().kind(), ErrorKind::Conflict);
    assert_eq!(talk.commit(&second.token).unwrap(), 2);
    assert_eq!(talk.turn(&agents("three")).prefix(), "three");
}

#[test]
fn a_commit_after_the_conversation_moved_on_is_refused() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&agents("one"));
    let compaction = talk.begin(&agents("two"));
    talk.renew(&agents("three"), Cause::Requested);
    let error = talk.commit(&compaction.token).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.message().contains("epoch 2"), "{error}");
    assert_eq!(talk.ledger(), [(1, "opened"), (2, "requested")]);
}

#[test]
fn notices_are_folded_in() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&agents("one"));
    talk.turn(&agents("two"));
    let compaction = talk.begin(&agents("two"));
    talk.commit(&compaction.token).unwrap();
    let turn = talk.turn(&agents("two"));
    assert_eq!((turn.prefix(), turn.amendments.len()), ("two", 0));
}

#[test]
fn the_same_bytes_keep_the_epoch() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&agents("one"));
    let compaction = talk.begin(&agents("one"));
    assert_eq!(talk.commit(&compaction.token).unwrap(), 1);
    assert_eq!(talk.ledger(), [(1, "opened")]);
}

#[test]
fn a_layout_that_keeps_its_prefix_keeps_it_with_its_notices() {
    let talk = Talk::new(&LAYOUT.replace("on_compaction = \"renew\"", "on_compaction = \"keep\""));
    talk.turn(&agents("one"));
    talk.turn(&agents("two"));
    let compaction = talk.begin(&agents("three"));
    assert!(compaction.prompt.starts_with(&format!("one\n\n{WORDING}")));
    assert_eq!(talk.commit(&compaction.token).unwrap(), 1);
    let turn = talk.turn(&agents("two"));
    assert_eq!((turn.prefix(), turn.amendments.len()), ("one", 1));
}

#[test]
fn without_a_prefix_the_wording_stands_alone() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&project());
    let compaction = talk.begin(&project());
    assert!(compaction.prompt.starts_with(WORDING));
}

/// A conversation in a target's shape, without its last word.
fn said(target: Target, words: &[(&str, &str)]) -> Vec<Value> {
    let message = |(role, text): &(&str, &str)| match target {
        Target::Gemini => json!({"role": if *role == "user" { "user" } else { "model" }, "parts": [{"text": text}]}),
        Target::Bedrock => json!({"role": role, "content": [{"text": text}]}),
        _ => json!({"role": role, "content": text}),
    };
    words.iter().map(message).collect()
}

/// Takes every marker of a cache out of a value.
fn unmarked(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(key, _)| {
                !matches!(key.as_str(), "cache_control" | "prompt_cache_breakpoint") && *key != "cachePoint"
            });
            let kept: serde_json::Map<String, Value> =
                kept.map(|(key, value)| (key.clone(), unmarked(value))).collect();
            Value::Object(kept)
        }
        Value::Array(items) => {
            let is_block = |item: &&Value| item.get("cachePoint").is_none();
            let items: Vec<Value> = items.iter().filter(is_block).map(unmarked).collect();
            match items.as_slice() {
                // A text is marked as a block.
                [only] if only.get("type").is_some() && only.get("text").is_some() => only["text"].clone(),
                _ => Value::Array(items),
            }
        }
        other => other.clone(),
    }
}

/// The request for a summary begins as the last turn did, for every target, and ends with the wording in the user's words.
#[test]
fn the_request_for_a_summary_is_that_of_the_conversation_with_the_wording_behind_it() {
    let models = [
        (Target::Anthropic, "claude-opus-5"),
        (Target::OpenAiChat, "gpt-5.6-sol"),
        (Target::OpenAiResponses, "gpt-5.6-sol"),
        (Target::OpenAiChat, "mistral-large-latest"),
        (Target::Gemini, "gemini-3.8-flash"),
        (Target::Bedrock, "claude-opus-5"),
        (Target::Ollama, "llama"),
    ];
    for (target, model) in models {
        let mut talk = Talk::new(LAYOUT);
        talk.model = Some(model.to_owned());
        let ask = |words: &[(&str, &str)]| talk.ask().messages(said(target, words));
        let key = target.messages_key();
        talk.at(&agents("one"), |conversation| conversation.turn(ask(&[("user", "A")]))).unwrap();
        talk.at(&agents("one"), |conversation| conversation.send("Q")).unwrap();
        let words = [("user", "A"), ("assistant", "B"), ("user", "C")];
        let turn = talk.at(&agents("two"), |conversation| conversation.turn(ask(&words))).unwrap();
        assert_eq!((turn.amendments.len(), turn.insertions.len()), (1, 1), "{model}");
        let before = turn.deliver(target).unwrap();
        let words = [&words[..], &[("assistant", "D")]].concat();
        let begun = talk.at(&agents("three"), |conversation| conversation.begin_compaction(ask(&words))).unwrap();
        assert_eq!(begun.form, CompactionForm::Message, "{model}");
        let summary = begun.deliver(target).unwrap();
        assert_eq!(summary.receipt.prefix_form, before.receipt.prefix_form, "{model}");
        assert_eq!(summary.receipt.key, before.receipt.key, "{model}");
        let (before, after) = (unmarked(&before.fragment.to_value()), unmarked(&summary.fragment.to_value()));
        for member in ["system", "systemInstruction", "tools"] {
            assert_eq!(before[member], after[member], "{model}: {member}");
        }
        let (before, after) = (before[key].as_array().unwrap(), after[key].as_array().unwrap());
        assert_eq!(after[..before.len()], before[..], "{model}");
        let [answer, last] = &after[before.len()..] else { panic!("{model}: {after:?}") };
        assert_eq!(*answer, unmarked(&said(target, &[("assistant", "D")])[0]), "{model}");
        assert_eq!(last["role"], "user", "{model}");
        assert!(last.to_string().contains(WORDING), "{model}: {last}");
        assert_eq!(talk.ledger(), [(1, "opened")], "{model}: nothing is stored");
    }
}

/// What the request before had is marked, and nothing behind it: nobody reads the rest again.
#[test]
fn a_request_for_a_summary_writes_nothing_that_nobody_reads() {
    let mut talk = Talk::new(LAYOUT);
    talk.model = Some("claude-opus-5".to_owned());
    let words = said(Target::Anthropic, &[("user", "A"), ("assistant", "B"), ("user", "C"), ("assistant", "D")]);
    let ask = talk.ask().messages(words);
    let begun = talk.at(&agents("one"), |conversation| conversation.begin_compaction(ask)).unwrap();
    assert_eq!(begun.deliver(Target::Anthropic).unwrap().receipt.rolling, ["/messages/2"]);
}

#[test]
fn a_layout_of_the_system_form_has_the_wording_behind_the_fresh_prefix() {
    let talk = Talk::new(&format!("compaction = \"system\"\n{LAYOUT}"));
    talk.turn(&agents("one"));
    let ask = talk.ask().messages(said(Target::OpenAiChat, &[("user", "A")]));
    let begun = talk.at(&agents("two"), |conversation| conversation.begin_compaction(ask)).unwrap();
    let fragment = begun.deliver(Target::OpenAiChat).unwrap().fragment.to_value();
    assert_eq!(begun.form, CompactionForm::System);
    assert_eq!(fragment["messages"][0]["content"], begun.prompt);
    assert_eq!(fragment["messages"][1], json!({"role": "user", "content": "A"}));
    assert!(begun.prompt.starts_with(&format!("two\n\n{WORDING}")));
}

/// Where turns take turns, the wording joins what the user said last.
#[test]
fn the_wording_joins_the_last_message_where_speakers_take_turns() {
    let talk = Talk::new(LAYOUT);
    let ask = talk.ask().messages(said(Target::Bedrock, &[("user", "A")]));
    let begun = talk.at(&agents("one"), |conversation| conversation.begin_compaction(ask)).unwrap();
    let fragment = begun.deliver(Target::Bedrock).unwrap().fragment.to_value();
    let [only] = fragment["messages"].as_array().unwrap().as_slice() else { panic!("{fragment}") };
    assert_eq!(only["content"][0], json!({"text": "A"}));
    assert!(only["content"][1]["text"].as_str().unwrap().starts_with(WORDING));
}
