//! The JSON of conversations: turns, epochs, amendments, drift and compaction. Later versions only add to it.

use std::collections::BTreeSet;

use std::collections::BTreeMap;

use crate::deliver::{Delivery, Fragment, Receipt};
use crate::diagnostic::Diagnostic;
use crate::freeze::record::{RecordedDiagnostic, RecordedGap, RecordedOrigin, RecordedSpan};
use crate::freeze::store::EpochRow;
use crate::freeze::{Amendment, Change, Difference, Epoch, EpochBody, Insertion, Same, Side};
use crate::hooks::HookDid;
use crate::keeper::{Began, Compaction, Drift, TouchNotice, Turn, TurnInsertion};
use crate::observe::Expectation;
use crate::text::Text;
use serde::Serialize;

use super::verdict;
use super::{Bill, ExpectationDocument, Finding, print_knowing};

/// What `turn --json` prints.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TurnDocument<'t> {
    conversation: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    epoch: Option<EpochOf<'t>>,
    began: bool,
    /// What is before the boundary. An answer to `Prefer: return=minimal` leaves it out where the fragment has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<&'t str>,
    amendments: Vec<AmendmentOf<'t>>,
    /// What is behind the boundary; left out with the prefix.
    #[serde(skip_serializing_if = "Option::is_none")]
    suffix: Option<&'t str>,
    messages: Vec<MessageOf<'t>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    insertions: Vec<InsertionOf<'t>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    added: Vec<AddedOf<'t>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hooks: Vec<HookOf<'t>>,
    pending: Vec<ChangeOf<'t>>,
    changes: Vec<ChangeOf<'t>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<serde_json::Value>))]
    fragment: Option<&'t Fragment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<serde_json::Value>>))]
    append: Option<&'t [serde_json::Value]>,
    /// What to send with the request's own headers.
    #[serde(skip_serializing_if = "Option::is_none")]
    headers: Option<&'t BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    receipt: Option<&'t Receipt>,
    diagnostics: Vec<Finding<'t>>,
    /// Of the epoch whose prefix it has.
    #[serde(skip)]
    body: Option<&'t EpochBody>,
}

impl TurnDocument<'_> {
    /// The same document without the texts that its fragment has: a prompt need not be sent twice to whoever sends the fragment on.
    /// Without a fragment it is as it was.
    #[must_use]
    pub fn minimal(mut self) -> Self {
        if self.fragment.is_some() {
            (self.prefix, self.suffix) = (None, None);
        }
        self
    }

    /// The document as text, as [`print`](super::print) prints it. The epoch's prefix, which most of it is, is written as JSON once for
    /// all turns.
    pub fn print(&self) -> String {
        let texts = self.prefix.map_or(0, str::len)
            + self.suffix.map_or(0, str::len)
            + self.fragment.map_or(0, Fragment::length);
        // A quarter more for what is escaped, and for spaces; the rest is short.
        let bytes = texts + texts / 4 + 4096;
        match self.body {
            Some(body) => print_knowing(self, bytes, &body.escaped()),
            None => print_knowing(self, bytes, &[]),
        }
    }
}

/// An epoch, without its text.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EpochOf<'e> {
    number: u64,
    cause: &'static str,
    digest: String,
    opened_at: String,
    degraded: bool,
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'e str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Object>))]
    gaps: &'e [RecordedGap],
}

impl<'e> EpochOf<'e> {
    /// What is shown of an epoch.
    pub fn new(epoch: &'e Epoch) -> EpochOf<'e> {
        EpochOf {
            number: epoch.number(),
            cause: epoch.cause().name(),
            digest: epoch.digest().to_string(),
            opened_at: epoch.opened_at().to_string(),
            degraded: epoch.is_degraded(),
            bytes: epoch.text().len(),
            model: epoch.row().model.as_deref(),
            gaps: &epoch.body().gaps,
        }
    }
}

/// A notice that was appended to a conversation.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AmendmentOf<'a> {
    number: u64,
    section: &'a str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    at: String,
    fresh: bool,
    text: &'a str,
    /// The tools that it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<ToolOf<'a>>,
}

/// A tool that came, changed or went.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct ToolOf<'a> {
    name: &'a str,
    kind: &'static str,
}

