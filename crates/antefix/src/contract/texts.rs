//! Bodies and parts.

use std::sync::Arc;

use super::ledgers::won;
use super::{Medium, epoch, open};
use crate::freeze::store::{Appended, Bundle, EpochRow, Store};
use crate::text::Digest;

/// Appends an epoch of these texts.
#[track_caller]
fn keep(store: &dyn Store, conversation: &str, body: &str, parts: &[&str]) {
    let bundle = Bundle::new(body, parts.iter().map(|part| Arc::from(*part)));
    let row = EpochRow { body: Digest::of(body), ..epoch(conversation, 1, body).0 };
    assert_eq!(store.append(&row, &bundle).unwrap(), Appended::Won);
}

#[track_caller]
fn texts(store: &dyn Store, of: &[&str]) -> Vec<Option<String>> {
    let digests: Vec<Digest> = of.iter().map(|text| Digest::of(text)).collect();
    store.texts(&digests).unwrap().into_iter().map(|text| text.map(|text| text.to_string())).collect()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

pub(super) fn texts_come_in_the_order_asked_for(medium: &dyn Medium) {
    let store = open(medium);
    keep(&*store, "c", "body", &["one", "two"]);
    let found = texts(&*store, &["two", "nowhere", "body", "one", "two"]);
    assert_eq!(found, [some("two"), None, some("body"), some("one"), some("two")]);
    assert_eq!(texts(&*store, &[]), []);
}

pub(super) fn a_text_of_several_conversations_is_kept_once(medium: &dyn Medium) {
    let store = open(medium);
    // The same body, the same part of another body, and a body that is a part elsewhere.
    keep(&*store, "a", "body", &["part"]);
    keep(&*store, "b", "body", &["part"]);
    keep(&*store, "c", "another body", &["part", "body"]);
    assert_eq!(texts(&*store, &["body", "part"]), [some("body"), some("part")]);
    assert_eq!(
        open(medium).sweep(crate::freeze::store::Sweep::Delete).unwrap(),
        crate::freeze::store::Swept::default()
    );
}

pub(super) fn the_empty_text_is_a_text(medium: &dyn Medium) {
    let store = open(medium);
    assert_eq!(texts(&*store, &[""]), [None]);
    keep(&*store, "c", "body", &[""]);
    assert_eq!(texts(&*store, &[""]), [some("")]);
    keep(&*store, "d", "", &[]);
    assert_eq!(store.standing(&super::id("d")).unwrap().unwrap().epoch.body, Digest::of(""));
}

pub(super) fn texts_keep_every_byte(medium: &dyn Medium) {
    let store = open(medium);
    let hostile = [
        "a\0b\0",
        "\0",
        "\u{feff}begins with a mark",
        "line\r\nends\rof\nall kinds\n\n",
        "e\u{301} é \u{e0001}\u{10ffff}\u{fffd}\u{202e}",
        "'; drop table texts; -- \\x00 \\\\ $1 ?1 :a %s",
        "12",
        "0x00",
        " \t ",
    ];
    keep(&*store, "c", "body with \0 in it", &hostile);
    for text in hostile.iter().chain(&["body with \0 in it"]) {
        assert_eq!(texts(&*open(medium), &[text]), [some(text)], "{text:?}");
    }
}

pub(super) fn large_texts_are_kept(medium: &dyn Medium) {
    let store = open(medium);
    let large: String = (0..).map(|line| format!("line {line} é\n")).take(300_000).collect();
    assert!(large.len() > 4 << 20);
    let part = &large[..large.floor_char_boundary(1 << 20)];
    keep(&*store, "c", &large, &[part]);
    assert!(texts(&*store, &[&large, part]) == [some(&large), some(part)]);
}

pub(super) fn many_texts_are_answered_at_once(medium: &dyn Medium) {
    let store = open(medium);
    let many: Vec<String> = (0..2_000).map(|number| format!("text {number}")).collect();
    let borrowed: Vec<&str> = many.iter().map(String::as_str).collect();
    keep(&*store, "c", "body", &borrowed);
    let expected: Vec<Option<String>> = many.iter().cloned().map(Some).collect();
    assert_eq!(texts(&*store, &borrowed), expected);
}

pub(super) fn a_loser_leaves_no_text_behind(medium: &dyn Medium) {
    let store = open(medium);
    won(&*store, "c", 1, "winner");
    let (row, bundle) = epoch("c", 1, "loser");
    assert!(matches!(store.append(&row, &bundle).unwrap(), Appended::Lost(_)));
    assert_eq!(texts(&*store, &["loser", "body of loser"]), [None, None]);
}
