//! First turns of real conversations, from several processes at once: each has another clock and another host, and all of
//! them get one epoch.

use std::io::Write;
use std::sync::Barrier;

use antefix::discover::Answer;
use antefix::freeze::{Cause, ConversationId};
use antefix::stores::SqliteStore;
use antefix::text::Digest;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, Conversation, ErrorKind, Result};

use crate::current::{CurrentWorld, entered};
use crate::given;

const STORE: &str = "ANTEFIX_TEST_TURNS";
const PROCESS: &str = "ANTEFIX_TEST_TURNS_PROCESS";
const PROCESSES: u64 = 4;
const THREADS: u64 = 25;
/// By each thread: 4 × 25 × 100 are ten thousand.
const TURNS: u64 = 100;

const LAYOUT: &str = r#"
[[section]]
id = "here"
stability = "frozen"
text = "On {{ system.hostname | default('?') }} at {{ system.time }}."
"#;

/// The digest of the prefix of a turn.
fn turn(conversation: &Conversation) -> Result<Digest> {
    Ok(Digest::of(conversation.turn(Ask::new())?.prefix()))
}

/// Runs `with` on the conversation `c`, on a host at an instant.
fn on<T>(antefix: &Antefix, host: &str, second: u64, with: impl FnOnce(&Conversation) -> T) -> T {
    let at = format!("2026-11-16T{:02}:{:02}:{:02}Z", second / 3600 % 24, second / 60 % 60, second % 60);
    let world = MemoryWorld::new().hostname_is(Answer::Present(host.to_owned())).at(&at);
    entered(world.file("/p/.antefix/layout.toml", LAYOUT), || {
        with(&antefix.project("/p").unwrap().conversation("c").unwrap())
    })
}

#[test]
fn worker() {
    let Ok(address) = std::env::var(STORE) else { return };
    let process = given::figure(PROCESS, 0);
    let antefix = antefix(&address);
    let barrier = Barrier::new(THREADS as usize + 1);
    let digests = std::thread::scope(|scope| {
        let work = |thread: u64| {
            let (antefix, barrier) = (&antefix, &barrier);
            move || {
                let (host, second) = (format!("host-{process}-{thread}"), process * 7919 + thread * 101);
                on(antefix, &host, second, |conversation| {
                    barrier.wait();
                    (0..TURNS).map(|_| turn(conversation).unwrap()).collect::<Vec<_>>()
                })
            }
        };
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(work(thread))).collect();
        given::say("ready");
        std::io::stdin().read_line(&mut String::new()).unwrap();
        barrier.wait();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    for digest in digests {
        given::say(&digest.to_string());
    }
}

/// The ledger in a file, or in a database.
fn antefix(address: &str) -> Antefix {
    let builder = Antefix::builder().world(CurrentWorld);
    #[cfg(feature = "postgres")]
    if address.starts_with("postgres") {
        return builder.store(address).build().unwrap();
    }
    let store = SqliteStore::patient(address, std::time::Duration::from_secs(30)).unwrap();
    builder.open_store(store).build().unwrap()
}

#[test]
fn ten_thousand_first_turns_from_four_processes_get_one_epoch() {
    let directory = given::in_memory();
    let path = directory.path().join("ledger.db");
    ten_thousand_first_turns_get_one_epoch(path.to_str().unwrap());
    given::assert_sound(&path);
}

/// From four processes, in a file or in a database.
pub(crate) fn ten_thousand_first_turns_get_one_epoch(address: &str) {
    let mut workers: Vec<_> = (0..PROCESSES)
        .map(|process| {
            let mut worker = given::worker("turns::worker");
            worker.env(STORE, address).env(PROCESS, process.to_string()).stderr(std::process::Stdio::inherit());
            let mut child = worker.spawn().unwrap();
            let mut said = given::said(&mut child);
            assert_eq!(said.next().as_deref(), Some("ready"));
            (child, said)
        })
        .collect();
    for (child, _) in &mut workers {
        writeln!(child.stdin.take().unwrap(), "go").unwrap();
    }
    let readers: Vec<_> =
        workers.into_iter().map(|(child, said)| std::thread::spawn(|| (said.collect::<Vec<_>>(), child))).collect();
    let mut answers = Vec::new();
    for reader in readers {
        let (said, mut child) = reader.join().unwrap();
        answers.extend(said);
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(answers.len() as u64, PROCESSES * THREADS * TURNS);
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{:?} and others", answers[0]);
    let rows = antefix(address).keeper().unwrap().history(&ConversationId::parse("c").unwrap(), 0, 10).unwrap();
    assert_eq!(rows.iter().map(|row| (row.number, row.cause)).collect::<Vec<_>>(), [(1, Cause::Opened)]);
}

#[test]
fn of_racing_compactions_one_begins_the_next_epoch() {
    let directory = given::in_memory();
    let path = directory.path().join("ledger.db");
    let open = || Antefix::builder().world(CurrentWorld).open_store(SqliteStore::open(&path).unwrap()).build().unwrap();
    let antefix = open();
    on(&antefix, "host", 0, turn).unwrap();
    let barrier = Barrier::new(16);
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..=16)
            .map(|number| {
                let (barrier, open) = (&barrier, &open);
                scope.spawn(move || {
                    // Each has a ledger of its own, as processes have.
                    on(&open(), &format!("host-{number}"), number, |conversation| {
                        barrier.wait();
                        let begun = conversation.begin_compaction(Ask::new())?;
                        let committed = conversation.commit_compaction(&begun.token, Ask::new());
                        committed.map(|compacted| compacted.epoch.number())
                    })
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let done = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    for outcome in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
        assert_eq!(outcome.kind(), ErrorKind::Conflict, "{outcome}");
    }
    let rows = antefix.keeper().unwrap().history(&ConversationId::parse("c").unwrap(), 0, 100).unwrap();
    let numbers: Vec<u64> = rows.iter().map(|row| row.number).collect();
    assert_eq!(numbers, (1..=1 + done as u64).collect::<Vec<_>>(), "one epoch for each commit that was acknowledged");
    assert!(done >= 1);
}
