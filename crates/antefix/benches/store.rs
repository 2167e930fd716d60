//! What a store in a file costs, and what SQLite alone costs for the same file.
//!
//! 1. The floor is a bare `SELECT` of one row with a text of 20 KB, by a statement that is prepared already, in the same
//!    file.
//! 2. Large is a ledger of as many epochs as `ANTEFIX_BENCH_EPOCHS` says, a million if it says nothing. They are made
//!    with SQL, because that many appends, each on the disk before the next, would take the afternoon.
//! 3. `cargo xtask bench` prints the table; nothing here prints a number.

#![allow(clippy::disallowed_methods, reason = "a benchmark makes the files that it measures")]

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use antefix::Digest;
use antefix::contract::{epoch, id};
use antefix::freeze::{Bundle, ConversationId, EpochRow, Store};
use antefix::stores::SqliteStore;
use criterion::Criterion;
use rusqlite::{Connection, params};

/// As many bytes as a prompt has.
const SIZE: usize = 20_000;
const SMALL: u64 = 1_000;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let directory = tempfile::tempdir().expect("there is room for a file");
    let large = std::env::var("ANTEFIX_BENCH_EPOCHS").map_or(1_000_000, |count| count.parse().expect("a number"));
    reads(&mut criterion, &directory.path().join("small.db"), &directory.path().join("large.db"), large);
    writes(&mut criterion, &directory.path().join("written.db"));
    criterion.final_summary();
}

fn text() -> String {
    "a line of a prompt\n".repeat(SIZE / 19)
}

/// A ledger of `count` epochs, two of each conversation, all with one body.
fn ledger(path: &Path, count: u64) -> SqliteStore {
    let store = SqliteStore::open(path).expect("a new file");
    let bundle = Bundle::new(text(), [Arc::from("part")]);
    let row = EpochRow { body: Digest::of(&text()), ..epoch("template", 1, "x").0 };
    store.append(&row, &bundle).expect("there is room");
    let connection = Connection::open(path).expect("the file is there");
    connection
        .execute(
            "INSERT INTO epochs SELECT printf('conversation-%08d', n.value / 2), n.value % 2 + 1, cause, \
             opened_at, digest, body, cwd, machine, model FROM epochs JOIN \
             (WITH RECURSIVE n (value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM n WHERE value + 1 < ?1) \
             SELECT value FROM n) n WHERE conversation = 'template'",
            params![count as i64],
        )
        .expect("the rows are ours");
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").expect("nobody else is there");
    store
}

/// Ids all over a ledger, so that not one page answers all questions.
fn ids(count: u64) -> impl FnMut() -> ConversationId {
    let ids: Vec<_> = (0..256).map(|n| id(&format!("conversation-{:08}", n * (count / 2) / 256))).collect();
    let mut at = 0;
    move || {
        at += 1;
        ids[at * 97 % ids.len()].clone()
    }
}

fn reads(criterion: &mut Criterion, small: &Path, large: &Path, count: u64) {
    let small_store = ledger(small, SMALL);
    let large_store = ledger(large, count);
    let mut group = criterion.benchmark_group("store");

    let connection = Connection::open(small).expect("the file is there");
    let mut statement = connection.prepare("SELECT text FROM texts WHERE digest = ?1").expect("the table is there");
    let digest = Digest::of(&text());
    group.bench_function("select", |bencher| {
        bencher.iter(|| {
            let text = statement.query_row([digest.bytes().as_slice()], |row| row.get::<_, String>(0));
            black_box(text.expect("the text is there"))
        });
    });
    let mut standing = |name: &str, store: &SqliteStore, count: u64| {
        let mut next = ids(count);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let standing = store.standing(black_box(&next())).expect("the file is sound");
                assert!(standing.is_some_and(|standing| standing.epoch.number == 2));
            });
        });
    };
    standing("standing", &small_store, SMALL);
    standing("standing-large", &large_store, count);
    group.bench_function("text", |bencher| bencher.iter(|| small_store.texts(black_box(&[digest]))));
    // Nobody else has it open, as when a command starts.
    drop((small_store, large_store));
    drop(statement);
    drop(connection);
    group.bench_function("open", |bencher| {
        bencher.iter(|| SqliteStore::open(large).expect("it is there").standing(&id("conversation-00000001")));
    });
    group.finish();
}

fn writes(criterion: &mut Criterion, path: &Path) {
    let store = SqliteStore::open(path).expect("a new file");
    let mut number = 0;
    criterion.benchmark_group("store").bench_function("append", |bencher| {
        bencher.iter(|| {
            number += 1;
            let (row, bundle) = epoch("c", number, &format!("{number} {}", text()));
            store.append(&row, &bundle).expect("there is room")
        });
    });
}
