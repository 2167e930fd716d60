//! What a store in PostgreSQL adds to the server's own answer.
//!
//! The floor is a bare SELECT of the same row, prepared beforehand, by a plain client over the same socket. Without a
//! PostgreSQL nothing is measured; `cargo xtask bench` says so.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a benchmark is outside of the library"
)]

use antefix::contract::{epoch, id};
use antefix::freeze::Store;
use antefix::stores::PostgresStore;
use antefix_testing::postgres;
use criterion::Criterion;

fn main() {
    if postgres::is_left_out() {
        return;
    }
    let mut criterion = Criterion::default().configure_from_args();
    let database = postgres::Database::new();
    let store = PostgresStore::connect(&database.url("")).unwrap();
    for conversation in 0..100 {
        let (row, bundle) = epoch(&format!("c{conversation}"), 1, &format!("prefix {conversation}"));
        store.append(&row, &bundle).unwrap();
    }
    let mut client = database.client();
    let bare = "SELECT * FROM epochs WHERE conversation = $1 ORDER BY number DESC LIMIT 1";
    let bare = client.prepare(bare).unwrap();
    let c = id("c7");

    let mut group = criterion.benchmark_group("postgres");
    group.bench_function("select", |bencher| bencher.iter(|| client.query_one(&bare, &[&c.as_str()]).unwrap()));
    group.bench_function("standing", |bencher| bencher.iter(|| store.standing(&c).unwrap().unwrap()));
    group.finish();
    let mut number = 0;
    criterion.benchmark_group("postgres").bench_function("append", |bencher| {
        bencher.iter(|| {
            number += 1;
            let (row, bundle) = epoch("appended", number, "always the same");
            store.append(&row, &bundle).unwrap()
        });
    });
    criterion.final_summary();
}
