//! Epochs whose spans somebody else wrote: the store is sound, and what it keeps makes no sense.

use std::path::Path;
use std::sync::Arc;

use antefix::Fault;
use antefix::compose::{Layout, Wording};
use antefix::discover::Workspace;
use antefix::freeze::{Bundle, ConversationId, Difference, EpochRow, Store};
use antefix::keeper::{Keeper, TurnInput};
use antefix::project::Shelves;
use antefix::stores::{MemoryStore, SqliteStore};
use antefix::text::{Digest, Source, SourceKind};
use antefix::worlds::MemoryWorld;

use crate::given;
use crate::parts::Parts;

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
fn in_memory_they_are_told_with_their_epoch() {
    told_with_their_epoch(&|| Box::new(MemoryStore::new()));
}

#[test]
fn in_a_file_they_are_told_with_their_epoch() {
    let directory = given::in_memory();
    let number = std::cell::Cell::new(0);
    told_with_their_epoch(&|| {
        number.set(number.get() + 1);
        let path = directory.path().join(format!("{}.db", number.get()));
        Box::new(SqliteStore::open(path).unwrap())
    });
}

/// The prefix is as it was, so turns go on; whoever asks for an origin gets an error that names the epoch.
pub(crate) fn told_with_their_epoch(open: &dyn Fn() -> Box<dyn Store>) {
    for (spans, said) in DAMAGES {
        let keeper = Keeper::of(open());
        let conversation = ConversationId::parse("c").unwrap();
        let whole = Keeper::new(MemoryStore::new());
        let (row, bundle) = with_input(|input| {
            let turn = whole.turn(&conversation, input).unwrap();
            assert_eq!(turn.prefix(), "Bé. Be kind.");
            damaged(whole.store(), turn.epoch.unwrap().row(), spans)
        });
        keeper.store().append(&row, &bundle).unwrap();
        let (epoch, _) = keeper.epoch(&conversation, 1).unwrap();
        let error = epoch.body().spans().unwrap_err();
        let expected = format!("the spans of the epoch {} {said}", row.digest);
        assert_eq!(error.fault, Fault::Corrupt);
        assert!(error.to_string().starts_with(&expected), "{error}\n{expected}");
        with_input(|input| {
            let turn = keeper.turn(&conversation, input).unwrap();
            assert_eq!((turn.prefix(), turn.began), ("Bé. Be kind.", antefix::keeper::Began::Before));
            let kind = turn.spans().unwrap_err().kind();
            assert_eq!(kind, antefix::ErrorKind::Store(Fault::Corrupt));
        });
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

fn with_input<T>(with: impl FnOnce(&TurnInput<'_>) -> T) -> T {
    let world = MemoryWorld::new().file("/p/.git/HEAD", "").at("2026-11-16T08:00:00Z");
    let workspace = Workspace::find(&world, Path::new("/p"));
    let shelves = Shelves::new(&world, &workspace, None);
    let wording = Wording::built_in();
    let layout = Layout::parse(&Source::new(SourceKind::Layout, "spans", LAYOUT).into(), &wording, &shelves).unwrap();
    let situation = Parts::new(workspace.clone());
    with(&TurnInput::new(&world, &layout, situation.situation()))
}
