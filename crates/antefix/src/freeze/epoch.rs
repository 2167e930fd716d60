//! Epochs: a frozen prefix, and what made it.
//!
//! 1. The digest of an epoch is of what the model sees, the system text, the canonical tools and which of them are deferred, and of
//!    nothing else.
//! 2. Sections are kept apart, each as a text of its own, so that conversations share what they have in common.
//! 3. An epoch that is read back is checked against its digest: damaged bytes are an error, never a prompt.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use jiff::Timestamp;

use super::derived::Derived;
use super::fingerprint::FactFingerprint;
use super::record::{EpochRecord, MadeBy, RecordedDiagnostic, RecordedGap, RecordedSpan, SectionRecord, VERSION};
use super::store::{Bundle, EpochRow, Store, StoreError, StoreResult};
use super::{Cause, ConversationId};
use crate::compose::policy::Message;
use crate::compose::{Layout, Prompt, Stability};
use crate::diagnostic::Diagnostic;
use crate::discover::roots::{MoreRoots, NamedRoots};
use crate::discover::tools::Tools;
use crate::discover::{Answer, Fact, Facts, Report, Value, Why};
use crate::error::Fault;
use crate::text::{Digest, FactName, LineNumbers, PrefixDigests};

/// The template engine whose releases may change bytes. A test compares it with `Cargo.toml`.
pub(super) const ENGINE: &str = "minijinja 3.0.5";

/// An epoch of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Epoch {
    pub(super) row: EpochRow,
    pub(crate) body: Arc<EpochBody>,
}

impl Epoch {
    pub(crate) fn new(row: EpochRow, body: Arc<EpochBody>) -> Epoch {
        Epoch { row, body }
    }

    /// The conversation that it belongs to.
    pub fn conversation(&self) -> &ConversationId {
        &self.row.conversation
    }

    /// From 1, without gaps.
    pub fn number(&self) -> u64 {
        self.row.number
    }

    /// Why it began.
    pub fn cause(&self) -> Cause {
        self.row.cause
    }

    /// When it began, by the clock of whoever opened it.
    pub fn opened_at(&self) -> Timestamp {
        self.row.opened_at
    }

    /// The digest of what the model sees.
    pub fn digest(&self) -> Digest {
        self.row.digest
    }

    /// The row, as it is kept.
    pub fn row(&self) -> &EpochRow {
        &self.row
    }

    /// All that other conversations may share.
    pub fn body(&self) -> &EpochBody {
        &self.body
    }

    /// The frozen prefix.
    pub fn text(&self) -> &str {
        &self.body.text
    }

    /// Whether something is missing in it because it could not be asked for.
    pub fn is_degraded(&self) -> bool {
        !self.body.gaps.is_empty()
    }
}

/// What an epoch is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpochBody {
    /// The versions and digests of what composed it.
    pub made_by: MadeBy,
    /// The frozen prefix.
    pub text: Arc<str>,
    /// Its sections, in order.
    pub sections: Vec<EpochSection>,
    /// The canonical tools; none if the caller named none.
    pub tools: Option<Arc<str>>,
    /// The names of the tools that are deferred where that can be done.
    pub deferred: BTreeSet<String>,
    /// What is remembered of the facts of its sections.
    pub facts: BTreeMap<FactName, FactFingerprint>,
    /// Texts of live sections' facts that hold for the epoch; none for one that was asked for and is not there.
    pub frozen_facts: BTreeMap<FactName, Option<String>>,
    /// By hook, the roots that it named besides the layout's; none for a hook that could not be asked.
    pub roots: BTreeMap<String, Option<NamedRoots>>,
    /// What is missing in it.
    pub gaps: Vec<RecordedGap>,
    /// What was found when it was composed.
    pub diagnostics: Vec<RecordedDiagnostic>,
    /// Of the parts that a request is made of, taken when the first request is.
    pub(crate) digests: PrefixDigests,
    derived: Derived,
    /// Parsed when they are asked for: most turns need none.
    spans: Arc<str>,
}

