//! What composing now would change.

use antefix::worlds::MemoryWorld;

use super::{Talk, project, reported};

const LAYOUT: &str = r#"
[instructions]
global = "none"
[[section]]
id = "base"
stability = "fixed"
text = "Base."
[[section]]
id = "files"
stability = "frozen"
only_if = ["instructions:files"]
on_drift = "POLICY"
text = "{% for one in instructions.files %}{{ one.body }}\n{% endfor %}"
"#;

impl Talk {
    fn drift(&self, world: &MemoryWorld) -> antefix::keeper::Drift {
        self.at(world, |conversation| conversation.drift(self.ask())).unwrap()
    }
}

fn agents(text: &str) -> MemoryWorld {
    project().file("/p/AGENTS.md", text)
}

#[test]
fn it_names_the_file_the_byte_and_what_is_lost_whatever_the_section_does() {
    for policy in ["hold", "amend", "renew"] {
        let talk = Talk::new(&LAYOUT.replace("POLICY", policy));
        talk.turn(&agents("Use tabs."));
        let drift = talk.drift(&agents("Use spaces."));
        assert_eq!(reported(&drift.changes), ["file-changed AGENTS.md"], "{policy}");
        let difference = drift.difference.unwrap();
        assert_eq!((difference.at, difference.kept, difference.lost), (9, 9, 8), "{policy}");
        assert_eq!(difference.before.unwrap().excerpt, "Base.Use tabs.", "a joint would have ended the line");
        assert_eq!(talk.ledger(), [(1, "opened")], "{policy}: nothing is stored");
    }
}

#[test]
fn nothing_changed_nothing_to_report() {
    let talk = Talk::new(&LAYOUT.replace("POLICY", "hold"));
    talk.turn(&agents("Use tabs."));
    let drift = talk.drift(&agents("Use tabs."));
    assert!(drift.changes.is_empty() && drift.difference.is_none());
}

#[test]
fn a_removed_section_is_reported_even_if_its_words_are_elsewhere() {
    let talk = Talk::new(&LAYOUT.replace("POLICY", "hold"));
    talk.turn(&agents("Base."));
    let drift = talk.drift(&project());
    assert_eq!(reported(&drift.changes), ["file-removed AGENTS.md"]);
    assert_eq!(drift.difference.unwrap().at, 5);
}

#[test]
fn what_notices_have_said_is_still_a_difference_of_the_prefix() {
    let talk = Talk::new(&LAYOUT.replace("POLICY", "amend"));
    talk.turn(&agents("one"));
    talk.turn(&agents("two"));
    let drift = talk.drift(&agents("two"));
    assert_eq!(reported(&drift.changes), ["file-changed AGENTS.md"]);
    assert_eq!(drift.amendments.len(), 1);
}
