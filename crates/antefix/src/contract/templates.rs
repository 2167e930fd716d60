//! Templates that people save.

use super::races::all_at_once;
use super::{Medium, moment, open};
use crate::compose::Dialect;
use crate::freeze::store::{Appended, Store, Sweep};
use crate::freeze::template::{SavedTemplate, TemplateDeletion, TemplateEntry, template_digest};

/// The layout that templates are saved for where a rule is about one alone.
const LAYOUT: &str = "dispatch";

/// A template that was not saved yet. Its time has microseconds, as those of earlier versions had.
fn template(number: u64, text: &str) -> SavedTemplate {
    template_of(LAYOUT, number, text)
}

fn template_of(layout: &str, number: u64, text: &str) -> SavedTemplate {
    let at = moment(number as i64);
    let mut template = SavedTemplate::new(number, layout, Dialect::Bracket, text, at, Some("Zoë\0".to_owned()));
    template.row.at = at;
    template
}

/// A deletion that was not written yet.
fn deletion(layout: &str, number: u64) -> TemplateDeletion {
    TemplateDeletion::new(number, layout, moment(number as i64), Some("Zoë\0".to_owned()))
}

#[track_caller]
fn saved(store: &dyn Store, number: u64, text: &str) -> SavedTemplate {
    saved_for(store, LAYOUT, number, text)
}

#[track_caller]
fn saved_for(store: &dyn Store, layout: &str, number: u64, text: &str) -> SavedTemplate {
    let template = template_of(layout, number, text);
    assert_eq!(store.save_template(&template).unwrap(), Appended::Won);
    template
}

#[track_caller]
fn deleted(store: &dyn Store, layout: &str, number: u64) -> TemplateEntry {
    let deletion = deletion(layout, number);
    assert_eq!(store.delete_template(&deletion).unwrap(), Appended::Won);
    TemplateEntry::Deleted(deletion)
}

/// The entry that a saved template is in the history.
fn entry(template: &SavedTemplate) -> TemplateEntry {
    TemplateEntry::Saved(template.row.clone())
}

pub(super) fn where_nobody_saved_there_is_no_template(medium: &dyn Medium) {
    let store = open(medium);
    assert_eq!(store.last_template(LAYOUT).unwrap(), None);
    assert_eq!(store.template(1).unwrap(), None);
    assert_eq!(store.template(u64::MAX).unwrap(), None);
    assert_eq!(store.templates(None, None, 10).unwrap(), []);
    assert_eq!(store.templates(Some(LAYOUT), None, 10).unwrap(), []);
    assert_eq!(store.template_with(LAYOUT, template_digest(Dialect::Plain, "")).unwrap(), None);
    assert_eq!(store.label_template(1, Some("x")).unwrap(), None);
}

pub(super) fn a_template_is_kept_as_it_was_given(medium: &dyn Medium) {
    let store = open(medium);
    let texts = ["", "a\0b", "\u{feff}e\u{301}\u{10ffff}\r\n", &"long ".repeat(100_000)];
    for (number, text) in (1..).zip(texts) {
        let template = saved(&*store, number, text);
        assert_eq!(store.last_template(LAYOUT).unwrap(), Some(entry(&template)));
        assert!(open(medium).template(number).unwrap() == Some(template));
    }
    for (number, dialect) in (5..).zip(Dialect::ALL) {
        let nameless = SavedTemplate::new(number, LAYOUT, dialect, "same", moment(0), None);
        assert_eq!(store.save_template(&nameless).unwrap(), Appended::Won);
        assert_eq!(store.template(number).unwrap().as_ref(), Some(&nameless));
        assert_eq!(store.template_with(LAYOUT, nameless.row.digest).unwrap(), Some(nameless));
    }
}

pub(super) fn a_template_belongs_to_its_layout(medium: &dyn Medium) {
    let store = open(medium);
    let first = saved_for(&*store, "coding-agent", 1, "the same text");
    let second = saved_for(&*store, "/etc/antefix/ours.toml", 2, "the same text");
    let third = saved_for(&*store, "coding-agent", 3, "another text");
    assert_eq!(store.last_template("coding-agent").unwrap(), Some(entry(&third)));
    assert_eq!(store.last_template("/etc/antefix/ours.toml").unwrap(), Some(entry(&second)));
    assert_eq!(store.last_template("dispatch").unwrap(), None);
    let digest = first.row.digest;
    assert_eq!(digest, second.row.digest);
    assert_eq!(store.template_with("coding-agent", digest).unwrap().as_ref(), Some(&first));
    assert_eq!(store.template_with("/etc/antefix/ours.toml", digest).unwrap().as_ref(), Some(&second));
    assert_eq!(store.template_with("/etc/antefix/ours.toml", third.row.digest).unwrap(), None);
    assert_eq!(store.template_with("dispatch", digest).unwrap(), None);
    let of = |layout: &str, before: Option<u64>, limit: usize| store.templates(Some(layout), before, limit).unwrap();
    assert_eq!(of("coding-agent", None, 10), [entry(&third), entry(&first)]);
    assert_eq!(of("coding-agent", None, 1), [entry(&third)]);
    assert_eq!(of("coding-agent", Some(3), 10), [entry(&first)]);
    assert_eq!(of("/etc/antefix/ours.toml", None, 10), [entry(&second)]);
    assert_eq!(of("dispatch", None, 10), []);
    // A number says which template is meant, whatever its layout.
    assert_eq!(store.template(2).unwrap(), Some(second));
}

