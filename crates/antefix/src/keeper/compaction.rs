//! Compaction in two steps, so that a summary that failed changes nothing.
//!
//! 1. `begin` gives the prompt for the summary: a fresh prefix, or the standing one where the layout keeps it, a blank
//!    line, and the compaction wording. The ledger does not change.
//! 2. `commit` appends the epoch that `begin` composed, bytes and all; `abort` forgets it.
//! 3. A second `begin` takes the first one's place. A commit after the conversation moved on is refused.

use std::sync::Arc;

use super::steps::row;
use super::{Began, Keeper, TurnInput, now, question};
use crate::compose::policy::OnCompaction;
use crate::diagnostic::Diagnostic;
use crate::error::{Error, ErrorKind, Result};
use crate::freeze::store::{Committed, CompactionRow};
use crate::freeze::{Cause, ConversationId, Epoch, EpochBody};
use crate::hooks::{AskedRoots, HookDid};
use crate::text::Digest;

/// The compactions of a keeper's conversations.
pub struct Compactions<'k>(pub(super) &'k Keeper);

/// A compaction that was begun.
#[derive(Debug, Clone)]
pub struct Compaction {
    /// What commits or aborts it.
    pub token: String,
    /// The system text for the request that summarizes.
    pub prompt: String,
    /// The epoch that stands.
    pub epoch: Arc<Epoch>,
    /// What a commit begins; none if the standing epoch stays.
    pub next: Option<Arc<EpochBody>>,
    /// What is worth knowing.
    pub diagnostics: Vec<Diagnostic>,
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
        let (epoch, amendments) = keeper.standing(conversation)?;
        let asked = AskedRoots::ask(input.hooks, &question(conversation, Some(&epoch), input));
        let more = asked.roots(&question(conversation, None, input), Some(epoch.body()));
        let input = &input.with_roots(&more);
        let mut diagnostics = Vec::new();
        let mut next = None;
        if input.layout.on_compaction() == OnCompaction::Renew {
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
        Ok(Compaction { token, prompt, epoch, next, diagnostics })
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
