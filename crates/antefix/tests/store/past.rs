//! A file of the release before opens, goes on, and is exported to the bytes that the release itself wrote.

use antefix::Error;
use antefix::contract::{id, memory};
use antefix::freeze::store::Sweep;
use antefix::keeper::Keeper;
use antefix::stores::{MemoryStore, SqliteStore};

use crate::given;

/// The file, and what the release that made it wrote with `antefix export`.
const FILE: &str = include_str!("past/ledger.sql");
const EXPORT: &str = include_str!("past/ledger.jsonl");

fn exported(keeper: &Keeper) -> String {
    let mut lines = String::new();
    keeper
        .export::<Error>(&id("chat-7"), |more| {
            lines.push_str(more);
            Ok(())
        })
        .unwrap();
    lines
}

#[test]
fn a_ledger_of_the_release_before_is_exported_to_the_same_bytes() {
    let directory = given::in_memory();
    let path = directory.path().join("ledger.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch(FILE).unwrap();
    let keeper = Keeper::new(SqliteStore::open(&path).unwrap());
    assert_eq!(exported(&keeper), EXPORT);
    assert_eq!(keeper.store().sweep(Sweep::Delete).unwrap().texts, 0);
    assert_eq!(exported(&keeper), EXPORT);

    // It goes on with what is new, and that can be carried elsewhere.
    assert_eq!(keeper.store().standing(&id("chat-7")).unwrap().unwrap().said, None);
    keeper.store().remember(&id("chat-7"), &memory("tools")).unwrap();
    let with_memory = exported(&keeper);
    assert!(with_memory.contains("{\"memory\":"), "{with_memory}");
    let elsewhere = Keeper::new(MemoryStore::new());
    elsewhere.import(with_memory.lines().map(|line| Ok(line.to_owned())), &|_, _| Ok(())).unwrap();
    let said = |keeper: &Keeper| keeper.store().standing(&id("chat-7")).unwrap().unwrap().said;
    assert_eq!(said(&elsewhere), said(&keeper));
}

#[test]
fn what_the_release_before_exported_is_imported() {
    let keeper = Keeper::new(MemoryStore::new());
    let lines = || EXPORT.lines().map(|line| Ok(line.to_owned()));
    let import = || keeper.import(lines(), &|_, _| Ok(())).unwrap().remove(0);
    assert_eq!((import().epochs, import().known), (2, 2));
    assert_eq!(exported(&keeper), EXPORT);
}
