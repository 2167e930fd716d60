//! A conversation: its ledger, and what it was told.

use std::sync::Arc;

use super::remembered::Remembered;
use super::{Ask, Draft, Look, Preview, Project, ProjectContext};
use crate::diagnostic::Diagnostic;
use crate::error::Result;
use crate::freeze::{Amendment, Cause, ConversationId, Epoch};
use crate::keeper::{Adopted, Compacted, Compaction, Delivering, Drift, Keeper, Renewed, Turn, TurnInput};

/// A conversation: its ledger, and what it was told.
///
/// The first turn opens an epoch; every later one gets the same bytes back. What an [`Ask`] does not say is as it was said
/// last.
#[derive(Debug, Clone)]
pub struct Conversation {
    project: Project,
    id: ConversationId,
}

impl Conversation {
    pub(super) fn new(project: Project, id: ConversationId) -> Conversation {
        Conversation { project, id }
    }

    /// Its name.
    pub fn id(&self) -> &ConversationId {
        &self.id
    }

    /// Where it works.
    pub fn project(&self) -> &Project {
        &self.project
    }

    /// Opens the conversation, or goes on with it.
    pub fn turn(&self, ask: Ask) -> Result<Turn> {
        let keeper = self.keeper()?;
        let said = self.said(&ask)?;
        let context = self.project.context(&ask, &said.now)?;
        let mut turn = self.with_input(&ask, &said.now, &context, |input| keeper.turn(&self.id, input))?;
        turn.diagnostics.splice(0..0, context.findings().iter().cloned());
        if turn.replacement.is_none() {
            self.remember(&said)?;
        }
        turn.delivering = self.delivering(&context, &said.now, &mut turn.diagnostics);
        Ok(turn)
    }

    /// Begins a new epoch, unless the model would see the same bytes.
    pub fn renew(&self, cause: Cause, ask: Ask) -> Result<Renewed> {
        let keeper = self.keeper()?;
        let said = self.said(&ask)?;
        let context = self.project.context(&ask, &said.now)?;
        let mut renewed = self.with_input(&ask, &said.now, &context, |input| keeper.renew(&self.id, cause, input))?;
        renewed.diagnostics.splice(0..0, context.findings().iter().cloned());
        self.remember(&said)?;
        Ok(renewed)
    }

    /// What composing now would change. Nothing is stored.
    pub fn drift(&self, ask: Ask) -> Result<Drift> {
        let keeper = self.keeper()?;
        let said = self.said(&ask)?;
        let context = self.project.context(&ask, &said.now)?;
        let mut drift = self.with_input(&ask, &said.now, &context, |input| keeper.drift(&self.id, input))?;
        drift.diagnostics.splice(0..0, context.findings().iter().cloned());
        Ok(drift)
    }

    /// What the prompt would be now, as [`Project::preview`] composes it, with what the conversation was told. Nothing is
    /// stored.
    pub fn preview(&self, ask: Ask, look: Look) -> Result<Preview> {
        let said = self.said(&ask)?;
        let context = self.project.context(&ask, &said.now)?;
        self.project.preview_in(context, ask, &said.now, Some(self.id.as_str()), look)
    }

    /// Begins a compaction: composes the prompt for the summary. The ledger does not change.
    pub fn begin_compaction(&self, ask: Ask) -> Result<Compaction> {
        let keeper = self.keeper()?;
        let said = self.said(&ask)?;
        let context = self.project.context(&ask, &said.now)?;
        let mut begun =
            self.with_input(&ask, &said.now, &context, |input| keeper.compaction().begin(&self.id, input))?;
        begun.diagnostics.splice(0..0, context.findings().iter().cloned());
        Ok(begun)
    }

    /// Ends a compaction whose summary succeeded: its epoch begins.
    pub fn commit_compaction(&self, token: &str, ask: Ask) -> Result<Compacted> {
        let keeper = self.keeper()?;
        let said = self.said(&ask)?;
        let context = self.project.context(&ask, &said.now)?;
        let mut done =
            self.with_input(&ask, &said.now, &context, |input| keeper.compaction().commit(&self.id, token, input))?;
        done.diagnostics.splice(0..0, context.findings().iter().cloned());
        Ok(done)
    }

