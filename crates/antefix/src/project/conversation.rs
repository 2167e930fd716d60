//! A conversation: its ledger, and what it was told.

use std::sync::Arc;

use super::remembered::Remembered;
use super::{Ask, Draft, Look, Preview, Project, ProjectContext, TemplateChoice};
use crate::diagnostic::Diagnostic;
use crate::error::{Error, ErrorKind, Fault, Result};
use crate::freeze::{Amendment, Cause, ConversationId, Epoch};
use crate::keeper::{
    Adopted, Began, Compacted, Compaction, Current, Delivering, Drift, GoingOn, Keeper, Renewed, TouchNotice, Turn,
    TurnInput,
};
use crate::models::Models;

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
    ///
    /// A conversation that is open goes on, whatever has become of its directory, layout, templates, wordings or settings since:
    /// its bytes are in the ledger. What is wrong is a finding then, and a pending change.
    pub fn turn(&self, ask: Ask) -> Result<Turn> {
        self.opening(&ask, self.said(&ask)?, |ask, said| self.one_turn(ask, said), |turn| &mut turn.diagnostics)
    }

    /// The same for a conversation that somebody has opened; none if nobody has, and then nothing is done. A turn that replaces the system
    /// text opens nothing, and is taken in any case.
    pub fn turn_if_open(&self, ask: &Ask) -> Result<Option<Turn>> {
        let said = self.said(ask)?;
        if said.before.is_none() && ask.replacement.is_none() {
            return Ok(None);
        }
        self.opening(ask, said, |ask, said| self.one_turn(ask, said), |turn| &mut turn.diagnostics).map(Some)
    }

    /// Does what opens a conversation that is not open, with a template that can be composed. One that is open has its bytes.
    fn opening<T>(
        &self,
        ask: &Ask,
        said: Said,
        work: impl Fn(&Ask, Said) -> Result<T>,
        findings: impl FnOnce(&mut T) -> &mut Vec<Diagnostic>,
    ) -> Result<T> {
        match said.before {
            Some(_) => work(ask, said),
            None => self.project.with_last_good(ask, &said.now, |ask| work(ask, self.said(ask)?), findings),
        }
    }

    fn one_turn(&self, ask: &Ask, mut said: Said) -> Result<Turn> {
        let found = said.found.take();
        // What a caller says for the first time is not something that happened since.
        let goes_on = said.before.as_ref().is_some_and(|before| before.choice() == said.now.choice())
            && ask.template == TemplateChoice::Saved;
        let ready = match self.ready_with(ask, said) {
            Err(error) if goes_on && !matches!(error.kind(), ErrorKind::Store(_)) => return self.go_on(ask, &error),
            ready => ready?,
        };
        let mut turn = ready.with_input(self, ask, |keeper, input| keeper.turn_from(&self.id, input, found))?;
        if turn.replacement.is_none() {
            self.remember(&ready.said)?;
        }
        turn.delivering = ready.delivering(ask);
        ready.report(&mut turn.diagnostics);
        Ok(turn)
    }

    /// Goes on without a project that can be resolved.
    fn go_on(&self, ask: &Ask, why: &Error) -> Result<Turn> {
        let said = self.said(ask)?;
        let going_on = GoingOn {
            turn: ask.turn.as_deref(),
            history: ask.messages.as_ref(),
            repeat: ask.repeat,
            replacement: ask.replacement.as_deref(),
            now: ask.now.unwrap_or_else(|| self.project.antefix.world().now()),
        };
        let mut turn = self.keeper()?.go_on(&self.id, &going_on, why)?;
        if turn.replacement.is_none() {
            self.remember(&said)?;
        }
        let (models, finding) = self.project.antefix.models_for(said.now.model.as_deref());
        turn.diagnostics.extend(finding);
        turn.delivering = Delivering {
            layout: None,
            tools: said.now.tools,
            model: said.now.model,
            models,
            previous_response: ask.previous_response.clone(),
        };
        Ok(turn)
    }

    /// Begins a new epoch, unless the model would see the same bytes.
    pub fn renew(&self, cause: Cause, ask: Ask) -> Result<Renewed> {
        let ready = self.ready(&ask)?;
        let mut renewed = ready.with_input(self, &ask, |keeper, input| keeper.renew(&self.id, cause, input))?;
        self.remember(&ready.said)?;
        ready.report(&mut renewed.diagnostics);
        Ok(renewed)
    }

    /// What composing now would change. Nothing is stored.
    pub fn drift(&self, ask: Ask) -> Result<Drift> {
        let ready = self.ready(&ask)?;
        let mut drift = ready.with_input(self, &ask, |keeper, input| keeper.drift(&self.id, input))?;
        ready.report(&mut drift.diagnostics);
        Ok(drift)
    }

    /// What the prompt would be now, as [`Project::preview`] composes it, with what the conversation was told. Nothing is
    /// stored.
    pub fn preview(&self, ask: Ask, look: Look) -> Result<Preview> {
        let said = self.said(&ask)?;
        let context = self.project.context(&ask, &said.now)?;
        self.project.preview_in(context, ask, &said.now, Some(self.id.as_str()), look)
    }

    /// Begins a compaction: composes the prompt for the summary. A conversation that nobody opened is opened; the ledger of
    /// any other does not change.
    pub fn begin_compaction(&self, ask: Ask) -> Result<Compaction> {
        let begin = |ask: &Ask, said| {
            let ready = self.ready_with(ask, said)?;
            let mut begun = ready.with_input(self, ask, |keeper, input| keeper.compaction().begin(&self.id, input))?;
            if begun.opened == Began::Now {
                self.remember(&ready.said)?;
            }
            begun.turn.delivering = ready.delivering(ask);
            ready.report(&mut begun.diagnostics);
            Ok(begun)
        };
        self.opening(&ask, self.said(&ask)?, begin, |begun: &mut Compaction| &mut begun.diagnostics)
    }

    /// Ends a compaction whose summary succeeded: its epoch begins.
    pub fn commit_compaction(&self, token: &str, ask: Ask) -> Result<Compacted> {
        let ready = self.ready(&ask)?;
        let mut done =
            ready.with_input(self, &ask, |keeper, input| keeper.compaction().commit(&self.id, token, input))?;
        ready.report(&mut done.diagnostics);
        Ok(done)
    }

    /// Ends a compaction whose summary failed: the ledger is as it was.
    pub fn abort_compaction(&self, token: &str) -> Result<()> {
        self.keeper()?.compaction().abort(&self.id, token)
    }

    /// Says that insertions have arrived where somebody else keeps the history: no turn has them any more. See
    /// [`Repeat::Never`](crate::keeper::Repeat::Never).
    pub fn arrived(&self, numbers: &[u64]) -> Result<()> {
        self.keeper()?.arrived(&self.id, numbers)
    }

    /// Queues a message for the next turn, and answers with its number. It is in the request of that turn and of every later one, at
    /// the same place, until a compaction is committed.
    pub fn send(&self, message: &str) -> Result<u64> {
        self.keeper()?.send(&self.id, message, self.project.antefix.world().now())
    }

    /// Names paths that the agent reads or changes, in `touch` of the ask. What applies to them, and is not in the conversation yet, is
    /// the answer, and waits for the next turn.
    pub fn touch(&self, ask: Ask) -> Result<TouchNotice> {
        self.ready(&ask)?.with_input(self, &ask, |keeper, input| keeper.touch(&self.id, input))
    }

    /// The standing epoch with its amendments.
    pub fn standing(&self) -> Result<(Arc<Epoch>, Vec<Amendment>)> {
        self.keeper()?.standing(&self.id)
    }

    /// Whether anybody opened it.
    pub fn is_open(&self) -> Result<bool> {
        Ok(self.keeper()?.current(&self.id)?.is_some())
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
        // What the draft is made of, also where the template that was saved last cannot be composed.
        let ask = &Ask { template: draft.ask.template.clone(), ..ask.clone() };
        let ready = self.ready_with(ask, Said::first(draft.said.with(ask, &self.project.directory)))?;
        let mut turn =
            ready.with_input(self, ask, |keeper, input| keeper.rehearse(&self.id, &draft.composed, input))?;
        turn.delivering = ready.delivering(ask);
        turn.diagnostics.extend(ready.models_finding);
        Ok(turn)
    }

    /// Makes a draft the standing epoch, in the project as it was when the draft was composed. Hooks are told if an epoch
    /// begins.
    pub fn adopt(&self, draft: &Draft) -> Result<Adopted> {
        let Draft { composed, context, ask, said, .. } = draft;
        let (models, _) = self.project.antefix.models_for(said.model.as_deref());
        let id = Some(self.id.as_str());
        let adopted = self
            .project
            .with_input(id, ask, said, context, &models, |input| self.keeper()?.adopt(&self.id, composed, input))?;
        self.remember(&Said::first(said.clone()))?;
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
        ask.check()?;
        let Some((before, found)) = self.project.antefix.found(&self.id)? else {
            return Ok(Said::first(self.project.first_said(ask)));
        };
        let now = before.with(ask, &self.project.directory);
        Ok(Said { before: Some(before), now, found: Some(found) })
    }

    /// Keeps what was said, if it is something else than before.
    fn remember(&self, said: &Said) -> Result<()> {
        if said.before.as_deref() == Some(&said.now) {
            return Ok(());
        }
        let store = self.keeper()?.store();
        match store.remember(&self.id, &said.now.bundle()) {
            // Somebody deleted the conversation meanwhile, and there is nothing left that could remember.
            Err(error) if error.fault == Fault::Failed && store.standing(&self.id)?.is_none() => Ok(()),
            remembered => Ok(remembered?),
        }
    }

    /// Everything that a turn needs besides what is asked for.
    fn ready(&self, ask: &Ask) -> Result<Ready> {
        self.ready_with(ask, self.said(ask)?)
    }

    fn ready_with(&self, ask: &Ask, said: Said) -> Result<Ready> {
        self.project.check_directory()?;
        let context = self.project.context(ask, &said.now)?;
        let (models, models_finding) = self.project.antefix.models_for(said.now.model.as_deref());
        Ok(Ready { said, context, models, models_finding })
    }
}