pub(super) fn layouts_are_compared_byte_by_byte(medium: &dyn Medium) {
    let store = open(medium);
    let layouts = ["a", "A", "é", "e\u{301}", "", "%", "_", "a\0", "a ", "/p/café.toml", "'; drop table templates; --"];
    let entries: Vec<TemplateEntry> =
        (1..).zip(layouts).map(|(number, layout)| entry(&saved_for(&*store, layout, number, layout))).collect();
    for (layout, entry) in layouts.iter().zip(&entries) {
        assert_eq!(store.last_template(layout).unwrap().as_ref(), Some(entry), "{layout:?}");
        assert_eq!(store.templates(Some(layout), None, 10).unwrap(), std::slice::from_ref(entry), "{layout:?}");
    }
    assert_eq!(store.templates(None, None, 100).unwrap().len(), layouts.len());
}

pub(super) fn numbers_are_one_series_over_all_layouts(medium: &dyn Medium) {
    let store = open(medium);
    let first = saved_for(&*store, "a", 1, "x");
    // Its own layout has no template yet, and the number is taken all the same.
    assert_eq!(store.save_template(&template_of("b", 1, "y")).unwrap(), Appended::Lost(entry(&first)));
    assert!(store.save_template(&template_of("b", 3, "y")).is_err());
    let second = saved_for(&*store, "b", 2, "y");
    assert_eq!(store.save_template(&template_of("a", 2, "z")).unwrap(), Appended::Lost(entry(&second)));
    assert_eq!(store.delete_template(&deletion("a", 2)).unwrap(), Appended::Lost(entry(&second)));
    let third = deleted(&*store, "a", 3);
    assert_eq!(store.templates(None, None, 10).unwrap(), [third, entry(&second), entry(&first)]);
}

pub(super) fn a_deleted_template_stays_in_the_history(medium: &dyn Medium) {
    let store = open(medium);
    let first = saved_for(&*store, "a", 1, "x");
    let other = saved_for(&*store, "b", 2, "y");
    let gone = deleted(&*store, "a", 3);
    for store in [&store, &open(medium)] {
        assert_eq!(store.last_template("a").unwrap().as_ref(), Some(&gone));
        assert_eq!(store.last_template("b").unwrap(), Some(entry(&other)));
        assert_eq!(store.templates(Some("a"), None, 10).unwrap(), [gone.clone(), entry(&first)]);
        assert_eq!(store.template(1).unwrap().as_ref(), Some(&first));
        assert_eq!(store.template_with("a", first.row.digest).unwrap().as_ref(), Some(&first));
        // A deletion has no text.
        assert_eq!(store.template(3).unwrap(), None);
    }
    let nameless = TemplateDeletion { author: None, ..deletion("a", 4) };
    assert_eq!(store.delete_template(&nameless).unwrap(), Appended::Won);
    assert_eq!(store.last_template("a").unwrap(), Some(TemplateEntry::Deleted(nameless)));
}

pub(super) fn a_template_can_be_saved_again_after_it_was_deleted(medium: &dyn Medium) {
    let store = open(medium);
    let first = saved(&*store, 1, "x");
    deleted(&*store, LAYOUT, 2);
    let third = saved(&*store, 3, "x");
    assert_eq!(store.last_template(LAYOUT).unwrap(), Some(entry(&third)));
    assert_eq!(store.template_with(LAYOUT, first.row.digest).unwrap(), Some(third));
}

pub(super) fn whoever_deletes_second_gets_the_last_entry(medium: &dyn Medium) {
    let store = open(medium);
    assert!(store.delete_template(&deletion(LAYOUT, 2)).is_err());
    assert!(store.delete_template(&deletion(LAYOUT, 0)).is_err());
    saved(&*store, 1, "x");
    assert!(store.delete_template(&deletion(LAYOUT, 3)).is_err());
    let second = deleted(&*store, LAYOUT, 2);
    for number in 1..=2 {
        assert_eq!(open(medium).delete_template(&deletion(LAYOUT, number)).unwrap(), Appended::Lost(second.clone()));
        assert_eq!(open(medium).save_template(&template(number, "x")).unwrap(), Appended::Lost(second.clone()));
    }
    assert_eq!(store.templates(None, None, 10).unwrap().len(), 2);
}

pub(super) fn a_deletion_has_no_label(medium: &dyn Medium) {
    let store = open(medium);
    saved(&*store, 1, "x");
    let gone = deleted(&*store, LAYOUT, 2);
    assert_eq!(store.label_template(2, Some("good")).unwrap(), None);
    assert_eq!(store.label_template(2, None).unwrap(), None);
    assert_eq!(store.last_template(LAYOUT).unwrap(), Some(gone));
    assert_eq!(store.label_template(1, Some("good")).unwrap().unwrap().label.as_deref(), Some("good"));
}

