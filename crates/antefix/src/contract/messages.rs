//! Messages that wait for a turn.

use super::ledgers::{standing, won};
use super::{Medium, id, moment, open};
use crate::freeze::{QueuedMessage, Store};

fn numbers(messages: &[QueuedMessage]) -> Vec<u64> {
    messages.iter().map(|message| message.number).collect()
}

/// Queues so many messages and gives back their numbers.
#[track_caller]
fn queue(store: &dyn Store, count: i64) -> Vec<u64> {
    (0..count).map(|n| store.queue(&id("c"), moment(n), &format!("message {n}")).unwrap()).collect()
}

pub(super) fn messages_wait_in_their_order(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    let numbers = queue(&*store, 12);
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    let messages = (0..).zip(&numbers).map(|(n, number)| QueuedMessage {
        number: *number,
        at: moment(n),
        text: format!("message {n}"),
    });
    let messages: Vec<QueuedMessage> = messages.collect();
    assert_eq!(store.waiting(&id("c")).unwrap(), messages);
    assert_eq!(store.waiting(&id("c")).unwrap(), messages);
    assert_eq!(standing(&*store, "c").waiting, 12);
    assert_eq!(store.take(&id("c"), Some("turn")).unwrap(), messages);
}

pub(super) fn a_message_is_taken_once(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    let first = queue(&*store, 2);
    assert_eq!(numbers(&store.take(&id("c"), None).unwrap()), first);
    // Turns without a name are not the same turn.
    assert_eq!(store.take(&id("c"), None).unwrap(), []);
    assert_eq!(store.take(&id("c"), Some("a")).unwrap(), []);
    assert_eq!((store.waiting(&id("c")).unwrap(), standing(&*store, "c").waiting), (Vec::new(), 0));
    let second = queue(&*store, 1);
    assert!(second[0] > first[1]);
    assert_eq!(numbers(&store.take(&id("c"), Some("")).unwrap()), second);
    assert_eq!(store.take(&id("c"), None).unwrap(), []);
}

pub(super) fn a_turn_that_names_itself_may_ask_again(medium: &dyn Medium) {
    let store = open(medium);
    let mut expected = queue(&*store, 2);
    assert_eq!(numbers(&store.take(&id("c"), Some("a")).unwrap()), expected);
    assert_eq!(numbers(&open(medium).take(&id("c"), Some("a")).unwrap()), expected);
    assert_eq!(store.take(&id("c"), Some("b")).unwrap(), []);
    // What came in the meantime goes with it, too, behind the others.
    expected.extend(queue(&*store, 1));
    assert_eq!(numbers(&store.take(&id("c"), Some("a")).unwrap()), expected);
    assert_eq!(store.take(&id("c"), Some("A")).unwrap(), []);
    assert_eq!(numbers(&store.take(&id("c"), Some("a")).unwrap()), expected);
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
    let taken = store.take(&id("c"), Some("turn \0 'x' é")).unwrap();
    assert!(taken.iter().map(|message| message.text.as_str()).eq(texts));
    assert!(store.take(&id("c"), Some("turn \0 'x' é")).unwrap() == taken);
}
