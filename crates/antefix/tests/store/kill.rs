//! A process is killed at any moment, again and again. What it was told is there, and what it was not told is whole.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use antefix::contract::{amendment, compaction, epoch, id, moment};
use antefix::freeze::store::{Appended, Committed, Store};
use antefix::stores::SqliteStore;
use antefix::text::Digest;

use crate::given::{self, Dice};

const FILE: &str = "ANTEFIX_TEST_KILL";
const RUN: &str = "ANTEFIX_TEST_KILL_RUN";

/// Appends, amends, compacts and queues until it is killed, and says what is done.
#[test]
fn worker() {
    let Ok(file) = std::env::var(FILE) else { return };
    let run = given::figure(RUN, 0);
    let store = SqliteStore::open(file).unwrap();
    given::say("open");
    for round in 0.. {
        let text = format!("run {run} round {round} ") + &"x".repeat((round % 7) * 5_000);
        let standing = store.standing(&id("c")).unwrap();
        let number = standing.as_ref().map_or(0, |standing| standing.epoch.number);
        let last = standing.map_or(0, |standing| standing.amendments.len() as u64);
        match round % 4 {
            0 => {
                let (row, bundle) = epoch("c", number + 1, &text);
                assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Won);
                given::say(&format!("epoch {} {}", row.number, row.body));
            }
            1 => {
                let (row, bundle) = amendment("c", number, last + 1, &text);
                assert_eq!(store.amend(&row, &bundle).unwrap(), Appended::Won);
                given::say(&format!("amendment {number}.{} {}", row.number, row.body));
            }
            2 => {
                let (row, bundle) = compaction("c", &text, number, &text);
                store.begin(&row, Some(&bundle)).unwrap();
                let Committed::Done(next) = store.commit(&id("c"), &text, moment(0)).unwrap() else { panic!() };
                given::say(&format!("epoch {} {}", next.number, next.body));
            }
            _ => {
                let number = store.queue(&id("c"), moment(0), &text).unwrap();
                given::say(&format!("message {number} {}", Digest::of(&text)));
            }
        }
    }
}

/// What is in the file, in the words of the worker.
fn kept(path: &Path) -> BTreeMap<String, String> {
    let store = SqliteStore::open(path).unwrap();
    let mut kept = BTreeMap::new();
    let mut bodies = Vec::new();
    for (expected, row) in (1..).zip(store.epochs(&id("c"), 0, usize::MAX).unwrap()) {
        assert_eq!(row.number, expected, "a gap in the ledger");
        bodies.extend([row.body, row.digest]);
        kept.insert(format!("epoch {}", row.number), row.body.to_string());
        let with_amendments = store.epoch(&row.conversation, row.number).unwrap().unwrap();
        for (expected, amended) in (1..).zip(with_amendments.amendments) {
            assert_eq!(amended.number, expected, "a gap in the amendments");
            bodies.push(amended.body);
            kept.insert(format!("amendment {}.{}", row.number, amended.number), amended.body.to_string());
        }
    }
    // Each text has the digest that it is asked for by, or the store would call it damaged.
    assert!(store.texts(&bodies).unwrap().iter().all(Option::is_some), "a text is missing");
    for message in store.insertions(&id("c")).unwrap().waiting() {
        kept.insert(format!("message {}", message.number), Digest::of(&message.text).to_string());
    }
    kept
}

/// Starts a worker, kills it a while after it said so many lines, and gives back all that it said.
fn cycle(path: &Path, run: u64, lines_first: u64, then: Duration) -> Vec<String> {
    let mut child = given::worker("kill::worker").env(FILE, path).env(RUN, run.to_string()).spawn().unwrap();
    let mut said = given::said(&mut child);
    let mut lines: Vec<String> = (0..lines_first).map_while(|_| said.next()).collect();
    // What it says meanwhile stays in the pipe.
    std::thread::sleep(then);
    child.kill().unwrap();
    lines.extend(said);
    child.wait().unwrap();
    lines.retain(|line| line != "open");
    lines
}

#[test]
fn whoever_is_killed_while_writing_loses_nothing_that_was_acknowledged() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("ledger.db");
    let mut dice = Dice(given::figure("ANTEFIX_TEST_SEED", 1));
    let mut acknowledged = BTreeMap::new();
    let mut more = 0;
    let cycles = given::figure("ANTEFIX_TEST_KILLS", 100);
    for run in 0..cycles {
        let (lines, micros) = (1 + dice.below(6), dice.below(4_000));
        for line in cycle(&path, run, lines, Duration::from_micros(micros)) {
            let (name, digest) = line.rsplit_once(' ').unwrap();
            acknowledged.insert(name.to_owned(), digest.to_owned());
        }
        // Looking at all of it each time would take most of the time.
        if run % 10 == 9 || run + 1 == cycles {
            let kept = kept(&path);
            for (name, digest) in &acknowledged {
                assert_eq!(kept.get(name), Some(digest), "{name} after run {run}");
            }
            more = kept.len() - acknowledged.len();
            given::assert_sound(&path);
        }
    }
    println!("{cycles} kills: {} acknowledged, all kept; {more} kept and not acknowledged", acknowledged.len());
    assert!(acknowledged.len() as u64 > cycles && more > 0);
}

#[test]
fn whoever_is_killed_while_opening_leaves_a_store_or_none() {
    let directory = tempfile::tempdir().unwrap();
    let mut dice = Dice(given::figure("ANTEFIX_TEST_SEED", 1));
    let mut made = 0;
    // How long it takes to make a store depends on the machine; half of the kills shall come before, half behind.
    let mut window = 25_000;
    let cycles = given::figure("ANTEFIX_TEST_KILLS", 100);
    for run in 0..cycles {
        let path = directory.path().join(format!("{run}/ledger.db"));
        std::fs::create_dir(path.parent().unwrap()).unwrap();
        let said = cycle(&path, run, 0, Duration::from_micros(dice.below(window)));
        made += u64::from(path.exists());
        window = if path.exists() { window * 9 / 10 } else { window * 10 / 9 }.max(1_000);
        let kept = kept(&path);
        for line in said {
            let (name, digest) = line.rsplit_once(' ').unwrap();
            assert_eq!(kept.get(name).map(String::as_str), Some(digest), "{name} after run {run}");
        }
        given::assert_sound(&path);
    }
    println!("{cycles} kills: {made} left a store");
    assert!(made > 0 && made < cycles, "{made} of {cycles}: not all moments were met");
}