/// The notices of an epoch, of which the last `fresh` are new.
pub fn amendments(amendments: &[Amendment], fresh: usize) -> Vec<AmendmentOf<'_>> {
    let old = amendments.len() - fresh;
    let numbered = amendments.iter().enumerate();
    numbered.map(|(position, amendment)| AmendmentOf::new(amendment, position >= old)).collect()
}

impl<'a> AmendmentOf<'a> {
    fn new(amendment: &'a Amendment, fresh: bool) -> AmendmentOf<'a> {
        let body = &amendment.body;
        AmendmentOf {
            number: amendment.number,
            section: &body.section,
            kind: body.kind.name(),
            file: body.file.as_deref(),
            at: amendment.at.to_string(),
            fresh,
            text: &body.text,
            tools: body.tools.iter().map(|step| ToolOf { name: &step.name, kind: step.kind.name() }).collect(),
        }
    }
}

/// What was queued for a turn, or what a turn touched.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct MessageOf<'m> {
    number: u64,
    kind: &'static str,
    at: String,
    text: &'m str,
}

/// The document of an insertion that waits, or that a turn is the first to have.
pub fn message(message: &Insertion) -> MessageOf<'_> {
    let Insertion { number, kind, at, text, .. } = message;
    MessageOf { number: *number, kind: kind.name(), at: at.to_string(), text }
}

/// What applies to paths that were touched.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TouchDocument<'t> {
    conversation: &'t str,
    /// The notice, which waits for the next turn; null if nothing applies that the conversation does not have.
    notice: Option<&'t str>,
    diagnostics: Vec<Finding<'t>>,
}

/// The document of a touch.
pub fn touch<'t>(conversation: &'t str, notice: &'t TouchNotice) -> TouchDocument<'t> {
    TouchDocument {
        conversation,
        notice: notice.text.as_ref().map(Text::as_str),
        diagnostics: notice.diagnostics.iter().map(Finding::of_diagnostic).collect(),
    }
}

/// What goes between the caller's messages in a request.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct InsertionOf<'i> {
    number: u64,
    kind: &'static str,
    /// How many of the caller's messages come before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<u64>,
    text: &'i str,
}

impl InsertionOf<'_> {
    fn new(one: &TurnInsertion) -> InsertionOf<'_> {
        let Insertion { number, kind, text, .. } = &one.insertion;
        InsertionOf { number: *number, kind: kind.name(), after: one.after, text }
    }
}

/// A change since the epoch was composed.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ChangeOf<'c> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<&'c str>,
    origin: &'c str,
    detail: &'c str,
}

/// The documents of changes, in order.
pub fn changes(changes: &[Change]) -> Vec<ChangeOf<'_>> {
    changes.iter().map(ChangeOf::new).collect()
}

impl<'c> ChangeOf<'c> {
    fn new(change: &'c Change) -> ChangeOf<'c> {
        ChangeOf {
            kind: change.kind.name(),
            section: change.section.as_deref(),
            origin: &change.origin,
            detail: &change.detail,
        }
    }
}

/// A turn, with its delivery if there is one.
pub fn turn<'t>(conversation: &'t str, turn: &'t Turn, delivery: Option<&'t Delivery>) -> TurnDocument<'t> {
    TurnDocument {
        conversation,
        epoch: turn.epoch.as_deref().map(EpochOf::new),
        began: turn.began == Began::Now,
        prefix: Some(turn.prefix()),
        amendments: amendments(&turn.amendments, turn.fresh),
        suffix: Some(turn.suffix.text()),
        messages: turn.messages.iter().map(message).collect(),
        insertions: turn.insertions.iter().map(InsertionOf::new).collect(),
        added: turn.added.iter().map(|added| AddedOf { hook: &added.hook, message: &added.message }).collect(),
        hooks: turn.hooks.iter().map(HookOf::new).collect(),
        pending: changes(&turn.pending),
        changes: changes(&turn.changes),
        fragment: delivery.map(|delivery| &delivery.fragment),
        append: delivery.and_then(|delivery| delivery.append.as_deref()),
        headers: delivery.map(|delivery| &delivery.headers).filter(|headers| !headers.is_empty()),
        receipt: delivery.map(|delivery| &delivery.receipt),
        diagnostics: turn.diagnostics.iter().map(Finding::of_diagnostic).collect(),
        body: turn.epoch.as_deref().map(Epoch::body),
    }
}

