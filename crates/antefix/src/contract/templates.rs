//! Templates that people save.

use super::{Medium, moment, open};
use crate::compose::Dialect;
use crate::freeze::{Appended, SavedTemplate, Store, Sweep, template_digest};

/// A template that was not saved yet. Its time has microseconds, as those of earlier versions had.
fn template(number: u64, text: &str) -> SavedTemplate {
    let at = moment(number as i64);
    let mut template = SavedTemplate::new(number, Dialect::Bracket, text, at, Some("Zoë\0".to_owned()));
    template.row.at = at;
    template
}

#[track_caller]
fn saved(store: &dyn Store, number: u64, text: &str) -> SavedTemplate {
    let template = template(number, text);
    assert_eq!(store.save_template(&template).unwrap(), Appended::Won);
    template
}

pub(super) fn where_nobody_saved_there_is_no_template(medium: &dyn Medium) {
    let store = open(medium);
    assert_eq!(store.last_template().unwrap(), None);
    assert_eq!(store.template(1).unwrap(), None);
    assert_eq!(store.template(u64::MAX).unwrap(), None);
    assert_eq!(store.templates(None, 10).unwrap(), []);
    assert_eq!(store.template_with(template_digest(Dialect::Plain, "")).unwrap(), None);
    assert_eq!(store.label_template(1, Some("x")).unwrap(), None);
}

pub(super) fn a_template_is_kept_as_it_was_given(medium: &dyn Medium) {
    let store = open(medium);
    let texts = ["", "a\0b", "\u{feff}e\u{301}\u{10ffff}\r\n", &"long ".repeat(100_000)];
    for (number, text) in (1..).zip(texts) {
        let template = saved(&*store, number, text);
        assert_eq!(store.last_template().unwrap().as_ref(), Some(&template.row));
        assert!(open(medium).template(number).unwrap() == Some(template));
    }
    for (number, dialect) in (5..).zip(Dialect::ALL) {
        let nameless = SavedTemplate::new(number, dialect, "same", moment(0), None);
        assert_eq!(store.save_template(&nameless).unwrap(), Appended::Won);
        assert_eq!(store.template(number).unwrap().as_ref(), Some(&nameless));
        assert_eq!(store.template_with(nameless.row.digest).unwrap(), Some(nameless));
    }
}

pub(super) fn whoever_saves_second_gets_the_last_template(medium: &dyn Medium) {
    let store = open(medium);
    let first = saved(&*store, 1, "first");
    assert_eq!(open(medium).save_template(&template(1, "other")).unwrap(), Appended::Lost(first.row));
    let second = saved(&*store, 2, "second");
    assert_eq!(store.save_template(&template(1, "first")).unwrap(), Appended::Lost(second.row.clone()));
    assert_eq!(store.save_template(&template(2, "second")).unwrap(), Appended::Lost(second.row));
    assert_eq!(store.templates(None, 10).unwrap().len(), 2);
}

pub(super) fn a_gap_between_templates_is_refused(medium: &dyn Medium) {
    let store = open(medium);
    assert!(store.save_template(&template(2, "x")).is_err());
    assert!(store.save_template(&template(0, "x")).is_err());
    saved(&*store, 1, "x");
    assert!(store.save_template(&template(3, "x")).is_err());
    assert_eq!(store.templates(None, 10).unwrap().len(), 1);
}

pub(super) fn templates_are_paged_from_the_last_one(medium: &dyn Medium) {
    let store = open(medium);
    let mut rows: Vec<_> = (1..=12).map(|number| saved(&*store, number, &format!("t{number}")).row).collect();
    rows.reverse();
    assert_eq!(store.templates(None, 100).unwrap(), rows);
    assert_eq!(store.templates(None, 5).unwrap(), rows[..5]);
    assert_eq!(store.templates(Some(8), 5).unwrap(), rows[5..10]);
    assert_eq!(store.templates(Some(1), 5).unwrap(), []);
    assert_eq!(store.templates(None, 0).unwrap(), []);
}

pub(super) fn of_two_templates_with_one_digest_the_last_is_found(medium: &dyn Medium) {
    let store = open(medium);
    let first = saved(&*store, 1, "again");
    saved(&*store, 2, "between");
    let third = saved(&*store, 3, "again");
    assert_eq!(first.row.digest, third.row.digest);
    assert_eq!(store.template_with(first.row.digest).unwrap(), Some(third));
}

pub(super) fn a_label_may_come_change_and_go(medium: &dyn Medium) {
    let store = open(medium);
    let template = saved(&*store, 1, "x");
    saved(&*store, 2, "y");
    for label in [Some("good"), Some("ž \0"), Some(""), None, None] {
        let mut expected = template.row.clone();
        expected.label = label.map(str::to_owned);
        assert_eq!(store.label_template(1, label).unwrap().as_ref(), Some(&expected));
        assert_eq!(open(medium).template(1).unwrap().unwrap().row, expected);
        assert_eq!(open(medium).templates(None, 10).unwrap()[1], expected);
    }
    assert_eq!(store.last_template().unwrap().unwrap().label, None);
}

pub(super) fn a_sweep_leaves_templates_alone(medium: &dyn Medium) {
    let store = open(medium);
    let template = saved(&*store, 1, "kept");
    assert_eq!(store.sweep(Sweep::Delete).unwrap().texts, 0);
    assert_eq!(store.template(1).unwrap(), Some(template));
}

pub(super) fn of_many_who_save_one_wins_each_number(medium: &dyn Medium) {
    const WRITERS: u64 = 8;
    const NUMBERS: u64 = 5;
    let won: u64 = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                scope.spawn(move || {
                    let store = open(medium);
                    let tries = (1..=NUMBERS).map(|number| {
                        // Somebody may be behind, and must not be ahead.
                        while number > 1 && store.last_template().unwrap().is_none_or(|last| last.number < number - 1) {
                            std::thread::yield_now();
                        }
                        let mine = template(number, &format!("of {writer}"));
                        u64::from(store.save_template(&mine).unwrap() == Appended::Won)
                    });
                    tries.sum::<u64>()
                })
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).sum()
    });
    assert_eq!(won, NUMBERS);
    let numbers: Vec<u64> = open(medium).templates(None, 100).unwrap().iter().map(|row| row.number).collect();
    assert_eq!(numbers, (1..=NUMBERS).rev().collect::<Vec<_>>());
}
