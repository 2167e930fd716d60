//! A sweep beside a writer, in each order in which the two can meet.

use std::sync::mpsc;
use std::time::Duration;

use antefix::contract::{compaction, epoch, id};
use antefix::freeze::store::{Appended, Bundle, EpochRow, Store, Sweep};
use antefix::stores::PostgresStore;

use super::cluster::{Database, is_left_out};

/// A store that has the texts of an epoch, which nothing names.
fn with_unnamed_texts() -> (Database, PostgresStore, EpochRow, Bundle) {
    let database = Database::new();
    let store = database.store();
    let (begun, bundle) = compaction("other", "t", 0, "wanted");
    store.begin(&begun, Some(&bundle)).unwrap();
    store.abort(&id("other"), "t").unwrap();
    let (row, bundle) = epoch("c", 1, "wanted");
    assert_eq!(store.sweep(Sweep::DryRun).unwrap().texts, 2);
    (database, store, row, bundle)
}

fn is_whole(store: &PostgresStore, row: &EpochRow) -> bool {
    store.texts(&[row.body, row.digest]).unwrap().iter().all(Option::is_some)
}

#[test]
fn a_sweep_passes_over_a_text_that_is_being_named() {
    if is_left_out() {
        return;
    }
    let (database, store, row, _) = with_unnamed_texts();
    let mut writer = database.client();
    let mut writing = writer.transaction().unwrap();
    let body = row.body.bytes().as_slice();
    writing
        .execute(
            "INSERT INTO epochs (conversation, number, cause, opened_at, digest, body, cwd) \
             VALUES ('c', 1, 'opened', '2026-11-16T00:00:00Z', $1, $1, '')",
            &[&body],
        )
        .unwrap();
    // Nobody can see the row yet, and the sweep does not wait for it either.
    assert_eq!(store.sweep(Sweep::Delete).unwrap().texts, 0);
    writing.commit().unwrap();
    assert!(is_whole(&store, &row));
    assert_eq!(store.sweep(Sweep::Delete).unwrap().texts, 0);
}

#[test]
fn a_text_that_is_swept_between_its_writing_and_its_naming_is_written_again() {
    if is_left_out() {
        return;
    }
    let (database, store, row, bundle) = with_unnamed_texts();
    let mut holder = database.client();
    let mut watcher = database.client();
    // Others may read epochs and not write them: an append gets as far as the naming.
    let mut holding = holder.transaction().unwrap();
    holding.batch_execute("LOCK TABLE epochs IN SHARE MODE").unwrap();
    std::thread::scope(|scope| {
        let append = scope.spawn(|| store.append(&row, &bundle).unwrap());
        let waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'epochs'::regclass";
        while watcher.query_one(waits, &[]).unwrap().get::<_, i64>(0) == 0 {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(store.sweep(Sweep::Delete).unwrap().texts, 2);
        holding.commit().unwrap();
        assert_eq!(append.join().unwrap(), Appended::Won);
    });
    assert!(is_whole(&store, &row));
}

#[test]
fn whoever_writes_a_text_that_is_being_deleted_waits_and_writes_it_again() {
    if is_left_out() {
        return;
    }
    let (database, store, row, bundle) = with_unnamed_texts();
    let mut sweeper = database.client();
    let mut sweeping = sweeper.transaction().unwrap();
    sweeping.batch_execute("DELETE FROM parts; DELETE FROM texts").unwrap();
    std::thread::scope(|scope| {
        let (done, is_done) = mpsc::channel();
        let (store, row, bundle) = (&store, &row, &bundle);
        scope.spawn(move || drop(done.send(store.append(row, bundle).unwrap())));
        assert!(is_done.recv_timeout(Duration::from_millis(300)).is_err(), "it did not wait");
        sweeping.commit().unwrap();
        assert_eq!(is_done.recv().unwrap(), Appended::Won);
    });
    assert!(is_whole(&store, &row));
}
