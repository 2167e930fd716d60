//! What came back: whether a provider's cache was hit as expected, and if not, why.
//!
//! With receipts alone the part that changed is known; with the conversation's ledger as well the byte, its section and its
//! origin are. Without receipts, two epochs of the ledger are compared.

use std::sync::Arc;

use super::Antefix;
use crate::deliver::{Receipt, Target};
use crate::diagnostic::{Code, Diagnostic};
use crate::document;
use crate::error::{Error, ErrorKind, Result};
use crate::freeze::{ConversationId, Epoch};
use crate::keeper::Keeper;
use crate::models::{Model, Models};
use crate::observe::{Comparison, Usage, Verdict};
use crate::text::Digest;

/// How many rows are read at a time.
const PAGE: usize = 1_000;

/// A turn that a provider has answered: what it billed, and what is known of the request.
#[derive(Debug, Clone, Default)]
pub struct BilledTurn {
    /// The provider's response, or its usage block, as JSON.
    pub usage: String,
    /// The receipt of this turn.
    pub receipt: Option<Receipt>,
    /// The receipt of the turn before; without one, this turn is the first.
    pub before: Option<Receipt>,
    /// The conversation whose ledger has the epochs.
    pub conversation: Option<String>,
    /// The epochs of the turn before and of this one, where there is no receipt; the last two if not said.
    pub epochs: Option<(u64, u64)>,
    /// Where the request went; a receipt says it as well.
    pub target: Option<Target>,
    /// The model whose prices and limits count; a receipt or an epoch may say it as well.
    pub model: Option<String>,
    /// How many seconds ago the turn before was.
    pub elapsed: Option<u64>,
}

/// What a provider billed, explained.
#[derive(Debug)]
pub struct Billing {
    /// Whether the cache was hit as expected.
    pub verdict: Verdict,
    /// What is worth knowing about it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Two turns, as far as they are known.
struct Turns {
    before: Option<Receipt>,
    now: Receipt,
    epochs: Option<(Arc<Epoch>, Arc<Epoch>)>,
    model: Option<Model>,
}

impl Antefix {
    /// Whether a provider's cache was hit as expected, and if not, why.
    pub fn why(&self, turn: &BilledTurn) -> Result<Billing> {
        let (models, finding) = self.models();
        let mut diagnostics: Vec<Diagnostic> = finding.into_iter().collect();
        let turns = match &turn.receipt {
            Some(receipt) => self.with_receipts(turn, receipt, &models, &mut diagnostics)?,
            None => self.with_epochs(turn, &models, &mut diagnostics)?,
        };
        let target = Target::parse(&turns.now.target);
        if turn.target.is_some() && turn.target != target {
            let message = format!("the receipt is for {}, and another target was named", turns.now.target);
            return Err(Error::new(ErrorKind::Input, message).with_hint("name no target: the receipt says it"));
        }
        let usage = Usage::parse(&turn.usage, target)?;
        let comparison = Comparison {
            before: turns.before.as_ref(),
            now: &turns.now,
            model: turns.model.as_ref(),
            epochs: turns.epochs.as_ref().map(|(before, now)| (before.body(), now.body())),
            elapsed: turn.elapsed,
        };
        let verdict = Verdict::new(comparison.expectation()?, usage, turn.elapsed);
        Ok(Billing { verdict, diagnostics })
    }

    /// The turns of two receipts, with the epochs of a ledger that has them.
    fn with_receipts(
        &self,
        turn: &BilledTurn,
        receipt: &Receipt,
        models: &Models,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<Turns> {
        let (before, now) = (turn.before.clone(), receipt.clone());
        let model = known(turn.model.as_deref().or(now.model.as_deref()), models, diagnostics);
        let mut turns = Turns { before, now, epochs: None, model };
        let Some(id) = &turn.conversation else { return Ok(turns) };
        let conversation = ConversationId::parse(id)?;
        let keeper = self.keeper()?;
        let epoch = |receipt: &Receipt| find(keeper, &conversation, receipt.epoch);
        let (before, now) = (turns.before.as_ref().map(epoch).transpose()?, epoch(&turns.now)?);
        turns.epochs = before.flatten().zip(now);
        if turns.before.is_some() && turns.epochs.is_none() {
            let message = format!(
                "the ledger of {id} does not have the epochs of both receipts, so neither the byte nor its origin is known"
            );
            diagnostics.push(Diagnostic::note(Code::OtherLedger, message).about(id.as_str()));
        }
        Ok(turns)
    }

    /// The turns of two epochs.
    fn with_epochs(&self, turn: &BilledTurn, models: &Models, diagnostics: &mut Vec<Diagnostic>) -> Result<Turns> {
        let lacking = |what: &str, hint: &str| Error::new(ErrorKind::Input, what).with_hint(hint);
        let Some(id) = turn.conversation.as_deref() else {
            return Err(lacking("it is not known which turn it was", "name its receipt, or its conversation"));
        };
        let Some(target) = turn.target else {
            return Err(lacking("an epoch does not know where it was sent", "name the target as well"));
        };
        let conversation = ConversationId::parse(id)?;
        let keeper = self.keeper()?;
        let (before, now) = match turn.epochs {
            Some((a, b)) => (Some(keeper.epoch(&conversation, a)?.0), keeper.epoch(&conversation, b)?.0),
            None => {
                let (now, _) = keeper.standing(&conversation)?;
                let before = now.number().checked_sub(1).filter(|number| *number > 0);
                (before.map(|number| keeper.epoch(&conversation, number)).transpose()?.map(|(epoch, _)| epoch), now)
            }
        };
        let named = |epoch: &Epoch| epoch.row().model.clone();
        let model = known(turn.model.clone().or_else(|| named(&now)).as_deref(), models, diagnostics);
        let receipt = |epoch: &Epoch| document::receipt(epoch.body(), target, model.as_ref());
        let mut turns = Turns {
            before: before.as_deref().map(receipt).transpose()?,
            now: receipt(&now)?,
            epochs: before.map(|before| (before, now)),
            model,
        };
        // The ledger knows for which model each epoch was composed.
        if let (None, Some(receipt), Some((before, _))) = (&turn.model, &mut turns.before, &turns.epochs)
            && let Some(name) = named(before)
        {
            receipt.model = Some(models.find(&name).map_or(name, |(model, _)| model.name));
        }
        Ok(turns)
    }
}

/// The row of a model; one that nobody knows is reported.
pub(super) fn known(name: Option<&str>, models: &Models, diagnostics: &mut Vec<Diagnostic>) -> Option<Model> {
    let name = name?;
    let found = models.find(name).map(|(model, _)| model);
    if found.is_none() {
        let message = format!("no model `{name}` is known, so no price, minimum and lifetime is");
        let hint = "add a row to models.json in your configuration directory";
        diagnostics.push(Diagnostic::note(Code::UnknownModel, message).about(name).hint(hint));
    }
    found
}

/// The newest epoch of a conversation with a digest.
fn find(keeper: &Keeper, conversation: &ConversationId, digest: Option<Digest>) -> Result<Option<Arc<Epoch>>> {
    keeper.standing(conversation)?;
    let (mut after, mut found) = (0, None);
    loop {
        let rows = keeper.history(conversation, after, PAGE)?;
        let Some(last) = rows.last() else { break };
        after = last.number;
        found = rows.iter().rfind(|row| Some(row.digest) == digest).map(|row| row.number).or(found);
    }
    Ok(found.map(|number| keeper.epoch(conversation, number)).transpose()?.map(|(epoch, _)| epoch))
}
