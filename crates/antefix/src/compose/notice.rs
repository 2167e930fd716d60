//! Notices: what is appended to a conversation because something came to hold.

use super::roomy;
use super::span::Draft;
use super::template::Shelf;
use super::wording::{Wording, WordingKey, print};
use crate::discover::{Answer, FactName, Text, Touched};
use crate::error::Result;

/// The notice about what came to hold when paths were touched; none if nothing did.
pub fn notice(touched: &Touched, wording: &Wording, shelf: &dyn Shelf) -> Result<Option<Text>> {
    let Answer::Present(files) = &touched.files else { return Ok(None) };
    let text = files.text(&FactName::new("instructions", "files"));
    let template = wording.template(WordingKey::parse("touch_notice")?, shelf)?;
    roomy(|| print(&template, &[("text", &text)]).map(Draft::into_text)).map(Some)
}
