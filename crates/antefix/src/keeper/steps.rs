//! The steps of a turn. Each appends one thing, or finds that somebody else was faster.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::frozen::FrozenFacts;
use super::{Began, Keeper, Turn, TurnInput, now};
use crate::compose::{Composed, compose};
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::remote::{Fetching, Purpose};
use crate::discover::{Answer, Discovery, Situation, Value, discover};
use crate::error::{Error, ErrorKind, Result};
use crate::freeze::store::{AmendmentRow, Appended, Bundle, EpochRow};
use crate::freeze::{Amendment, Cause, Change, ConversationId, Drifted, Epoch, EpochBody, EpochInputs, Watch};
use crate::text::{Digest, FactName, Origin, Text};

/// A prompt that was composed for an epoch.
pub(super) struct Candidate {
    pub(super) composed: Composed,
    pub(super) body: Arc<EpochBody>,
}

/// Whether an epoch was appended, and what was composed for it.
pub(super) enum Renewal {
    Begun(Candidate, EpochRow),
    None(Candidate),
}

impl Keeper {
    /// The first turn; none if somebody else was faster, and the epoch is read as a standing one.
    pub(super) fn open(&self, conversation: &ConversationId, input: &TurnInput<'_>) -> Result<Option<Turn>> {
        let Some((epoch, candidate)) = self.opened(conversation, input)? else { return Ok(None) };
        self.begun(epoch, candidate, Vec::new(), input).map(Some)
    }

    /// Appends the first epoch; none if somebody else was faster.
    pub(super) fn opened(
        &self,
        conversation: &ConversationId,
        input: &TurnInput<'_>,
    ) -> Result<Option<(Arc<Epoch>, Candidate)>> {
        if self.store.standing(conversation)?.is_some() {
            return Ok(None);
        }
        let candidate = self.compose(input)?;
        let bundle = candidate.body.bundle();
        let row = row(conversation, 1, Cause::Opened, (&candidate.body, &bundle), input);
        match self.store.append(&row, &bundle)? {
            Appended::Lost(_) => Ok(None),
            Appended::Won => {
                self.cache.put(row.body, &candidate.body, candidate.body.weight());
                let epoch = Arc::new(Epoch::new(row, Arc::clone(&candidate.body)));
                Ok(Some((epoch, candidate)))
            }
        }
    }

    /// Appends the epoch behind one that stands, unless the bytes are the same, or somebody else was faster.
    pub(super) fn renewed(&self, standing: &Epoch, cause: Cause, input: &TurnInput<'_>) -> Result<Renewal> {
        let candidate = self.compose(input)?;
        let bundle = candidate.body.bundle();
        let row = row(standing.conversation(), standing.number() + 1, cause, (&candidate.body, &bundle), input);
        if row.digest == standing.digest() && !self.has_amendments(standing)? {
            return Ok(Renewal::None(candidate));
        }
        match self.store.append(&row, &bundle) {
            Ok(Appended::Lost(_)) => Ok(Renewal::None(candidate)),
            // Nothing can follow an epoch that somebody deleted meanwhile, also if there are others under the same name by now.
            Err(_) if self.is_behind(standing)? => Ok(Renewal::None(candidate)),
            Err(error) => Err(error.into()),
            Ok(Appended::Won) => {
                self.cache.put(row.body, &candidate.body, candidate.body.weight());
                Ok(Renewal::Begun(candidate, row))
            }
        }
    }

    /// Whether a conversation has not come as far as this epoch: somebody deleted it since.
    fn is_behind(&self, epoch: &Epoch) -> Result<bool> {
        let now = self.store.standing(epoch.conversation())?;
        Ok(now.is_none_or(|now| now.epoch.number < epoch.number()))
    }

    /// A renewal to the same bytes still begins an epoch if notices have said something else meanwhile.
    fn has_amendments(&self, epoch: &Epoch) -> Result<bool> {
        let found = self.store.epoch(epoch.conversation(), epoch.number())?;
        Ok(found.is_some_and(|found| !found.amendments.is_empty()))
    }

    /// Appends the notices that are due; none if somebody else was faster.
    pub(super) fn amended(
        &self,
        epoch: &Epoch,
        before: &[Amendment],
        drifted: &Drifted,
        input: &TurnInput<'_>,
    ) -> Result<Option<Vec<Amendment>>> {
        let mut fresh = Vec::new();
        for body in &drifted.amend {
            let mut body = body.clone();
            body.after = input.messages;
            let bundle = body.bundle();
            let last = fresh.last().or(before.last()).map_or(0, |amendment: &Amendment| amendment.number);
            let row = AmendmentRow {
                conversation: epoch.conversation().clone(),
                epoch: epoch.number(),
                number: last + 1,
                at: now(input),
                body: Digest::of(&bundle.body),
            };
            match self.store.amend(&row, &bundle)? {
                Appended::Won => fresh.push(Amendment::new(&row, Arc::new(body))),
                Appended::Lost(_) => return Ok(None),
            }
        }
        Ok(Some(fresh))
    }