/// A message that a hook added.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct AddedOf<'t> {
    hook: &'t str,
    message: &'t serde_json::Value,
}

/// What a hook did.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct HookOf<'t> {
    hook: &'t str,
    on: &'static str,
    did: &'static str,
    bytes: usize,
}

impl HookOf<'_> {
    fn new(did: &HookDid) -> HookOf<'_> {
        HookOf { hook: &did.hook, on: did.on.name(), did: did.action.name(), bytes: did.bytes }
    }
}

/// What `renew --json` and `compact commit --json` print.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct BegunDocument<'b> {
    conversation: &'b str,
    #[serde(skip_serializing_if = "Option::is_none")]
    began: Option<bool>,
    epoch: EpochOf<'b>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hooks: Vec<HookOf<'b>>,
    diagnostics: Vec<Finding<'b>>,
}

/// The standing epoch after somebody asked for a new one, and what hooks did.
pub fn begun<'b>(
    conversation: &'b str,
    began: Option<Began>,
    epoch: &'b Epoch,
    hooks: &'b [HookDid],
    diagnostics: &'b [Diagnostic],
) -> BegunDocument<'b> {
    BegunDocument {
        conversation,
        began: began.map(|began| began == Began::Now),
        epoch: EpochOf::new(epoch),
        hooks: hooks.iter().map(HookOf::new).collect(),
        diagnostics: diagnostics.iter().map(Finding::of_diagnostic).collect(),
    }
}

/// What `compact begin --json` prints.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct CompactionDocument<'c> {
    conversation: &'c str,
    token: &'c str,
    /// The system text for a request of one's own that summarizes.
    prompt: &'c str,
    /// Where the words that ask for the summary are in `fragment`: `message` or `system`.
    form: &'static str,
    epoch: u64,
    /// Whether the conversation was opened for it, because nobody had opened it.
    opened: bool,
    renews: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hooks: Vec<HookOf<'c>>,
    /// The request for the summary, in the shape of the target.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<serde_json::Value>))]
    fragment: Option<&'c Fragment>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Vec<serde_json::Value>>))]
    append: Option<&'c [serde_json::Value]>,
    /// What to send with the request's own headers.
    #[serde(skip_serializing_if = "Option::is_none")]
    headers: Option<&'c BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    receipt: Option<&'c Receipt>,
    diagnostics: Vec<Finding<'c>>,
}

/// A compaction that was begun, and the request for its summary.
pub fn compaction<'c>(
    conversation: &'c str,
    begun: &'c Compaction,
    delivery: Option<&'c Delivery>,
) -> CompactionDocument<'c> {
    CompactionDocument {
        conversation,
        token: &begun.token,
        prompt: &begun.prompt,
        form: begun.form.name(),
        epoch: begun.epoch.number(),
        opened: begun.opened == Began::Now,
        renews: begun.next.is_some(),
        hooks: begun.hooks.iter().map(HookOf::new).collect(),
        fragment: delivery.map(|delivery| &delivery.fragment),
        append: delivery.and_then(|delivery| delivery.append.as_deref()),
        headers: delivery.map(|delivery| &delivery.headers).filter(|headers| !headers.is_empty()),
        receipt: delivery.map(|delivery| &delivery.receipt),
        diagnostics: begun.diagnostics.iter().map(Finding::of_diagnostic).collect(),
    }
}

/// What `drift --json` prints.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DriftDocument<'d> {
    conversation: &'d str,
    epoch: EpochOf<'d>,
    changes: Vec<ChangeOf<'d>>,
    difference: Option<DifferenceOf<'d>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    prediction: Option<ExpectationDocument<'d>>,
    diagnostics: Vec<Finding<'d>>,
}

/// What composing now would change.
pub fn drift<'d>(conversation: &'d str, drift: &'d Drift, bill: Option<&'d Bill>) -> DriftDocument<'d> {
    DriftDocument {
        conversation,
        epoch: EpochOf::new(&drift.epoch),
        changes: changes(&drift.changes),
        difference: drift.difference.as_ref().map(|difference| DifferenceOf::new(difference, bill)),
        prediction: None,
        diagnostics: drift.diagnostics.iter().map(Finding::of_diagnostic).collect(),
    }
}

