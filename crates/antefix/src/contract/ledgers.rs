//! Epochs and amendments.

use jiff::Timestamp;

use super::{Medium, amendment, epoch, id, moment, open};
use crate::error::Fault;
use crate::freeze::store::{Appended, EpochRow, Standing, Store};
use crate::freeze::{Cause, Insertions, Pauses};

/// Appends an epoch that must win.
#[track_caller]
pub(super) fn won(store: &dyn Store, conversation: &str, number: u64, text: &str) -> EpochRow {
    let (row, bundle) = epoch(conversation, number, text);
    assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Won);
    row
}

/// The standing epoch.
#[track_caller]
pub(super) fn standing(store: &dyn Store, conversation: &str) -> Standing {
    store.standing(&id(conversation)).unwrap().unwrap()
}

pub(super) fn a_conversation_that_nobody_opened_has_nothing(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "another", 1, "x");
    let id = id("c");
    assert_eq!(store.standing(&id).unwrap(), None);
    assert_eq!(store.epoch(&id, 1).unwrap(), None);
    assert_eq!(store.epochs(&id, 0, 10).unwrap(), []);
    assert_eq!(store.insertions(&id).unwrap(), Insertions::default());
    assert_eq!(store.take(&id, None, None).unwrap(), []);
    let (row, bundle) = amendment("c", 1, 1, "x");
    assert_eq!(store.amend(&row, &bundle).unwrap(), Appended::Lost(None));
    assert_eq!(store.conversations(None, 10).unwrap().len(), 1);
}

pub(super) fn an_epoch_is_kept_as_it_was_given(medium: &dyn Medium) {
    let store = open(medium);
    let row = won(&*store, "c", 1, "x");
    let expected = Standing {
        epoch: row.clone(),
        amendments: Vec::new(),
        waiting: 0,
        inserted: 0,
        said: None,
        used: None,
        pauses: Pauses::default(),
    };
    assert_eq!(store.standing(&row.conversation).unwrap(), Some(expected.clone()));
    assert_eq!(store.epoch(&row.conversation, 1).unwrap(), Some(expected));
    assert_eq!(store.epoch(&row.conversation, 2).unwrap(), None);
    assert_eq!(store.epoch(&row.conversation, u64::MAX).unwrap(), None);
    assert_eq!(store.epochs(&row.conversation, 0, 10).unwrap(), std::slice::from_ref(&row));
    assert_eq!(store.conversations(None, 10).unwrap(), [row]);
}

pub(super) fn every_cause_is_kept(medium: &dyn Medium) {
    let store = open(medium);
    for (number, cause) in (1..).zip(Cause::ALL) {
        let (row, bundle) = epoch("c", number, "x");
        assert_eq!(store.append(&EpochRow { cause, ..row }, &bundle).unwrap(), Appended::Won);
        assert_eq!(standing(&*store, "c").epoch.cause, cause);
    }
}

pub(super) fn times_are_kept_to_the_microsecond(medium: &dyn Medium) {
    let store = open(medium);
    // The clock of whoever opened an epoch may be wrong, and time may go backwards between two of them.
    let times =
        ["2026-11-16T12:00:00.000001Z", "1969-12-31T23:59:59.999999Z", "0001-01-01T00:00:00Z", "9999-12-30T22:00:00Z"];
    for (number, time) in (1..).zip(times) {
        let time: Timestamp = time.parse().unwrap();
        let (row, bundle) = epoch("c", number, "x");
        assert_eq!(store.append(&EpochRow { opened_at: time, ..row }, &bundle).unwrap(), Appended::Won);
        assert_eq!(standing(&*store, "c").epoch.opened_at, time);
    }
}

pub(super) fn what_is_not_known_stays_unknown(medium: &dyn Medium) {
    let store = open(medium);
    // Nothing is not the empty text.
    for (number, known) in (1..).zip([None, Some(String::new())]) {
        let (row, bundle) = epoch("c", number, "x");
        let row = EpochRow { machine: known.clone(), model: known, cwd: String::new(), ..row };
        assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Won);
        assert_eq!(standing(&*store, "c").epoch, row);
    }
}

pub(super) fn the_last_epoch_is_the_standing_one(medium: &dyn Medium) {
    let store = open(medium);
    // Two digits and three, so that no order of letters passes for an order of numbers.
    for number in 1..=101 {
        let row = won(&*store, "c", number, &format!("text {number}"));
        assert_eq!(standing(&*store, "c").epoch, row);
    }
}

pub(super) fn whoever_comes_second_gets_the_first_one(medium: &dyn Medium) {
    let store = open(medium);
    let winner = won(&*store, "c", 1, "mine");
    let (row, bundle) = epoch("c", 1, "theirs");
    assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Lost(winner.clone()));
    // Even if it is the same: whether it won is known only to whoever wrote it.
    let (row, bundle) = epoch("c", 1, "mine");
    assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Lost(winner.clone()));
    assert_eq!(store.epochs(&winner.conversation, 0, 10).unwrap(), [winner]);
}

