//! What waits for a turn, and what turns repeat.

use std::collections::BTreeMap;

use super::ledgers::{standing, won};
use super::{Medium, compaction, id, moment, open};
use crate::freeze::store::{Appended, CompactionRow, Store};
use crate::freeze::{Insertion, InsertionKind, Insertions, Taken};
use crate::text::Digest;

fn numbers(insertions: &[Insertion]) -> Vec<u64> {
    insertions.iter().map(|insertion| insertion.number).collect()
}

/// The numbers of those that wait.
fn waiting(store: &dyn Store) -> Vec<u64> {
    store.insertions(&id("c")).unwrap().waiting().map(|insertion| insertion.number).collect()
}

/// Each that was taken, with its place.
fn places(store: &dyn Store) -> Vec<(u64, Option<u64>)> {
    let taken = store.insertions(&id("c")).unwrap().taken();
    taken.map(|insertion| (insertion.number, insertion.taken.unwrap().place)).collect()
}

/// Queues so many messages and gives back their numbers.
#[track_caller]
fn queue(store: &dyn Store, count: i64) -> Vec<u64> {
    (0..count).map(|n| store.queue(&id("c"), moment(n), &format!("message {n}")).unwrap()).collect()
}

fn touched(number: u64, taken: Option<Taken>) -> Insertion {
    let files = [("a/AGENTS.md", "Use \0."), ("b \"'é", "")].map(|(path, text)| (path.to_owned(), Digest::of(text)));
    let kind = InsertionKind::Touched(BTreeMap::from(files));
    Insertion { number, kind, at: moment(5), text: "Touched \0.".to_owned(), taken }
}

fn live(number: u64, taken: Option<Taken>) -> Insertion {
    let sections = [("here", "Ada"), ("now \"'é", "")].map(|(id, text)| (id.to_owned(), Digest::of(text)));
    let kind = InsertionKind::Live(BTreeMap::from(sections));
    Insertion { number, kind, at: moment(6), text: "Live \0.".to_owned(), taken }
}

pub(super) fn messages_wait_in_their_order(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    let numbers = queue(&*store, 12);
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    let messages = (0..).zip(&numbers).map(|(n, number)| Insertion {
        number: *number,
        kind: InsertionKind::Queued,
        at: moment(n),
        text: format!("message {n}"),
        taken: None,
    });
    let messages = Insertions { last: *numbers.last().unwrap(), all: messages.collect() };
    assert_eq!(store.insertions(&id("c")).unwrap(), messages);
    assert_eq!(store.insertions(&id("c")).unwrap(), messages);
    assert_eq!((standing(&*store, "c").waiting, standing(&*store, "c").inserted), (12, 0));
    let took = Taken { turn: Some("turn".to_owned()), place: Some(3) };
    let taken: Vec<Insertion> =
        messages.all.into_iter().map(|one| Insertion { taken: Some(took.clone()), ..one }).collect();
    assert_eq!(store.take(&id("c"), Some("turn"), Some(3)).unwrap(), taken);
    assert_eq!(store.insertions(&id("c")).unwrap().all, taken);
    assert_eq!((standing(&*store, "c").waiting, standing(&*store, "c").inserted), (0, 12));
}

pub(super) fn a_message_is_taken_once(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    let first = queue(&*store, 2);
    assert_eq!(numbers(&store.take(&id("c"), None, None).unwrap()), first);
    // Turns without a name are not the same turn.
    assert_eq!(store.take(&id("c"), None, None).unwrap(), []);
    assert_eq!(store.take(&id("c"), Some("a"), None).unwrap(), []);
    assert_eq!((waiting(&*store), standing(&*store, "c").waiting), (Vec::new(), 0));
    let second = queue(&*store, 1);
    assert!(second[0] > first[1]);
    assert_eq!(numbers(&store.take(&id("c"), Some(""), None).unwrap()), second);
    assert_eq!(store.take(&id("c"), None, None).unwrap(), []);
}

pub(super) fn a_turn_that_names_itself_may_ask_again(medium: &dyn Medium) {
    let store = open(medium);
    let mut expected = queue(&*store, 2);
    assert_eq!(numbers(&store.take(&id("c"), Some("a"), None).unwrap()), expected);
    assert_eq!(numbers(&open(medium).take(&id("c"), Some("a"), None).unwrap()), expected);
    assert_eq!(store.take(&id("c"), Some("b"), None).unwrap(), []);
    // What came in the meantime goes with it, too, behind the others.
    expected.extend(queue(&*store, 1));
    assert_eq!(numbers(&store.take(&id("c"), Some("a"), None).unwrap()), expected);
    assert_eq!(store.take(&id("c"), Some("A"), None).unwrap(), []);
    assert_eq!(numbers(&store.take(&id("c"), Some("a"), None).unwrap()), expected);
}

pub(super) fn a_message_may_come_before_the_first_turn(medium: &dyn Medium) {
    let store = open(medium);
    queue(&*store, 1);
    assert_eq!(store.standing(&id("c")).unwrap(), None);
    won(&*store, "c", 1, "x");
    assert_eq!(standing(&*store, "c").waiting, 1);
    won(&*store, "c", 2, "y");
    assert_eq!(standing(&*store, "c").waiting, 1);
}

pub(super) fn messages_keep_every_byte(medium: &dyn Medium) {
    let store = open(medium);
    let texts = ["", "a\0b", "\u{feff}e\u{301}\u{10ffff}\r\n", &"long ".repeat(100_000), "12"];
    for text in texts {
        store.queue(&id("c"), moment(0), text).unwrap();
    }
    let taken = store.take(&id("c"), Some("turn \0 'x' é"), None).unwrap();
    assert!(taken.iter().map(|message| message.text.as_str()).eq(texts));
    assert!(store.take(&id("c"), Some("turn \0 'x' é"), None).unwrap() == taken);
}

