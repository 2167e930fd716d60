//! `discover`: roots that hooks name, and what an epoch makes of them.

use antefix::discover::roots::MayName;
use antefix::freeze::Cause;
use antefix::hooks::HookPoint;
use antefix::worlds::MemoryWorld;

use super::super::{Talk, project, reported};
use super::{Voice, assert_accounted, codes, did};

const LAYOUT: &str = r#"
[instructions]
global = "none"
[skills]
needs_tool = []
[[section]]
id = "system"
stability = "frozen"
only_if = ["instructions:system"]
text = "{{ instructions.system }}"
[[section]]
id = "files"
stability = "frozen"
only_if = ["instructions:files"]
text = "{% for one in instructions.files %}({{ one.path }}) {{ one.body }}\n{% endfor %}"
[[section]]
id = "skills"
stability = "frozen"
only_if = ["skills:index"]
text = "{{ skills.index }}"
"#;

fn world() -> MemoryWorld {
    let skill = |name: &str| format!("---\nname: {name}\ndescription: Does {name}.\n---\nBody of {name}.\n");
    project()
        .file("/p/AGENTS.md", "Project.")
        .file("/p/vendor/skills/pdf/SKILL.md", skill("pdf"))
        .file("/p/vendor/rules/AGENTS.md", "Vendor.")
        .file("/p/vendor/one.md", "One.")
        .file("/p/vendor/SYSTEM.md", "You are vendored.")
        .file("/p/vendor/notes.txt", "no Markdown")
        .file("/shared/AGENTS.md", "Shared.")
        .file("/shared/.ssh/AGENTS.md", "Key.")
        .var("HOME", "/home/u")
        .file("/home/u/team/AGENTS.md", "Team.")
}

#[test]
fn roots_of_hooks_are_read_by_the_rules_of_the_layouts_own() {
    let hook = Voice::roots("vendor", &["vendor/skills"], &["vendor"], &["vendor/rules", "/p/vendor/one.md", "~/team"]);
    let turn = Talk::new(LAYOUT).hooked(&world(), &[&hook]);
    assert!(
        turn.prefix().starts_with(
            "You are vendored.(vendor/rules/AGENTS.md) Vendor.\n(vendor/one.md) One.\n(~/team/AGENTS.md) Team.\n\
             (AGENTS.md) Project.\n"
        ),
        "{}",
        turn.prefix()
    );
    assert!(turn.prefix().contains("pdf"), "{}", turn.prefix());
    assert_eq!((did(&turn), codes(&turn)), (vec!["vendor named-roots 53".to_owned()], Vec::new()));
    assert_accounted(&turn);
}

#[test]
fn a_single_skill_file_is_a_root_too() {
    let hook = Voice::roots("vendor", &["vendor/skills/pdf/SKILL.md"], &[], &[]);
    let turn = Talk::new(LAYOUT).hooked(&world(), &[&hook]);
    assert!(turn.prefix().contains("pdf") && codes(&turn).is_empty(), "{turn:?}");
}

#[test]
fn other_roots_begin_another_epoch_and_the_same_ones_do_not() {
    let talk = Talk::new(LAYOUT);
    let one = Voice::roots("vendor", &[], &[], &["vendor/rules"]);
    let two = Voice::roots("vendor", &[], &[], &["vendor/one.md"]);
    talk.hooked(&world(), &[&one]);
    talk.hooked(&world(), &[&one]);
    let turn = talk.hooked(&world(), &[&two]);
    assert_eq!(reported(&turn.changes), ["root-added vendor/one.md", "root-removed vendor/rules"]);
    let turn = talk.turn(&world());
    assert_eq!(reported(&turn.changes), ["root-removed vendor/one.md"]);
    assert_eq!(talk.ledger(), [(1, "opened"), (2, "resources-changed"), (3, "resources-changed")]);
}

#[test]
fn a_root_without_anything_new_in_it_keeps_the_epoch() {
    let talk = Talk::new(LAYOUT);
    let empty = Voice::roots("vendor", &["vendor/rules"], &[], &[]);
    let first = talk.turn(&world());
    for _ in 0..2 {
        let turn = talk.hooked(&world(), &[&empty]);
        assert_eq!(turn.epoch, first.epoch);
    }
    assert_eq!(talk.ledger(), [(1, "opened")]);
}

