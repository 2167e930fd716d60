//! Compaction in two steps.

use antefix::ErrorKind;
use antefix::freeze::Cause;
use antefix::keeper::Began;
use antefix::worlds::MemoryWorld;

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