/// A section's place in an epoch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpochSection {
    /// Its id in the layout.
    pub id: String,
    /// For how long its bytes stay.
    pub stability: Stability,
    /// Who says it, in which message.
    pub message: Message,
    /// Its bytes in the prefix, with the joint before them.
    pub range: Range<usize>,
    /// The digest of those bytes.
    pub digest: Digest,
}

/// What goes into an epoch besides the prompt.
pub(crate) struct EpochInputs<'m> {
    pub(crate) layout: &'m Layout,
    pub(crate) tools: Option<&'m Tools>,
    pub(crate) facts: &'m Facts,
    pub(crate) roots: &'m MoreRoots,
    pub(crate) report: &'m Report,
    pub(crate) diagnostics: &'m [Diagnostic],
}

impl EpochBody {
    /// The body of a prompt's prefix.
    pub(crate) fn new(prompt: &Prompt, inputs: &EpochInputs<'_>) -> EpochBody {
        let EpochInputs { layout, tools, facts, roots, report, diagnostics } = inputs;
        let prefix = prompt.prefix();
        let frozen = prompt.sections().iter().filter(|section| section.stability < Stability::Live);
        let sections = frozen.map(|section| EpochSection {
            id: section.id.clone(),
            stability: section.stability,
            message: section.message,
            range: section.range.clone(),
            digest: Digest::of(&prefix[section.range.clone()]),
        });
        let mut lines = LineNumbers::default();
        let of_prefix = prompt.spans().iter().take_while(|span| span.range.end <= prefix.len());
        let spans: Vec<RecordedSpan> = of_prefix.map(|span| RecordedSpan::of(span, &mut lines)).collect();
        let standing = layout.standing_sections();
        let names = standing.iter().flat_map(|section| section.facts());
        let fingerprints = names.filter_map(|name| {
            let fingerprint = FactFingerprint::of(&name, facts.get(&name)?);
            Some((name, fingerprint))
        });
        let frozen = layout.live_sections().iter().flat_map(|section| &section.frozen_facts);
        let frozen_facts = frozen.filter_map(|name| match facts.get(name)? {
            Answer::Present(Value::Text(text)) => Some((name.clone(), Some(text.as_str().to_owned()))),
            Answer::Absent => Some((name.clone(), None)),
            // What could not be asked for is asked for again.
            Answer::Present(Value::List(_) | Value::Maps(_)) | Answer::Unavailable(_) => None,
        });
        let gaps = prompt.gaps().iter().filter(|gap| standing.iter().any(|section| section.id == gap.section));
        let gaps = gaps.map(|gap| RecordedGap {
            section: gap.section.clone(),
            fact: gap.fact.to_string(),
            reason: gap.reason.code.name().to_owned(),
            detail: gap.reason.to_string(),
        });
        // A list of files is present without the one that could not be read; the hole is reported all the same.
        let holes = report.not_loaded.iter().filter_map(|missing| {
            let (Some(path), Why::Unavailable(reason)) = (&missing.path, &missing.why) else { return None };
            let section = standing.iter().find(|section| section.facts().contains(&missing.fact))?;
            let present = matches!(facts.get(&missing.fact), Some(Answer::Present(_)));
            (present && reason.code.may_pass()).then(|| RecordedGap {
                section: section.id.clone(),
                fact: missing.fact.to_string(),
                reason: reason.code.name().to_owned(),
                detail: format!("{path}: {reason}"),
            })
        });
        EpochBody {
            made_by: made_by(layout),
            text: prefix.into(),
            sections: sections.collect(),
            tools: tools.map(|tools| Arc::clone(tools.canonical())),
            deferred: tools.map(|tools| layout.rules().tools.defer.decide(tools)).unwrap_or_default(),
            facts: fingerprints.collect(),
            frozen_facts: frozen_facts.collect(),
            roots: roots.named().clone(),
            gaps: gaps.chain(holes).collect(),
            diagnostics: diagnostics.iter().map(RecordedDiagnostic::of).collect(),
            digests: PrefixDigests::default(),
            derived: Derived::default(),
            spans: json(&spans).into(),
        }
    }

