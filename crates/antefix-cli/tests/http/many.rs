//! Very many conversations: lists go page by page, and take no more memory than a few.

use std::process::Stdio;

use crate::project;

/// How many conversations there are.
const COUNT: usize = 100_000;
/// How many epochs one of them has.
const EPOCHS: usize = 10_000;
/// What the program may have: rows that are all kept take seventy megabytes.
const PROGRAM: &str = "--data=50331648";
/// What walking through all pages may cost the server.
const SERVER: u64 = 24 * 1024 * 1024;

#[test]
fn lists_take_no_more_memory_than_a_page() {
    let scratch = project();
    let mut server = scratch.serve_with(&["--log", "none"]);
    server.post("/conversations/seed/turns", "{}").ok();
    server.stop();
    let mut store = rusqlite::Connection::open(scratch.path("home/.local/share/antefix/ledger.db")).unwrap();
    let rows = store.transaction().unwrap();
    let up_to =
        |most: usize| format!("WITH RECURSIVE n(i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM n WHERE i <= {most})");
    let (all, of_one) = (up_to(COUNT), up_to(EPOCHS));
    let copy = "cause, opened_at, head FROM epochs, n WHERE conversation = 'seed' AND number = 1";
    rows.execute(&format!("INSERT INTO epochs {all} SELECT printf('c%07d', i), 1, {copy}"), []).unwrap();
    rows.execute(&format!("INSERT INTO epochs {of_one} SELECT 'seed', i, {copy}"), []).unwrap();
    rows.commit().unwrap();
    drop(store);

    for list in [&["epochs", "--json"][..], &["epochs", "seed", "--json"], &["export", "seed"]] {
        let mut command = scratch.other_program("prlimit");
        command.arg(PROGRAM).arg(scratch.program()).args(list).stdout(Stdio::null());
        let ran = command.output().unwrap();
        assert!(ran.status.success(), "{list:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }

    let server = scratch.serve_with(&["--log", "none"]);
    server.get("/conversations?limit=200").ok();
    let before = server.most_resident();
    let (mut path, mut seen) = ("/conversations?limit=200".to_owned(), 0);
    loop {
        let page = server.get(&path).ok().json();
        seen += page["conversations"].as_array().unwrap().len();
        let Some(next) = page["next"].as_str() else { break };
        path = format!("/conversations?limit=200&after={next}");
    }
    assert_eq!(seen, COUNT + 1);
    server.get("/conversations/seed/epochs?limit=200&after=7000").ok();
    let export = server.get("/conversations/seed/export").ok().body;
    assert!(export.lines().count() > EPOCHS);
    let grown = server.most_resident().saturating_sub(before);
    assert!(grown < SERVER, "{grown}");
}
