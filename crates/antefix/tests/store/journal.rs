//! Stores in another journal mode, and locks that others hold.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use antefix::Fault;
use antefix::contract::{epoch, id, moment};
use antefix::freeze::store::{Appended, Noted, Store};
use antefix::stores::SqliteStore;

use crate::given;

const PATIENCE: Duration = Duration::from_millis(400);

/// A copy as `VACUUM INTO` makes it: its journal is a rollback journal.
fn copy(directory: &Path) -> std::path::PathBuf {
    let (path, copy) = (directory.join("ledger.db"), directory.join("copy.db"));
    let store = SqliteStore::open(&path).unwrap();
    let (row, bundle) = epoch("c", 1, "x");
    store.append(&row, &bundle).unwrap();
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
    assert_eq!(mode(&copy), "delete");
    copy
}

fn mode(path: &Path) -> String {
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap()
}

#[test]
fn a_restored_copy_gets_a_write_ahead_log_and_readers_do_not_wait() {
    let directory = given::in_memory();
    let copy = copy(directory.path());
    let store = SqliteStore::patient(&copy, PATIENCE).unwrap();
    let holder = rusqlite::Connection::open(&copy).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let start = Instant::now();
    for _ in 0..12 {
        assert_eq!(store.standing(&id("c")).unwrap().unwrap().epoch.number, 1);
        store.stamp().unwrap();
    }
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    let (row, bundle) = epoch("c", 2, "y");
    assert_eq!(store.append(&row, &bundle).unwrap_err().fault, Fault::Busy);
    holder.execute_batch("ROLLBACK").unwrap();
    assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Won);
    assert_eq!(mode(&copy), "wal");
}

#[test]
fn a_copy_that_others_hold_is_busy_for_a_bounded_time() {
    let directory = given::in_memory();
    let copy = copy(directory.path());
    let holder = rusqlite::Connection::open(&copy).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let start = Instant::now();
    let error = SqliteStore::patient(&copy, PATIENCE).unwrap_err();
    assert_eq!(error.fault, Fault::Busy, "{error}");
    assert!(start.elapsed() < PATIENCE * 3, "{:?}", start.elapsed());
    // Somebody who reads keeps the journal from being changed, too.
    holder.execute_batch("ROLLBACK; BEGIN; SELECT * FROM epochs").unwrap();
    assert_eq!(SqliteStore::patient(&copy, PATIENCE).unwrap_err().fault, Fault::Busy);
    holder.execute_batch("ROLLBACK").unwrap();
    assert!(SqliteStore::patient(&copy, PATIENCE).unwrap().standing(&id("c")).unwrap().is_some());
}

#[test]
fn a_copy_that_is_made_while_others_write_has_all_that_was_acknowledged_before() {
    let directory = given::in_memory();
    let path = directory.path().join("ledger.db");
    let store = SqliteStore::open(&path).unwrap();
    let (done, copied) = (AtomicU64::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !copied.load(Ordering::SeqCst) {
                let number = done.load(Ordering::SeqCst) + 1;
                let (row, bundle) = epoch("c", number, &format!("text {number}"));
                store.append(&row, &bundle).unwrap();
                done.store(number, Ordering::SeqCst);
            }
        });
        let connection = rusqlite::Connection::open(&path).unwrap();
        for round in 0..10 {
            let before = done.load(Ordering::SeqCst);
            let copy = directory.path().join(format!("{round}.db"));
            connection.execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
            let restored = SqliteStore::open(&copy).unwrap();
            let rows = restored.epochs(&id("c"), 0, usize::MAX).unwrap();
            assert!(rows.len() as u64 >= before, "{} of {before}", rows.len());
            assert!(
                restored
                    .texts(&rows.iter().map(|row| row.body).collect::<Vec<_>>())
                    .unwrap()
                    .iter()
                    .all(Option::is_some)
            );
            drop(restored);
            given::assert_sound(&copy);
        }
        copied.store(true, Ordering::SeqCst);
    });
}

#[test]
fn a_use_is_noted_without_waiting_for_anybody() {
    let directory = given::in_memory();
    let path = directory.path().join("ledger.db");
    let store = SqliteStore::patient(&path, Duration::from_secs(5)).unwrap();
    let (row, bundle) = epoch("c", 1, "x");
    store.append(&row, &bundle).unwrap();
    let holder = rusqlite::Connection::open(&path).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let start = Instant::now();
    assert_eq!(store.note_use(&id("c"), moment(50), None).unwrap(), Noted::Later);
    assert_eq!(store.note_use(&id("nobody"), moment(50), None).unwrap(), Noted::NoConversation);
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    assert_eq!(store.standing(&id("c")).unwrap().unwrap().used, None);
    holder.execute_batch("ROLLBACK").unwrap();
    // It goes with the next write of anybody.
    let (row, bundle) = epoch("other", 1, "x");
    store.append(&row, &bundle).unwrap();
    assert_eq!(store.standing(&id("c")).unwrap().unwrap().used, Some(moment(50)));
    // And where nobody writes it is noted at once.
    assert_eq!(store.note_use(&id("c"), moment(60), None).unwrap(), Noted::Done);
    assert_eq!(store.standing(&id("c")).unwrap().unwrap().used, Some(moment(60)));
}