    /// The digest of what the model sees. `docs/reference/digests.md` is the specification.
    pub fn digest(&self) -> Digest {
        let tools = self.tools.iter().map(|tools| ("tools", &**tools));
        let deferred = self.deferred.iter().map(|name| ("deferred", name.as_str()));
        // What is said in the usual way has the digest that it always had.
        let is_usual = self.sections.iter().all(|section| section.message.is_usual());
        let messages = (!is_usual).then(|| {
            let said: Vec<(usize, Message)> =
                self.sections.iter().map(|section| (section.range.start, section.message)).collect();
            json(&said)
        });
        let messages = messages.iter().map(|messages| ("messages", messages.as_str()));
        let system = std::iter::once(("system", &*self.text));
        Digest::framed("antefix/epoch/1", system.chain(tools).chain(deferred).chain(messages))
    }

    /// Where every byte of the prefix came from, in order, without gap or overlap. A record that does not say so is
    /// damaged, which is an error: "nobody knows" is not an answer that antefix ever wrote.
    pub fn spans(&self) -> StoreResult<Vec<RecordedSpan>> {
        let corrupt = |what: &str| {
            let message = format!("the spans of the epoch {} {what}", self.digest());
            StoreError::new(Fault::Corrupt, message)
        };
        let spans: Vec<RecordedSpan> =
            serde_json::from_str(&self.spans).map_err(|error| corrupt("cannot be read").because(error))?;
        let mut end = 0;
        for span in &spans {
            let follows = span.start == end && self.text.get(span.start..span.end).is_some();
            if !follows || span.section >= self.sections.len() {
                return Err(corrupt(&format!("do not fit its bytes from {end} on")));
            }
            end = span.end;
        }
        match end == self.text.len() {
            true => Ok(spans),
            false => Err(corrupt(&format!("do not fit its bytes from {end} on"))),
        }
    }

    /// The tools that the model sees, as a delivery takes them; none if the caller named none.
    pub fn parsed_tools(&self) -> StoreResult<Option<&Tools>> {
        let Some(text) = &self.tools else { return Ok(None) };
        self.derived.tools(text).map(Some).map_err(|error| {
            let message = format!("the tools of the epoch {} cannot be read", self.digest());
            StoreError::new(Fault::Corrupt, message).because(error)
        })
    }

    /// How many bytes of the prefix are fixed.
    pub fn fixed(&self) -> usize {
        let fixed = self.sections.iter().filter(|section| section.stability == Stability::Fixed);
        fixed.map(|section| section.range.end).max().unwrap_or(0)
    }

    /// The prefix and its two parts, each with its text within a string of JSON.
    pub(crate) fn escaped(&self) -> [(&str, &str); 3] {
        self.derived.escaped(&self.text, self.fixed())
    }

    /// Whether a fact is as it was when the epoch began.
    pub(super) fn is_same(&self, name: &FactName, before: &FactFingerprint, fact: &Fact) -> bool {
        self.derived.is_same(name, before, fact, self.text.len())
    }

    /// A section's text, with the joint before it.
    pub fn section(&self, id: &str) -> Option<&str> {
        let section = self.sections.iter().find(|section| section.id == id)?;
        self.text.get(section.range.clone())
    }

    /// The body as a store keeps it.
    pub(crate) fn bundle(&self) -> Bundle {
        let record = EpochRecord {
            version: VERSION,
            made_by: self.made_by.clone(),
            sections: self
                .sections
                .iter()
                .map(|section| SectionRecord {
                    id: section.id.clone(),
                    stability: section.stability,
                    message: section.message,
                    text: section.digest,
                })
                .collect(),
            spans: Digest::of(&self.spans),
            tools: self.tools.as_ref().map(|tools| Digest::of(tools)),
            deferred: self.deferred.clone(),
            facts: self.facts.iter().map(|(name, fingerprint)| (name.to_string(), fingerprint.clone())).collect(),
            frozen_facts: self.frozen_facts.iter().map(|(name, text)| (name.to_string(), text.clone())).collect(),
            roots: self.roots.clone(),
            gaps: self.gaps.clone(),
            diagnostics: self.diagnostics.clone(),
        };
        let sections = self.sections.iter().map(|section| Arc::from(&self.text[section.range.clone()]));
        let others = std::iter::once(&self.spans).chain(&self.tools).map(Arc::clone);
        Bundle::new(json(&record), sections.chain(others))
    }

