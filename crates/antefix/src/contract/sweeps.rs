//! Deleting texts that nobody names.

use super::ledgers::{standing, won};
use super::{Medium, amendment, compaction, id, moment, open};
use crate::freeze::store::{Appended, Committed, Store, Sweep, Swept};
use crate::text::Digest;

/// A compaction that came to nothing leaves two texts that nobody names; this is what a sweep says about them.
#[track_caller]
fn litter(store: &dyn Store, text: &str) -> Swept {
    let (row, bundle) = compaction("c", "given up", 1, text);
    store.begin(&row, Some(&bundle)).unwrap();
    store.abort(&row.conversation, "given up").unwrap();
    Swept { texts: 2, bytes: (bundle.body.len() + text.len()) as u64 }
}

#[track_caller]
fn is_there(store: &dyn Store, text: &str) -> bool {
    store.texts(&[Digest::of(text)]).unwrap()[0].is_some()
}

pub(super) fn a_sweep_deletes_nothing_that_a_row_names(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "of the first");
    let (row, bundle) = amendment("c", 1, 1, "of the amendment");
    assert_eq!(store.amend(&row, &bundle).unwrap(), Appended::Won);
    won(&*store, "c", 2, "of the second");
    let swept = litter(&*store, "of nobody: é\0");
    assert_eq!(store.sweep(Sweep::Delete).unwrap(), swept);
    assert_eq!(store.sweep(Sweep::Delete).unwrap(), Swept::default());
    for text in ["of the first", "of the amendment", "of the second"] {
        assert!(is_there(&*store, text) && is_there(&*store, &format!("body of {text}")), "{text}");
    }
    assert!(!is_there(&*store, "of nobody: é\0") && !is_there(&*store, "body of of nobody: é\0"));
}

pub(super) fn a_sweep_spares_what_a_compaction_will_need(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    litter(&*store, "of nobody");
    let (row, bundle) = compaction("c", "t", 1, "next");
    store.begin(&row, Some(&bundle)).unwrap();
    assert_eq!(open(medium).sweep(Sweep::Delete).unwrap().texts, 2);
    assert!(is_there(&*store, "next") && is_there(&*store, "body of next"));
    assert!(matches!(store.commit(&row.conversation, "t", moment(0)).unwrap(), Committed::Done(_)));
    assert_eq!(store.sweep(Sweep::Delete).unwrap(), Swept::default());
    assert!(is_there(&*store, "next") && is_there(&*store, "body of next"));
}

pub(super) fn a_dry_run_deletes_nothing(medium: &dyn Medium) {
    let store = open(medium);
    assert_eq!(store.sweep(Sweep::DryRun).unwrap(), Swept::default());
    won(&*store, "c", 1, "x");
    let swept = litter(&*store, "of nobody");
    assert_eq!(store.sweep(Sweep::DryRun).unwrap(), swept);
    assert_eq!(store.sweep(Sweep::DryRun).unwrap(), swept);
    assert!(is_there(&*store, "of nobody"));
    assert_eq!(store.sweep(Sweep::Delete).unwrap(), swept);
}

pub(super) fn a_text_that_was_swept_can_come_back(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    litter(&*store, "again");
    store.sweep(Sweep::Delete).unwrap();
    let second = won(&*store, "c", 2, "again");
    assert!(is_there(&*store, "again") && is_there(&*store, "body of again"));
    assert_eq!(store.sweep(Sweep::Delete).unwrap(), Swept::default());
    assert_eq!(standing(&*store, "c").epoch, second);
    assert_eq!(store.standing(&id("c")).unwrap().unwrap().epoch, second);
}
