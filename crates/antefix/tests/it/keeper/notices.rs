//! Notices that say the lines that are others now.

use antefix::discover::ReasonCode;
use antefix::worlds::MemoryWorld;

use super::{Talk, project};

const LAYOUT: &str = r#"
[instructions]
global = "none"
[[section]]
id = "files"
stability = "frozen"
only_if = ["instructions:files"]
on_drift = "amend"
trim = "end"
text = "{% for one in instructions.files %}{{ one.body }}{% endfor %}"
[[section]]
id = "skills"
stability = "frozen"
only_if = ["skills:listing"]
on_drift = "amend"
joint = "paragraph"
text = "{{ skills.listing }}"
"#;

/// Rules from 1 on, each on its line, with other words for some of them.
fn agents(count: usize, others: &[(usize, &str)]) -> MemoryWorld {
    let line = |number: usize| match others.iter().find(|(other, _)| *other == number) {
        Some((_, words)) => format!("{words}\n"),
        None => format!("rule {number}\n"),
    };
    project().file("/p/AGENTS.md", (1..=count).map(line).collect::<String>())
}

fn edited(section: &str, subject: &str, patch: &str) -> String {
    format!(
        "In the section \"{section}\" the lines marked with - no longer apply, and those marked with + do.\n\n<amendment subject=\"{subject}\" state=\"edited\">\n{patch}\n</amendment>"
    )
}

fn texts(talk: &Talk, world: &MemoryWorld) -> Vec<String> {
    talk.turn(world).amendments.iter().map(|amendment| amendment.body.text.to_string()).collect()
}

#[test]
fn a_changed_file_is_told_by_its_lines_each_time_relative_to_the_last() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&agents(60, &[]));
    let first = edited("files", "AGENTS.md", "@@ -7 +7 @@\n-rule 7\n+seven");
    assert_eq!(texts(&talk, &agents(60, &[(7, "seven")])), [first.as_str()]);
    assert_eq!(texts(&talk, &agents(60, &[(7, "seven")])), [first.as_str()], "it is told once");
    let second = edited("files", "AGENTS.md", "@@ -60,0 +61 @@\n+rule 61");
    assert_eq!(texts(&talk, &agents(61, &[(7, "seven")])), [first.as_str(), &second]);
    // Another process goes on from what the ledger has.
    let third = edited("files", "AGENTS.md", "@@ -7 +7 @@\n-seven\n+VII");
    assert_eq!(texts(&talk.with_hooks(&[]), &agents(61, &[(7, "VII")])), [first.as_str(), &second, &third]);
}

#[test]
fn what_has_little_in_common_is_told_as_a_whole() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&agents(3, &[]));
    let [notice] = texts(&talk, &agents(3, &[(2, "two")])).try_into().unwrap();
    let expected = "Since this conversation began, instructions have changed. What follows replaces all that you were told before from the \
                    same place.\n\n<amendment subject=\"AGENTS.md\" state=\"changed\">\nrule 1\ntwo\nrule 3\n</amendment>";
    assert_eq!(notice, expected);
    // What was told as a whole is known, too.
    let many: Vec<(usize, String)> = (1..=60).map(|number| (number, format!("another {number}"))).collect();
    let many: Vec<(usize, &str)> = many.iter().map(|(number, words)| (*number, words.as_str())).collect();
    assert_eq!(texts(&talk, &agents(60, &many)).len(), 2);
    let more: Vec<(usize, &str)> = many.iter().copied().chain([(61, "the last")]).collect();
    let third = edited("files", "AGENTS.md", "@@ -60,0 +61 @@\n+the last");
    assert_eq!(texts(&talk, &agents(61, &more))[2], third);
}

#[test]
fn a_layout_may_want_whole_texts() {
    let talk = Talk::new(&format!("notices = \"whole\"\n{LAYOUT}"));
    talk.turn(&agents(60, &[]));
    let [notice] = texts(&talk, &agents(60, &[(7, "seven")])).try_into().unwrap();
    assert!(notice.contains("rule 6\nseven\nrule 8") && notice.contains("rule 60"), "{notice}");
}

#[test]
fn skills_that_come_are_told_without_those_that_were_there() {
    let with = |count: usize| {
        (0..count).fold(project(), |world, number| {
            let text =
                format!("---\nname: skill-{number:02}\ndescription: Does number {number} well.\n---\nRead on.\n");
            world.file(format!("/p/.agents/skills/skill-{number:02}/SKILL.md"), text)
        })
    };
    let talk = Talk::new(LAYOUT);
    talk.turn(&with(12));
    let [notice] = texts(&talk, &with(14)).try_into().unwrap();
    for (skill, is_told) in [("skill-12", true), ("skill-13", true), ("skill-10<", false), ("skill-03", false)] {
        assert_eq!(notice.contains(skill), is_told, "{skill}: {notice}");
    }
    assert!(notice.contains("state=\"edited\""), "{notice}");
    // One that goes is told by its lines.
    let fewer = talk.turn(&with(13));
    let last = &fewer.amendments.last().unwrap().body.text;
    assert!(last.contains("-") && last.contains("skill-13") && !last.contains("skill-03"), "{last}");
}

/// A file that is there and cannot be read is missing in the section, and must not be told as gone.
#[test]
fn what_cannot_be_read_is_not_told_as_gone() {
    let talk = Talk::new(LAYOUT);
    let both = |world: MemoryWorld| world.file("/p/sub/AGENTS.md", "nested\n");
    let mut nested = talk.clone();
    nested.cwd = "/p/sub";
    nested.turn(&both(agents(60, &[])));
    let now = agents(60, &[(7, "seven")]).unreadable("/p/sub/AGENTS.md", ReasonCode::NotPermitted);
    let notices = texts(&nested, &now);
    assert_eq!(notices.len(), 1, "{notices:?}");
    assert!(notices[0].contains("state=\"changed\"") && !notices[0].contains("nested"), "{notices:?}");
}