    /// Ends a compaction whose summary failed: the ledger is as it was.
    pub fn abort_compaction(&self, token: &str) -> Result<()> {
        self.keeper()?.compaction().abort(&self.id, token)
    }

    /// Queues a message for the next turn, and answers with its number.
    pub fn send(&self, message: &str) -> Result<u64> {
        self.keeper()?.send(&self.id, message, self.project.antefix.world().now())
    }

    /// The standing epoch with its amendments.
    pub fn standing(&self) -> Result<(Arc<Epoch>, Vec<Amendment>)> {
        self.keeper()?.standing(&self.id)
    }

    /// Whether anybody opened it.
    pub fn is_open(&self) -> Result<bool> {
        Ok(self.keeper()?.store().standing(&self.id)?.is_some())
    }

    /// What this conversation was told, for another one that goes on from there. Nothing is composed or stored.
    pub fn fork(&self, ask: Ask) -> Result<Draft> {
        let said = self.said(&ask)?.now;
        let context = self.project.context(&ask, &said)?;
        let composed = self.keeper()?.fork(&self.id)?;
        Ok(Draft { project: self.project.clone(), composed, context, ask, said })
    }

    /// A turn of a conversation that will adopt a draft, as hooks leave it. Nothing is stored.
    pub fn rehearse(&self, draft: &Draft, ask: &Ask) -> Result<Turn> {
        let said = draft.said.with(ask, self.project.directory());
        let context = self.project.context(ask, &said)?;
        let mut turn =
            self.with_input(ask, &said, &context, |input| self.keeper()?.rehearse(&self.id, &draft.composed, input))?;
        turn.delivering = self.delivering(&context, &said, &mut turn.diagnostics);
        Ok(turn)
    }

    /// Makes a draft the standing epoch, in the project as it was when the draft was composed. Hooks are told if an epoch
    /// begins.
    pub fn adopt(&self, draft: &Draft) -> Result<Adopted> {
        let Draft { composed, context, ask, said, .. } = draft;
        let adopted = self.with_input(ask, said, context, |input| self.keeper()?.adopt(&self.id, composed, input))?;
        self.remember(&Said { before: None, now: said.clone() })?;
        Ok(adopted)
    }

    /// The project as the next turn would find it, with what the conversation was told.
    pub fn resolve(&self, ask: &Ask) -> Result<Arc<ProjectContext>> {
        self.project.context(ask, &self.said(ask)?.now)
    }

    fn keeper(&self) -> Result<&Keeper> {
        self.project.antefix.keeper()
    }

    /// What it was told before, and with what is said now.
    fn said(&self, ask: &Ask) -> Result<Said> {
        let before = self.project.antefix.remembered(&self.id)?;
        let now = match &before {
            Some(before) => before.with(ask, self.project.directory()),
            None => self.project.first_said(ask),
        };
        Ok(Said { before, now })
    }

    /// Keeps what was said, if it is something else than before.
    fn remember(&self, said: &Said) -> Result<()> {
        if said.before.as_deref() == Some(&said.now) {
            return Ok(());
        }
        Ok(self.keeper()?.store().remember(&self.id, &said.now.bundle())?)
    }

    fn delivering(&self, context: &ProjectContext, said: &Remembered, findings: &mut Vec<Diagnostic>) -> Delivering {
        let models = self.project.antefix.models_for(said.model.as_deref(), findings);
        let layout = Some(Arc::clone(&context.layout));
        Delivering { layout, tools: said.tools.clone(), model: said.model.clone(), models }
    }

    /// Runs `work` on the input of a turn.
    fn with_input<T>(
        &self,
        ask: &Ask,
        said: &Remembered,
        context: &ProjectContext,
        work: impl FnOnce(&TurnInput<'_>) -> Result<T>,
    ) -> Result<T> {
        self.project.with_input(Some(self.id.as_str()), ask, said, context, work)
    }
}

/// What a conversation was told before, and what it is told now.
struct Said {
    before: Option<Arc<Remembered>>,
    now: Remembered,
}
