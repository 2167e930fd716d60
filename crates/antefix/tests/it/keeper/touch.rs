//! Paths that are touched: each file is said once, and again when it has changed or after a compaction.

use std::collections::BTreeMap;

use antefix::diagnostic::Code;
use antefix::freeze::InsertionKind;
use antefix::keeper::Repeat;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, Conversation, Diagnostic, Target, Turn};
use serde_json::{Value, json};

use super::{Talk, project};
use crate::deliver::unmarked;

const LAYOUT: &str = r#"
[instructions]
global = "none"
[[section]]
id = "files"
stability = "frozen"
on_drift = "hold"
text = "{% for one in instructions.files %}{{ one.body }}\n{% endfor %}Base."
"#;

/// A rule for Rust that says this, and a nested file.
fn rust(text: &str) -> MemoryWorld {
    let rule = format!("---\npaths: '**/*.rs'\n---\n{text}");
    project().file("/p/AGENTS.md", "Whole.").file("/p/.claude/rules/rust.md", rule).file("/p/sub/AGENTS.md", "Nested.")
}

const RULE: (&str, &str) = (".claude/rules/rust.md", "Format it.");
const CHANGED: (&str, &str) = (".claude/rules/rust.md", "Test it.");
const NESTED: (&str, &str) = ("sub/AGENTS.md", "Nested.");

/// The notice for files, in the words of the built-in wording.
fn notice(files: &[(&str, &str)]) -> String {
    let framed = |(path, text): &(&str, &str)| format!("<instructions from=\"{path}\">\n{text}\n</instructions>");
    let files: Vec<String> = files.iter().map(framed).collect();
    format!(
        "The people who own this project wrote down what holds where you are about to work. It comes on top of the project \
         instructions that you have; where two of them differ, this is nearer to your work and counts.\n\n{}",
        files.join("\n\n")
    )
}

impl Talk {
    fn touching(&self, world: &MemoryWorld, paths: &[&str], ask: Ask) -> Turn {
        self.at(world, |conversation| conversation.turn(ask.touch(paths))).unwrap()
    }

    fn compact_at(&self, world: &MemoryWorld) {
        self.at(world, |conversation| {
            let begun = conversation.begin_compaction(self.ask()).unwrap();
            conversation.commit_compaction(&begun.token, self.ask()).unwrap();
        });
    }
}

/// What a turn is the first to have.
fn fresh(turn: &Turn) -> Vec<String> {
    turn.messages.iter().map(|message| message.text.clone()).collect()
}

/// What the request of a turn has between the caller's messages.
fn all(turn: &Turn) -> Vec<String> {
    turn.insertions.iter().map(|one| one.insertion.text.clone()).collect()
}

fn codes(diagnostics: &[Diagnostic]) -> Vec<Code> {
    diagnostics.iter().map(|finding| finding.code).collect()
}

