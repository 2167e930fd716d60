//! Prompts for conversations that have no name yet.
//!
//! 1. A draft is composed and stored nowhere: whoever is asked to begin a conversation may still refuse.
//! 2. Once the conversation has its name, or once it is known that the text arrived, the draft is adopted: from then on
//!    it is the conversation's epoch, with the very bytes of the draft.
//! 3. A fork takes over what its original was told, the epoch and its notices, without composing anything.

use std::sync::Arc;

use jiff::Timestamp;

use super::frozen::FrozenFacts;
use super::hooked::question;
use super::{Began, Keeper, ROUNDS, Turn, TurnInput, now};
use crate::compose::Composed;
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::Report;
use crate::error::{Error, ErrorKind, Result};
use crate::freeze::store::{AmendmentRow, Appended, EpochRow};
use crate::freeze::{AmendmentBody, Cause, ConversationId, Epoch, EpochBody};
use crate::hooks::{AskedRoots, HookDid};
use crate::text::Digest;

/// What became of a draft.
#[derive(Debug, Clone)]
pub struct Adopted {
    /// The epoch that stands.
    pub epoch: Arc<Epoch>,
    /// Whether it began now.
    pub began: Began,
    /// What each hook did.
    pub hooks: Vec<HookDid>,
    /// What is worth knowing.
    pub diagnostics: Vec<Diagnostic>,
}

/// An epoch that belongs to nobody yet.
#[derive(Debug, Clone)]
pub struct Draft {
    body: Arc<EpochBody>,
    amendments: Vec<Arc<AmendmentBody>>,
    opened_at: Timestamp,
    cwd: String,
    machine: Option<String>,
    model: Option<String>,
    /// What was loaded, and what was not.
    pub report: Report,
    /// What is worth knowing.
    pub diagnostics: Vec<Diagnostic>,
}

impl Draft {
    /// What the epoch will be made of.
    pub fn body(&self) -> &EpochBody {
        &self.body
    }

    /// The frozen prefix.
    pub fn text(&self) -> &str {
        &self.body.text
    }

    fn row(&self, conversation: &ConversationId, number: u64, body: Digest) -> EpochRow {
        EpochRow {
            conversation: conversation.clone(),
            number,
            cause: if number == 1 { Cause::Opened } else { Cause::Requested },
            opened_at: self.opened_at,
            digest: self.body.digest(),
            body,
            cwd: self.cwd.clone(),
            machine: self.machine.clone(),
            model: self.model.clone(),
        }
    }
}

impl Keeper {
    /// Composes an epoch for a conversation whose name is not known yet. Nothing is stored.
    pub fn draft(&self, input: &TurnInput<'_>) -> Result<Draft> {
        // Hooks are asked by a name that no conversation has yet.
        let nobody = ConversationId::parse("new")?;
        let question = question(&nobody, None, input);
        let asked = AskedRoots::ask(input.hooks, &question);
        let more = asked.roots(&question, None);
        let candidate = self.compose(&input.with_roots(&more))?;
        let diagnostics = candidate.diagnostics(input);
        Ok(Draft {
            body: candidate.body,
            amendments: Vec::new(),
            opened_at: now(input),
            cwd: input.situation.workspace.cwd.to_string_lossy().into_owned(),
            machine: input.situation.caller.machine.clone(),
            model: input.situation.caller.model.clone(),
            report: candidate.composed.discovery.report,
            diagnostics,
        })
    }

    /// What a conversation was told, for another one that goes on from there.
    pub fn fork(&self, conversation: &ConversationId) -> Result<Draft> {
        let (epoch, amendments) = self.standing(conversation)?;
        let row = epoch.row();
        Ok(Draft {
            amendments: amendments.into_iter().map(|amendment| amendment.body).collect(),
            opened_at: row.opened_at,
            cwd: row.cwd.clone(),
            machine: row.machine.clone(),
            model: row.model.clone(),
            report: Report::default(),
            diagnostics: Vec::new(),
            body: Arc::clone(&epoch.body),
        })
    }

    /// Makes a draft the standing epoch of a conversation.
    ///
    /// One that has the draft's bytes already keeps its epoch. One that has others gets a further epoch: its name was
    /// given to something new, and what it is told from now on is the draft. Hooks are told of an epoch that begins.
    pub fn adopt(&self, conversation: &ConversationId, draft: &Draft, input: &TurnInput<'_>) -> Result<Adopted> {
        let (epoch, began) = self.appended(conversation, draft)?;
        let (hooks, diagnostics) = match began {
            Began::Now => self.announce(&epoch, &input.named(conversation)),
            Began::Before => Default::default(),
        };
        Ok(Adopted { epoch, began, hooks, diagnostics })
    }

    fn appended(&self, conversation: &ConversationId, draft: &Draft) -> Result<(Arc<Epoch>, Began)> {
        let bundle = draft.body.bundle();
        for _ in 0..ROUNDS {
            let standing = self.store.standing(conversation)?;
            if let Some(standing) = &standing
                && standing.epoch.digest == draft.body.digest()
                && standing.amendments.len() == draft.amendments.len()
            {
                return self.load(standing).map(|(epoch, _)| (epoch, Began::Before));
            }
            let number = standing.map_or(1, |standing| standing.epoch.number + 1);
            let row = draft.row(conversation, number, Digest::of(&bundle.body));
            let Appended::Won = self.store.append(&row, &bundle)? else { continue };
            for (body, number) in draft.amendments.iter().zip(1..) {
                let bundle = body.bundle();
                let amendment = AmendmentRow {
                    conversation: conversation.clone(),
                    epoch: row.number,
                    number,
                    at: draft.opened_at,
                    body: Digest::of(&bundle.body),
                };
                self.store.amend(&amendment, &bundle)?;
            }
            self.cache.put(row.body, &draft.body, draft.body.weight());
            return Ok((Arc::new(Epoch::new(row, Arc::clone(&draft.body))), Began::Now));
        }
        Err(Error::new(ErrorKind::Conflict, format!("{conversation} changes faster than it can be read"))
            .with_hint("try again"))
    }

    /// A turn of a conversation that will adopt a draft, as hooks leave it. Nothing is stored.
    pub fn rehearse(&self, conversation: &ConversationId, draft: &Draft, input: &TurnInput<'_>) -> Result<Turn> {
        let input = &input.named(conversation);
        let frozen = FrozenFacts::of(&draft.body, &draft.cwd, draft.machine.as_deref(), input);
        let mut discovery = self.ask(input, Vec::new(), &frozen);
        frozen.put_into(&mut discovery.facts);
        let (composed, failed) = Composed::suffix(input.layout, discovery, draft.text());
        let mut diagnostics = composed.diagnostics();
        diagnostics.extend(failed.iter().map(|error| Diagnostic::of_error(Code::Unrenderable, error)));
        let row = draft.row(conversation, 1, Digest::of(&draft.body.bundle().body));
        let mut turn = Turn {
            epoch: Some(Arc::new(Epoch::new(row, Arc::clone(&draft.body)))),
            suffix: composed.prompt,
            report: composed.discovery.report,
            diagnostics,
            ..Turn::empty(input).inserting(Vec::new(), input.history)
        };
        turn.ask_hooks(conversation, input)?;
        Ok(turn)
    }
}