#[test]
fn what_a_hook_named_stays_while_it_cannot_be_asked() {
    let talk = Talk::new(LAYOUT);
    let names = Voice::roots("vendor", &[], &[], &["vendor/rules"]);
    let fails = Voice::failing("vendor", &[HookPoint::Discover]);
    let first = talk.hooked(&world(), &[&names]);
    let turn = talk.hooked(&world(), &[&fails]);
    assert_eq!((turn.epoch, codes(&turn_codes(&talk, &fails))), (first.epoch, vec!["warning hook-failed".to_owned()]));
    // It stays even where an epoch is composed anew.
    let (renewed, _) = talk.with_hooks(&[&fails]).renew(&world().file("/p/AGENTS.md", "Other."), Cause::Reloaded);
    assert_eq!(renewed.text(), "(vendor/rules/AGENTS.md) Vendor.\n(AGENTS.md) Other.\n");
}

fn turn_codes(talk: &Talk, hook: &Voice) -> antefix::Turn {
    talk.hooked(&world(), &[hook])
}

#[test]
fn a_hook_that_failed_when_the_epoch_began_is_recovered() {
    let talk = Talk::new(LAYOUT);
    let fails = Voice::failing("vendor", &[HookPoint::Discover]);
    let names = Voice::roots("vendor", &[], &[], &["vendor/rules"]);
    let nothing = Voice::roots("vendor", &[], &[], &[]);
    assert_eq!(talk.hooked(&world(), &[&fails]).prefix(), "(AGENTS.md) Project.\n");
    talk.hooked(&world(), &[&fails]);
    talk.hooked(&world(), &[&nothing]);
    assert_eq!(talk.ledger(), [(1, "opened")]);
    talk.hooked(&world(), &[&names]);
    assert_eq!(talk.ledger(), [(1, "opened"), (2, "recovered")]);
}

#[test]
fn a_projects_hook_names_nothing_outside_and_no_hook_names_secrets() {
    let table = [
        (MayName::AnyPlace, "/shared", ""),
        (MayName::ProjectPlaces, "/shared", "outside the project"),
        (MayName::ProjectPlaces, "../shared", "outside the project"),
        (MayName::ProjectPlaces, "vendor/../../shared", "outside the project"),
        (MayName::ProjectPlaces, "~/team", "outside the project"),
        (MayName::ProjectPlaces, "vendor/rules", ""),
        (MayName::AnyPlace, "/shared/.ssh", "such places contain secrets"),
        (MayName::ProjectPlaces, ".git", "such places contain secrets"),
        (MayName::AnyPlace, "vendor/notes.txt", "not a Markdown file"),
        (MayName::AnyPlace, "", "not a path"),
        (MayName::AnyPlace, "missing", "there is nothing"),
    ];
    for (may, root, expected) in table {
        let hook = Voice { may, ..Voice::roots("h", &[], &[], &[root]) };
        let turn = Talk::new(LAYOUT).hooked(&world(), &[&hook]);
        let found: Vec<&str> = turn.diagnostics.iter().map(|finding| finding.message.as_str()).collect();
        match expected {
            "" => assert_eq!(found, [""; 0], "{root}"),
            part => assert!(found.len() == 1 && found[0].contains(part), "{root}: {found:?}"),
        }
        let is_read = turn.prefix() != "(AGENTS.md) Project.\n";
        assert_eq!(is_read, expected.is_empty(), "{root}: {}", turn.prefix());
    }
}

#[test]
fn roots_that_the_users_settings_allow_may_be_named_by_a_project() {
    let talk = Talk::new(LAYOUT);
    let hook = Voice { may: MayName::ProjectPlaces, ..Voice::roots("h", &[], &[], &["/shared"]) };
    let turn = talk.with_settings(&[&hook], "file_roots = ['/shared']").turn(&world());
    assert!(turn.prefix().starts_with("(/shared/AGENTS.md) Shared.\n"), "{}", turn.prefix());
}
