//! Facts of a live section that hold for an epoch.

use antefix::discover::{Answer, ReasonCode};
use antefix::freeze::Cause;
use antefix::text::FactName;
use antefix::worlds::MemoryWorld;
use antefix::{Ask, Error};

use super::{Talk, project};
use crate::watched::Watched;

/// The day, the host and the shell are frozen, the time is not.
const LAYOUT: &str = r#"
[instructions]
global = "none"
[[section]]
id = "files"
stability = "frozen"
only_if = ["instructions:files"]
text = "{% for one in instructions.files %}{{ one.body }}{% endfor %}"
[[section]]
id = "now"
stability = "live"
text = "{{ date }} {{ time }} {{ cwd }} {{ system.shell | default('none') }} {{ system.hostname | default('nobody') }}"
frozen_facts = ["system:date", "prompt:cwd", "system:shell", "system:hostname"]
"#;

fn at(instant: &str) -> MemoryWorld {
    project().file("/p/AGENTS.md", "one").hostname_is(Answer::Present("host".to_owned())).at(instant)
}

const FIRST: &str = "2026-11-16T08:00:00Z";
const NEXT_DAY: &str = "2026-11-17T09:00:00Z";

#[test]
fn what_is_frozen_stays_and_the_rest_is_new_with_every_turn() {
    let talk = Talk::new(LAYOUT);
    let suffix = |world: &MemoryWorld| talk.turn(world).suffix.text().to_owned();
    assert_eq!(suffix(&at(FIRST)), "2026-11-16 08:00:00 . none host");
    // A shell that there was none of at the beginning is none afterwards.
    let later = at(NEXT_DAY).var("SHELL", "/bin/zsh");
    assert_eq!(suffix(&later), "2026-11-16 09:00:00 . none host");
    assert_eq!(suffix(&later), "2026-11-16 09:00:00 . none host");
    // An epoch that begins asks for all of it.
    talk.renew(&later.clone().file("/p/AGENTS.md", "two"), Cause::Reloaded);
    assert_eq!(suffix(&at("2026-11-18T10:00:00Z")), "2026-11-17 10:00:00 . /bin/zsh host");
    assert_eq!(talk.ledger(), [(1, "opened"), (2, "reloaded")]);
}

#[test]
fn nobody_asks_for_what_is_frozen() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&at(FIRST));
    let world = Watched::new(at(NEXT_DAY).var("SHELL", "/bin/zsh"));
    talk.turn(&world);
    let asked = world.asked();
    assert!(!asked.iter().any(|question| question.contains("SHELL") || question.contains("hostname")), "{asked:?}");
}

#[test]
fn what_could_not_be_asked_for_is_asked_for_again() {
    let talk = Talk::new(LAYOUT);
    let silent = at(FIRST).hostname_is(Answer::unavailable(ReasonCode::Failed, "no answer"));
    assert!(talk.turn(&silent).suffix.text().ends_with(" nobody"));
    assert!(talk.turn(&at(NEXT_DAY)).suffix.text().ends_with(" host"));
}

#[test]
fn another_place_is_asked_about() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&at(FIRST));
    // The prefix is the same there, so no epoch begins.
    let elsewhere = Talk { cwd: "/p/sub", ..talk.clone() };
    let turn = elsewhere.turn(&at(NEXT_DAY).directory("/p/sub"));
    assert_eq!(turn.suffix.text(), "2026-11-17 09:00:00 sub none host");
    assert_eq!(talk.ledger(), [(1, "opened")]);
    assert_eq!(talk.turn(&at(NEXT_DAY)).suffix.text(), "2026-11-16 09:00:00 . none host");
}

#[test]
fn what_the_caller_answers_counts() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&at(FIRST));
    let ask = |talk: &Talk| -> Ask { talk.ask().given(FactName::new("system", "date"), "someday") };
    let turn = talk.at(&at(NEXT_DAY), |conversation| conversation.turn(ask(&talk))).unwrap();
    assert_eq!(turn.suffix.text(), "someday 09:00:00 . none host");
}

#[test]
fn frozen_facts_go_with_an_export() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&at(FIRST));
    let mut lines = String::new();
    talk.keeper()
        .export::<Error>(&talk.id(), |more| {
            lines.push_str(more);
            Ok(())
        })
        .unwrap();
    let talk = talk.elsewhere();
    talk.antefix.import(lines.lines().map(|line| Ok(line.to_owned())), |_| true).unwrap();
    assert_eq!(talk.turn(&at(NEXT_DAY)).suffix.text(), "2026-11-16 09:00:00 . none host");
}

#[test]
fn a_fork_takes_them_over() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&at(FIRST));
    let draft = talk.at(&at(NEXT_DAY), |conversation| conversation.fork(talk.ask())).unwrap();
    talk.at_named("d", &at(NEXT_DAY), |fork| {
        let rehearsed = fork.rehearse(&draft, &talk.ask()).unwrap();
        assert_eq!(rehearsed.suffix.text(), "2026-11-16 09:00:00 . none host");
        fork.adopt(&draft).unwrap();
        assert_eq!(fork.turn(talk.ask()).unwrap().suffix.text(), "2026-11-16 09:00:00 . none host");
    });
}