    /// The turn of an epoch that just began.
    pub(super) fn begun(
        &self,
        epoch: Arc<Epoch>,
        candidate: Candidate,
        changes: Vec<Change>,
        input: &TurnInput<'_>,
    ) -> Result<Turn> {
        let diagnostics = candidate.diagnostics(input);
        let Composed { prompt, discovery, .. } = candidate.composed;
        let insertions = self.take(epoch.conversation(), (input.id, input.messages, input.repeat))?;
        let turn = Turn {
            epoch: Some(epoch),
            began: Began::Now,
            suffix: prompt.into_suffix(),
            changes,
            report: discovery.report,
            diagnostics,
            ..Turn::empty(input)
        };
        Ok(turn.inserting(insertions, input.history))
    }

    /// The turn of an epoch that stands.
    #[expect(clippy::too_many_arguments, reason = "the parts of a turn, each made by another step")]
    pub(super) fn unchanged(
        &self,
        epoch: Arc<Epoch>,
        mut amendments: Vec<Amendment>,
        fresh: Vec<Amendment>,
        mut drifted: Drifted,
        discovery: Discovery,
        insertions: u64,
        input: &TurnInput<'_>,
    ) -> Result<Turn> {
        drifted.failed.extend(self.unrenderable(&drifted, &discovery, input));
        let (composed, failed) = Composed::suffix(input.layout, discovery, epoch.text());
        drifted.failed.extend(failed);
        input.situation.caller.stop.check()?;
        let mut diagnostics = composed.diagnostics();
        for error in &drifted.failed {
            let finding = Diagnostic::of_error(Code::Unrenderable, error);
            if !diagnostics.contains(&finding) {
                diagnostics.push(finding);
            }
        }
        let insertions = match insertions {
            0 => Vec::new(),
            _ => self.take(epoch.conversation(), (input.id, input.messages, input.repeat))?,
        };
        let count = fresh.len();
        amendments.extend(fresh);
        let turn = Turn {
            epoch: Some(epoch),
            amendments,
            fresh: count,
            suffix: composed.prompt,
            pending: drifted.pending,
            report: composed.discovery.report,
            diagnostics,
            ..Turn::empty(input)
        };
        Ok(turn.inserting(insertions, input.history))
    }

    /// Why a prompt that is made otherwise by now could not be composed; none if it could, or if nobody wants to know what is
    /// held back. Texts that would have to be fetched are taken for empty ones.
    fn unrenderable(&self, drifted: &Drifted, discovery: &Discovery, input: &TurnInput<'_>) -> Option<Error> {
        if input.watch == Watch::Acting || !drifted.is_made_otherwise() {
            return None;
        }
        let mut facts = discovery.facts.clone();
        for name in input.layout.facts().into_iter().filter(|name| input.situation.fetches(name)) {
            if facts.get(&name).is_none() {
                let text = Text::new("", Origin::fact(&name));
                facts.insert(name, Answer::Present(Value::Text(text)));
            }
        }
        // What is unavailable is listed as such.
        compose(input.layout, &facts).err().filter(|error| error.kind() != ErrorKind::Refused)
    }

    /// Asks for the live facts but for the frozen ones, and for the named ones.
    pub(super) fn ask(&self, input: &TurnInput<'_>, watched: Vec<FactName>, frozen: &FrozenFacts) -> Discovery {
        let live = input.layout.live_sections().iter().flat_map(|section| section.facts());
        let live = live.filter(|name| !frozen.contains(name));
        let names: BTreeSet<FactName> = watched.into_iter().chain(live).collect();
        let fetching = Fetching { purpose: Purpose::Turn, ..input.situation.fetching };
        discover(input.world, &Situation { fetching, ..input.situation }, &names)
    }

    pub(super) fn compose(&self, input: &TurnInput<'_>) -> Result<Candidate> {
        let discovery = discover(input.world, &input.situation, &input.layout.facts());
        let composed = Composed::prompt(input.layout, discovery)?;
        let inputs = EpochInputs {
            layout: input.layout,
            tools: input.situation.caller.tools.as_ref(),
            facts: &composed.discovery.facts,
            roots: input.situation.more,
            report: &composed.discovery.report,
            diagnostics: &composed.diagnostics(),
        };
        let body = Arc::new(EpochBody::new(&composed.prompt, &inputs));
        // From here on it is written, or not: never by half.
        input.situation.caller.stop.check()?;
        Ok(Candidate { composed, body })
    }
}

impl Candidate {
    /// Everything worth knowing about the prompt, and about its prefix and the model that it is for.
    pub(super) fn diagnostics(&self, input: &TurnInput<'_>) -> Vec<Diagnostic> {
        let mut all = self.composed.diagnostics();
        if let Some(model) = &input.situation.caller.model {
            all.extend(input.models.findings(model, self.composed.prompt.prefix()));
        }
        all
    }
}

/// The row of an epoch that begins now.
pub(super) fn row(
    conversation: &ConversationId,
    number: u64,
    cause: Cause,
    (body, bundle): (&EpochBody, &Bundle),
    input: &TurnInput<'_>,
) -> EpochRow {
    EpochRow {
        conversation: conversation.clone(),
        number,
        cause,
        opened_at: now(input),
        digest: body.digest(),
        body: Digest::of(&bundle.body),
        cwd: input.situation.workspace.cwd.to_string_lossy().into_owned(),
        machine: input.situation.caller.machine.clone(),
        model: input.situation.caller.model.clone(),
    }
}
