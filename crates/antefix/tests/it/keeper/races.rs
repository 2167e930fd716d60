//! Many at once, in one process. Several processes race in `tests/store`.

use std::sync::Barrier;

use antefix::freeze::Cause;
use antefix::freeze::store::Sweep;

use super::{Talk, project};

const LAYOUT: &str = r#"
[instructions]
global = "none"
[[section]]
id = "files"
stability = "frozen"
on_drift = "amend"
only_if = ["instructions:files"]
text = "{% for one in instructions.files %}{{ one.body }}{% endfor %} on {{ system.hostname | default('') }}"
"#;

#[test]
fn racing_first_turns_get_one_epoch() {
    let talk = Talk::new(LAYOUT);
    let barrier = Barrier::new(32);
    let texts: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..32)
            .map(|number| {
                let (talk, barrier) = (&talk, &barrier);
                scope.spawn(move || {
                    let world = project().file("/p/AGENTS.md", format!("thread {number}"));
                    barrier.wait();
                    talk.turn(&world).prefix().to_owned()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(texts.iter().all(|text| *text == texts[0]), "{texts:?}");
    assert_eq!(talk.ledger(), [(1, "opened")]);
}

#[test]
fn racing_turns_append_a_notice_once() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&project().file("/p/AGENTS.md", "one"));
    let barrier = Barrier::new(16);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                barrier.wait();
                talk.turn(&project().file("/p/AGENTS.md", "two"));
            });
        }
    });
    let turn = talk.turn(&project().file("/p/AGENTS.md", "two"));
    assert_eq!((turn.amendments.len(), turn.fresh), (1, 0));
}

#[test]
fn racing_renewals_leave_no_gap_and_no_double() {
    let talk = Talk::new(LAYOUT);
    talk.turn(&project().file("/p/AGENTS.md", "start"));
    let barrier = Barrier::new(8);
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (talk, barrier) = (&talk, &barrier);
            scope.spawn(move || {
                barrier.wait();
                talk.renew(&project().file("/p/AGENTS.md", format!("{number}")), Cause::Requested);
            });
        }
    });
    let numbers: Vec<u64> = talk.ledger().iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    assert_eq!(numbers.len(), 9, "each of them has bytes of its own");
}

#[test]
fn conversations_share_their_texts_and_a_sweep_takes_none_of_them() {
    let mut talk = Talk::new(LAYOUT);
    let world = project().file("/p/AGENTS.md", "shared ".repeat(1000));
    for number in 0..100 {
        talk.conversation = format!("c{number}");
        talk.turn(&world);
    }
    let swept = talk.keeper().store().sweep(Sweep::Delete).unwrap();
    assert_eq!((swept.texts, swept.bytes), (0, 0));
    assert!(talk.turn(&world).prefix().starts_with("shared"));
}
