//! A prefix as sections of a user's message, for agents that take no system prompt.
//!
//! 1. One text a section, in order, without the line breaks that join them.
//! 2. The fixed part is labeled as the base, and what the operator says as the operator's: no role says so.
//!    Every other section brings its own heading along.
//! 3. What a fact says cannot forge such a label: there the first bracket is written out. The operator is no stranger: what
//!    the operator says goes as it was written.

use crate::compose::{Wording, WordingKey, print};
use crate::discover::protected;
use crate::error::Result;
use crate::freeze::EpochBody;
use crate::freeze::record::RecordedSpan;
use crate::text::{FactName, Origin, Text, Transform, roomy};

/// The beginnings of the labels.
const LABELS: [&str; 4] = ["[Base", "[System", "[Context", "[Agent Memory"];

/// The fact that makes a section the operator's.
const OPERATOR: &str = "identity:operator";

/// A section as it is said in a user's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidSection {
    /// Its id in the layout; `base` for all that is fixed.
    pub section: String,
    /// The text of the section, with its label.
    pub text: String,
}

/// The sections of a prefix, each as a text of its own. Sections without a text are left out.
pub fn said_sections(body: &EpochBody, wording: &Wording) -> Result<Vec<SaidSection>> {
    let fixed = body.fixed();
    let base = body.text[..fixed].trim_start_matches('\n').trim_end();
    let mut said = Vec::new();
    if !base.is_empty() {
        let text = labeled("base_section", "text", base, wording)?;
        said.push(SaidSection { section: "base".to_owned(), text });
    }
    let spans = body.spans()?;
    for section in body.sections.iter().filter(|section| section.range.start >= fixed) {
        let within = |span: &&RecordedSpan| section.range.start <= span.start && span.end <= section.range.end;
        let spans: Vec<&RecordedSpan> = spans.iter().filter(within).collect();
        let own = spans.iter().filter(|span| span.transform.as_deref() != Some(Transform::Joined.name()));
        let text: String = own.map(|span| unforgeable(body, span)).collect();
        if text.is_empty() {
            continue;
        }
        let operators = spans.iter().any(|span| span.origin.name == OPERATOR);
        let text = match operators {
            true => labeled("operator_section", "text", &text, wording)?,
            // What is no text of the operator's may bring its own line breaks along.
            false => text.trim_start_matches('\n').to_owned(),
        };
        said.push(SaidSection { section: section.id.clone(), text });
    }
    Ok(said)
}

/// The prefix of an epoch for a session that was told an earlier one: as sections, announced as what takes its place.
pub fn renewal(body: &EpochBody, wording: &Wording) -> Result<String> {
    let sections: Vec<String> = said_sections(body, wording)?.into_iter().map(|section| section.text).collect();
    labeled("session_renewed", "text", &sections.join("\n\n"), wording)
}

/// The text of a span. What a template, a wording or a layout says is the user's own, labels and all.
fn unforgeable(body: &EpochBody, span: &RecordedSpan) -> String {
    let text = &body.text[span.start..span.end];
    match span.origin.kind.as_str() {
        "file" | "remote" | "variable" | "caller" if span.origin.name != OPERATOR => {
            let labels = LABELS.map(str::to_owned);
            protected(&of_fact(text), &labels).as_str().to_owned()
        }
        _ => text.to_owned(),
    }
}

fn labeled(key: &str, variable: &'static str, text: &str, wording: &Wording) -> Result<String> {
    let template = wording.template(WordingKey::parse(key)?)?;
    let text = of_fact(text);
    roomy(|| print(template, &[(variable, &text)]).map(|draft| draft.into_text().as_str().to_owned()))
}

fn of_fact(text: &str) -> Text {
    Text::new(text, Origin::fact(&FactName::new("deliver", "section")))
}
