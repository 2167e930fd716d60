//! What conversations remember.

use std::sync::Arc;

use super::ledgers::{standing, won};
use super::races::all_at_once;
use super::{Medium, amendment, compaction, id, memory, moment, open};
use crate::error::Fault;
use crate::freeze::store::{Appended, Bundle, Committed, Store, Sweep, Swept};
use crate::text::Digest;

/// What a conversation remembers, word for word.
#[track_caller]
fn remembered(store: &dyn Store, conversation: &str) -> Option<String> {
    let said = standing(store, conversation).said?;
    Some(store.texts(&[said]).unwrap()[0].as_ref().unwrap().to_string())
}

#[track_caller]
fn is_there(store: &dyn Store, text: &str) -> bool {
    store.texts(&[Digest::of(text)]).unwrap()[0].is_some()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

pub(super) fn a_conversation_remembers_what_was_said_last(medium: &dyn Medium) {
    let store = open(medium);
    let before = won(&*store, "c", 1, "x");
    assert_eq!(standing(&*store, "c").said, None);
    for text in ["tools one", "tools two", "tools two", "tools one"] {
        store.remember(&id("c"), &memory(text)).unwrap();
        assert_eq!(remembered(&*store, "c"), Some(format!("body of {text}")));
        assert_eq!(remembered(&*open(medium), "c"), Some(format!("body of {text}")));
        assert!(is_there(&*store, text), "{text}");
    }
    // The ledger is as it was.
    assert_eq!(standing(&*store, "c").epoch, before);
    assert_eq!(store.epochs(&id("c"), 0, 10).unwrap(), [before]);
}

pub(super) fn a_conversation_remembers_across_epochs(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    store.remember(&id("c"), &memory("tools")).unwrap();
    won(&*store, "c", 2, "y");
    let (row, bundle) = amendment("c", 2, 1, "amended");
    assert_eq!(store.amend(&row, &bundle).unwrap(), Appended::Won);
    let (second, bundle) = amendment("c", 2, 2, "amended again");
    assert_eq!(store.amend(&second, &bundle).unwrap(), Appended::Won);
    store.queue(&id("c"), moment(0), "m").unwrap();
    let now = standing(&*store, "c");
    assert_eq!((now.said, now.waiting), (Some(Digest::of("body of tools")), 1));
    assert_eq!(now.amendments, [row, second]);
    let (row, bundle) = compaction("c", "t", 2, "z");
    store.begin(&row, Some(&bundle)).unwrap();
    assert!(matches!(store.commit(&id("c"), "t", moment(0)).unwrap(), Committed::Done(_)));
    assert_eq!(remembered(&*store, "c"), some("body of tools"));
}

pub(super) fn what_a_conversation_remembers_keeps_every_byte(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    let bodies = ["", "a\0b", "\u{feff}e\u{301}\u{10ffff}\r\n", &"long ".repeat(100_000)];
    for body in bodies {
        let part = format!("{body} as a part");
        store.remember(&id("c"), &Bundle::new(body, [Arc::from(part.as_str())])).unwrap();
        assert!(remembered(&*store, "c").as_deref() == Some(body) && is_there(&*store, &part));
    }
}

pub(super) fn a_conversation_that_nobody_opened_remembers_nothing(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "another", 1, "x");
    // A queue and a compaction alone make no conversation.
    store.queue(&id("queued"), moment(0), "m").unwrap();
    store.begin(&compaction("begun", "t", 1, "x").0, Some(&memory("x"))).unwrap();
    for name in ["nobody", "queued", "begun"] {
        let error = store.remember(&id(name), &memory("tools")).unwrap_err();
        assert_eq!(error.fault, Fault::Failed, "{error}");
        assert!(error.message.contains(&format!("has no conversation {name}")), "{error}");
        assert!(!is_there(&*store, "tools") && !is_there(&*store, "body of tools"));
        won(&*store, name, 1, "x");
        assert_eq!(standing(&*store, name).said, None);
    }
}

