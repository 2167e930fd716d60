//! Many first turns at once, from several processes, each with other bytes.
//!
//! Which store it is, only its address says: `sqlite:PATH` here, others elsewhere.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Child;
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use antefix::contract::{epoch, id};
use antefix::freeze::store::{Appended, Store};
use antefix::stores::SqliteStore;
use antefix::text::Digest;

use crate::given;

const ADDRESS: &str = "ANTEFIX_TEST_RACE";
const PROCESS: &str = "ANTEFIX_TEST_RACE_PROCESS";
const CONVERSATIONS: &str = "ANTEFIX_TEST_RACE_CONVERSATIONS";
const ATTEMPTS: &str = "ANTEFIX_TEST_RACE_ATTEMPTS";
const PROCESSES: u64 = 4;
const THREADS: u64 = 25;
/// A hundred threads on a busy machine with two processors may well take more than the usual five seconds.
const PATIENCE: Duration = Duration::from_secs(30);

fn open(address: &str) -> Arc<dyn Store> {
    match address.split_once(':') {
        Some(("sqlite", path)) => Arc::new(SqliteStore::patient(path, PATIENCE).unwrap()),
        #[cfg(feature = "postgres")]
        Some(("postgres", _)) => Arc::new(antefix::stores::PostgresStore::connect(address).unwrap()),
        _ => panic!("{address} is no address of a store"),
    }
}

/// Takes its part in the attempts, and says the digest of every answer and how long the slow ones took.
#[test]
fn worker() {
    let Ok(address) = std::env::var(ADDRESS) else { return };
    let process = given::figure(PROCESS, 0);
    let (conversations, attempts) = (given::figure(CONVERSATIONS, 1), given::figure(ATTEMPTS, 1));
    let store = open(&address);
    let barrier = Barrier::new(THREADS as usize + 1);
    let answers = std::thread::scope(|scope| {
        let attempt = |thread: u64| {
            let first = process * THREADS + thread;
            barrier.wait();
            // All go through the conversations in the same order, so that they meet at each of them.
            let mut answers = Vec::new();
            for number in 0..conversations * attempts {
                let (conversation, attempt) = (number / attempts, number % attempts);
                if (conversation + attempt) % (PROCESSES * THREADS) == first {
                    let text = format!("of {process} {thread} {number} {}", "x".repeat(2_000));
                    let (row, bundle) = epoch(&format!("c{conversation}"), 1, &text);
                    let start = Instant::now();
                    let row = match store.append(&row, &bundle).unwrap() {
                        Appended::Won => row,
                        Appended::Lost(winner) => winner,
                    };
                    answers.push((conversation, row.digest, start.elapsed()));
                }
            }
            answers
        };
        let threads: Vec<_> = (0..THREADS).map(|thread| scope.spawn(move || attempt(thread))).collect();
        given::say("ready");
        std::io::stdin().read_line(&mut String::new()).unwrap();
        barrier.wait();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    for (conversation, digest, took) in answers {
        given::say(&format!("{conversation} {digest} {}", took.as_micros()));
    }
}

/// Runs the race, and gives back how long it took and each attempt's time.
pub(crate) fn race(address: &str, conversations: u64, attempts: u64) -> (Duration, Vec<Duration>) {
    let start = |process: u64| {
        let mut worker = given::worker("race::worker");
        worker.env(ADDRESS, address).env(PROCESS, process.to_string());
        worker.env(CONVERSATIONS, conversations.to_string()).env(ATTEMPTS, attempts.to_string());
        // Nobody reads it, and a full pipe would stop the worker.
        worker.stderr(std::process::Stdio::inherit());
        let mut child = worker.spawn().unwrap();
        let mut said = given::said(&mut child);
        assert_eq!(said.next().as_deref(), Some("ready"));
        (child, said)
    };
    let workers: Vec<(Child, _)> = (0..PROCESSES).map(start).collect();
    let began = Instant::now();
    let mut children = Vec::new();
    let mut voices = Vec::new();
    for (mut child, said) in workers {
        writeln!(child.stdin.take().unwrap(), "go").unwrap();
        children.push(child);
        voices.push(said);
    }
    let readers: Vec<_> = voices.into_iter().map(|said| std::thread::spawn(|| said.collect::<Vec<_>>())).collect();
    let lines: Vec<String> = readers.into_iter().flat_map(|reader| reader.join().unwrap()).collect();
    let took = began.elapsed();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }

    let mut answers: BTreeMap<String, Vec<Digest>> = BTreeMap::new();
    let mut times = Vec::new();
    for line in &lines {
        let words: Vec<&str> = line.split(' ').collect();
        answers.entry(format!("c{}", words[0])).or_default().push(Digest::parse(words[1]).unwrap());
        times.push(Duration::from_micros(words[2].parse().unwrap()));
    }
    assert_eq!(answers.len() as u64, conversations);
    let store = open(address);
    for (conversation, digests) in &answers {
        assert_eq!(digests.len() as u64, attempts, "{conversation}");
        let rows = store.epochs(&id(conversation), 0, 10).unwrap();
        assert_eq!(rows.len(), 1, "{conversation}");
        assert!(digests.iter().all(|digest| *digest == rows[0].digest), "{conversation}");
        let texts = store.texts(&[rows[0].body, rows[0].digest]).unwrap();
        assert!(texts.iter().all(Option::is_some), "{conversation}");
    }
    assert_eq!(store.conversations(None, 1 + conversations as usize).unwrap().len() as u64, conversations);
    times.sort_unstable();
    (took, times)
}

pub(crate) fn report(what: &str, (took, times): (Duration, Vec<Duration>)) {
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!("{what}: {took:?} in all; p50 {:?}, p99 {:?}, slowest {:?}", at(0.5), at(0.99), at(1.0));
}

#[test]
fn ten_thousand_first_turns_of_one_conversation_get_one_epoch() {
    let directory = given::in_memory();
    let address = format!("sqlite:{}/ledger.db", directory.path().display());
    report("10,000 for one conversation", race(&address, 1, 10_000));
    given::assert_sound(&directory.path().join("ledger.db"));
}

#[test]
fn a_thousand_conversations_get_one_epoch_each() {
    let directory = given::in_memory();
    let address = format!("sqlite:{}/ledger.db", directory.path().display());
    report("10 for each of 1,000 conversations", race(&address, 1_000, 10));
    given::assert_sound(&directory.path().join("ledger.db"));
}
