//! The whole flow for one conversation: discover, compose, freeze, turn by turn.
//!
//! 1. The first turn opens an epoch; every later one gets the same bytes back, whatever has happened since.
//! 2. A turn asks for live facts, and for those of sections that act on a change. For all else, nothing is opened, and what has
//!    to be fetched may take a moment only.
//! 3. A change is held back, appended as a notice, or begins a new epoch, as its section says. Each is recorded.
//! 4. Of racing writers one wins, in this process and across others, and all get the winner's bytes.

mod cache;
mod compaction;
mod draft;
mod export;
mod flight;
mod frozen;
mod hooked;
mod import;
mod ineffective;
mod insertions;
mod lines;
mod live;
mod pauses;
mod recent;
mod room;
mod steps;
mod sweep;
mod touch;
mod turn;

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use self::cache::Cache;
pub use self::compaction::{Compacted, Compaction, Compactions};
pub use self::draft::{Adopted, Draft};
pub use self::export::Export;
use self::flight::Flights;
use self::frozen::FrozenFacts;
pub use self::hooked::HookMessage;
use self::hooked::question;
pub use self::import::{Imported, MemoryCheck};
use self::ineffective::IneffectiveChanges;
pub use self::insertions::{Repeat, TurnInsertion};
use self::pauses::SeenPauses;
pub(crate) use self::recent::Current;
use self::recent::{RecentEpochs, RecentTemplates};
pub use self::room::INSERTION_LIMIT;
use self::room::Room;
use self::steps::Renewal;
pub use self::sweep::{Age, Collected};
pub use self::touch::TouchNotice;
pub(crate) use self::turn::Delivering;
pub use self::turn::{Began, Turn, TurnInput, TurnSpan};
use crate::compose::Prompt;
use crate::diagnostic::{Code, Diagnostic, did_you_mean};
use crate::discover::Discovery;
use crate::discover::remote::Fetched;
use crate::error::{Error, ErrorKind, Fault, Result};
use crate::freeze::store::{Deletable, Deleted, EpochRow, Noted, Standing, Store};
use crate::freeze::template::TemplateRow;
use crate::freeze::{
    Amendment, AmendmentBody, Cause, Change, ChangeKind, ConversationId, Difference, Drifted, Epoch, EpochBody, Now,
    StandingEpoch, Watch, truncate_to_millis,
};
use crate::hooks::{AskedRoots, HookDid};
use crate::text::Digest;

/// How often a turn begins again because another one was faster.
const ROUNDS: usize = 20;

/// Keeps the conversations of a store.
pub struct Keeper {
    store: Box<dyn Store>,
    cache: Cache,
    flights: Flights,
    ineffective: IneffectiveChanges,
    recent: RecentEpochs,
    templates: RecentTemplates,
    pauses: SeenPauses,
    room: Room,
}

/// What a caller says to a conversation whose project cannot be resolved.
pub(crate) struct GoingOn<'g> {
    /// A name for the turn.
    pub(crate) turn: Option<&'g str>,
    /// The conversation's messages, if the caller passes them through.
    pub(crate) history: Option<&'g Arc<[Value]>>,
    /// How often insertions are sent.
    pub(crate) repeat: Repeat,
    /// The system text of this turn alone.
    pub(crate) replacement: Option<&'g str>,
    /// When the turn is.
    pub(crate) now: Timestamp,
}

/// What came of a renewal.
#[derive(Debug, Clone)]
pub struct Renewed {
    /// The epoch that stands.
    pub epoch: Arc<Epoch>,
    /// Whether it began with this renewal.
    pub began: Began,
    /// What each hook that hears of a new epoch did.
    pub hooks: Vec<HookDid>,
    /// What is worth knowing about the prompt as it would be now, and about hooks.
    pub diagnostics: Vec<Diagnostic>,
}

/// What composing now would change.
#[derive(Debug, Clone)]
pub struct Drift {
    /// The epoch that stands.
    pub epoch: Arc<Epoch>,
    /// Its amendments.
    pub amendments: Vec<Amendment>,
    /// Every change, whatever its section does about it.
    pub changes: Vec<Change>,
    /// Where the bytes would part; none if the model would see the same.
    pub difference: Option<Difference>,
    /// The body that a renewal would begin with.
    pub next: Arc<EpochBody>,
    /// What is worth knowing about the prompt as it would be now.
    pub diagnostics: Vec<Diagnostic>,
}

