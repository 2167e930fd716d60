//! Compactions: begun, then committed or aborted.

use super::ledgers::{standing, won};
use super::{Medium, compaction, id, moment, open};
use crate::freeze::Cause;
use crate::freeze::store::{Committed, CompactionRow, EpochRow, Store};

/// Begins a compaction of the epoch with this number.
#[track_caller]
fn begin(store: &dyn Store, token: &str, standing: u64, text: &str) -> CompactionRow {
    let (row, bundle) = compaction("c", token, standing, text);
    store.begin(&row, Some(&bundle)).unwrap();
    row
}

#[track_caller]
fn commit(store: &dyn Store, token: &str) -> Committed {
    store.commit(&id("c"), token, moment(99)).unwrap()
}

/// What a commit appends.
fn appended(row: CompactionRow) -> EpochRow {
    EpochRow { number: row.epoch + 1, opened_at: moment(99), ..row.next.unwrap() }
}

pub(super) fn beginning_changes_nothing_that_a_turn_sees(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    let before = standing(&*store, "c");
    let row = begin(&*store, "t", 1, "next");
    assert_eq!(standing(&*store, "c"), before);
    assert_eq!(store.epochs(&row.conversation, 0, 10).unwrap(), [before.epoch]);
    assert_eq!(commit(&*store, "another"), Committed::NotBegun);
    assert_eq!(store.commit(&id("d"), "t", moment(99)).unwrap(), Committed::NotBegun);
}

pub(super) fn a_commit_appends_the_epoch(medium: &dyn Medium) {
    let store = open(medium);
    let first = won(&*store, "c", 1, "x");
    let next = appended(begin(&*store, "t", 1, "next"));
    assert_eq!((next.cause, next.number), (Cause::Compacted, 2));
    assert_eq!(commit(&*store, "t"), Committed::Done(next.clone()));
    assert_eq!(standing(&*store, "c").epoch, next);
    assert_eq!(store.epochs(&id("c"), 0, 10).unwrap(), [first, next.clone()]);
    assert!(store.texts(&[next.body, next.digest]).unwrap().iter().all(Option::is_some));
}

pub(super) fn a_commit_without_a_next_epoch_keeps_the_standing_one(medium: &dyn Medium) {
    let store = open(medium);
    let first = won(&*store, "c", 1, "x");
    let row = CompactionRow { conversation: id("c"), token: "t".to_owned(), epoch: 1, next: None };
    store.begin(&row, None).unwrap();
    assert_eq!(commit(&*store, "t"), Committed::Done(first.clone()));
    assert_eq!(store.epochs(&id("c"), 0, 10).unwrap(), std::slice::from_ref(&first));
    assert_eq!(commit(&*store, "t"), Committed::Before(first));
}

pub(super) fn only_the_last_compaction_can_be_committed(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    begin(&*store, "first", 1, "of the first");
    let second = appended(begin(&*store, "second", 1, "of the second"));
    assert_eq!(commit(&*store, "first"), Committed::NotBegun);
    assert_eq!(commit(&*store, "second"), Committed::Done(second));
    // One without a next epoch leaves nothing of the one before it.
    begin(&*store, "third", 2, "of the third");
    let fourth = CompactionRow { conversation: id("c"), token: "fourth".to_owned(), epoch: 2, next: None };
    store.begin(&fourth, None).unwrap();
    assert_eq!(commit(&*store, "fourth"), Committed::Done(standing(&*store, "c").epoch));
    assert_eq!(standing(&*store, "c").epoch.number, 2);
}

pub(super) fn an_aborted_compaction_cannot_be_committed(medium: &dyn Medium) {
    let store = open(medium);
    let first = won(&*store, "c", 1, "x");
    begin(&*store, "t", 1, "next");
    store.abort(&id("c"), "t").unwrap();
    store.abort(&id("c"), "t").unwrap();
    store.abort(&id("nobody"), "t").unwrap();
    assert_eq!(commit(&*store, "t"), Committed::NotBegun);
    assert_eq!(standing(&*store, "c").epoch, first);
}

pub(super) fn aborting_one_leaves_another_alone(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    begin(&*store, "first", 1, "of the first");
    let second = appended(begin(&*store, "second", 1, "of the second"));
    store.abort(&id("c"), "first").unwrap();
    assert_eq!(commit(&*store, "second"), Committed::Done(second));
}

pub(super) fn a_conversation_that_moved_on_is_not_compacted(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    begin(&*store, "t", 1, "next");
    let second = won(&*store, "c", 2, "renewed");
    assert_eq!(commit(&*store, "t"), Committed::MovedOn(second.clone()));
    assert_eq!(standing(&*store, "c").epoch, second);
    assert_eq!(commit(&*store, "t"), Committed::NotBegun);
    // The same goes for a compaction that keeps the epoch.
    let keeps = CompactionRow { conversation: id("c"), token: "k".to_owned(), epoch: 1, next: None };
    store.begin(&keeps, None).unwrap();
    assert_eq!(commit(&*store, "k"), Committed::MovedOn(second));
}

pub(super) fn a_compaction_is_committed_by_whoever_has_its_token(medium: &dyn Medium) {
    won(&*open(medium), "c", 1, "x");
    let next = appended(begin(&*open(medium), "t", 1, "next"));
    assert_eq!(commit(&*open(medium), "t"), Committed::Done(next.clone()));
    assert_eq!(standing(&*open(medium), "c").epoch, next);
}

pub(super) fn a_commit_that_comes_again_gets_the_epoch_that_it_made(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    let second = appended(begin(&*store, "t", 1, "next"));
    assert_eq!(commit(&*store, "t"), Committed::Done(second.clone()));
    for store in [open(medium), open(medium)] {
        assert_eq!(commit(&*store, "t"), Committed::Before(second.clone()));
        assert_eq!(standing(&*store, "c").epoch, second);
    }
    // What was taken since then belongs to the new epoch, and is not ended by asking again.
    store.queue(&id("c"), moment(5), "m").unwrap();
    store.take(&id("c"), None, Some(0)).unwrap();
    assert_eq!(commit(&*store, "t"), Committed::Before(second.clone()));
    assert_eq!(store.insertions(&id("c")).unwrap().taken().count(), 1);
    // Also when the conversation has gone on, and when another one was begun or given up.
    let third = won(&*store, "c", 3, "later");
    begin(&*store, "u", 3, "given up");
    assert_eq!(commit(&*store, "t"), Committed::Before(second.clone()));
    store.abort(&id("c"), "u").unwrap();
    store.abort(&id("c"), "t").unwrap();
    assert_eq!(commit(&*store, "t"), Committed::Before(second));
    assert_eq!((commit(&*store, "u"), commit(&*store, "another")), (Committed::NotBegun, Committed::NotBegun));
    assert_eq!(store.commit(&id("d"), "t", moment(99)).unwrap(), Committed::NotBegun);
    assert_eq!(standing(&*store, "c").epoch, third);
    // The last one that was committed is known, and none before it.
    let fourth = appended(begin(&*store, "v", 3, "once more"));
    assert_eq!(commit(&*store, "v"), Committed::Done(fourth.clone()));
    assert_eq!((commit(&*store, "v"), commit(&*store, "t")), (Committed::Before(fourth), Committed::NotBegun));
}
