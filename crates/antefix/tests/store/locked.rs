//! Another process holds the file.

use std::sync::Arc;
use std::time::{Duration, Instant};

use antefix::Fault;
use antefix::contract::{epoch, id, memory};
use antefix::freeze::store::{Appended, Store};
use antefix::stores::SqliteStore;

use crate::given;

const FILE: &str = "ANTEFIX_TEST_LOCKED";
const PATIENCE: Duration = Duration::from_millis(400);

#[test]
fn worker() {
    let Ok(file) = std::env::var(FILE) else { return };
    let connection = rusqlite::Connection::open(file).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    given::say("held");
    // Until the other end of the pipe goes away.
    let _ = std::io::stdin().read_line(&mut String::new());
}

#[test]
fn writers_give_up_in_time_and_readers_do_not_wait() {
    let directory = given::in_memory();
    let path = directory.path().join("ledger.db");
    let store = Arc::new(SqliteStore::patient(&path, PATIENCE).unwrap());
    let (first, bundle) = epoch("c", 1, "first");
    assert_eq!(store.append(&first, &bundle).unwrap(), Appended::Won);

    store.remember(&id("c"), &memory("said")).unwrap();

    let mut holder = given::worker("locked::worker").env(FILE, &path).spawn().unwrap();
    assert_eq!(given::said(&mut holder).next().as_deref(), Some("held"));

    // Twenty at once: they wait beside each other, not one behind the other.
    let start = Instant::now();
    std::thread::scope(|scope| {
        for number in 0..20 {
            let store = Arc::clone(&store);
            scope.spawn(move || {
                let (row, bundle) = epoch(&format!("other {number}"), 1, "x");
                let error = store.append(&row, &bundle).unwrap_err();
                assert!(error.fault == Fault::Busy && error.fault.passes(), "{error}");
            });
        }
    });
    let waited = start.elapsed();
    assert!(waited >= PATIENCE && waited < PATIENCE * 4, "{waited:?}");

    let start = Instant::now();
    for _ in 0..100 {
        assert_eq!(store.standing(&id("c")).unwrap().unwrap().epoch, first);
        assert!(SqliteStore::patient(&path, PATIENCE).unwrap().standing(&id("nobody")).unwrap().is_none());
    }
    assert!(start.elapsed() < PATIENCE * 10, "{:?}", start.elapsed());

    // Whoever comes second needs no lock to be told so.
    let (row, bundle) = epoch("c", 1, "second");
    assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Lost(first));

    // Nor does whoever says again what is remembered.
    let start = Instant::now();
    store.remember(&id("c"), &memory("said")).unwrap();
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    assert_eq!(store.remember(&id("c"), &memory("something else")).unwrap_err().fault, Fault::Busy);

    holder.kill().unwrap();
    holder.wait().unwrap();
    let (row, bundle) = epoch("c", 2, "next");
    assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Won);
}