impl Keeper {
    /// A keeper of a store.
    pub fn new(store: impl Store + 'static) -> Keeper {
        Keeper::of(Box::new(store))
    }

    /// A keeper of a store that was chosen at run time.
    pub fn of(store: Box<dyn Store>) -> Keeper {
        Keeper {
            store,
            cache: Cache::default(),
            flights: Flights::default(),
            ineffective: IneffectiveChanges::default(),
            recent: RecentEpochs::default(),
            templates: RecentTemplates::default(),
            pauses: SeenPauses::default(),
            room: Room::default(),
        }
    }

    /// The store.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// Opens the conversation, or goes on with it.
    pub fn turn(&self, conversation: &ConversationId, input: &TurnInput<'_>) -> Result<Turn> {
        self.turn_from(conversation, input, None)
    }

    /// The same for whoever has just looked which epoch stands.
    pub(crate) fn turn_from(
        &self,
        conversation: &ConversationId,
        input: &TurnInput<'_>,
        found: Option<Current>,
    ) -> Result<Turn> {
        if let Some(text) = input.replacement {
            let insertions = self.repeated(conversation)?;
            return Ok(Turn::empty(input).saying(text).inserting(insertions, input.history));
        }
        let input = &input.named(conversation);
        let asked = AskedRoots::ask(input.hooks, &question(conversation, None, input));
        let about_touch = self.touched_by_turn(conversation, input, &asked)?;
        // What was touched waits for this turn, and was not there when somebody looked; and programs may have taken a while since.
        let found = found.filter(|_| input.touch.is_empty() && input.hooks.is_empty());
        let mut turn = self.stand(conversation, input, &asked, found)?;
        turn.diagnostics.extend(about_touch);
        turn.hooks.extend(asked.did().iter().cloned());
        if let (Began::Now, Some(epoch)) = (turn.began, &turn.epoch) {
            let (did, diagnostics) = self.announce(epoch, input);
            turn.hooks.extend(did);
            turn.diagnostics.extend(diagnostics);
        }
        turn.pauses = self.pauses.of(conversation);
        self.keep_live(conversation, &mut turn, input)?;
        turn.ask_hooks(conversation, input)?;
        Ok(turn)
    }

    /// Goes on with a conversation whose project cannot be resolved: with the epoch that stands, its notices and the messages
    /// that wait. Nothing is asked for, so there is no live part, and what the project would say now is pending.
    pub(crate) fn go_on(&self, conversation: &ConversationId, going_on: &GoingOn<'_>, why: &Error) -> Result<Turn> {
        let GoingOn { turn, history, repeat, replacement, now } = *going_on;
        let diagnostics = vec![Diagnostic::of_error(Code::ProjectUnreadable, why)];
        if let Some(text) = replacement {
            let turn = Turn { diagnostics, ..Turn::nothing().saying(text) };
            return Ok(turn.inserting(self.repeated(conversation)?, history));
        }
        let current = self.current(conversation)?.ok_or_else(|| unknown(conversation))?;
        if self.note_use(&current, now)? == Noted::NoConversation {
            return Err(unknown(conversation));
        }
        let Current { standing, epoch, amendments } = current;
        let insertions = match standing.waiting + standing.inserted {
            0 => Vec::new(),
            _ => self.take(conversation, (turn, history.map(|history| history.len()), repeat))?,
        };
        let detail = format!("what the project says now cannot be read, and the prompt stays as it is: {why}");
        let turn = Turn {
            suffix: Prompt::empty(&epoch.body().made_by.layout),
            epoch: Some(epoch),
            amendments,
            pending: vec![Change::new(ChangeKind::Unavailable, "project", detail)],
            diagnostics,
            ..Turn::nothing()
        };
        let mut turn = turn.inserting(insertions, history);
        turn.pauses = self.pauses.of(conversation);
        Ok(turn)
    }