    /// Reads a body back. `seen` is the digest of what the model sees.
    pub(crate) fn load(store: &dyn Store, body: Digest, seen: Digest) -> StoreResult<EpochBody> {
        let record: EpochRecord = record(store, body)?;
        let wanted: Vec<Digest> =
            record.sections.iter().map(|section| section.text).chain(record.tools).chain([record.spans]).collect();
        let mut texts = texts(store, &wanted)?.into_iter();
        let mut text = String::new();
        let mut sections = Vec::with_capacity(record.sections.len());
        for (section, part) in record.sections.iter().zip(texts.by_ref()) {
            let start = text.len();
            text.push_str(&part);
            let range = start..text.len();
            let SectionRecord { id, stability, message, text: digest } = section.clone();
            sections.push(EpochSection { id, stability, message, range, digest });
        }
        let tools = record.tools.and_then(|_| texts.next());
        let facts =
            record.facts.into_iter().filter_map(|(name, fingerprint)| Some((FactName::parse(name)?, fingerprint)));
        let frozen_facts = record.frozen_facts.into_iter();
        let frozen_facts = frozen_facts.filter_map(|(name, text)| Some((FactName::parse(name)?, text)));
        let body = EpochBody {
            made_by: record.made_by,
            text: text.into(),
            sections,
            tools,
            deferred: record.deferred,
            facts: facts.collect(),
            frozen_facts: frozen_facts.collect(),
            roots: record.roots,
            gaps: record.gaps,
            diagnostics: record.diagnostics,
            digests: PrefixDigests::default(),
            derived: Derived::default(),
            spans: texts.next().unwrap_or_default(),
        };
        if body.digest() != seen {
            let message = format!("an epoch's bytes do not match its digest {seen}");
            return Err(StoreError::new(Fault::Corrupt, message));
        }
        Ok(body)
    }

    /// How much memory it takes, roughly.
    pub(crate) fn weight(&self) -> usize {
        let tools = self.tools.as_ref().map_or(0, |tools| tools.len());
        // The text, the same as JSON, and the facts that it is made of.
        3 * self.text.len()
            + self.spans.len()
            + tools
            + 200 * (self.sections.len() + self.facts.len() + self.frozen_facts.len())
            + 500
    }
}

/// What makes an epoch now.
pub(super) fn made_by(layout: &Layout) -> MadeBy {
    MadeBy {
        antefix: env!("CARGO_PKG_VERSION").to_owned(),
        engine: ENGINE.to_owned(),
        layout: layout.name().to_owned(),
        layout_digest: layout.digest(),
        wording_digest: layout.wording().digest(),
    }
}

/// A record as JSON. Records are made of texts, numbers, lists and maps with text keys, which cannot fail.
pub(super) fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Reads a record of ours.
pub(super) fn record<R: serde::de::DeserializeOwned>(store: &dyn Store, body: Digest) -> StoreResult<R> {
    #[derive(serde::Deserialize)]
    struct Versioned {
        version: u32,
    }
    let text = texts(store, &[body])?.pop().unwrap_or_default();
    let corrupt = |error: serde_json::Error| {
        StoreError::new(Fault::Corrupt, format!("the record {body} cannot be read")).because(error)
    };
    let version = serde_json::from_str::<Versioned>(&text).map_err(corrupt)?.version;
    if version > VERSION {
        let message = format!("the record {body} has version {version}, and this antefix reads up to {VERSION}");
        return Err(StoreError::new(Fault::Newer, message));
    }
    serde_json::from_str(&text).map_err(corrupt)
}

/// Texts that must be there.
pub(super) fn texts(store: &dyn Store, digests: &[Digest]) -> StoreResult<Vec<Arc<str>>> {
    let found = store.texts(digests)?;
    let missing = |digest: &Digest| StoreError::new(Fault::Corrupt, format!("the text {digest} is missing"));
    digests.iter().zip(found).map(|(digest, text)| text.ok_or_else(|| missing(digest))).collect()
}
