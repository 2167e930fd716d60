//! What hooks say with a prompt, and what of it cannot be said.

use antefix_testing::Scratch;
use serde_json::{Value, json};

use super::sessions::{field, plain};
use super::{LAYOUT, PREFIX, Proxied as _, project, texts};

/// A project whose hook prints an answer to every turn and writes down what it is told.
fn scratch(answer: &Value) -> Scratch {
    let scratch = project();
    let hooks = "[[hook]]\nname = \"says\"\non = \"before_turn\"\ncommand = [\"hooks/says\"]\n\
                 [[hook]]\nname = \"opened\"\non = \"opened\"\ncommand = [\"hooks/says\"]\n\
                 [[hook]]\nname = \"trims\"\non = \"messages\"\ncommand = [\"hooks/says\"]\n";
    let live = "[[section]]\nid = \"now\"\nstability = \"live\"\ndialect = \"plain\"\njoint = \"paragraph\"\ntext = \"LIVE\"\n";
    scratch.write("p/.antefix/layout.toml", &format!("{LAYOUT}{live}{hooks}"));
    scratch.write("answer", &answer.to_string());
    let program = format!(
        "#!/bin/sh\necho \"$ANTEFIX_HOOK\" >> {0}/told\n[ \"$ANTEFIX_HOOK\" = before_turn ] && cat {0}/answer\nexit 0\n",
        scratch.path("").display()
    );
    scratch.executable("p/.antefix/hooks/says", &program);
    scratch.ok(&["trust", "--yes"]);
    scratch
}

fn framed(text: &str) -> String {
    format!("<setting>\nThe program that you run in says this, not the person you talk with.\n\n{text}\n</setting>")
}

/// The texts of one prompt, what was said on stderr, and which hooks were told what.
fn prompted(scratch: &Scratch, args: &[&str], agent: &Value) -> (Vec<String>, String, String) {
    let mut client = scratch.start(args, agent);
    client.initialize();
    client.ask("session/new", &scratch.new_session());
    client.prompt("s1", "hello");
    let texts = texts(&scratch.received("session/prompt")).into_iter().map(str::to_owned).collect();
    let (_, errors) = client.leave();
    (texts, errors, std::fs::read_to_string(scratch.path("told")).unwrap_or_default())
}

#[test]
fn what_a_hook_appends_and_adds_goes_with_the_prompt() {
    let answer = json!({"append": "\nNOTED", "messages": [
        {"role": "user", "content": "one"},
        {"role": "user", "content": [{"type": "text", "text": "two"}, {"type": "text", "text": "three"}]},
    ]});
    let scratch = scratch(&answer);
    let (texts, errors, reported) = prompted(&scratch, &[], &field());
    assert_eq!(texts, ["hello", &framed("one"), &framed("two\n\nthree"), &framed("LIVE\nNOTED")]);
    assert!(!errors.contains("is left out"), "{errors}");
    assert!(errors.contains("hook `trims` is not asked"), "{errors}");
    assert_eq!(reported, "opened\nbefore_turn\n");
}

#[test]
fn what_a_hook_appends_goes_also_where_the_live_part_is_left_out() {
    let scratch = scratch(&json!({"append": "NOTED"}));
    let (texts, _, _) = prompted(&scratch, &["--no-live"], &field());
    assert_eq!(texts, ["hello", &framed("NOTED")]);
}

#[test]
fn hooks_have_a_say_in_the_first_prompt_that_carries_the_sections_as_well() {
    let scratch = scratch(&json!({"append": "\nNOTED"}));
    let (texts, _, reported) = prompted(&scratch, &[], &plain());
    assert_eq!(texts, ["[Base]\nCANARY-7c1 base.", "Use tabs.", "hello", &framed("LIVE\nNOTED")]);
    // The epoch begins when the prompt has succeeded.
    assert_eq!(reported, "before_turn\nopened\n");
    assert_eq!(scratch.epoch("acp:plain:s1").as_deref(), Some(PREFIX));
}

#[test]
fn what_cannot_be_said_to_an_agent_is_reported() {
    let answer = json!({"system": "Something else.", "messages": [
        {"role": "assistant", "content": "I never said that"},
        {"role": "user", "content": [{"type": "image", "source": {}}]},
    ]});
    let scratch = scratch(&answer);
    let (texts, errors, _) = prompted(&scratch, &[], &field());
    assert_eq!(texts, ["hello"]);
    for number in 1..=2 {
        assert!(errors.contains(&format!("message {number} of hook `says` is left out")), "{errors}");
    }
    assert!(errors.contains("what hook `says` makes of the system text is left out"), "{errors}");
}

#[test]
fn a_hook_that_fails_is_reported() {
    let scratch = scratch(&json!([]));
    let (texts, errors, _) = prompted(&scratch, &[], &field());
    assert_eq!(texts, ["hello", &framed("LIVE")]);
    let failed = "warning[hook-failed]: hook `says` (before_turn) is skipped: its output is not an answer";
    assert!(errors.contains(failed), "{errors}");
}
