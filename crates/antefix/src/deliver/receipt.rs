//! Receipts: proof of what was made ready to be sent.

use serde::Serialize;
use serde_json::Value;

use super::{Content, Target};
use crate::compose::canonical;
use crate::digest::Digest;
use crate::models::Model;

/// What went where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// The shape.
    pub target: String,
    /// The row of the table that was followed; none if the safest form was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The digest of what the model sees of the epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<Digest>,
    /// The parts, in the order in which the provider reads them.
    pub parts: Vec<Part>,
    /// What could not be expressed, and what was done instead.
    pub substitutions: Vec<Substitution>,
    /// The digest of the prefix form alone: all that must be the same turn after turn.
    pub prefix_form: Digest,
    /// The digest of the whole fragment.
    pub fragment: Digest,
}

/// A run of bytes and the place that it went to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// `tools`, `fixed`, `frozen`, `notice 1`, `suffix`.
    pub what: String,
    /// Who says it: `tools`, `system`, `developer`, `user`.
    pub role: String,
    /// Where it stands in the fragment, as a JSON pointer.
    pub pointer: String,
    /// How many bytes of text it has.
    pub bytes: usize,
    /// The digest of the text.
    pub digest: Digest,
    /// The lifetime that its breakpoint asks for, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breakpoint: Option<String>,
}

/// Something that the target could not take as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Substitution {
    /// What.
    pub what: String,
    /// What was done instead, and why.
    pub instead: String,
}

impl Receipt {
    pub(super) fn new(target: Target, model: Option<&Model>, content: &Content<'_>) -> Receipt {
        Receipt {
            target: target.name().to_owned(),
            model: model.map(|model| model.name.clone()),
            epoch: content.epoch,
            parts: Vec::new(),
            substitutions: Vec::new(),
            prefix_form: Digest::of(""),
            fragment: Digest::of(""),
        }
    }

    pub(super) fn part(&mut self, what: &str, role: &str, pointer: String, text: &str, breakpoint: Option<&str>) {
        self.parts.push(Part {
            what: what.to_owned(),
            role: role.to_owned(),
            pointer,
            bytes: text.len(),
            digest: Digest::of(text),
            breakpoint: breakpoint.map(str::to_owned),
        });
    }

    pub(super) fn instead(&mut self, what: impl Into<String>, instead: impl Into<String>) {
        self.substitutions.push(Substitution { what: what.into(), instead: instead.into() });
    }

    /// Records the form of the prefix, which must be the same for every turn of an epoch.
    pub(super) fn prefix_form(&mut self, form: &Value) {
        self.prefix_form = Digest::of(&canonical(form));
    }

    pub(super) fn close(&mut self, fragment: &Value) {
        self.fragment = Digest::of(&canonical(fragment));
    }
}
