//! Conversations that end.

use super::ledgers::{standing, won};
use super::races::all_at_once;
use super::{Medium, amendment, compaction, epoch, id, memory, moment, open};
use crate::freeze::Insertions;
use crate::freeze::store::{Appended, Committed, CompactionRow, Deletable, Deleted, Noted, Store, Sweep, Swept};
use crate::text::Digest;

#[track_caller]
fn is_there(store: &dyn Store, text: &str) -> bool {
    store.texts(&[Digest::of(text)]).unwrap()[0].is_some()
}

/// Everything that a conversation can have.
#[track_caller]
fn fill(store: &dyn Store, name: &str) {
    won(store, name, 1, "shared");
    let (row, bundle) = amendment(name, 1, 1, &format!("amended {name}"));
    assert_eq!(store.amend(&row, &bundle).unwrap(), Appended::Won);
    won(store, name, 2, &format!("second {name}"));
    store.remember(&id(name), &memory(&format!("told {name}"))).unwrap();
    store.queue(&id(name), moment(0), "taken").unwrap();
    store.take(&id(name), Some("turn"), None).unwrap();
    store.queue(&id(name), moment(1), "waiting").unwrap();
    let keeps = CompactionRow { conversation: id(name), token: "kept".to_owned(), epoch: 2, next: None };
    store.begin(&keeps, None).unwrap();
    assert!(matches!(store.commit(&id(name), "kept", moment(8)).unwrap(), Committed::Done(_)));
    let (row, bundle) = compaction(name, "t", 2, &format!("next {name}"));
    store.begin(&row, Some(&bundle)).unwrap();
    assert_eq!(store.note_use(&id(name), moment(9), None).unwrap(), Noted::Done);
}

pub(super) fn a_deleted_conversation_leaves_nothing(medium: &dyn Medium) {
    let store = open(medium);
    fill(&*store, "gone");
    fill(&*store, "stays");
    let before = standing(&*store, "stays");
    let own = ["amended gone", "second gone", "told gone", "next gone"];
    // Each is the part of a body.
    let bytes: usize = own.iter().map(|text| 2 * text.len() + "body of ".len()).sum();
    let deleted = Deleted { epochs: 2, swept: Swept { texts: 8, bytes: bytes as u64 } };
    assert_eq!(store.delete(&id("gone"), Deletable::Any).unwrap(), Some(deleted));
    let store = open(medium);
    assert_eq!(store.standing(&id("gone")).unwrap(), None);
    assert_eq!(store.epochs(&id("gone"), 0, 10).unwrap(), []);
    assert_eq!(store.epoch(&id("gone"), 1).unwrap(), None);
    assert_eq!(store.insertions(&id("gone")).unwrap(), Insertions::default());
    assert_eq!(store.take(&id("gone"), Some("turn"), None).unwrap(), []);
    for token in ["t", "kept"] {
        assert_eq!(store.commit(&id("gone"), token, moment(9)).unwrap(), Committed::NotBegun);
    }
    assert_eq!(store.conversations(None, 10).unwrap(), std::slice::from_ref(&before.epoch));
    for text in own {
        assert!(!is_there(&*store, text) && !is_there(&*store, &format!("body of {text}")), "{text}");
        let other = text.replace("gone", "stays");
        assert!(is_there(&*store, &other) && is_there(&*store, &format!("body of {other}")), "{other}");
    }
    // What both said is one text, and stays.
    assert!(is_there(&*store, "shared") && is_there(&*store, "body of shared"));
    assert_eq!(standing(&*store, "stays"), before);
    assert_eq!(store.sweep(Sweep::DryRun).unwrap(), Swept::default());
    assert_eq!(store.delete(&id("gone"), Deletable::Any).unwrap(), None);
}

pub(super) fn a_conversation_that_nobody_has_cannot_be_deleted(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    assert_eq!(store.delete(&id("nobody"), Deletable::Any).unwrap(), None);
    assert_eq!(store.delete(&id("C"), Deletable::Any).unwrap(), None);
    // Messages that wait for a first turn are something.
    store.queue(&id("queued"), moment(0), "m").unwrap();
    assert_eq!(store.delete(&id("queued"), Deletable::Any).unwrap(), Some(Deleted::default()));
    assert_eq!(store.insertions(&id("queued")).unwrap(), Insertions::default());
}

pub(super) fn a_deleted_conversation_can_be_opened_again(medium: &dyn Medium) {
    let store = open(medium);
    fill(&*store, "c");
    store.delete(&id("c"), Deletable::Any).unwrap();
    // Whoever had the old one in hand appends nothing to the new one.
    let (late, bundle) = amendment("c", 2, 1, "late");
    assert_eq!(store.amend(&late, &bundle).unwrap(), Appended::Lost(None));
    let (late, bundle) = epoch("c", 3, "late");
    assert!(store.append(&late, &bundle).is_err());
    assert!(store.remember(&id("c"), &memory("late")).is_err());
    let first = won(&*store, "c", 1, "another");
    let stands = standing(&*store, "c");
    assert_eq!((stands.epoch, stands.amendments, stands.waiting, stands.said), (first, Vec::new(), 0, None));
    assert_eq!(store.queue(&id("c"), moment(0), "m").unwrap(), 1);
}

pub(super) fn a_deletion_beside_appends_takes_no_text_away(medium: &dyn Medium) {
    let store = open(medium);
    for round in 0..10 {
        let text = format!("wanted {round}");
        for thread in 0..4 {
            won(&*store, &format!("gone {round} {thread}"), 1, &text);
        }
        let done = all_at_once(medium, |store, thread| match thread {
            0..4 => {
                let name = id(&format!("gone {round} {thread}"));
                store.delete(&name, Deletable::Any).unwrap().map_or(0, |deleted| deleted.epochs)
            }
            _ => {
                won(store, &format!("stays {round} {thread}"), 1, &text);
                0
            }
        });
        assert_eq!(done.iter().sum::<u64>(), 4);
        assert!(is_there(&*store, &text) && is_there(&*store, &format!("body of {text}")));
    }
}

pub(super) fn of_many_deletions_at_once_one_deletes(medium: &dyn Medium) {
    let store = open(medium);
    for _ in 0..5 {
        fill(&*store, "c");
        let done = all_at_once(medium, |store, _| store.delete(&id("c"), Deletable::Any).unwrap());
        assert_eq!(done.iter().flatten().count(), 1, "{done:?}");
        assert_eq!(store.standing(&id("c")).unwrap(), None);
    }
}
