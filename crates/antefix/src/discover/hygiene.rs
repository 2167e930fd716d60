//! What is looked for in every text before it may enter a prompt: characters that nobody sees, and secrets.
//!
//! 1. Stray hidden characters are taken out of a file, and those that may carry a message make it unavailable; or all of
//!    them are written out or let through, as the user's settings say; a project cannot loosen them. Joined emoji, flags and
//!    scripts that need joiners are not hidden.
//! 2. Secrets of a well-known shape are taken out before anything is shown or stored, and the place is marked.
//! 3. Each finding is reported with file, line and column; what was hidden is decoded where that can be done.

use serde::Deserialize;

use super::hidden::{self, Hidden, Risk};
use super::rewrite::Rewrite;
use super::secrets;
use super::world::{Answer, ReasonCode};
use crate::diagnostic::{Code, Diagnostic, Level, Subject};
pub use crate::text::HiddenText;
use crate::text::{FactName, Origin, Text, Transform};

/// No secret has fewer characters.
pub(super) const SHORTEST_TOKEN: usize = 16;

/// How many findings of one text are reported one by one.
const REPORTED: usize = 5;

/// What becomes of secrets.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Secrets {
    /// They are replaced by a marker.
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
    pub(crate) fn passes(self, text: &str) -> bool {
        (self.hidden == HiddenText::Allow || !hidden::may_be_in(text) || hidden::scan(text).next().is_none())
            && (self.secrets == Secrets::Keep || secrets::find(text).is_empty())
    }

    /// Whether neither a text nor any part of it has anything that could be found: it has no characters and no letters in a row
    /// with which that begins.
    pub(super) fn is_beyond_doubt(self, text: &str) -> bool {
        (self.hidden == HiddenText::Allow || !hidden::may_be_in(text))
            && (self.secrets == Secrets::Keep || !secrets::may_be_in(text))
    }

    /// The same for what cannot be left out as a whole: where hidden characters would block a text, they are written out.
    pub(crate) fn written_out(self) -> Hygiene {
        match self.hidden {
            HiddenText::Block => Hygiene { hidden: HiddenText::Escape, ..self },
            HiddenText::Escape | HiddenText::Allow => self,
        }
    }

    /// A path as it may be called in a prompt in which these tags are written out. A directory may be called anything, so nothing of
    /// it can break a line, hide, close a tag or be a secret.
    pub(super) fn label(self, path: String, protect: &[String]) -> String {
        let plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'<' | b'"');
        if path.bytes().all(plain) && path.split('/').all(|name| name.len() < SHORTEST_TOKEN) {
            return path;
        }
        let mut label = String::with_capacity(path.len());
        let mut from = 0;
        for found in hidden::scan(&path) {
            label.push_str(&path[from..found.range.start]);
            label.extend(path[found.range.clone()].chars().map(hidden::escape));
            from = found.range.end;
        }
        label.push_str(&path[from..]);
        let mut label = label.replace(['\n', '\r', '\t', '\u{85}', '\u{2028}', '\u{2029}'], " ");
        if !protect.is_empty() {
            label = label.replace('<', "&lt;").replace('"', "&quot;");
        }
        self.redact(&mut label);
        label
    }

    /// What is reported about a text, unless words of that text in it must not be reported: escapes can write what was not there when
    /// it was checked.
    pub(super) fn reportable(self, words: String) -> String {
        if self.passes(&words) { words } else { "escapes in it write a secret or hidden characters".to_owned() }
    }

    /// Takes secrets and hidden characters out of what is reported about something.
    pub(crate) fn redact(self, words: &mut String) {
        if self.passes(words) {
            return;
        }
        let text = Text::new(words.as_str(), Origin::fact(&FactName::new("message", "")));
        if let Answer::Present(text) = self.written_out().clean(text, &"".into(), &mut Vec::new()) {
            *words = text.as_str().to_owned();
        }
    }

    /// The same for findings.
    pub(crate) fn redact_all(self, findings: &mut [Diagnostic]) {
        for finding in findings {
            self.redact(&mut finding.message);
            let about = finding.about.iter_mut().flat_map(Subject::words_mut);
            finding.hint.iter_mut().chain(about).for_each(|words| self.redact(words));
        }
    }

    /// The text as it may be used. `about` is what a person calls it.
    pub(crate) fn clean(self, text: Text, about: &Subject, diagnostics: &mut Vec<Diagnostic>) -> Answer<Text> {
        self.clean_at(text, about, At::Itself, diagnostics)
    }

    /// The same for a value that is written on a line of a file in some way or other, such as with escapes.
    pub(super) fn clean_value(
        self,
        value: Text,
        about: &Subject,
        line: usize,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Answer<Text> {
        self.clean_at(value, about, At::Line(line), diagnostics)
    }

    fn clean_at(self, text: Text, about: &Subject, at: At, diagnostics: &mut Vec<Diagnostic>) -> Answer<Text> {
        let written = Text::clone(&text);
        let text = match self.without_hidden(text, about, at, diagnostics) {
            Answer::Present(text) => text,
            other => return other,
        };
        Answer::Present(self.without_secrets(text, written.as_str(), about, at, diagnostics))
    }

    fn without_hidden(self, text: Text, about: &Subject, at: At, diagnostics: &mut Vec<Diagnostic>) -> Answer<Text> {
        if self.hidden == HiddenText::Allow || !hidden::may_be_in(text.as_str()) {
            return Answer::Present(text);
        }
        let mut rewrite = Rewrite::new(&text);
        let (mut count, mut shown, mut worst) = (0, 0, None);
        for found in hidden::scan(text.as_str()) {
            count += 1;
            let outcome = Outcome::of(self.hidden, found.risk);
            // What keeps a file out is always reported.
            if count <= REPORTED || (worst < Some(outcome) && outcome == Outcome::Blocked) {
                diagnostics.push(to_diagnostic(&found, text.as_str(), about, at, outcome));
                shown += 1;
            }
            worst = worst.max(Some(outcome));
            match outcome {
                Outcome::Blocked => {}
                Outcome::TakenOut => rewrite.replace(found.range, "", Transform::Trimmed),
                Outcome::WrittenOut => {
                    let written: String = text.as_str()[found.range.clone()].chars().map(hidden::escape).collect();
                    rewrite.replace(found.range, &written, Transform::Escaped);
                }
            }
        }
        if count > shown {
            let message = format!("{} has {} more runs of hidden characters", about.label(), count - shown);
            diagnostics.push(Diagnostic::warning(Code::HiddenText, message).about(about));
        }
        match worst {
            Some(Outcome::Blocked) => Answer::unavailable(ReasonCode::HiddenText, about.label()),
            _ => Answer::Present(rewrite.finish()),
        }
    }

    /// `written` is the text as its author has it, for the places in messages.
    fn without_secrets(
        self,
        text: Text,
        written: &str,
        about: &Subject,
        at: At,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Text {
        let found = if self.secrets == Secrets::Redact { secrets::find(text.as_str()) } else { Vec::new() };
        if found.is_empty() {
            return text;
        }
        let label = about.label();
        let mut rewrite = Rewrite::new(&text);
        for secret in &found {
            rewrite.replace(secret.range.clone(), &secrets::marker(secret.rule), Transform::Redacted);
        }
        let places = secrets::find(written);
        for (number, secret) in found.iter().enumerate().take(REPORTED) {
            let (text, start) = match places.get(number).filter(|_| places.len() == found.len()) {
                Some(place) => (written, place.range.start),
                None => (text.as_str(), secret.range.start),
            };
            let place = at.of(text, start);
            let message = format!("{label}:{place} looks like a secret ({}) and was removed", secret.rule);
            let hint = "revoke it if it is one: secrets do not belong in a prompt";
            diagnostics
                .push(Diagnostic::warning(Code::Secret, message).about(at.subject(about, text, start)).hint(hint));
        }
        if found.len() > REPORTED {
            let message = format!("{label} has {} more of what looks like secrets", found.len() - REPORTED);
            diagnostics.push(Diagnostic::warning(Code::Secret, message).about(about));
        }
        rewrite.finish()
    }
}

/// What becomes of a run of hidden characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    WrittenOut,
    TakenOut,
    Blocked,
}

