//! A file whose schema moves on under those who use it.

use antefix::Fault;
use antefix::contract::{epoch, id, moment};
use antefix::freeze::store::{Appended, Store};

use crate::given;

#[test]
fn a_file_that_became_too_new_is_read_and_not_written_at_once() {
    let directory = given::in_memory();
    let store = given::store(&directory);
    let (first, bundle) = epoch("c", 1, "x");
    store.append(&first, &bundle).unwrap();
    let newer = rusqlite::Connection::open(directory.path().join("ledger.db")).unwrap();
    let before: i64 = newer.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    newer.pragma_update(None, "user_version", before + 1).unwrap();
    let (second, bundle) = epoch("c", 2, "y");
    let error = store.append(&second, &bundle).unwrap_err();
    assert_eq!(error.fault, Fault::Newer, "{error}");
    assert_eq!(store.queue(&id("c"), moment(1), "said").unwrap_err().fault, Fault::Newer);
    assert_eq!(store.standing(&id("c")).unwrap().unwrap().epoch, first);
    newer.pragma_update(None, "user_version", before).unwrap();
    assert_eq!(store.append(&second, &bundle).unwrap(), Appended::Won);
}