/// Everything that a turn needs besides what is asked for: what the conversation was told, the project, the models.
struct Ready {
    said: Said,
    context: Arc<ProjectContext>,
    models: Models,
    models_finding: Option<Diagnostic>,
}

impl Ready {
    /// Runs `work` on the input of a turn.
    fn with_input<T>(
        &self,
        conversation: &Conversation,
        ask: &Ask,
        work: impl FnOnce(&Keeper, &TurnInput<'_>) -> Result<T>,
    ) -> Result<T> {
        let (project, id) = (&conversation.project, Some(conversation.id.as_str()));
        let keeper = conversation.keeper()?;
        project.with_input(id, ask, &self.said.now, &self.context, &self.models, |input| work(keeper, input))
    }

    /// Puts what is worth knowing about the project before what is worth knowing about the turn, and the models behind it.
    fn report(self, findings: &mut Vec<Diagnostic>) {
        findings.splice(0..0, self.context.findings().iter().cloned());
        findings.extend(self.models_finding);
    }

    fn delivering(&self, ask: &Ask) -> Delivering {
        let said = &self.said.now;
        Delivering {
            layout: Some(Arc::clone(&self.context.layout)),
            tools: said.tools.clone(),
            model: said.model.clone(),
            models: self.models.clone(),
            previous_response: ask.previous_response.clone(),
        }
    }
}

/// What a conversation was told before, and what it is told now.
struct Said {
    before: Option<Arc<Remembered>>,
    now: Remembered,
    /// The epoch that was found with it.
    found: Option<Current>,
}

impl Said {
    /// What is said for the first time.
    fn first(now: Remembered) -> Said {
        Said { before: None, now, found: None }
    }
}
