//! Amendments: notices that are appended to a conversation, so that its cached prefix survives a change.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use super::epoch::{json, record, texts};
use super::fingerprint::FactFingerprint;
use super::record::{AmendmentKind, AmendmentRecord, RecordedSpan, VERSION};
use super::store::{AmendmentRow, Bundle, Store, StoreResult};
use super::tool_change::ToolStep;
use crate::compose::Span;
use crate::text::{Digest, FactName, LineNumbers, Origin, Text};

/// An amendment of an epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amendment {
    /// From 1 within its epoch.
    pub number: u64,
    /// When it was appended.
    pub at: Timestamp,
    /// Its text, and what it is about.
    pub body: Arc<AmendmentBody>,
}

/// What an amendment says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AmendmentBody {
    /// The section that it amends.
    pub section: String,
    /// What it says of its subject.
    pub kind: AmendmentKind,
    /// The file that it is about; none if it is about the whole section.
    pub file: Option<String>,
    /// The notice.
    pub text: Arc<str>,
    /// Where every byte of the notice came from.
    pub spans: Vec<RecordedSpan>,
    /// The facts that it brings up to date, as a whole.
    pub(super) facts: BTreeMap<FactName, FactFingerprint>,
    /// The files of facts that it brings up to date; none for one that is gone.
    pub(super) files: BTreeMap<FactName, BTreeMap<String, Option<Digest>>>,
    /// How many messages the conversation had when it was appended, if the caller said so.
    pub after: Option<usize>,
    /// The digest of the section's text, if the notice says all of it again.
    pub(super) says: Option<Digest>,
    /// The section's text as the conversation knows it from here on: what the next notice may be told relative to.
    pub(super) known: Option<Arc<str>>,
    /// The tools that came, changed or went; empty if it is about a text.
    pub tools: Vec<ToolStep>,
}

impl AmendmentBody {
    /// The notice of changed tools. Its text is for people: a model sees the tools themselves.
    pub(super) fn of_tools(text: String, tools: Vec<ToolStep>) -> AmendmentBody {
        AmendmentBody {
            section: "tools".to_owned(),
            kind: AmendmentKind::Changed,
            file: None,
            spans: AmendmentBody::spans(&Text::new(text.as_str(), Origin::fact(&FactName::new("tools", "names")))),
            text: text.into(),
            facts: BTreeMap::new(),
            files: BTreeMap::new(),
            after: None,
            says: None,
            known: None,
            tools,
        }
    }

    /// The spans of a notice.
    pub(super) fn spans(text: &Text) -> Vec<RecordedSpan> {
        let pieces = text.pieces().map(|piece| Span {
            range: piece.range.clone(),
            section: 0,
            origin: piece.origin.clone(),
            transform: piece.transform,
        });
        let mut lines = LineNumbers::default();
        pieces.map(|span| RecordedSpan::of(&span, &mut lines)).collect()
    }

    /// The body as a store keeps it.
    pub(crate) fn bundle(&self) -> Bundle {
        let files = self.files.iter().map(|(name, files)| (name.to_string(), files.clone()));
        let record = AmendmentRecord {
            version: VERSION,
            section: self.section.clone(),
            kind: self.kind,
            file: self.file.clone(),
            text: Digest::of(&self.text),
            facts: self.facts.iter().map(|(name, fingerprint)| (name.to_string(), fingerprint.clone())).collect(),
            files: files.collect(),
            says: self.says,
            known: self.known.as_deref().map(Digest::of),
            after: self.after,
            tools: self.tools.clone(),
            spans: self.spans.clone(),
        };
        Bundle::new(json(&record), [Arc::clone(&self.text)].into_iter().chain(self.known.clone()))
    }

    /// Reads a body back.
    pub(crate) fn load(store: &dyn Store, body: Digest) -> StoreResult<AmendmentBody> {
        let record: AmendmentRecord = record(store, body)?;
        let mut texts = texts(store, &[record.text].into_iter().chain(record.known).collect::<Vec<_>>())?.into_iter();
        let text = texts.next().unwrap_or_default();
        let named = |name: String| FactName::parse(name);
        Ok(AmendmentBody {
            section: record.section,
            kind: record.kind,
            file: record.file,
            text,
            spans: record.spans,
            facts: record
                .facts
                .into_iter()
                .filter_map(|(name, fingerprint)| Some((named(name)?, fingerprint)))
                .collect(),
            says: record.says,
            known: texts.next(),
            after: record.after,
            tools: record.tools,
            files: record.files.into_iter().filter_map(|(name, files)| Some((named(name)?, files))).collect(),
        })
    }
}

impl Amendment {
    pub(crate) fn new(row: &AmendmentRow, body: Arc<AmendmentBody>) -> Amendment {
        Amendment { number: row.number, at: row.at, body }
    }

    /// Brings the fingerprints of an epoch up to date with the notice.
    pub(super) fn apply(&self, fingerprints: &mut BTreeMap<FactName, FactFingerprint>) {
        for (name, fingerprint) in &self.body.facts {
            fingerprints.insert(name.clone(), fingerprint.clone());
        }
        for (name, changes) in &self.body.files {
            let fingerprint = fingerprints.entry(name.clone()).or_insert(FactFingerprint::Absent);
            let mut files = fingerprint.files().cloned().unwrap_or_default();
            for (file, digest) in changes {
                match digest {
                    Some(digest) => files.insert(file.clone(), *digest),
                    None => files.remove(file),
                };
            }
            // Only the files matter from here on: the order of a list is not amended.
            *fingerprint = match files.is_empty() {
                true => FactFingerprint::Absent,
                false => FactFingerprint::Present { digest: files_digest(&files), files },
            };
        }
    }
}

/// The digest of a fact that is known by its files.
fn files_digest(files: &BTreeMap<String, Digest>) -> Digest {
    let texts: Vec<(String, String)> = files.iter().map(|(file, digest)| (file.clone(), digest.to_string())).collect();
    Digest::framed("antefix/files/1", texts.iter().map(|(file, digest)| (file.as_str(), digest.as_str())))
}
