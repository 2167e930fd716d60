//! `opened` and `renewed`: hooks hear of every epoch that begins, whoever began it, and of no other.

use antefix::diagnostic::Code;
use antefix::freeze::Cause;
use antefix::hooks::HookPoint;
use antefix::keeper::{Began, Compacted, Renewed};
use antefix::worlds::MemoryWorld;

use super::super::{Talk, project};
use super::{Voice, actions};

const LAYOUT: &str = r#"
on_compaction = "renew"
[instructions]
global = "none"
[[section]]
id = "files"
stability = "frozen"
text = "{% for one in instructions.files %}{{ one.body }}{% endfor %}"
"#;

fn agents(text: &str) -> MemoryWorld {
    project().file("/p/AGENTS.md", text)
}

impl Talk {
    fn renew_with(&self, world: &MemoryWorld, hooks: &[&Voice]) -> Renewed {
        self.with_hooks(hooks).try_renew(world, Cause::Requested).unwrap()
    }

    fn compact_with(&self, world: &MemoryWorld, hooks: &[&Voice]) -> Compacted {
        let compacted = self.with_hooks(hooks).at(world, |conversation| {
            let begun = conversation.begin_compaction(self.ask())?;
            conversation.commit_compaction(&begun.token, self.ask())
        });
        compacted.unwrap()
    }
}

#[test]
fn hooks_hear_of_a_renewal_once_and_of_none_that_kept_the_bytes() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&agents("one"));
    let hears = Voice::new("hears", &[HookPoint::Renewed]);
    let fails = Voice::failing("fails", &[HookPoint::Renewed]);
    let renewed = talk.renew_with(&agents("two"), &[&fails, &hears]);
    assert_eq!(
        (renewed.began, actions(&renewed.hooks)),
        (Began::Now, vec!["fails failed 0".into(), "hears told 0".into()])
    );
    assert_eq!(renewed.diagnostics.iter().map(|finding| finding.code).collect::<Vec<_>>(), [Code::HookFailed]);
    let kept = talk.renew_with(&agents("two"), &[&fails, &hears]);
    assert_eq!((kept.began, actions(&kept.hooks), kept.diagnostics), (Began::Before, vec![], vec![]));
    assert_eq!(hears.received(), ["began c 2 requested"]);
}

#[test]
fn hooks_hear_of_a_compaction_once_and_of_none_that_kept_the_epoch() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&agents("one"));
    let hears = Voice::new("hears", &[HookPoint::Renewed]);
    let fails = Voice::failing("fails", &[HookPoint::Renewed]);
    let compacted = talk.compact_with(&agents("two"), &[&fails, &hears]);
    assert_eq!(
        (compacted.epoch.number(), compacted.began, actions(&compacted.hooks)),
        (2, Began::Now, vec!["fails failed 0".into(), "hears told 0".into()])
    );
    assert_eq!(compacted.diagnostics.iter().map(|finding| finding.code).collect::<Vec<_>>(), [Code::HookFailed]);
    // The epoch that stays began with a compaction as well, but not with this one.
    let kept = talk.compact_with(&agents("two"), &[&fails, &hears]);
    assert_eq!((kept.epoch.number(), kept.began, actions(&kept.hooks)), (2, Began::Before, vec![]));
    assert_eq!(hears.received(), ["began c 2 compacted"]);
}
