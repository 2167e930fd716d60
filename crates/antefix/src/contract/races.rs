//! Several at once: 16 threads behind a barrier, half of them with the medium opened for themselves.

use std::collections::BTreeMap;
use std::sync::{Arc, Barrier};

use super::ledgers::{standing, won};
use super::{Medium, amendment, compaction, epoch, id, moment, open};
use crate::freeze::store::{Appended, Committed, EpochRow, Store, Sweep};
use crate::freeze::{Insertion, InsertionKind};

const THREADS: u64 = 16;
/// How often each race is run, each time for another conversation.
const ROUNDS: u64 = 10;

/// Runs `race` in all threads at once, with the thread's number.
pub(super) fn all_at_once<T: Send>(medium: &dyn Medium, race: impl Fn(&dyn Store, u64) -> T + Sync) -> Vec<T> {
    let shared = open(medium);
    let barrier = Barrier::new(THREADS as usize);
    let run = |number: u64| {
        let store = if number.is_multiple_of(2) { Arc::clone(&shared) } else { open(medium) };
        barrier.wait();
        race(&*store, number)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|number| scope.spawn(move || run(number))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// The standing epoch as each writer saw it afterwards, and how many say that it is theirs.
fn race_for(medium: &dyn Medium, conversation: &str, number: u64) {
    let answers = all_at_once(medium, |store, thread| {
        let (row, bundle) = epoch(conversation, number, &format!("of thread {thread}"));
        match store.append(&row, &bundle).unwrap() {
            Appended::Won => (true, row),
            Appended::Lost(row) => (false, row),
        }
    });
    let store = open(medium);
    let stands = standing(&*store, conversation).epoch;
    assert_eq!(answers.iter().filter(|(won, _)| *won).count(), 1);
    assert!(answers.iter().all(|(_, row)| *row == stands));
    assert_eq!(store.epochs(&stands.conversation, number - 1, 10).unwrap(), std::slice::from_ref(&stands));
    assert!(store.texts(&[stands.body, stands.digest]).unwrap().iter().all(Option::is_some));
}

pub(super) fn of_many_first_epochs_one_wins(medium: &dyn Medium) {
    for round in 0..ROUNDS {
        race_for(medium, &format!("c{round}"), 1);
    }
}

pub(super) fn of_many_second_epochs_one_wins(medium: &dyn Medium) {
    won(&*open(medium), "c", 1, "first");
    for round in 0..ROUNDS {
        race_for(medium, "c", 2 + round);
    }
}

pub(super) fn of_many_amendments_one_wins(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    for number in 1..=ROUNDS {
        let answers = all_at_once(medium, |store, thread| {
            let (row, bundle) = amendment("c", 1, number, &format!("of thread {thread}"));
            match store.amend(&row, &bundle).unwrap() {
                Appended::Won => (true, row),
                Appended::Lost(row) => (false, row.unwrap()),
            }
        });
        let amendments = standing(&*store, "c").amendments;
        assert_eq!(amendments.len() as u64, number);
        assert_eq!(answers.iter().filter(|(won, _)| *won).count(), 1);
        assert!(answers.iter().all(|(_, row)| Some(row) == amendments.last()));
    }
}

pub(super) fn of_many_commits_one_appends(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    for number in 1..=ROUNDS {
        // Some begin at the same time as others commit: whoever is superseded learns it.
        let answers = all_at_once(medium, |store, thread| {
            let token = format!("of thread {thread}");
            let (row, bundle) = compaction("c", &token, number, &token);
            store.begin(&row, Some(&bundle)).unwrap();
            store.commit(&row.conversation, &token, moment(0)).unwrap()
        });
        let done: Vec<&EpochRow> = answers.iter().filter_map(done).collect();
        let stands = standing(&*store, "c").epoch;
        assert_eq!(done, [&stands]);
        assert_eq!(stands.number, number + 1);
        let moved_on = |answer: &&Committed| matches!(answer, Committed::MovedOn(row) if *row != stands);
        assert_eq!(answers.iter().find(moved_on), None);
    }
    let numbers: Vec<u64> = store.epochs(&id("c"), 0, 100).unwrap().iter().map(|row| row.number).collect();
    assert_eq!(numbers, (1..=ROUNDS + 1).collect::<Vec<_>>());

    // All with one token.
    let (row, bundle) = compaction("c", "shared", ROUNDS + 1, "last");
    store.begin(&row, Some(&bundle)).unwrap();
    let answers = all_at_once(medium, |store, _| store.commit(&row.conversation, "shared", moment(0)).unwrap());
    assert_eq!(answers.iter().filter_map(done).count(), 1);
    let before = |answer: &&Committed| matches!(answer, Committed::Before(_));
    assert_eq!(answers.iter().filter(before).count() as u64, THREADS - 1);
}

fn done(answer: &Committed) -> Option<&EpochRow> {
    match answer {
        Committed::Done(row) => Some(row),
        Committed::Before(_) | Committed::NotBegun | Committed::MovedOn(_) => None,
    }
}

pub(super) fn each_message_goes_with_one_turn(medium: &dyn Medium) {
    let store = open(medium);
    for round in 0..ROUNDS {
        let number = store.queue(&id("c"), moment(0), &format!("message {round}")).unwrap();
        let taken = all_at_once(medium, |store, thread| {
            let turn = thread.is_multiple_of(2).then(|| format!("turn {round} of {thread}"));
            store.take(&id("c"), turn.as_deref(), None).unwrap()
        });
        let numbers: Vec<u64> = taken.iter().flatten().map(|message| message.number).collect();
        assert_eq!(numbers, [number]);
    }
}

pub(super) fn no_number_is_given_to_two_messages(medium: &dyn Medium) {
    let numbers = all_at_once(medium, |store, thread| {
        (0..ROUNDS).map(|_| store.queue(&id("c"), moment(0), &format!("of {thread}")).unwrap()).collect::<Vec<_>>()
    });
    assert!(numbers.iter().all(|numbers| numbers.is_sorted_by(|a, b| a < b)));
    let insertions = open(medium).insertions(&id("c")).unwrap();
    let waiting: Vec<u64> = insertions.waiting().map(|message| message.number).collect();
    let mut given = numbers.concat();
    given.sort_unstable();
    assert_eq!(given, waiting);
}

pub(super) fn of_many_who_insert_one_wins_each_number(medium: &dyn Medium) {
    for number in 1..=ROUNDS {
        let ended = all_at_once(medium, |store, thread| {
            let (kind, text) = (InsertionKind::Touched(BTreeMap::new()), format!("of {thread}"));
            store.insert(&id("c"), &Insertion { number, kind, at: moment(0), text, taken: None }).unwrap()
        });
        assert_eq!(ended.iter().filter(|ended| **ended == Appended::Won).count(), 1);
        let lost = ended.iter().filter(|ended| **ended != Appended::Won);
        assert!(lost.eq(vec![&Appended::Lost(number); THREADS as usize - 1]));
    }
}

pub(super) fn a_sweep_beside_appends_takes_no_text_away(medium: &dyn Medium) {
    let store = open(medium);
    for round in 0..ROUNDS {
        // The texts of the next epoch are in the store already and nobody names them: what a sweep looks for.
        let text = format!("wanted {round}");
        let (row, bundle) = compaction("other", "t", 0, &text);
        store.begin(&row, Some(&bundle)).unwrap();
        store.abort(&row.conversation, "t").unwrap();
        all_at_once(medium, |store, thread| match thread {
            0..4 => drop(store.sweep(Sweep::Delete).unwrap()),
            _ => {
                let (row, bundle) = epoch(&format!("c{round} {thread}"), 1, &text);
                assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Won);
            }
        });
        let (row, _) = epoch("c", 1, &text);
        assert!(store.texts(&[row.body, row.digest]).unwrap().iter().all(Option::is_some));
    }
    assert_eq!(store.sweep(Sweep::Delete).unwrap().texts, 0);
}
