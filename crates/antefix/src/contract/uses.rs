//! When conversations were used last, and deleting those that were not.

use super::ledgers::{standing, won};
use super::races::all_at_once;
use super::{Medium, amendment, compaction, id, moment, open};
use crate::freeze::Pauses;
use crate::freeze::store::{Committed, Deletable, LastUse, Noted, Store};

/// Rows of epoch `n` and amendment `n` are of the moment `n`.
const LATER: i64 = 1_000;

#[track_caller]
fn last_use(store: &dyn Store, conversation: &str) -> Option<i64> {
    let uses = store.last_uses(None, 100).unwrap();
    let found = uses.into_iter().find(|one| one.conversation == id(conversation))?;
    Some(found.at.as_second() - moment(0).as_second())
}

pub(super) fn every_row_is_a_use(medium: &dyn Medium) {
    let store = open(medium);
    assert_eq!(store.last_uses(None, 10).unwrap(), []);
    won(&*store, "c", 1, "x");
    assert_eq!(last_use(&*store, "c"), Some(1));
    won(&*store, "c", 2, "y");
    assert_eq!(last_use(&*store, "c"), Some(2));
    let (row, bundle) = amendment("c", 2, 1, "z");
    store.amend(&crate::freeze::store::AmendmentRow { at: moment(30), ..row }, &bundle).unwrap();
    assert_eq!(last_use(&*store, "c"), Some(30));
    store.queue(&id("c"), moment(40), "m").unwrap();
    assert_eq!(last_use(&*store, "c"), Some(40));
    let (mut row, bundle) = compaction("c", "t", 2, "next");
    row.next = row.next.map(|next| crate::freeze::store::EpochRow { opened_at: moment(50), ..next });
    store.begin(&row, Some(&bundle)).unwrap();
    assert_eq!(last_use(&*open(medium), "c"), Some(50));
    assert!(matches!(store.commit(&id("c"), "t", moment(60)).unwrap(), Committed::Done(_)));
    assert_eq!(last_use(&*store, "c"), Some(60));
}

pub(super) fn a_use_is_noted_and_never_becomes_earlier(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    assert_eq!(standing(&*store, "c").used, None);
    for (noted, expected) in [(20, 20), (90, 90), (50, 90)] {
        assert_eq!(store.note_use(&id("c"), moment(noted), None).unwrap(), Noted::Done);
        assert_eq!(standing(&*open(medium), "c").used, Some(moment(expected)));
        assert_eq!(last_use(&*store, "c"), Some(expected));
    }
    assert_eq!(store.epoch(&id("c"), 1).unwrap().unwrap().used, None);
    // It is of the conversation, and not of an epoch.
    won(&*store, "c", 2, "y");
    assert_eq!(standing(&*store, "c").used, Some(moment(90)));
    for name in ["nobody", "C"] {
        assert_eq!(store.note_use(&id(name), moment(5), None).unwrap(), Noted::NoConversation);
    }
    store.queue(&id("queued"), moment(7), "m").unwrap();
    assert_eq!(store.note_use(&id("queued"), moment(9), None).unwrap(), Noted::NoConversation);
    assert_eq!((last_use(&*store, "queued"), last_use(&*store, "nobody")), (Some(7), None));
}

pub(super) fn pauses_are_noted_with_the_use_behind_them(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    won(&*store, "other", 1, "x");
    let steps: [(i64, Option<u64>, &[u64]); 6] = [
        (400, None, &[]),
        (1_000, Some(600), &[600]),
        // Somebody has noted a use within it.
        (1_100, Some(700), &[600]),
        (2_000, None, &[600]),
        (9_000, Some(7_000), &[600, 7_000]),
        // Noted late: the use of 9,000 was after it.
        (3_000, Some(900), &[600, 7_000]),
    ];
    for (at, pause, expected) in steps {
        assert_eq!(store.note_use(&id("c"), moment(at), pause).unwrap(), Noted::Done);
        assert_eq!(standing(&*open(medium), "c").pauses.as_slice(), expected, "at {at}");
    }
    for number in 0..8 {
        store.note_use(&id("c"), moment(10_000 + number * 400), Some(301 + number.unsigned_abs())).unwrap();
    }
    assert_eq!(standing(&*store, "c").pauses.as_slice(), [301, 302, 303, 304, 305, 306, 307, 308]);
    // They are of the conversation, and not of an epoch, and they go with it.
    won(&*store, "c", 2, "y");
    assert_eq!(standing(&*store, "c").pauses.as_slice().len(), 8);
    assert_eq!(store.epoch(&id("c"), 1).unwrap().unwrap().pauses, Pauses::default());
    assert_eq!(standing(&*store, "other").pauses, Pauses::default());
    store.delete(&id("c"), Deletable::Any).unwrap();
    won(&*store, "c", 1, "x");
    assert_eq!(standing(&*store, "c").pauses, Pauses::default());
}