pub(super) fn what_one_conversation_remembers_is_unknown_to_another(medium: &dyn Medium) {
    let store = open(medium);
    for name in ["a", "A", "ab", "b"] {
        won(&*store, name, 1, "x");
    }
    store.remember(&id("a"), &memory("of a")).unwrap();
    store.remember(&id("b"), &memory("of a")).unwrap();
    store.remember(&id("b"), &memory("of b")).unwrap();
    assert_eq!(remembered(&*store, "a"), some("body of of a"));
    assert_eq!(remembered(&*store, "b"), some("body of of b"));
    assert_eq!((standing(&*store, "A").said, standing(&*store, "ab").said), (None, None));
}

pub(super) fn an_old_epoch_does_not_say_what_is_remembered(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    store.remember(&id("c"), &memory("tools")).unwrap();
    won(&*store, "c", 2, "y");
    for number in 1..=2 {
        assert_eq!(store.epoch(&id("c"), number).unwrap().unwrap().said, None);
    }
}

pub(super) fn a_sweep_keeps_what_is_remembered(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    store.remember(&id("c"), &memory("tools")).unwrap();
    assert_eq!(open(medium).sweep(Sweep::DryRun).unwrap(), Swept::default());
    assert_eq!(open(medium).sweep(Sweep::Delete).unwrap(), Swept::default());
    assert_eq!(remembered(&*store, "c"), some("body of tools"));
    assert!(is_there(&*store, "tools"));
}

pub(super) fn a_sweep_deletes_what_is_remembered_no_more(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    won(&*store, "d", 1, "x");
    for text in ["first", "second", "third"] {
        store.remember(&id("c"), &memory(text)).unwrap();
    }
    // Somebody else remembers this one still.
    store.remember(&id("d"), &memory("second")).unwrap();
    let found = Swept { texts: 2, bytes: "body of first".len() as u64 + "first".len() as u64 };
    assert_eq!(store.sweep(Sweep::DryRun).unwrap(), found);
    assert_eq!(store.sweep(Sweep::Delete).unwrap(), found);
    assert!(!is_there(&*store, "first") && !is_there(&*store, "body of first"));
    assert_eq!(remembered(&*store, "c"), some("body of third"));
    assert_eq!(remembered(&*store, "d"), some("body of second"));
    // It can be remembered once more.
    store.remember(&id("c"), &memory("first")).unwrap();
    assert_eq!(remembered(&*store, "c"), some("body of first"));
    assert!(is_there(&*store, "first"));
}

pub(super) fn a_sweep_beside_memories_takes_no_text_away(medium: &dyn Medium) {
    let store = open(medium);
    for thread in 0..16 {
        won(&*store, &format!("c{thread}"), 1, "x");
    }
    for round in 0..10 {
        // The texts are in the store already and nobody names them: what a sweep looks for.
        let text = format!("wanted {round}");
        let (row, bundle) = compaction("other", "t", 0, &text);
        store.begin(&row, Some(&bundle)).unwrap();
        store.abort(&row.conversation, "t").unwrap();
        all_at_once(medium, |store, thread| match thread {
            0..4 => drop(store.sweep(Sweep::Delete).unwrap()),
            _ => store.remember(&id(&format!("c{thread}")), &memory(&text)).unwrap(),
        });
        assert!(is_there(&*store, &text) && is_there(&*store, &format!("body of {text}")));
    }
    store.sweep(Sweep::Delete).unwrap();
    assert_eq!(remembered(&*store, "c7"), some("body of wanted 9"));
    assert_eq!(store.sweep(Sweep::Delete).unwrap(), Swept::default());
}

pub(super) fn of_many_memories_at_once_one_stays_whole(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    for round in 0..10 {
        let asked = all_at_once(medium, |store, thread| {
            let text = format!("round {round} of thread {thread}");
            store.remember(&id("c"), &memory(&text)).unwrap();
            text
        });
        let said = remembered(&*store, "c").unwrap();
        let stays: Vec<&String> = asked.iter().filter(|text| said == format!("body of {text}")).collect();
        assert_eq!(stays.len(), 1, "{said}");
        assert!(is_there(&*store, stays[0]));
    }
}
