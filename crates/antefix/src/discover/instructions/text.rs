//! A file's text as it enters the prompt.

use std::sync::Arc;

use super::Instruction;
use crate::discover::fact::Value;
use crate::text::{Draft, FactName, Origin, Text, Transform};

/// A file's text without a byte-order mark, its line ends line feeds.
pub(in crate::discover) fn normalized(text: &str, origin: Origin) -> Text {
    let clean = text.trim_start_matches('\u{feff}');
    if memchr::memchr(b'\r', clean.as_bytes()).is_none() {
        return Text::new(clean, origin);
    }
    let mut draft = Draft::default();
    let lines = clean.replace("\r\n", "\n").replace('\r', "\n");
    draft.push(&lines, origin, Some(Transform::Normalized));
    draft.into_text()
}

/// The files as maps with `path`, `text` and `body`.
pub(in crate::discover) fn value(found: &[Instruction], name: &FactName) -> Value {
    value_with(found, |label| Origin::file(name, label))
}

/// The same, where `origin` says where a path comes from.
pub(super) fn value_with(found: &[Instruction], origin: impl Fn(&Arc<str>) -> Origin) -> Value {
    let maps = found.iter().map(|file| {
        let label = Text::new(Arc::clone(&file.label), origin(&file.label));
        [("path".into(), label), ("body".into(), body(&file.text)), ("text".into(), file.text.clone())].into()
    });
    Value::Maps(maps.collect())
}

/// The text without the line feeds at its ends, for frames that bring their own.
pub(in crate::discover) fn body(text: &Text) -> Text {
    let whole = text.as_str();
    let start = whole.len() - whole.trim_start_matches('\n').len();
    text.cut_out(start..whole.trim_end_matches('\n').len().max(start))
}