pub(super) fn uses_are_paged_in_the_order_of_bytes(medium: &dyn Medium) {
    let store = open(medium);
    for name in ["b", "é", "a b", "B"] {
        won(&*store, name, 1, "x");
        won(&*store, name, 2, "x");
    }
    for name in ["c", "b"] {
        store.queue(&id(name), moment(9), "m").unwrap();
        store.queue(&id(name), moment(9), "n").unwrap();
    }
    let expected = [("B", 2), ("a b", 2), ("b", 9), ("c", 9), ("é", 2)];
    let expected = expected.map(|(name, at)| LastUse { conversation: id(name), at: moment(at) });
    assert_eq!(store.last_uses(None, 10).unwrap(), expected);
    let mut paged = Vec::new();
    while let Some(next) = store.last_uses(paged.last().map(|one: &LastUse| &one.conversation), 2).unwrap().first() {
        paged.push(next.clone());
    }
    assert_eq!(paged, expected);
}

pub(super) fn what_was_used_since_is_not_deleted(medium: &dyn Medium) {
    let store = open(medium);
    for name in ["old", "used"] {
        won(&*store, name, 1, "x");
    }
    store.note_use(&id("used"), moment(LATER), None).unwrap();
    let delete = |name: &str, since: i64| store.delete(&id(name), Deletable::UnusedSince(moment(since))).unwrap();
    // The moment itself is not before it.
    assert_eq!((delete("old", 1), delete("used", LATER)), (None, None));
    assert_eq!(delete("nobody", LATER), None);
    assert_eq!(delete("old", 2).map(|deleted| deleted.epochs), Some(1));
    assert_eq!(delete("used", LATER + 1).map(|deleted| deleted.epochs), Some(1));
    assert_eq!(store.last_uses(None, 10).unwrap(), []);
    // Nothing is left of what was noted.
    won(&*store, "used", 1, "x");
    assert_eq!((standing(&*store, "used").used, last_use(&*store, "used")), (None, Some(1)));
}

pub(super) fn a_conversation_in_use_is_not_deleted_by_its_age(medium: &dyn Medium) {
    let store = open(medium);
    let (mut stayed, mut went) = (0, 0);
    for round in 0..20 {
        let name = format!("c{round}");
        won(&*store, &name, 1, "x");
        let answers = all_at_once(medium, |store, thread| match thread % 2 {
            0 => Ok(store.note_use(&id(&name), moment(LATER), None).unwrap()),
            _ => Err(store.delete(&id(&name), Deletable::UnusedSince(moment(LATER))).unwrap().is_some()),
        });
        let noted = answers.iter().filter(|answer| **answer == Ok(Noted::Done)).count();
        let deleted = answers.iter().filter(|answer| **answer == Err(true)).count();
        let is_there = store.standing(&id(&name)).unwrap().is_some();
        let later = answers.iter().filter(|answer| **answer == Ok(Noted::Later)).count();
        // Whoever is first decides for all: nobody is told that it is in use, and loses it.
        match is_there {
            true => assert_eq!((noted + later, deleted), (8, 0), "{answers:?}"),
            false => assert_eq!((noted, deleted), (0, 1), "{answers:?}"),
        }
        if is_there {
            stayed += 1
        } else {
            went += 1
        };
    }
    assert_eq!(stayed + went, 20);
}
