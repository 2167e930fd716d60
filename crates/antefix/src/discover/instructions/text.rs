//! A file's text as it enters the prompt.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Instruction;
use crate::compose::{Draft, Origin, Transform};
use crate::discover::fact::{FactName, Text, Value};

/// A file's text without a byte-order mark, its line ends line feeds.
pub(in crate::discover) fn normalized(text: &str, origin: Origin) -> Text {
    let clean = text.strip_prefix('\u{feff}').unwrap_or(text);
    if memchr::memchr(b'\r', clean.as_bytes()).is_none() {
        return Text::new(clean, origin);
    }
    let mut draft = Draft::default();
    let lines = clean.replace("\r\n", "\n").replace('\r', "\n");
    draft.push(&lines, origin, Some(Transform::Normalized));
    draft.into_text()
}

/// The files as maps with `path`, `text` and `body`, and as one text with a heading for each.
pub(in crate::discover) fn value(found: &[Instruction], name: &FactName) -> Value {
    let maps: Vec<Map> = found
        .iter()
        .map(|file| {
            let label = Text::new(Arc::clone(&file.label), Origin::file(name, &file.label));
            [("path", label), ("body", body(&file.text)), ("text", file.text.clone())].into()
        })
        .collect();
    Value::Maps { text: headed(&maps, name), maps }
}

/// The named texts of a file.
pub(super) type Map = BTreeMap<&'static str, Text>;

/// The text without the line feeds at its ends, for frames that bring their own.
pub(super) fn body(text: &Text) -> Text {
    let whole = text.as_str();
    let start = whole.len() - whole.trim_start_matches('\n').len();
    text.cut_out(start..whole.trim_end_matches('\n').len().max(start))
}

/// All files as one text with a heading for each.
pub(super) fn headed(maps: &[Map], name: &FactName) -> Text {
    let mut draft = Draft::default();
    for (number, map) in maps.iter().enumerate() {
        let (Some(label), Some(body)) = (map.get("path"), map.get("body")) else { continue };
        let origin = Origin::file(name, label.shared());
        if number > 0 {
            draft.push("\n\n", origin.clone(), Some(Transform::Joined));
        }
        draft.push("## ", origin.clone(), Some(Transform::Joined));
        draft.push_text(label);
        draft.push("\n\n", origin, Some(Transform::Joined));
        draft.push_text(body);
    }
    draft.into_text()
}