impl<'d> DriftDocument<'d> {
    /// The same document, with what sending the renewed prefix to a target would do there.
    pub fn predicting(mut self, prediction: Option<&'d Expectation>) -> DriftDocument<'d> {
        self.prediction = prediction.map(verdict::expectation);
        self
    }
}

/// Where two prefixes part.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DifferenceOf<'d> {
    kind: &'static str,
    at: usize,
    tools_changed: bool,
    before: Option<SideOf<'d>>,
    after: Option<SideOf<'d>>,
    kept_bytes: usize,
    lost_bytes: usize,
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Bill>))]
    bill: Option<&'d Bill>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct SideOf<'s> {
    section: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<Object>))]
    origin: Option<&'s RecordedOrigin>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    excerpt: &'s str,
}

impl<'d> DifferenceOf<'d> {
    /// Where two prefixes differ, with what that costs.
    pub fn new(difference: &'d Difference, bill: Option<&'d Bill>) -> DifferenceOf<'d> {
        let side = |side: &'d Side| SideOf {
            section: &side.section,
            origin: side.origin.as_ref(),
            line: side.line,
            excerpt: &side.excerpt,
        };
        DifferenceOf {
            kind: difference.kind.name(),
            at: difference.at,
            tools_changed: difference.tools == Same::No,
            before: difference.before.as_ref().map(side),
            after: difference.after.as_ref().map(side),
            kept_bytes: difference.kept,
            lost_bytes: difference.lost,
            bill,
        }
    }
}

/// One epoch, with all that is known of it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct EpochDocument<'e> {
    conversation: &'e str,
    epoch: EpochOf<'e>,
    cwd: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<&'e str>,
    #[cfg_attr(feature = "schema", schema(value_type = Object))]
    made_by: &'e crate::freeze::record::MadeBy,
    prefix: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<&'e str>,
    /// The names of the tools that are deferred where that can be done.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    deferred: &'e BTreeSet<String>,
    sections: Vec<SectionOf<'e>>,
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Object>))]
    spans: Vec<RecordedSpan>,
    amendments: Vec<AmendmentOf<'e>>,
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Object>))]
    diagnostics: &'e [RecordedDiagnostic],
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
struct SectionOf<'e> {
    id: &'e str,
    stability: &'static str,
    /// Who says it; not there if the system does.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    start: usize,
    end: usize,
    bytes: usize,
    digest: String,
}

/// An epoch with all that is kept of it.
pub fn epoch<'e>(epoch: &'e Epoch, of_epoch: &'e [Amendment]) -> crate::error::Result<EpochDocument<'e>> {
    let (row, body) = (epoch.row(), epoch.body());
    let sections = body.sections.iter().map(|section| SectionOf {
        id: &section.id,
        stability: section.stability.name(),
        role: section.message.spoken_by(),
        start: section.range.start,
        end: section.range.end,
        bytes: section.range.len(),
        digest: section.digest.to_string(),
    });
    Ok(EpochDocument {
        conversation: row.conversation.as_str(),
        epoch: EpochOf::new(epoch),
        cwd: &row.cwd,
        machine: row.machine.as_deref(),
        made_by: &body.made_by,
        prefix: &body.text,
        tools: body.tools.as_deref(),
        deferred: &body.deferred,
        sections: sections.collect(),
        spans: body.spans()?,
        amendments: amendments(of_epoch, 0),
        diagnostics: &body.diagnostics,
    })
}

/// An epoch in a list.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct RowOf<'r> {
    conversation: &'r str,
    number: u64,
    cause: &'static str,
    digest: String,
    opened_at: String,
    cwd: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'r str>,
}

/// The row of an epoch.
pub fn row(row: &EpochRow) -> RowOf<'_> {
    RowOf {
        conversation: row.conversation.as_str(),
        number: row.number,
        cause: row.cause.name(),
        digest: row.digest.to_string(),
        opened_at: row.opened_at.to_string(),
        cwd: &row.cwd,
        machine: row.machine.as_deref(),
        model: row.model.as_deref(),
    }
}
