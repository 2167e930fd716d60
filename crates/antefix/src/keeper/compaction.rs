//! Compaction in two steps, so that a summary that failed changes nothing.
//!
//! 1. A conversation that nobody opened is opened by `begin`: there is something to summarize, so somebody talked.
//! 2. `begin` gives the prompt for the summary: a fresh prefix, or the standing one where the layout keeps it, a blank
//!    line, and the compaction wording. The ledger of a conversation that is open does not change.
//! 3. [`Compaction::deliver`] makes the request for the summary. Unless the layout says otherwise it is like that of the next turn, with
//!    the same tools, system text, messages and insertions, and the wording as the user's last message, so that a provider reads what it
//!    has cached. The live part is left out, and what has changed since the last turn is not told: the next epoch has it.
//! 4. `commit` appends the epoch that `begin` composed, bytes and all; `abort` forgets it. Committing the last one once more
//!    answers with the epoch that it made: whoever did not hear the first answer asks again.
//! 5. A second `begin` takes the first one's place. A commit after the conversation moved on is refused.

use std::sync::Arc;

use super::steps::row;
use super::{Began, Current, Keeper, ROUNDS, Turn, TurnInput, changes_too_fast, now, question};
use crate::compose::policy::{CompactionForm, OnCompaction};
use crate::deliver::{Delivery, Target};
use crate::diagnostic::Diagnostic;
use crate::error::{Error, ErrorKind, Result};
use crate::freeze::store::{Committed, CompactionRow, Noted};
use crate::freeze::{Amendment, Cause, ConversationId, Epoch, EpochBody};
use crate::hooks::{AskedRoots, HookDid};
use crate::text::Digest;
use crate::tokens::Tokenizer;

/// The compactions of a keeper's conversations.
pub struct Compactions<'k>(pub(super) &'k Keeper);

/// A compaction that was begun.
#[derive(Debug, Clone)]
pub struct Compaction {
    /// What commits or aborts it.
    pub token: String,
    /// The system text for a request of one's own that summarizes. [`Compaction::deliver`] makes one that reads what is cached.
    pub prompt: String,
    /// Where the words that ask for the summary go when it is delivered.
    pub form: CompactionForm,
    /// The epoch that stands.
    pub epoch: Arc<Epoch>,
    /// What a commit begins; none if the standing epoch stays.
    pub next: Option<Arc<EpochBody>>,
    /// Whether the conversation was opened for it.
    pub opened: Began,
    /// What each hook that hears of a new epoch did.
    pub hooks: Vec<HookDid>,
    /// What is worth knowing.
    pub diagnostics: Vec<Diagnostic>,
    /// What is delivered.
    pub(crate) turn: Turn,
}

impl Compaction {
    /// The request for the summary, with the messages that were handed over when it was begun.
    ///
    /// Nothing is stored, and what waits for the next turn goes on waiting.
    pub fn deliver(&self, target: Target) -> Result<Delivery> {
        self.turn.deliver(target)
    }

    /// The tokenizer of the model, for receipts that are counted.
    pub fn tokenizer(&self) -> Tokenizer {
        self.turn.tokenizer()
    }
}

/// The epoch that a compaction starts from.
struct Start {
    epoch: Arc<Epoch>,
    amendments: Vec<Amendment>,
    opened: Began,
    hooks: Vec<HookDid>,
    diagnostics: Vec<Diagnostic>,
}

/// What came of a commit.
#[derive(Debug, Clone)]
pub struct Compacted {
    /// The epoch that stands.
    pub epoch: Arc<Epoch>,
    /// Whether it began with this commit.
    pub began: Began,
    /// What each hook that hears of a new epoch did.
    pub hooks: Vec<HookDid>,
    /// What is worth knowing about hooks.
    pub diagnostics: Vec<Diagnostic>,
}