pub(super) fn whoever_comes_late_gets_the_standing_one(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "one");
    won(&*store, "c", 2, "two");
    let third = won(&*store, "c", 3, "three");
    for number in 0..=3 {
        let (row, bundle) = epoch("c", number, "late");
        assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Lost(third.clone()));
    }
}

pub(super) fn a_gap_in_the_numbers_is_refused(medium: &dyn Medium) {
    let store = open(medium);
    for (number, last) in [(0, None), (2, None), (3, Some(1)), (u64::MAX, Some(1))] {
        if last.is_some() && store.standing(&id("c")).unwrap().is_none() {
            won(&*store, "c", 1, "x");
        }
        let (mut row, bundle) = epoch("c", 1, "far");
        row.number = number;
        assert_eq!(store.append(&row, &bundle).unwrap_err().fault, Fault::Failed, "{number} after {last:?}");
        assert_eq!(store.standing(&id("c")).unwrap().map(|standing| standing.epoch.number), last);
        assert_eq!(store.texts(&[row.body]).unwrap(), [None]);
    }
}

pub(super) fn conversations_do_not_mix(medium: &dyn Medium) {
    let store = open(medium);
    let (one, two) = (won(&*store, "one", 1, "1"), won(&*store, "two", 1, "2"));
    let (row, bundle) = amendment("one", 1, 1, "amended");
    assert_eq!(store.amend(&row, &bundle).unwrap(), Appended::Won);
    store.queue(&two.conversation, moment(0), "message").unwrap();
    let expected = Standing {
        epoch: one.clone(),
        amendments: vec![row],
        waiting: 0,
        inserted: 0,
        said: None,
        used: None,
        pauses: Pauses::default(),
    };
    assert_eq!(standing(&*store, "one"), expected);
    assert_eq!(
        standing(&*store, "two"),
        Standing {
            epoch: two,
            amendments: Vec::new(),
            waiting: 1,
            inserted: 0,
            said: None,
            used: None,
            pauses: Pauses::default()
        }
    );
    assert_eq!(store.take(&one.conversation, Some("t"), None).unwrap(), []);
}

pub(super) fn epochs_are_paged_by_number(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "b", 1, "before");
    let rows: Vec<EpochRow> = (1..=12).map(|number| won(&*store, "c", number, "x")).collect();
    won(&*store, "d", 1, "behind");
    let id = id("c");
    assert_eq!(store.epochs(&id, 0, 5).unwrap(), rows[..5]);
    assert_eq!(store.epochs(&id, 5, 5).unwrap(), rows[5..10]);
    assert_eq!(store.epochs(&id, 10, 5).unwrap(), rows[10..]);
    assert_eq!(store.epochs(&id, 12, 5).unwrap(), []);
    assert_eq!(store.epochs(&id, 0, 0).unwrap(), []);
    assert_eq!(store.epochs(&id, u64::MAX, 5).unwrap(), []);
    assert_eq!(store.epochs(&id, 0, usize::MAX).unwrap(), rows);
}

pub(super) fn conversations_are_paged_in_the_order_of_bytes(medium: &dyn Medium) {
    let store = open(medium);
    // A queue alone makes no conversation that one could show.
    store.queue(&id("0"), moment(0), "nobody opened this").unwrap();
    for name in ["é", "a", "Z", "z", "a b", "a-b", "ab", "10", "9", "日本", "A", "😀", "ﬀ"] {
        won(&*store, name, 1, "x");
        won(&*store, name, 2, "y");
    }
    let expected = ["10", "9", "A", "Z", "a", "a b", "a-b", "ab", "z", "é", "日本", "ﬀ", "😀"];
    let listed = |after: Option<&str>, limit: usize| -> Vec<String> {
        let rows = store.conversations(after.map(id).as_ref(), limit).unwrap();
        assert!(rows.iter().all(|row| row.number == 2));
        rows.iter().map(|row| row.conversation.to_string()).collect()
    };
    assert_eq!(listed(None, 100), expected);
    assert_eq!(listed(None, usize::MAX), expected);
    assert_eq!(listed(None, 0), [""; 0]);
    // Behind one that is there, and behind one that is not.
    assert_eq!(listed(Some("a"), 2), ["a b", "a-b"]);
    assert_eq!(listed(Some("a!"), 2), ["a-b", "ab"]);
    assert_eq!(listed(Some("😀"), 2), [""; 0]);
    let mut paged = listed(None, 5);
    while let Some(last) = paged.last().cloned() {
        let page = listed(Some(&last), 5);
        if page.is_empty() {
            break;
        }
        paged.extend(page);
    }
    assert_eq!(paged, expected);
}