    /// The turn before hooks change it.
    fn stand(
        &self,
        conversation: &ConversationId,
        input: &TurnInput<'_>,
        asked: &AskedRoots,
        mut found: Option<Current>,
    ) -> Result<Turn> {
        let fetched = Fetched::default();
        let input = &input.fetching(&fetched);
        for _ in 0..ROUNDS {
            let current = match found.take() {
                Some(current) => Some(current),
                None => self.current(conversation)?,
            };
            let Some(current) = current else {
                let more = asked.roots(&question(conversation, None, input), None);
                let input = &input.with_roots(&more);
                if let Some(turn) = self.flights.alone(conversation, || self.open(conversation, input))? {
                    return Ok(turn);
                }
                continue;
            };
            if self.note_use(&current, now(input))? == Noted::NoConversation {
                continue;
            }
            let Current { standing, epoch, amendments } = current;
            let more = asked.roots(&question(conversation, None, input), Some(epoch.body()));
            let input = &input.with_roots(&more);
            let standing_epoch = StandingEpoch { epoch: &epoch, amendments: &amendments };
            let frozen = FrozenFacts::of(epoch.body(), &epoch.row().cwd, epoch.row().machine.as_deref(), input);
            let watched = StandingEpoch::watched(input.layout, input.watch, &input.situation);
            let mut discovery = self.ask(input, watched, &frozen);
            // What was not asked for any more is not a change.
            input.situation.caller.stop.check()?;
            let mut drifted = self.drifted(&standing_epoch, input, &discovery);
            if let Some(cause) = drifted.renew
                && !self.ineffective.is_known(&epoch, &drifted.changes)
            {
                match self.flights.alone(conversation, || self.renewed(&epoch, cause, input)) {
                    Ok(Renewal::Begun(candidate, row)) => {
                        let epoch = Arc::new(Epoch::new(row, Arc::clone(&candidate.body)));
                        return self.begun(epoch, candidate, drifted.changes, input);
                    }
                    Ok(Renewal::None(_)) => {
                        // Somebody else was faster, or has deleted the conversation.
                        if self.store.standing(conversation)?.is_none_or(|now| now.epoch.number != epoch.number()) {
                            continue;
                        }
                        self.ineffective.remember(&epoch, &drifted.changes);
                    }
                    Err(error) if matches!(error.kind(), ErrorKind::Store(_) | ErrorKind::Stopped) => {
                        return Err(error);
                    }
                    // The conversation has its bytes: what cannot be composed waits until it can be.
                    Err(error) => drifted.hold(error),
                }
            }
            let Some(fresh) = self.amended(&epoch, &amendments, &drifted, input)? else { continue };
            frozen.put_into(&mut discovery.facts);
            return self.unchanged(
                epoch,
                amendments,
                fresh,
                drifted,
                discovery,
                standing.waiting + standing.inserted,
                input,
            );
        }
        Err(changes_too_fast(conversation))
    }

    /// Begins a new epoch and tells the hooks, unless the model would see the same bytes. The epoch that stands then is the
    /// answer.
    pub fn renew(&self, conversation: &ConversationId, cause: Cause, input: &TurnInput<'_>) -> Result<Renewed> {
        let input = &input.named(conversation);
        let asked = AskedRoots::ask(input.hooks, &question(conversation, None, input));
        for _ in 0..ROUNDS {
            let epoch = self.used(conversation, input)?.epoch;
            let more = asked.roots(&question(conversation, None, input), Some(epoch.body()));
            let with_roots = &input.with_roots(&more);
            let candidate = match self.flights.alone(conversation, || self.renewed(&epoch, cause, with_roots))? {
                Renewal::Begun(candidate, row) => {
                    let mut diagnostics = candidate.diagnostics(input);
                    let epoch = Arc::new(Epoch::new(row, candidate.body));
                    let (hooks, of_hooks) = self.announce(&epoch, input);
                    diagnostics.extend(of_hooks);
                    return Ok(Renewed { epoch, began: Began::Now, hooks, diagnostics });
                }
                Renewal::None(candidate) => candidate,
            };
            let (now, _) = self.standing(conversation)?;
            if now.number() == epoch.number() {
                let diagnostics = candidate.diagnostics(input);
                return Ok(Renewed { epoch: now, began: Began::Before, hooks: Vec::new(), diagnostics });
            }
        }
        Err(Error::new(ErrorKind::Conflict, format!("{conversation} is renewed by others all the time")))
    }

