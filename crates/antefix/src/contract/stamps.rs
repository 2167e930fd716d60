//! Stamps, where a store has them.

use super::ledgers::won;
use super::{Medium, amendment, compaction, id, memory, moment, open};
use crate::compose::Dialect;
use crate::freeze::store::{Deletable, Noted, Store, Sweep};
use crate::freeze::template::{SavedTemplate, TemplateDeletion};
use crate::freeze::{Insertion, InsertionKind};

/// Writes something.
type Write<'w> = &'w dyn Fn(&dyn Store);

pub(super) fn a_stamp_stays_while_nobody_writes(medium: &dyn Medium) {
    let (store, other) = (open(medium), open(medium));
    won(&*store, "c", 1, "x");
    let stamp = store.stamp().unwrap();
    for store in [&store, &other] {
        store.standing(&id("c")).unwrap();
        store.epochs(&id("c"), 0, 10).unwrap();
        store.last_template("dispatch").unwrap();
        store.insertions(&id("c")).unwrap();
    }
    assert_eq!(store.stamp().unwrap(), stamp);
}

pub(super) fn whatever_anybody_writes_changes_the_stamp(medium: &dyn Medium) {
    let (store, other) = (open(medium), open(medium));
    let writes: [Write<'_>; 18] = [
        &|store| drop(won(store, "c", 1, "x")),
        &|store| drop(won(store, "another", 1, "x")),
        &|store| {
            let (row, bundle) = amendment("c", 1, 1, "y");
            store.amend(&row, &bundle).unwrap();
        },
        &|store| assert!(store.queue(&id("c"), moment(0), "m").is_ok()),
        &|store| drop(store.take(&id("c"), None, None).unwrap()),
        &|store| drop(store.take(&id("c"), None, Some(3)).unwrap()),
        &|store| store.end(&id("c"), &[1]).unwrap(),
        &|store| {
            let (kind, text) = (InsertionKind::Queued, "m".to_owned());
            store.insert(&id("c"), &Insertion { number: 2, kind, at: moment(0), text, taken: None }).unwrap();
        },
        &|store| {
            let (row, bundle) = compaction("c", "t", 1, "nobody's");
            store.begin(&row, Some(&bundle)).unwrap();
        },
        &|store| store.abort(&id("c"), "t").unwrap(),
        &|store| {
            let (row, bundle) = compaction("c", "u", 1, "z");
            store.begin(&row, Some(&bundle)).unwrap();
            store.commit(&id("c"), "u", moment(0)).unwrap();
        },
        &|store| {
            let template = SavedTemplate::new(1, "dispatch", Dialect::Plain, "x", moment(0), None);
            store.save_template(&template).unwrap();
        },
        &|store| drop(store.label_template(1, Some("good")).unwrap()),
        &|store| {
            let deletion = TemplateDeletion::new(2, "dispatch", moment(0), None);
            store.delete_template(&deletion).unwrap();
        },
        &|store| store.remember(&id("c"), &memory("remembered")).unwrap(),
        &|store| assert_eq!(store.note_use(&id("c"), moment(9), None).unwrap(), Noted::Done),
        &|store| assert!(store.delete(&id("another"), Deletable::Any).unwrap().is_some()),
        &|store| assert_eq!(store.sweep(Sweep::Delete).unwrap().texts, 2),
    ];
    for (number, write) in writes.into_iter().enumerate() {
        // Whoever writes, this one or another, everybody gets to know.
        let (before, before_other) = (store.stamp().unwrap(), other.stamp().unwrap());
        write(if number % 2 == 0 { &*store } else { &*other });
        let changed = [(before, store.stamp().unwrap()), (before_other, other.stamp().unwrap())];
        for (before, after) in changed {
            assert!(before.is_none() || before != after, "write {number} left {after:?}");
        }
    }
}