pub(super) fn a_place_is_given_once(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    queue(&*store, 1);
    store.take(&id("c"), None, Some(4)).unwrap();
    queue(&*store, 1);
    // Who does not know how many messages there are gives no place; the next one who knows does.
    store.take(&id("c"), Some("a"), None).unwrap();
    assert_eq!(places(&*store), [(1, Some(4)), (2, None)]);
    assert_eq!(store.take(&id("c"), None, Some(7)).unwrap(), []);
    assert_eq!(places(&*open(medium)), [(1, Some(4)), (2, Some(7))]);
    store.take(&id("c"), Some("a"), Some(9)).unwrap();
    assert_eq!(places(&*store), [(1, Some(4)), (2, Some(7))]);
}

pub(super) fn insertions_stay_across_epochs(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    queue(&*store, 1);
    store.take(&id("c"), None, Some(0)).unwrap();
    won(&*store, "c", 2, "y");
    assert_eq!(places(&*store), [(1, Some(0))]);
    let found = store.epoch(&id("c"), 2).unwrap().unwrap();
    assert_eq!((standing(&*store, "c").inserted, found.waiting, found.inserted), (1, 0, 0));
}

pub(super) fn a_committed_compaction_ends_what_was_taken(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    queue(&*store, 1);
    store.take(&id("c"), Some("a"), Some(0)).unwrap();
    let others = store.queue(&id("d"), moment(0), "another's").unwrap();
    store.take(&id("d"), None, Some(0)).unwrap();
    let (row, bundle) = compaction("c", "t", 1, "next");
    store.begin(&row, Some(&bundle)).unwrap();
    assert_eq!(places(&*store), [(1, Some(0))]);
    // What waits still waits.
    let left = queue(&*store, 1);
    store.commit(&id("c"), "t", moment(99)).unwrap();
    assert_eq!((places(&*store), waiting(&*store)), (Vec::new(), left));
    assert_eq!((standing(&*store, "c").waiting, standing(&*store, "c").inserted), (1, 0));
    assert_eq!(numbers(&store.insertions(&id("d")).unwrap().all), [others]);
    // A turn of that name is another one now, and no number is given twice.
    assert_eq!(numbers(&store.take(&id("c"), Some("a"), Some(2)).unwrap()), [2]);
    // A compaction that keeps its epoch gives the caller another history as well.
    let keeps = CompactionRow { conversation: id("c"), token: "k".to_owned(), epoch: 2, next: None };
    store.begin(&keeps, None).unwrap();
    store.commit(&id("c"), "k", moment(99)).unwrap();
    assert_eq!(store.insertions(&id("c")).unwrap(), Insertions { last: 2, all: Vec::new() });
    assert_eq!(queue(&*store, 1), [3]);
}

pub(super) fn a_compaction_that_is_not_committed_ends_nothing(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    queue(&*store, 1);
    store.take(&id("c"), None, Some(0)).unwrap();
    let (row, bundle) = compaction("c", "t", 1, "next");
    store.begin(&row, Some(&bundle)).unwrap();
    store.abort(&id("c"), "t").unwrap();
    store.commit(&id("c"), "t", moment(99)).unwrap();
    store.begin(&row, Some(&bundle)).unwrap();
    won(&*store, "c", 2, "renewed");
    store.commit(&id("c"), "t", moment(99)).unwrap();
    assert_eq!(places(&*store), [(1, Some(0))]);
}

pub(super) fn an_insertion_is_kept_as_it_was_given(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    let took = Taken { turn: Some("a \0 é".to_owned()), place: Some(17) };
    let given = [touched(1, None), touched(4, Some(took)), live(5, Some(Taken::default()))];
    for insertion in &given {
        assert_eq!(store.insert(&id("c"), insertion).unwrap(), Appended::Won);
    }
    assert_eq!(open(medium).insertions(&id("c")).unwrap(), Insertions { last: 5, all: given.to_vec() });
    assert_eq!((standing(&*store, "c").waiting, standing(&*store, "c").inserted), (1, 2));
}

pub(super) fn an_insertion_that_comes_second_gets_the_last_number(medium: &dyn Medium) {
    let store = open(medium);
    let numbers = queue(&*store, 3);
    for number in [1, 3] {
        assert_eq!(store.insert(&id("c"), &touched(number, None)).unwrap(), Appended::Lost(3));
    }
    assert_eq!(waiting(&*store), numbers);
    assert_eq!(store.insert(&id("c"), &touched(4, None)).unwrap(), Appended::Won);
    assert_eq!(queue(&*store, 1), [5]);
}

pub(super) fn what_has_ended_is_given_to_no_turn(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    queue(&*store, 2);
    store.take(&id("c"), Some("a"), Some(0)).unwrap();
    queue(&*store, 2);
    store.end(&id("c"), &[1, 3, 99]).unwrap();
    store.end(&id("c"), &[1]).unwrap();
    store.end(&id("nobody"), &[1]).unwrap();
    assert_eq!((places(&*store), waiting(&*store)), (vec![(2, Some(0))], vec![4]));
    assert_eq!((standing(&*store, "c").waiting, standing(&*store, "c").inserted), (1, 1));
    assert_eq!(numbers(&store.take(&id("c"), Some("a"), Some(0)).unwrap()), [2, 4]);
    assert_eq!(queue(&*store, 1), [5]);
}