    /// What composing now would change. Nothing is stored.
    pub fn drift(&self, conversation: &ConversationId, input: &TurnInput<'_>) -> Result<Drift> {
        let input = &TurnInput { watch: Watch::All, ..input.named(conversation) };
        let (epoch, amendments) = self.standing(conversation)?;
        let asked = AskedRoots::ask(input.hooks, &question(conversation, Some(&epoch), input));
        let more = asked.roots(&question(conversation, None, input), Some(epoch.body()));
        let input = &input.with_roots(&more);
        let candidate = self.compose(input)?;
        let discovery = &candidate.composed.discovery;
        let standing_epoch = StandingEpoch { epoch: &epoch, amendments: &amendments };
        let drifted = self.drifted(&standing_epoch, input, discovery);
        let mut diagnostics = candidate.diagnostics(input);
        diagnostics.extend(drifted.failed.iter().map(|error| Diagnostic::of_error(Code::Unrenderable, error)));
        let mut changes = drifted.changes;
        changes.extend(drifted.pending);
        // What a notice would say is a change as well, and so is what notices have said already: a renewal folds them in.
        let own = StandingEpoch { epoch: &epoch, amendments: &[] };
        let since = self.drifted(&own, input, discovery);
        changes.extend(since.amend.iter().map(Change::of_notice));
        let difference = Difference::between(epoch.body(), &candidate.body)?;
        Ok(Drift { epoch, amendments, changes, difference, next: candidate.body, diagnostics })
    }

    /// The epoch that stands, noted as being in use.
    fn used(&self, conversation: &ConversationId, input: &TurnInput<'_>) -> Result<Current> {
        let current = self.current(conversation)?.ok_or_else(|| unknown(conversation))?;
        match self.note_use(&current, now(input))? {
            Noted::Done | Noted::Later => Ok(current),
            Noted::NoConversation => Err(unknown(conversation)),
        }
    }

    /// The epoch that stands, with its amendments.
    pub fn standing(&self, conversation: &ConversationId) -> Result<(Arc<Epoch>, Vec<Amendment>)> {
        let current = self.current(conversation)?.ok_or_else(|| unknown(conversation))?;
        Ok((current.epoch, current.amendments))
    }

    /// The same, if it can be said without looking for it: nobody has written to the store since it was looked for. This
    /// takes a microsecond or two where a store is on this machine, and waits for nothing.
    pub fn standing_at_once(&self, conversation: &ConversationId) -> Option<(Arc<Epoch>, Vec<Amendment>)> {
        let stamp = self.store.stamp().ok().flatten()?;
        let standing = self.recent.get(conversation, stamp)?;
        // Unless a text is gone from memory by now.
        let is_here = self.cache.contains(standing.epoch.body)
            && standing.amendments.iter().all(|amendment| self.cache.contains(amendment.body));
        if is_here { self.load(&standing).ok() } else { None }
    }

    /// The template that was saved last for a layout; none if nobody saved one, or it was deleted.
    pub(crate) fn last_template(&self, layout: &str) -> Result<Option<TemplateRow>> {
        Ok(self.templates.find(&*self.store, layout)?)
    }

    /// The standing epoch with all that a turn needs to know; none if nobody opened the conversation.
    pub(crate) fn current(&self, conversation: &ConversationId) -> Result<Option<Current>> {
        self.load_found(|| Ok(self.recent.find(&*self.store, conversation)?))
    }

    /// An epoch that is found, with its texts. Between the two questions somebody may delete the conversation, and its texts with
    /// it: only what is missing of a row that is still there is damage.
    fn load_found(&self, find: impl Fn() -> Result<Option<Standing>>) -> Result<Option<Current>> {
        let mut before = None;
        loop {
            let Some(standing) = find()? else { return Ok(None) };
            match self.load(&standing) {
                Ok((epoch, amendments)) => return Ok(Some(Current { standing, epoch, amendments })),
                Err(error) if before.as_ref() == Some(&standing) => return Err(error),
                Err(error) if error.kind() == ErrorKind::Store(Fault::Corrupt) => before = Some(standing),
                Err(error) => return Err(error),
            }
        }
    }

