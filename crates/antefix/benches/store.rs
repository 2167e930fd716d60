//! What a store in a file costs, and what SQLite alone costs for the same file; and what a whole turn costs with it.
//!
//! 1. The floor is a bare `SELECT` of one row with a text of 20 KB, by a statement that is prepared already, in the same
//!    file.
//! 2. Large is a ledger of as many epochs as `ANTEFIX_BENCH_EPOCHS` says, a million if it says nothing. They are made
//!    with SQL, because that many appends, each on the disk before the next, would take the afternoon.
//! 3. `cargo xtask bench` prints the table; nothing here prints a number.

#![allow(clippy::disallowed_methods, reason = "a benchmark makes the files that it measures")]

#[path = "../tests/parts/mod.rs"]
mod parts;

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use antefix::compose::{Layout, Wording, builtin};
use antefix::contract::{epoch, id};
use antefix::discover::Workspace;
use antefix::discover::tools::Tool;
use antefix::freeze::ConversationId;
use antefix::freeze::store::{Bundle, EpochRow, Store};
use antefix::keeper::{Keeper, TurnInput};
use antefix::project::TemplateDirectories;
use antefix::stores::{MemoryStore, SqliteStore};
use antefix::text::{Digest, Source, SourceKind};
use antefix::worlds::MemoryWorld;
use criterion::Criterion;
use parts::Parts;
use rusqlite::{Connection, params};
use serde_json::json;

/// As many bytes as a prompt has.
const SIZE: usize = 20_000;
const SMALL: u64 = 1_000;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let directory = tempfile::tempdir().expect("there is room for a file");
    let large = std::env::var("ANTEFIX_BENCH_EPOCHS").map_or(1_000_000, |count| count.parse().expect("a number"));
    reads(&mut criterion, &directory.path().join("small.db"), &directory.path().join("large.db"), large);
    writes(&mut criterion, &directory.path().join("written.db"));
    turns(&mut criterion, directory.path(), large);
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
    multiply(path, count);
    store
}

/// Gives the file `count` more epochs, two of each conversation, all like the one of `template`.
fn multiply(path: &Path, count: u64) {
    let connection = Connection::open(path).expect("the file is there");
    connection
        .execute(
            "INSERT INTO epochs SELECT printf('conversation-%08d', n.value / 2), n.value % 2 + 1, cause, \
             opened_at, head FROM epochs JOIN \
             (WITH RECURSIVE n (value) AS (SELECT 0 UNION ALL SELECT value + 1 FROM n WHERE value + 1 < ?1) \
             SELECT value FROM n) n WHERE conversation = 'template'",
            params![count as i64],
        )
        .expect("the rows are ours");
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").expect("nobody else is there");
}

/// How many conversations are asked for in turns: of a large ledger so many that no connection has all their pages.
const ASKED: u64 = 50_000;

/// Ids all over a ledger, in an order that leaps about, so that hardly a page answers two questions in a row.
fn ids(count: u64) -> impl FnMut() -> ConversationId {
    let conversations = count / 2;
    let asked = ASKED.min(conversations);
    let ids: Vec<_> = (0..asked).map(|n| id(&format!("conversation-{:08}", n * conversations / asked))).collect();
    let mut at = 0;
    move || {
        at += 7_919;
        ids[at % ids.len()].clone()
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

/// A whole turn of a standing conversation, in memory and in a file, without tools and with 50 of them, and of
/// conversations all over a small ledger and a large one. Its layout is one frozen template that holds what it was told,
/// so nothing has to be asked for.
fn turns(criterion: &mut Criterion, directory: &Path, large: u64) {
    let world = MemoryWorld::new().file("/p/.git/HEAD", "ref: refs/heads/main\n").file("/p/AGENTS.md", text());
    let workspace = Workspace::find(&world, Path::new("/p"));
    let templates = TemplateDirectories::new(&world, &workspace, None);
    let wording = Wording::built_in();
    let built_in = builtin::layout("dispatch").expect("it is built in");
    let source = Source::new(SourceKind::Layout, built_in.name, built_in.text).into();
    let layout = Layout::parse(&source, &wording, &templates).expect("the built-in layout is valid");
    let mut plain = Parts::new(workspace.clone());
    plain.rules.paths = layout.rules().paths;
    let mut with_tools = plain.clone();
    with_tools.caller.tools = Some((0..50).map(tool).collect());
    let file = |name: &str| SqliteStore::open(directory.join(name)).expect("a new file");
    let stores: [(&str, Box<dyn Store>); 2] =
        [("memory", Box::new(MemoryStore::new())), ("sqlite", Box::new(file("turns.db")))];
    let mut group = criterion.benchmark_group("turn");
    for (store, keeper) in stores.map(|(name, store)| (name, Keeper::of(store))) {
        for (kind, situation) in [("", &plain), ("-50-tools", &with_tools)] {
            let conversation = id(&format!("c{kind}"));
            let input = TurnInput::new(&world, &layout, situation.situation());
            let opened = keeper.turn(&conversation, &input).expect("there is room");
            assert!(opened.prefix().len() > SIZE - 20, "{}", opened.prefix().len());
            group.bench_function(format!("{store}{kind}"), |bencher| {
                bencher.iter(|| {
                    let turn = keeper.turn(black_box(&conversation), &input).expect("the store is sound");
                    assert!(turn.epoch.as_ref().is_some_and(|epoch| epoch.number() == 1));
                    turn
                });
            });
        }
    }
    let input = TurnInput::new(&world, &layout, plain.situation());
    for (name, count) in [("sqlite-few-epochs", SMALL), ("sqlite-many-epochs", large)] {
        let keeper = Keeper::of(Box::new(file(name)));
        keeper.turn(&id("template"), &input).expect("there is room");
        multiply(&directory.join(name), count);
        let mut next = ids(count);
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let turn = keeper.turn(black_box(&next()), &input).expect("the store is sound");
                assert!(turn.epoch.as_ref().is_some_and(|epoch| epoch.number() == 2));
                turn
            });
        });
    }
    group.finish();
}

/// A tool with a schema as agents have them, some 600 bytes.
fn tool(number: usize) -> Tool {
    let property = |name: &str| {
        let described = json!({"type": "string", "description": format!("What {name} stands for in tool {number}.")});
        (name.to_owned(), described)
    };
    let properties: serde_json::Map<_, _> =
        ["path", "pattern", "limit", "replacement"].map(property).into_iter().collect();
    Tool {
        description: Some(format!(
            "Does the {number}th thing, and says what it did. {}",
            "Mind the details. ".repeat(5)
        )),
        parameters: Some(json!({"type": "object", "properties": properties, "required": ["path"]})),
        ..Tool::named(format!("tool_{number}"))
    }
}
