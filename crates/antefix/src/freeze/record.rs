//! Records: what is written into a ledger, as JSON whose bytes are the same for the same content.
//!
//! Only what two conversations may share is in a record; what belongs to one alone is in its row. A record names
//! texts by their digests. Later versions add fields and never change the meaning of one: `version` counts the changes
//! that an older antefix could not read.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::fingerprint::FactFingerprint;
use crate::compose::policy::Message;
use crate::compose::{Span, Stability};
use crate::diagnostic::Diagnostic;
use crate::discover::roots::NamedRoots;
use crate::text::{Digest, LineNumbers};

/// The version that is written.
pub(super) const VERSION: u32 = 1;

/// The body of an epoch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EpochRecord {
    pub(super) version: u32,
    pub(super) made_by: MadeBy,
    pub(super) sections: Vec<SectionRecord>,
    /// The digest of the spans, which are a text of their own.
    pub(super) spans: Digest,
    /// The digest of the canonical tools; none if the caller named none.
    pub(super) tools: Option<Digest>,
    /// The names of the tools that are deferred where that can be done.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) deferred: BTreeSet<String>,
    pub(super) facts: BTreeMap<String, FactFingerprint>,
    /// Texts of live sections' facts that hold for the epoch; none for one that was asked for and is not there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) frozen_facts: BTreeMap<String, Option<String>>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) roots: BTreeMap<String, Option<NamedRoots>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) gaps: Vec<RecordedGap>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) diagnostics: Vec<RecordedDiagnostic>,
}

/// What made an epoch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeBy {
    /// The version of antefix.
    pub antefix: String,
    /// The template engine and its version.
    pub engine: String,
    /// The layout's name.
    pub layout: String,
    /// The digest of the layout and its templates.
    pub layout_digest: Digest,
    /// The digest of the wordings.
    pub wording_digest: Digest,
}

/// A section of the prefix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SectionRecord {
    pub(super) id: String,
    pub(super) stability: Stability,
    /// Who says it, in which message; not written where it is said in the usual way.
    #[serde(default, skip_serializing_if = "Message::is_usual")]
    pub(super) message: Message,
    pub(super) text: Digest,
}

/// A span of an epoch or an amendment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedSpan {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last one.
    pub end: usize,
    /// The number of the section.
    pub section: usize,
    /// Where the bytes came from.
    pub origin: RecordedOrigin,
    /// What was done to them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transform: Option<String>,
}

/// Where bytes came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedOrigin {
    /// `template`, `wording`, `layout`, `expression`, `file`, `remote`, `server`, `variable`, `caller` or `hook`.
    pub kind: String,
    /// The template's reference, the wording's key, the fact's or the hook's name.
    pub name: String,
    /// The file that the bytes came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line of that file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

impl RecordedSpan {
    pub(crate) fn of(span: &Span, lines: &mut LineNumbers) -> RecordedSpan {
        let origin = &span.origin;
        RecordedSpan {
            start: span.range.start,
            end: span.range.end,
            section: span.section,
            origin: RecordedOrigin {
                kind: origin.kind().to_owned(),
                name: origin.name().to_owned(),
                path: origin.path().map(str::to_owned),
                line: lines.of(origin),
            },
            transform: span.transform.map(|transform| transform.name().to_owned()),
        }
    }
}

/// A section that goes without something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedGap {
    /// The section that has the gap.
    pub section: String,
    /// The fact that could not be asked for.
    pub fact: String,
    /// The reason's name.
    pub reason: String,
    /// The reason in words, for people.
    pub detail: String,
}

/// A finding of the time when an epoch began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedDiagnostic {
    /// `note`, `warning` or `error`.
    pub level: String,
    /// The name of its code, as text: a ledger outlives the codes that were in use when it was written.
    pub code: String,
    /// The message, for people.
    pub message: String,
    /// A fact's name or a file's path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
}

impl RecordedDiagnostic {
    pub(super) fn of(diagnostic: &Diagnostic) -> RecordedDiagnostic {
        RecordedDiagnostic {
            level: diagnostic.level.name().to_owned(),
            code: diagnostic.code.name().to_owned(),
            message: match &diagnostic.place {
                Some(place) => format!("{place}: {}", diagnostic.message),
                None => diagnostic.message.clone(),
            },
            about: diagnostic.about.as_ref().map(|about| about.label().to_owned()),
        }
    }
}

/// The body of an amendment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AmendmentRecord {
    pub(super) version: u32,
    pub(super) section: String,
    pub(super) kind: AmendmentKind,
    /// The file that it is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) file: Option<String>,
    pub(super) text: Digest,
    /// The facts that it brings up to date, as a whole.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) facts: BTreeMap<String, FactFingerprint>,
    /// The files of facts that it brings up to date: none for one that is gone.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) files: BTreeMap<String, BTreeMap<String, Option<Digest>>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) says: Option<Digest>,
    /// The section's text as the conversation knows it from here on, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) known: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) after: Option<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<super::tool_change::ToolStep>,
    pub(super) spans: Vec<RecordedSpan>,
}

/// What an amendment says of its subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AmendmentKind {
    /// It is new.
    Added,
    /// It replaces what was said.
    Changed,
    /// It no longer applies.
    Removed,
}

impl AmendmentKind {
    /// The name in documents.
    pub fn name(self) -> &'static str {
        match self {
            AmendmentKind::Added => "added",
            AmendmentKind::Changed => "changed",
            AmendmentKind::Removed => "removed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_whose_code_no_longer_exists_is_read_and_written_as_it_was() {
        let text = r#"{"level":"warning","code":"code-of-an-older-release","message":"m","about":"prompt:cwd"}"#;
        let finding: RecordedDiagnostic = serde_json::from_str(text).unwrap();
        assert_eq!(finding.code, "code-of-an-older-release");
        assert_eq!(serde_json::to_string(&finding).unwrap(), text);
    }
}