pub(super) fn ids_are_compared_byte_by_byte(medium: &dyn Medium) {
    let store = open(medium);
    // Upper and lower case, composed and decomposed, with a joiner and without, a wildcard.
    let names = ["a", "A", "é", "e\u{301}", "ab", "a\u{200d}b", "%", "_", "a%", "'", "\\", "0", "00", "1e1", "10"];
    for name in names {
        won(&*store, name, 1, name);
    }
    for name in names {
        assert_eq!(standing(&*store, name).epoch, epoch(name, 1, name).0);
    }
    assert_eq!(store.conversations(None, 100).unwrap().len(), names.len());
}

pub(super) fn ids_may_be_long_and_in_any_script(medium: &dyn Medium) {
    let store = open(medium);
    for name in ["x".repeat(200), "é".repeat(100), "😀".repeat(50), "मन्त्र/会話#7 \"'`;--".to_owned()]
    {
        let row = won(&*store, &name, 1, "x");
        let (amended, bundle) = amendment(&name, 1, 1, "y");
        assert_eq!(store.amend(&amended, &bundle).unwrap(), Appended::Won);
        store.queue(&row.conversation, moment(0), "m").unwrap();
        assert_eq!(
            standing(&*store, &name),
            Standing {
                epoch: row,
                amendments: vec![amended],
                waiting: 1,
                inserted: 0,
                said: None,
                used: None,
                pauses: Pauses::default()
            }
        );
    }
}

pub(super) fn amendments_are_in_their_order(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    let mut expected = Vec::new();
    for number in 1..=12 {
        let (row, bundle) = amendment("c", 1, number, &format!("amendment {number}"));
        assert_eq!(store.amend(&row, &bundle).unwrap(), Appended::Won);
        expected.push(row);
        assert_eq!(standing(&*store, "c").amendments, expected);
    }
}

pub(super) fn an_amendment_that_comes_second_gets_the_last_one(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    let (early, bundle) = amendment("c", 1, 2, "too early");
    assert_eq!(store.amend(&early, &bundle).unwrap(), Appended::Lost(None));
    let (first, bundle) = amendment("c", 1, 1, "first");
    assert_eq!(store.amend(&first, &bundle).unwrap(), Appended::Won);
    for number in [0, 1, 3, u64::MAX] {
        let (mut late, bundle) = amendment("c", 1, 1, "another");
        late.number = number;
        assert_eq!(store.amend(&late, &bundle).unwrap(), Appended::Lost(Some(first.clone())));
        assert_eq!(store.texts(&[late.body]).unwrap(), [None]);
    }
    assert_eq!(standing(&*store, "c").amendments, [first]);
}

pub(super) fn an_amendment_to_an_epoch_that_has_passed_is_lost(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "x");
    let (first, bundle) = amendment("c", 1, 1, "first");
    assert_eq!(store.amend(&first, &bundle).unwrap(), Appended::Won);
    won(&*store, "c", 2, "y");
    let (late, bundle) = amendment("c", 1, 2, "late");
    assert_eq!(store.amend(&late, &bundle).unwrap(), Appended::Lost(Some(first)));
    let (early, bundle) = amendment("c", 3, 1, "early");
    assert_eq!(store.amend(&early, &bundle).unwrap(), Appended::Lost(None));
    assert_eq!(standing(&*store, "c").amendments, []);
}

pub(super) fn an_old_epoch_keeps_its_amendments(medium: &dyn Medium) {
    let store = open(medium);
    let old = won(&*store, "c", 1, "x");
    let (first, bundle) = amendment("c", 1, 1, "first");
    assert_eq!(store.amend(&first, &bundle).unwrap(), Appended::Won);
    store.queue(&old.conversation, moment(0), "m").unwrap();
    won(&*store, "c", 2, "y");
    let (second, bundle) = amendment("c", 2, 1, "of the second");
    assert_eq!(store.amend(&second, &bundle).unwrap(), Appended::Won);
    let kept = store.epoch(&old.conversation, 1).unwrap();
    assert_eq!(
        kept,
        Some(Standing {
            epoch: old,
            amendments: vec![first],
            waiting: 0,
            inserted: 0,
            said: None,
            used: None,
            pauses: Pauses::default()
        })
    );
    assert_eq!(standing(&*store, "c").amendments, [second]);
}

pub(super) fn what_was_acknowledged_is_there_for_others(medium: &dyn Medium) {
    let (one, other) = (open(medium), open(medium));
    let row = won(&*one, "c", 1, "x");
    assert_eq!(standing(&*other, "c").epoch, row);
    let (amended, bundle) = amendment("c", 1, 1, "y");
    assert_eq!(other.amend(&amended, &bundle).unwrap(), Appended::Won);
    one.queue(&row.conversation, moment(0), "m").unwrap();
    let expected = Standing {
        epoch: row,
        amendments: vec![amended],
        waiting: 1,
        inserted: 0,
        said: None,
        used: None,
        pauses: Pauses::default(),
    };
    assert_eq!(standing(&*one, "c"), expected);
    drop((one, other));
    assert_eq!(standing(&*open(medium), "c"), expected);
}