    /// One epoch, with its amendments.
    pub fn epoch(&self, conversation: &ConversationId, number: u64) -> Result<(Arc<Epoch>, Vec<Amendment>)> {
        let found = self.load_found(|| Ok(self.store.epoch(conversation, number)?))?;
        let Current { epoch, amendments, .. } = found.ok_or_else(|| {
            let message = format!("{conversation} has no epoch {number}");
            Error::new(ErrorKind::Conversation, message).with_hint("`antefix epochs` lists them")
        })?;
        Ok((epoch, amendments))
    }

    /// The epochs of a conversation behind `after`, at most `limit`.
    pub fn history(&self, conversation: &ConversationId, after: u64, limit: usize) -> Result<Vec<EpochRow>> {
        Ok(self.store.epochs(conversation, after, limit)?)
    }

    /// Ends a conversation: its ledger, its messages and what it remembers go, and with them the texts that no other
    /// conversation has.
    pub fn delete(&self, conversation: &ConversationId) -> Result<Deleted> {
        self.store.delete(conversation, Deletable::Any)?.ok_or_else(|| unknown(conversation))
    }

    /// A conversation whose id is much like this one: for a message about an id that nobody has opened. Only the first
    /// thousands are looked at.
    pub fn similar(&self, conversation: &ConversationId) -> Result<Option<ConversationId>> {
        const LOOKED_AT: usize = 5_000;
        let rows = self.store.conversations(None, LOOKED_AT)?;
        let meant = did_you_mean(conversation.as_str(), rows.iter().map(|row| row.conversation.as_str()));
        Ok(meant.and_then(|id| ConversationId::parse(id).ok()))
    }

    /// Queues a message for the next turn. One that says nothing is refused: no provider takes it.
    pub fn send(&self, conversation: &ConversationId, message: &str, at: Timestamp) -> Result<u64> {
        if message.is_empty() {
            return Err(Error::new(ErrorKind::Input, "the message is empty").with_hint("say something"));
        }
        let _room = self.room.take(&*self.store, conversation, message.len())?;
        Ok(self.store.queue(conversation, truncate_to_millis(at), message)?)
    }

    fn drifted(&self, epoch: &StandingEpoch<'_>, input: &TurnInput<'_>, discovery: &Discovery) -> Drifted {
        let model = input.situation.caller.model.as_deref().and_then(|name| input.models.find(name));
        let tool_changes = model.and_then(|(model, _)| model.tool_changes);
        epoch.drifted(&Now { layout: input.layout, situation: &input.situation, discovery, tool_changes })
    }

    /// A text of the store as it was read, from memory or by `load`, which says how large it is.
    pub(crate) fn cached<T: Send + Sync + 'static>(
        &self,
        digest: Digest,
        load: impl FnOnce() -> Result<(T, usize)>,
    ) -> Result<Arc<T>> {
        self.cache.get(digest, load)
    }

    /// The epoch of a row with its amendments, their bodies read.
    pub(crate) fn load(&self, standing: &Standing) -> Result<(Arc<Epoch>, Vec<Amendment>)> {
        let row = &standing.epoch;
        let body = self.cache.get(row.body, || {
            let body = EpochBody::load(&*self.store, row.body, row.digest)?;
            let weight = body.weight();
            Ok::<_, Error>((body, weight))
        })?;
        let mut amendments = Vec::with_capacity(standing.amendments.len());
        for amendment in &standing.amendments {
            let body = self.cache.get(amendment.body, || {
                let body = AmendmentBody::load(&*self.store, amendment.body)?;
                let weight = 2 * body.text.len() + 500;
                Ok::<_, Error>((body, weight))
            })?;
            amendments.push(Amendment::new(amendment, body));
        }
        Ok((Arc::new(Epoch::new(row.clone(), body)), amendments))
    }
}

/// The clock, as fine as a row has it.
fn now(input: &TurnInput<'_>) -> Timestamp {
    truncate_to_millis(input.world.now())
}

fn changes_too_fast(conversation: &ConversationId) -> Error {
    Error::new(ErrorKind::Conflict, format!("{conversation} changes faster than it can be read")).with_hint("try again")
}

fn unknown(conversation: &ConversationId) -> Error {
    Error::new(ErrorKind::Conversation, format!("there is no conversation {conversation:?}"))
        .with_hint("its first turn opens it")
}