/// What happens, and what the turn then brings; what it repeats is all that came before it since the last compaction.
enum Step {
    Touch(&'static [&'static str], &'static [(&'static str, &'static str)]),
    /// The rule says something else from now on.
    Change(&'static str),
    Compact,
    Renew,
    /// Another process goes on.
    Restart,
}

use Step::{Change, Compact, Renew, Restart, Touch};

#[test]
fn a_file_is_said_once_again_when_it_changed_and_again_after_a_compaction() {
    let table: &[(&str, &[Step])] = &[
        ("a turn that touches nothing new", &[Touch(&["README.md", "AGENTS.md"], &[]), Touch(&[], &[])]),
        ("twice", &[Touch(&["a.rs"], &[RULE]), Touch(&["a.rs", "b.rs"], &[]), Touch(&["sub/c.rs"], &[NESTED])]),
        ("at once", &[Touch(&["a.rs", "sub/x", "b.rs"], &[RULE, NESTED]), Touch(&["sub/c.rs"], &[])]),
        ("a path that leads out and back", &[Touch(&["../p/sub/./x"], &[NESTED]), Touch(&["/p/sub/x"], &[])]),
        (
            "changed",
            &[
                Touch(&["sub/a.rs"], &[RULE, NESTED]),
                Change("Test it."),
                Touch(&[], &[]),
                Touch(&["sub/a.rs"], &[CHANGED]),
                Touch(&["sub/a.rs"], &[]),
            ],
        ),
        (
            "changed back",
            &[
                Touch(&["a.rs"], &[RULE]),
                Change("Test it."),
                Touch(&["a.rs"], &[CHANGED]),
                Change("Format it."),
                Touch(&["a.rs"], &[RULE]),
            ],
        ),
        (
            "compaction",
            &[Touch(&["a.rs"], &[RULE]), Compact, Touch(&[], &[]), Touch(&["a.rs"], &[RULE]), Touch(&["a.rs"], &[])],
        ),
        ("renewal", &[Touch(&["a.rs"], &[RULE]), Renew, Touch(&["a.rs"], &[])]),
        ("another process", &[Touch(&["a.rs"], &[RULE]), Restart, Touch(&["a.rs", "sub/x"], &[NESTED])]),
    ];
    for on_compaction in ["renew", "keep"] {
        for (name, steps) in table {
            let mut talk = Talk::new(&format!("on_compaction = \"{on_compaction}\"\n{LAYOUT}"));
            let (mut world, mut had) = (rust("Format it."), Vec::new());
            for (number, step) in steps.iter().enumerate() {
                match step {
                    Touch(paths, files) => {
                        let turn = talk.touching(&world, paths, talk.ask());
                        let expected: Vec<String> =
                            [*files].iter().filter(|files| !files.is_empty()).map(|files| notice(files)).collect();
                        assert_eq!(fresh(&turn), expected, "{name}, {on_compaction}, step {number}");
                        had.extend(expected);
                        assert_eq!(all(&turn), had, "{name}, {on_compaction}, step {number}");
                    }
                    Change(text) => world = rust(text),
                    Compact => {
                        talk.compact_at(&world);
                        had.clear();
                    }
                    Renew => {
                        let renewed = world.clone().file("/p/AGENTS.md", "Whole, anew.");
                        talk.renew(&renewed, antefix::freeze::Cause::Requested);
                    }
                    Restart => talk = talk.with_hooks(&[]),
                }
            }
        }
    }
}

#[test]
fn it_is_in_every_request_at_its_place_as_what_the_program_says() {
    let (talk, world) = (Talk::new(LAYOUT), rust("Format it."));
    let user = |text: &str| json!({"role": "user", "content": [{"type": "text", "text": text}]});
    let framed = format!(
        "<setting>\nThe program that you run in says this, not the person you talk with.\n\n{}\n</setting>",
        notice(&[RULE])
    );
    let said = json!({"role": "user", "content": [{"type": "text", "text": framed}]});
    let sent = |messages: &[Value], paths: &[&str]| {
        let turn = talk.touching(&world, paths, talk.ask().messages(messages.to_vec()));
        unmarked(&turn.deliver(Target::Anthropic).unwrap().fragment.to_value()["messages"])
    };
    assert_eq!(sent(&[user("one")], &["a.rs"]), [user("one"), said.clone()]);
    assert_eq!(sent(&[user("one"), user("two")], &["a.rs"]), [user("one"), said, user("two")]);
}

#[test]
fn a_turn_that_is_asked_for_again_has_the_same_bytes() {
    let talk = Talk::new(LAYOUT);
    let expected = [notice(&[RULE])];
    for text in ["Format it.", "Format it.", "Test it."] {
        let turn = talk.touching(&rust(text), &["a.rs"], talk.ask().turn("t1"));
        assert_eq!((&fresh(&turn)[..], &all(&turn)[..]), (&expected[..], &expected[..]), "{text}");
    }
    let turn = talk.touching(&rust("Test it."), &["a.rs"], talk.ask().turn("t2"));
    assert_eq!(fresh(&turn), [notice(&[CHANGED])], "another turn is told what has changed");
}

#[test]
fn what_cannot_be_touched_is_reported_and_the_turn_goes_on() {
    let (talk, world) = (Talk::new(LAYOUT), rust("Format it."));
    let turn = talk.touching(&world, &["/etc/passwd", "a.rs"], talk.ask());
    assert_eq!((fresh(&turn), codes(&turn.diagnostics)), (vec![notice(&[RULE])], vec![Code::OutsideProject]));
    // A layout that cannot be read any more.
    let broken = Talk { layout: "[[section".to_owned(), ..talk.clone() };
    let turn = broken.touching(&world, &["sub/x"], broken.ask());
    assert_eq!((fresh(&turn), all(&turn)), (vec![], vec![notice(&[RULE])]));
    assert_eq!(codes(&turn.diagnostics), [Code::ProjectUnreadable]);
    // A turn whose system text is the caller's takes nothing, and stores nothing.
    let mut ask = talk.ask();
    ask.replacement = Some("Summarize.".to_owned());
    assert_eq!(fresh(&talk.touching(&world, &["sub/x"], ask)), Vec::<String>::new());
    assert_eq!(fresh(&talk.touching(&world, &["sub/x"], talk.ask())), [notice(&[NESTED])]);
    // A layout without instruction files has nothing to say, and says nothing of that in every turn.
    let other = Talk::new("[[section]]\nid = \"a\"\nstability = \"frozen\"\ntext = \"A\"\n");
    let turn = other.touching(&world, &["a.rs"], other.ask());
    assert_eq!((fresh(&turn), codes(&turn.diagnostics)), (vec![], vec![]));
}

#[test]
fn a_touch_before_a_turn_answers_with_the_notice_and_waits_for_the_turn() {
    let (talk, world) = (Talk::new(LAYOUT), rust("Format it."));
    let touch = |paths: &[&str]| {
        let touched = talk.at(&world, |conversation| conversation.touch(talk.ask().touch(paths))).unwrap();
        (touched.text.map(|text| text.as_str().to_owned()), codes(&touched.diagnostics))
    };
    assert_eq!(touch(&["a.rs"]), (Some(notice(&[RULE])), vec![]), "also before the first turn");
    assert_eq!(touch(&["a.rs"]), (None, vec![Code::NothingTouched]), "what waits is not said twice");
    let turn = talk.touching(&world, &["a.rs", "sub/x"], talk.ask());
    assert_eq!(fresh(&turn), [notice(&[RULE]), notice(&[NESTED])]);
    let files: Vec<&str> = turn
        .messages
        .iter()
        .flat_map(|message| match &message.kind {
            InsertionKind::Touched(files) => files.keys().map(String::as_str).collect(),
            InsertionKind::Queued | InsertionKind::Live(_) => Vec::new(),
        })
        .collect();
    assert_eq!(files, [RULE.0, NESTED.0]);
    assert_eq!(touch(&["sub/y", "/x"]), (None, vec![Code::OutsideProject]));
}

#[test]
fn where_somebody_else_keeps_the_history_it_waits_until_it_has_arrived_and_is_remembered() {
    let (talk, world) = (Talk::new(LAYOUT), rust("Format it."));
    let once = |paths: &[&str]| {
        let mut ask = talk.ask();
        ask.repeat = Repeat::Never;
        let turn = talk.touching(&world, paths, ask);
        (turn.messages.iter().map(|message| message.number).collect::<Vec<_>>(), fresh(&turn))
    };
    let rule = vec![notice(&[RULE])];
    assert_eq!(once(&["a.rs"]), (vec![1], rule.clone()));
    assert_eq!(once(&["a.rs"]), (vec![1], rule.clone()), "the prompt failed");
    talk.at(&world, |conversation| conversation.arrived(&[1])).unwrap();
    assert_eq!(once(&["a.rs"]), (vec![], vec![]));
    talk.compact_at(&world);
    assert_eq!(once(&["a.rs"]), (vec![3], rule));
}

#[test]
fn two_that_touch_at_once_have_it_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger.db");
    let open = || -> Conversation {
        let world = rust("Format it.").file("/p/.antefix/layout.toml", LAYOUT);
        let antefix = Antefix::builder().world(world).store(format!("sqlite:{}", path.display())).build().unwrap();
        antefix.project("/p").unwrap().conversation("c").unwrap()
    };
    open().turn(Ask::new()).unwrap();
    let counted: BTreeMap<usize, usize> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..4).map(|_| scope.spawn(|| fresh(&open().turn(Ask::new().touch(["a.rs"])).unwrap()))).collect();
        threads.into_iter().fold(BTreeMap::new(), |mut counted, thread| {
            *counted.entry(thread.join().unwrap().len()).or_default() += 1;
            counted
        })
    });
    assert_eq!(counted, BTreeMap::from([(0, 3), (1, 1)]));
    assert_eq!(all(&open().turn(Ask::new()).unwrap()), [notice(&[RULE])]);
}
