//! Epochs whose spans somebody else wrote: the store is sound, and what it keeps makes no sense.

use std::sync::Arc;

use antefix::freeze::store::{Bundle, EpochRow, Store};
use antefix::freeze::{ConversationId, Difference};
use antefix::keeper::Began;
use antefix::stores::{MemoryStore, SqliteStore};
use antefix::text::Digest;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, ErrorKind, Fault, Turn};

use crate::given;

/// Thirteen bytes in two sections, one of them within a character.
const LAYOUT: &str = r#"
[[section]]
id = "one"
stability = "fixed"
text = "Bé. "
[[section]]
id = "two"
stability = "frozen"
text = "Be kind."
"#;

/// What is wrong with the spans, and what is said of it.
const DAMAGES: [(&str, &str); 7] = [
    ("", "cannot be read: EOF while parsing a value"),
    ("{}", "cannot be read: invalid type: map"),
    ("[]", "do not fit its bytes from 0 on"),
    (r#"[{"start":0,"end":5,"section":0,"origin":{"kind":"layout","name":"x"}}]"#, "do not fit its bytes from 5 on"),
    (r#"[{"start":0,"end":2,"section":0,"origin":{"kind":"layout","name":"x"}}]"#, "do not fit its bytes from 0 on"),
    (r#"[{"start":0,"end":99,"section":0,"origin":{"kind":"layout","name":"x"}}]"#, "do not fit its bytes from 0 on"),
    (r#"[{"start":0,"end":13,"section":2,"origin":{"kind":"layout","name":"x"}}]"#, "do not fit its bytes from 0 on"),
];

#[test]
fn in_memory_they_are_reported_with_their_epoch() {
    told_with_their_epoch(MemoryStore::new);
}

#[test]
fn in_a_file_they_are_reported_with_their_epoch() {
    let directory = given::in_memory();
    let number = std::cell::Cell::new(0);
    told_with_their_epoch(|| {
        number.set(number.get() + 1);
        let path = directory.path().join(format!("{}.db", number.get()));
        SqliteStore::open(path).unwrap()
    });
}

/// The prefix is as it was, so turns go on; whoever asks for an origin gets an error that names the epoch.
pub(crate) fn told_with_their_epoch<S: Store + 'static>(open: impl Fn() -> S) {
    for (spans, said) in DAMAGES {
        let antefix = antefix(open());
        let whole = MemoryStore::new();
        let first = turn(&self::antefix(whole.clone()));
        assert_eq!(first.prefix(), "Bé. Be kind.");
        let (row, bundle) = damaged(&whole, first.epoch.unwrap().row(), spans);
        let (keeper, conversation) = (antefix.keeper().unwrap(), ConversationId::parse("c").unwrap());
        keeper.store().append(&row, &bundle).unwrap();
        let (epoch, _) = keeper.epoch(&conversation, 1).unwrap();
        let error = epoch.body().spans().unwrap_err();
        let expected = format!("the spans of the epoch {} {said}", row.digest);
        assert_eq!(error.fault, Fault::Corrupt);
        assert!(error.to_string().starts_with(&expected), "{error}\n{expected}");
        let turn = turn(&antefix);
        assert_eq!((turn.prefix(), turn.began), ("Bé. Be kind.", Began::Before));
        assert_eq!(turn.spans().unwrap_err().kind(), ErrorKind::Store(Fault::Corrupt));
        let mut other = epoch.body().clone();
        other.text = "Bé. Be".into();
        assert_eq!(Difference::between(epoch.body(), &other).unwrap_err().fault, Fault::Corrupt);
    }
}

/// The row and the texts of an epoch with other spans.
fn damaged(store: &dyn Store, row: &EpochRow, spans: &str) -> (EpochRow, Bundle) {
    let text = |digest: Digest| store.texts(&[digest]).unwrap().remove(0).unwrap();
    let mut record: serde_json::Value = serde_json::from_str(&text(row.body)).unwrap();
    record["spans"] = serde_json::json!(Digest::of(spans));
    let sections = record["sections"].as_array().unwrap().iter();
    let parts: Vec<Arc<str>> =
        sections.map(|one| text(Digest::parse(one["text"].as_str().unwrap()).unwrap())).collect();
    let body = record.to_string();
    let row = EpochRow { body: Digest::of(&body), ..row.clone() };
    (row, Bundle::new(body, parts.into_iter().chain([Arc::from(spans)])))
}

/// A project with the layout, and a store.
fn antefix(store: impl Store + 'static) -> Antefix {
    let world = MemoryWorld::new().file("/p/.antefix/layout.toml", LAYOUT).at("2026-11-16T08:00:00Z");
    Antefix::builder().world(world).open_store(store).build().unwrap()
}

fn turn(antefix: &Antefix) -> Turn {
    antefix.project("/p").unwrap().conversation("c").unwrap().turn(Ask::new()).unwrap()
}