impl Compactions<'_> {
    /// Composes the prompt for the summary.
    pub fn begin(&self, conversation: &ConversationId, input: &TurnInput<'_>) -> Result<Compaction> {
        let keeper = self.0;
        let input = &input.named(conversation);
        let Start { epoch, amendments, opened, mut hooks, mut diagnostics } = self.start(conversation, input)?;
        let asked = AskedRoots::ask(input.hooks, &question(conversation, Some(&epoch), input));
        let more = asked.roots(&question(conversation, None, input), Some(epoch.body()));
        let input = &input.with_roots(&more);
        let mut next = None;
        // What was composed a moment ago is fresh.
        if input.layout.on_compaction() == OnCompaction::Renew && opened == Began::Before {
            let candidate = keeper.compose(input)?;
            diagnostics = candidate.diagnostics(input);
            if candidate.body.digest() != epoch.digest() || !amendments.is_empty() {
                next = Some(candidate.body);
            }
        }
        let bundle = next.as_ref().map(|body| body.bundle());
        let next_row = next
            .as_ref()
            .zip(bundle.as_ref())
            .map(|(body, bundle)| row(conversation, epoch.number() + 1, Cause::Compacted, (body, bundle), input));
        let token = token(&epoch, next.as_deref(), input);
        let compaction = CompactionRow {
            conversation: conversation.clone(),
            token: token.clone(),
            epoch: epoch.number(),
            next: next_row,
        };
        keeper.store.begin(&compaction, bundle.as_ref())?;
        let prefix = next.as_ref().map_or(epoch.text(), |body| &body.text);
        let wording = input.situation.rules.phrases.get("compact_system");
        let joint = if prefix.is_empty() { "" } else { "\n\n" };
        let prompt = format!("{prefix}{joint}{}", wording.as_str());
        let form = input.layout.compaction();
        let insertions = keeper.repeated(conversation)?;
        let turn = match form {
            CompactionForm::System => Turn::empty(input).saying(&prompt).inserting(insertions, input.history),
            CompactionForm::Message => {
                let turn = Turn { epoch: Some(Arc::clone(&epoch)), amendments, ..Turn::empty(input) };
                let mut turn = turn.inserting(insertions, input.history);
                turn.pauses = keeper.pauses.of(conversation);
                turn.ask_hooks(conversation, input)?;
                turn.asks = Some(wording.as_str().to_owned());
                hooks.append(&mut turn.hooks);
                diagnostics.append(&mut turn.diagnostics);
                turn
            }
        };
        Ok(Compaction { token, prompt, form, epoch, next, opened, hooks, diagnostics, turn })
    }

    /// The epoch that stands; the first one, if nobody opened the conversation.
    fn start(&self, conversation: &ConversationId, input: &TurnInput<'_>) -> Result<Start> {
        let keeper = self.0;
        for _ in 0..ROUNDS {
            if let Some(current) = keeper.current(conversation)? {
                if keeper.note_use(&current, now(input))? == Noted::NoConversation {
                    continue;
                }
                let Current { epoch, amendments, .. } = current;
                let (opened, hooks, diagnostics) = (Began::Before, Vec::new(), Vec::new());
                return Ok(Start { epoch, amendments, opened, hooks, diagnostics });
            }
            let asked = AskedRoots::ask(input.hooks, &question(conversation, None, input));
            let more = asked.roots(&question(conversation, None, input), None);
            let with_roots = &input.with_roots(&more);
            let first = keeper.flights.alone(conversation, || keeper.opened(conversation, with_roots))?;
            let Some((epoch, candidate)) = first else { continue };
            let mut diagnostics = candidate.diagnostics(with_roots);
            let mut hooks = asked.did().to_vec();
            let (did, of_hooks) = keeper.announce(&epoch, input);
            hooks.extend(did);
            diagnostics.extend(of_hooks);
            return Ok(Start { epoch, amendments: Vec::new(), opened: Began::Now, hooks, diagnostics });
        }
        Err(changes_too_fast(conversation))
    }

    /// Begins the epoch of the compaction and tells the hooks, unless the standing epoch stays.
    pub fn commit(&self, conversation: &ConversationId, token: &str, input: &TurnInput<'_>) -> Result<Compacted> {
        // Only the number tells whether an epoch began: the one that stays may come from an earlier compaction.
        let before = self.0.store.standing(conversation)?.map(|standing| standing.epoch.number);
        match self.0.store.commit(conversation, token, now(input))? {
            Committed::Done(row) => {
                let (epoch, _) = self.0.epoch(conversation, row.number)?;
                if before == Some(row.number) {
                    let (began, hooks, diagnostics) = (Began::Before, Vec::new(), Vec::new());
                    return Ok(Compacted { epoch, began, hooks, diagnostics });
                }
                let (hooks, diagnostics) = self.0.announce(&epoch, &input.named(conversation));
                Ok(Compacted { epoch, began: Began::Now, hooks, diagnostics })
            }
            Committed::Before(row) => {
                let (epoch, _) = self.0.epoch(conversation, row.number)?;
                Ok(Compacted { epoch, began: Began::Before, hooks: Vec::new(), diagnostics: Vec::new() })
            }
            Committed::NotBegun => {
                let message =
                    format!("{conversation} has no compaction {token}: it ended, or another one took its place");
                Err(Error::new(ErrorKind::Conflict, message).with_hint("begin it again"))
            }
            Committed::MovedOn(standing) => {
                let number = standing.number;
                let message = format!("{conversation} has begun epoch {number} since the compaction was begun");
                Err(Error::new(ErrorKind::Conflict, message).with_hint("begin it again; the ledger is as it was"))
            }
        }
    }

    /// Forgets the compaction. The ledger is as it was.
    pub fn abort(&self, conversation: &ConversationId, token: &str) -> Result<()> {
        Ok(self.0.store.abort(conversation, token)?)
    }
}

impl Keeper {
    /// Compaction, in two steps.
    pub fn compaction(&self) -> Compactions<'_> {
        Compactions(self)
    }
}

/// A name for the compaction. Two that are begun at one instant with the same bytes are one.
fn token(epoch: &Epoch, next: Option<&EpochBody>, input: &TurnInput<'_>) -> String {
    let number = epoch.number().to_string();
    let bytes = next.map_or_else(|| epoch.digest(), EpochBody::digest).to_string();
    let at = input.world.now().to_string();
    let parts = [("epoch", number.as_str()), ("bytes", bytes.as_str()), ("at", at.as_str())];
    Digest::framed("antefix/compaction/1", parts).short()
}