impl Outcome {
    fn of(policy: HiddenText, risk: Risk) -> Outcome {
        match (policy, risk) {
            (HiddenText::Escape | HiddenText::Allow, _) => Outcome::WrittenOut,
            (HiddenText::Block, Risk::Stray) => Outcome::TakenOut,
            (HiddenText::Block, Risk::Message) => Outcome::Blocked,
        }
    }
}

fn to_diagnostic(found: &Hidden, text: &str, about: &Subject, at: At, outcome: Outcome) -> Diagnostic {
    let place = at.of(text, found.range.start);
    let run = &text[found.range.clone()];
    let (count, label, class) = (run.chars().count(), about.label(), found.class.name());
    let decoded = found
        .decoded
        .as_ref()
        .map(|decoded| format!(" that say{} {decoded:?}", if count == 1 { "s" } else { "" }))
        .unwrap_or_default();
    let (characters, they_are) = if count == 1 { ("character", "it is") } else { ("characters", "they are") };
    // They are named: nobody can see them, and an editor can search for them.
    let mut named: String = run.chars().take(NAMED).map(|c| format!(" U+{:04X}", u32::from(c))).collect();
    if count > NAMED {
        named.push_str(" …");
    }
    let what = format!("{label}:{place} has {count} hidden {characters}{named} ({class}){decoded}");
    let allowed = "your own settings may say `hidden_text = \"escape\"` or \"allow\"";
    match outcome {
        Outcome::Blocked => Diagnostic::new(Level::Error, Code::HiddenText, format!("{what}: the file is not used"))
            .hint(format!("remove them; {allowed}")),
        Outcome::WrittenOut => Diagnostic::warning(Code::HiddenText, format!("{what}: {they_are} written out"))
            .hint(format!("remove them; {allowed}")),
        Outcome::TakenOut => {
            Diagnostic::warning(Code::HiddenText, format!("{what}: {they_are} left out, and the rest is used"))
                .hint("pasted text often has such characters; remove them from the file")
        }
    }
    .about(at.subject(about, text, found.range.start))
}

/// As many hidden characters of a run are named.
const NAMED: usize = 4;

/// How the place of a finding is named.
#[derive(Clone, Copy)]
enum At {
    /// It is what its label names, and has lines of its own.
    Itself,
    /// It is a value on a line, whose columns are not those of the file.
    Line(usize),
}

impl At {
    /// What a finding is about that begins at a byte of the text.
    fn subject(self, about: &Subject, text: &str, offset: usize) -> Subject {
        match self {
            At::Itself => {
                let (line, column) = position(text, offset);
                about.clone().at(line, column)
            }
            At::Line(line) => about.clone().at(line, 1),
        }
    }

    /// The place of a byte of the text.
    fn of(self, text: &str, offset: usize) -> String {
        match self {
            At::Itself => {
                let (line, column) = position(text, offset);
                format!("{line}:{column}")
            }
            At::Line(line) => line.to_string(),
        }
    }
}

/// Line and column of a byte, both from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..offset];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (1 + before.matches('\n').count(), 1 + before[start..].chars().count())
}