pub(super) fn whoever_saves_second_gets_the_last_template(medium: &dyn Medium) {
    let store = open(medium);
    let first = saved(&*store, 1, "first");
    assert_eq!(open(medium).save_template(&template(1, "other")).unwrap(), Appended::Lost(entry(&first)));
    let second = saved(&*store, 2, "second");
    assert_eq!(store.save_template(&template(1, "first")).unwrap(), Appended::Lost(entry(&second)));
    assert_eq!(store.save_template(&template(2, "second")).unwrap(), Appended::Lost(entry(&second)));
    assert_eq!(store.templates(None, None, 10).unwrap().len(), 2);
}

pub(super) fn a_gap_between_templates_is_refused(medium: &dyn Medium) {
    let store = open(medium);
    assert!(store.save_template(&template(2, "x")).is_err());
    assert!(store.save_template(&template(0, "x")).is_err());
    saved(&*store, 1, "x");
    assert!(store.save_template(&template(3, "x")).is_err());
    assert_eq!(store.templates(None, None, 10).unwrap().len(), 1);
}

pub(super) fn templates_are_paged_from_the_last_one(medium: &dyn Medium) {
    let store = open(medium);
    let mut entries: Vec<_> = (1..=12).map(|number| entry(&saved(&*store, number, &format!("t{number}")))).collect();
    entries.reverse();
    for layout in [None, Some(LAYOUT)] {
        assert_eq!(store.templates(layout, None, 100).unwrap(), entries);
        assert_eq!(store.templates(layout, None, usize::MAX).unwrap(), entries);
        assert_eq!(store.templates(layout, None, 5).unwrap(), entries[..5]);
        assert_eq!(store.templates(layout, Some(8), 5).unwrap(), entries[5..10]);
        assert_eq!(store.templates(layout, Some(1), 5).unwrap(), []);
        assert_eq!(store.templates(layout, None, 0).unwrap(), []);
    }
}

pub(super) fn of_two_templates_with_one_digest_the_last_is_found(medium: &dyn Medium) {
    let store = open(medium);
    let first = saved(&*store, 1, "again");
    saved(&*store, 2, "between");
    let third = saved(&*store, 3, "again");
    assert_eq!(first.row.digest, third.row.digest);
    assert_eq!(store.template_with(LAYOUT, first.row.digest).unwrap(), Some(third));
}

pub(super) fn a_label_may_come_change_and_go(medium: &dyn Medium) {
    let store = open(medium);
    let template = saved(&*store, 1, "x");
    let second = saved(&*store, 2, "y");
    for label in [Some("good"), Some("ž \0"), Some(""), None, None] {
        let mut expected = template.row.clone();
        expected.label = label.map(str::to_owned);
        assert_eq!(store.label_template(1, label).unwrap().as_ref(), Some(&expected));
        assert_eq!(open(medium).template(1).unwrap().unwrap().row, expected);
        assert_eq!(open(medium).templates(None, None, 10).unwrap()[1], TemplateEntry::Saved(expected));
    }
    assert_eq!(store.last_template(LAYOUT).unwrap(), Some(entry(&second)));
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
                    let last = || store.templates(None, None, 1).unwrap().first().map_or(0, TemplateEntry::number);
                    let tries = (1..=NUMBERS).map(|number| {
                        // Somebody may be behind, and must not be ahead.
                        while last() < number - 1 {
                            std::thread::yield_now();
                        }
                        // Whoever writes for another layout takes part in the same race.
                        let layout = if writer.is_multiple_of(2) { LAYOUT } else { "coding-agent" };
                        let mine = template_of(layout, number, &format!("of {writer}"));
                        u64::from(store.save_template(&mine).unwrap() == Appended::Won)
                    });
                    tries.sum::<u64>()
                })
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).sum()
    });
    assert_eq!(won, NUMBERS);
    let entries = open(medium).templates(None, None, 100).unwrap();
    let numbers: Vec<u64> = entries.iter().map(TemplateEntry::number).collect();
    assert_eq!(numbers, (1..=NUMBERS).rev().collect::<Vec<_>>());
}

pub(super) fn of_those_who_save_and_delete_at_once_one_wins(medium: &dyn Medium) {
    saved(&*open(medium), 1, "first");
    for number in 2..=6 {
        let answers = all_at_once(medium, |store, thread| {
            let answer = match thread % 2 {
                0 => store.save_template(&template(number, &format!("of {thread}"))),
                _ => store.delete_template(&deletion(LAYOUT, number)),
            };
            answer.unwrap()
        });
        assert_eq!(answers.iter().filter(|answer| **answer == Appended::Won).count(), 1);
        let last = open(medium).last_template(LAYOUT).unwrap().unwrap();
        assert_eq!(last.number(), number);
        assert!(
            answers.iter().all(|answer| matches!(answer, Appended::Won) || *answer == Appended::Lost(last.clone()))
        );
    }
    assert_eq!(open(medium).templates(None, None, 100).unwrap().len(), 6);
}
