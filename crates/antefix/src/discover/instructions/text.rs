//! A file's text as it enters the prompt.

use std::sync::Arc;

use super::Instruction;
use crate::compose::{Draft, Origin, Transform};
use crate::discover::fact::{FactName, Text, Value};

/// A file's text without a byte-order mark, its line ends line feeds.
pub(in crate::discover) fn normalized(text: &str, origin: Origin) -> Text {
    let clean = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut draft = Draft::default();
    if clean.contains('\r') {
        let lines = clean.replace("\r\n", "\n").replace('\r', "\n");
        draft.push(&lines, origin, Some(Transform::Normalized));
    } else {
        draft.push(clean, origin, None);
    }
    draft.into_text()
}

/// The files as maps with `path`, `text` and `body`, and as one text with a heading for each.
pub(super) fn value(found: &[Instruction], name: &FactName) -> Value {
    let mut draft = Draft::default();
    let mut maps = Vec::new();
    for (number, file) in found.iter().enumerate() {
        let origin = Origin::file(name, &file.label);
        let label = Text::new(Arc::clone(&file.label), origin.clone());
        if number > 0 {
            draft.push("\n\n", origin.clone(), Some(Transform::Joined));
        }
        draft.push("## ", origin.clone(), Some(Transform::Joined));
        draft.push_text(&label);
        draft.push("\n\n", origin, Some(Transform::Joined));
        // The body is the text without the line feeds at its ends, for frames that bring their own.
        let whole = file.text.as_str();
        let start = whole.len() - whole.trim_start_matches('\n').len();
        let mut body = Draft::default();
        body.push_part(&file.text, start..whole.trim_end_matches('\n').len().max(start));
        let body = body.into_text();
        draft.push_text(&body);
        maps.push([("path", label), ("text", file.text.clone()), ("body", body)].into());
    }
    Value::Maps { maps, text: draft.into_text() }
}
