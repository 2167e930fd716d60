//! Notices: what is appended to a conversation because something new applies.

use super::wording::{Wording, WordingKey, print};
use crate::discover::touch::Touched;
use crate::discover::{Answer, Value};
use crate::error::Result;
use crate::text::{Draft, FactName, Origin, Text, Transform, roomy};

/// The notice about what applies since paths were touched; none if nothing new does.
///
/// Each file has a frame of its own, which it can neither close nor imitate: [`touch`](crate::discover::touch) has written
/// out the tags.
pub fn notice(touched: &Touched, wording: &Wording) -> Result<Option<Text>> {
    let Answer::Present(Value::Maps(files)) = &touched.files else { return Ok(None) };
    let name = FactName::new("instructions", "files");
    let mut draft = Draft::default();
    for (number, file) in files.iter().enumerate() {
        let (Some(path), Some(body)) = (file.get("path"), file.get("body")) else { continue };
        let frame = Origin::file(&name, path.shared());
        let begin = if number == 0 { "<instructions from=\"" } else { "\n\n<instructions from=\"" };
        draft.push(begin, frame.clone(), Some(Transform::Joined));
        draft.push_text(path);
        draft.push("\">\n", frame.clone(), Some(Transform::Joined));
        draft.push_text(body);
        draft.push("\n</instructions>", frame, Some(Transform::Joined));
    }
    let text = draft.into_text();
    let template = wording.template(WordingKey::parse("touch_notice")?)?;
    roomy(|| print(template, &[("text", &text)]).map(Draft::into_text)).map(Some)
}
