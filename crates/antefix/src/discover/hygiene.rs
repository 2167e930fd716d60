//! What is looked for in every text before it may enter a prompt: characters that nobody sees, and secrets.
//!
//! 1. Hidden characters in a file make it unavailable, or are written out, or are let through, as the user's settings
//!    say; a project cannot loosen them. Joined emoji, flags and scripts that need joiners are not hidden.
//! 2. Secrets of a well-known shape are taken out before anything is shown or stored, and the place is marked.
//! 3. Each finding is told with file, line and column; what was hidden is decoded where that can be done.

use serde::Deserialize;

use super::fact::Text;
use super::hidden::{self, Hidden};
use super::secrets;
use super::world::{Answer, ReasonCode};
use crate::compose::{Draft, Transform};
use crate::diagnostic::Diagnostic;

/// How many findings of one text are told one by one.
const TOLD: usize = 5;

/// What becomes of hidden characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HiddenText {
    /// The text is not used.
    #[default]
    Block,
    /// They are written out: `<U+E0069>`.
    Escape,
    /// They stay as they are.
    Allow,
}

/// What becomes of secrets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Secrets {
    /// A marker stands in their place.
    #[default]
    Redact,
    /// They stay as they are.
    Keep,
}

/// The rules for a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hygiene {
    /// What becomes of hidden characters.
    pub hidden: HiddenText,
    /// What becomes of secrets.
    pub secrets: Secrets,
}

impl Hygiene {
    /// Whether there is nothing to find in a text, so that it may be used as it is.
    pub(super) fn passes(self, text: &str) -> bool {
        (self.hidden == HiddenText::Allow || !hidden::may_be_in(text))
            && (self.secrets == Secrets::Keep || secrets::find(text).is_empty())
    }

    /// Whether neither a text nor any part of it has anything that could be found: it has no characters and no letters in a row
    /// with which that begins.
    pub(super) fn is_beyond_doubt(self, text: &str) -> bool {
        (self.hidden == HiddenText::Allow || !hidden::may_be_in(text))
            && (self.secrets == Secrets::Keep || !secrets::may_be_in(text))
    }

    /// The text as it may be used. `label` is what a person calls it.
    pub(crate) fn clean(self, text: Text, label: &str, diagnostics: &mut Vec<Diagnostic>) -> Answer<Text> {
        let written = Text::clone(&text);
        let text = match self.without_hidden(text, label, diagnostics) {
            Answer::Present(text) => text,
            other => return other,
        };
        Answer::Present(self.without_secrets(text, written.as_str(), label, diagnostics))
    }

    fn without_hidden(self, text: Text, label: &str, diagnostics: &mut Vec<Diagnostic>) -> Answer<Text> {
        if self.hidden == HiddenText::Allow || !hidden::may_be_in(text.as_str()) {
            return Answer::Present(text);
        }
        let mut draft = Draft::default();
        let mut from = 0;
        let mut count = 0;
        for found in hidden::scan(text.as_str()) {
            count += 1;
            if count <= TOLD {
                diagnostics.push(told(&found, text.as_str(), label, self.hidden));
            }
            if self.hidden == HiddenText::Escape {
                let written: String = text.as_str()[found.range.clone()].chars().map(hidden::escape).collect();
                draft.push_part(&text, from..found.range.start);
                draft.push_changed(&text, found.range.clone(), &written, Transform::Escaped);
                from = found.range.end;
            }
        }
        if count > TOLD {
            let message = format!("{label} has {} more runs of hidden characters", count - TOLD);
            diagnostics.push(Diagnostic::warning("hidden-text", message).about(label));
        }
        match self.hidden {
            _ if count == 0 => Answer::Present(text),
            HiddenText::Block => Answer::unavailable(ReasonCode::HiddenText, label),
            _ => {
                draft.push_part(&text, from..text.as_str().len());
                Answer::Present(draft.into_text())
            }
        }
    }

    /// `written` is the text as its author has it, for the places in messages.
    fn without_secrets(self, text: Text, written: &str, label: &str, diagnostics: &mut Vec<Diagnostic>) -> Text {
        let found = if self.secrets == Secrets::Redact { secrets::find(text.as_str()) } else { Vec::new() };
        if found.is_empty() {
            return text;
        }
        let mut draft = Draft::default();
        let mut from = 0;
        for secret in &found {
            draft.push_part(&text, from..secret.range.start);
            draft.push_changed(&text, secret.range.clone(), &secrets::marker(secret.rule), Transform::Redacted);
            from = secret.range.end;
        }
        draft.push_part(&text, from..text.as_str().len());
        let places = secrets::find(written);
        for (number, secret) in found.iter().enumerate().take(TOLD) {
            let (line, column) = match places.get(number).filter(|_| places.len() == found.len()) {
                Some(place) => position(written, place.range.start),
                None => position(text.as_str(), secret.range.start),
            };
            let message = format!("{label}:{line}:{column} looks like a secret ({}) and was taken out", secret.rule);
            let hint = "revoke it if it is one: a prompt is no place for secrets";
            diagnostics.push(Diagnostic::warning("secret", message).about(label).hint(hint));
        }
        if found.len() > TOLD {
            let message = format!("{label} has {} more of what looks like secrets", found.len() - TOLD);
            diagnostics.push(Diagnostic::warning("secret", message).about(label));
        }
        draft.into_text()
    }
}

fn told(found: &Hidden, text: &str, label: &str, policy: HiddenText) -> Diagnostic {
    let (line, column) = position(text, found.range.start);
    let count = text[found.range.clone()].chars().count();
    let decoded = found.decoded.as_ref().map(|decoded| format!(" that say {decoded:?}")).unwrap_or_default();
    let outcome = match policy {
        HiddenText::Block => "the file is not used",
        HiddenText::Escape | HiddenText::Allow => "they are written out",
    };
    let message =
        format!("{label}:{line}:{column} has {count} hidden characters ({}){decoded}: {outcome}", found.class.name());
    let hint = "remove them; your own settings may say `hidden_text = \"escape\"` or \"allow\"";
    Diagnostic::warning("hidden-text", message).about(label).hint(hint)
}

/// Line and column of a byte, both from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..offset];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (1 + before.matches('\n').count(), 1 + before[start..].chars().count())
}
