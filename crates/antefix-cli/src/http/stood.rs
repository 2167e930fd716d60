//! Turns that stood, with their answers: asked again while nothing has changed, a turn has the same answer to the last byte.
//!
//! 1. A turn follows from its request, from what the store has of its conversation and of templates, and from what the world
//!    says. All three are asked for each time. What is saved is to read, compose, compare and write anew what comes out the same.
//! 2. That nobody wrote to the store at all, which template counts, and that a directory is as it was, is asked once for all
//!    who wait; see `rounds.rs`. Where somebody wrote, or may have written, the row of the conversation is asked for.
//! 3. What is remembered of an answer is what stands around the prefix. The prefix itself is shared.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

use antefix::freeze::{ConversationId, Epoch, EpochRow, Stamp, TemplateRow};
use antefix::keeper::Keeper;
use axum::body::Bytes;
use serde_json::value::RawValue;

use super::near::QUICK;
use super::problem::Answer;
use super::rounds::{Came, Rounds};
use super::store::Distance;
use super::{Server, work};
use crate::setup::Around;

/// How many answers are remembered. Beyond that all are forgotten, and found once more.
const ANSWERS: usize = 10_000;
/// How many scenes are remembered; what was remembered first goes first.
const SCENES: usize = 100;
/// How long the body of a request may be.
const BODY: usize = 64 * 1024;
/// How many bytes may stand around a prefix.
const AROUND: usize = 8 * 1024;

/// The turns that stood.
#[derive(Default)]
pub(super) struct Stood {
    /// The epochs without notices that stood at a moment of the store. Their texts are kept elsewhere, or not.
    epochs: Mutex<BTreeMap<ConversationId, (Stamp, Weak<Epoch>)>>,
    answers: Mutex<BTreeMap<ConversationId, Arc<Answered>>>,
    scenes: Mutex<VecDeque<Arc<Scene>>>,
}

/// What turns of many conversations have in common: what they say, and what is around them.
pub(super) struct Scene {
    body: Bytes,
    /// The directory as it was asked for, and where that leads.
    cwd: (String, PathBuf),
    around: Around,
    holds: Rounds<bool>,
}

/// A turn that stood.
pub(super) struct Answered {
    scene: Arc<Scene>,
    epoch: EpochRow,
    amendments: usize,
    template: Option<TemplateRow>,
    /// The moment of the store for which all of that is known.
    stamp: Mutex<Option<Stamp>>,
    text: Written,
    /// How many bytes the prefix has.
    bytes: u64,
}

/// A document in three parts, of which the middle one is shared.
struct Written {
    head: Box<str>,
    prefix: Arc<RawValue>,
    tail: Box<str>,
}

/// When a request came.
pub(super) struct Arrival {
    store: Came,
    template: Came,
    scene: Came,
}

/// A turn that stands now.
pub(super) struct Stands<'s> {
    pub(super) body: Bytes,
    pub(super) cwd: (String, PathBuf),
    pub(super) around: Around,
    pub(super) epoch: &'s Epoch,
    pub(super) amendments: usize,
    pub(super) template: Option<TemplateRow>,
    pub(super) stamp: Option<Stamp>,
    pub(super) prefix: Arc<RawValue>,
}

impl Stood {
    /// The last turn of a conversation that stood, if it is asked for in the same words.
    pub(super) fn get(&self, conversation: &ConversationId, body: &Bytes) -> Option<Arc<Answered>> {
        self.answers().get(conversation).filter(|known| known.scene.body == *body).cloned()
    }

    /// Remembers a turn and what was answered.
    pub(super) fn remember(&self, stands: Stands<'_>, document: &str) {
        let Some(text) = Written::split(document, stands.prefix) else { return };
        if stands.body.len() > BODY {
            return;
        }
        let Stands { epoch, amendments, template, stamp, .. } = stands;
        let scene = self.scene(stands.body, stands.cwd, stands.around);
        let (bytes, epoch) = (epoch.text().len() as u64, epoch.row().clone());
        let conversation = epoch.conversation.clone();
        let known = Answered { scene, epoch, amendments, template, stamp: Mutex::new(stamp), text, bytes };
        let mut answers = self.answers();
        if answers.len() >= ANSWERS {
            answers.clear();
        }
        answers.insert(conversation, Arc::new(known));
    }

    /// The epoch that stands without notices at a moment of the store, if that is known.
    pub(super) fn epoch(&self, conversation: &ConversationId, stamp: Stamp) -> Option<Arc<Epoch>> {
        let epochs = self.epochs.lock().unwrap_or_else(PoisonError::into_inner);
        epochs.get(conversation).filter(|(known, _)| *known == stamp).and_then(|(_, epoch)| epoch.upgrade())
    }

    /// Remembers it.
    pub(super) fn remember_epoch(&self, epoch: &Arc<Epoch>, stamp: Stamp) {
        let mut epochs = self.epochs.lock().unwrap_or_else(PoisonError::into_inner);
        if epochs.len() >= ANSWERS {
            epochs.clear();
        }
        epochs.insert(epoch.conversation().clone(), (stamp, Arc::downgrade(epoch)));
    }

    pub(super) fn forget(&self, conversation: &ConversationId) {
        self.answers().remove(conversation);
    }

    /// The scene of a turn: one that is known, or a new one in the place of one that is no more.
    fn scene(&self, body: Bytes, cwd: (String, PathBuf), around: Around) -> Arc<Scene> {
        let mut scenes = self.scenes.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |scene: &Arc<Scene>| scene.body == body && scene.cwd == cwd;
        if let Some(known) = scenes.iter().find(|scene| same(scene) && scene.around.is_like(&around)) {
            return Arc::clone(known);
        }
        scenes.retain(|scene| !same(scene));
        if scenes.len() >= SCENES {
            scenes.pop_front();
        }
        // Whoever sent the body may have sent more with it, and only the body is kept.
        let scene = Scene { body: Bytes::copy_from_slice(&body), cwd, around, holds: Rounds::default() };
        let scene = Arc::new(scene);
        scenes.push_back(Arc::clone(&scene));
        scene
    }

    fn answers(&self) -> MutexGuard<'_, BTreeMap<ConversationId, Arc<Answered>>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Scene {
    fn holds(&self, server: &Server) -> bool {
        let (asked, real) = &self.cwd;
        server.directory(asked).is_ok_and(|now| now == *real) && self.around.holds()
    }
}

impl Answered {
    /// Takes note of who comes.
    pub(super) fn come(&self, server: &Server) -> Arrival {
        Arrival { store: server.stamps.come(), template: server.templates.come(), scene: self.scene.holds.come() }
    }

    /// Whether the answer is still the answer.
    pub(super) async fn holds(self: &Arc<Self>, server: &Arc<Server>, came: Arrival) -> Answer<bool> {
        let stamp = stamp(server, came.store).await?;
        if stamp.is_none() || *self.stamp() != stamp {
            let last = work::glance(Arc::clone(server), |server| Ok(server.kept.keeper()?.store().last_template()?));
            let known = Arc::clone(self);
            if server.templates.answer(came.template, last).await? != self.template
                || !work::glance(Arc::clone(server), move |server| known.stands(server.kept.keeper()?)).await?
            {
                return Ok(false);
            }
            *self.stamp() = stamp;
        }
        let scene = Arc::clone(&self.scene);
        let conversation = self.epoch.conversation.clone();
        let look = work::briefly(Arc::clone(server), move |server| {
            let begun = Instant::now();
            let holds = scene.holds(server);
            if begun.elapsed() > QUICK {
                server.stood.forget(&conversation);
            }
            Ok(holds)
        });
        self.scene.holds.answer(came.scene, look).await
    }

    /// Whether the conversation is as it was.
    fn stands(&self, keeper: &Keeper) -> Answer<bool> {
        let standing = keeper.store().standing(&self.epoch.conversation)?;
        Ok(standing.is_some_and(|standing| {
            standing.epoch == self.epoch && standing.amendments.len() == self.amendments && standing.waiting == 0
        }))
    }

    pub(super) fn epoch(&self) -> &EpochRow {
        &self.epoch
    }

    /// How many bytes the prefix has.
    pub(super) fn prefix_bytes(&self) -> u64 {
        self.bytes
    }

    /// What was answered.
    pub(super) fn document(&self) -> String {
        let Written { head, prefix, tail } = &self.text;
        [head, prefix.get(), tail].concat()
    }

    fn stamp(&self) -> MutexGuard<'_, Option<Stamp>> {
        self.stamp.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Written {
    /// Splits a document around the prefix; none if there is more around it than can be remembered for many.
    fn split(document: &str, prefix: Arc<RawValue>) -> Option<Written> {
        let (head, tail) = document.split_once(prefix.get())?;
        (head.len() + tail.len() <= AROUND).then(|| Written { head: head.into(), tail: tail.into(), prefix })
    }
}

/// The moment of the store, for a request; none if the rows had better be asked for.
pub(super) async fn stamp(server: &Arc<Server>, came: Came) -> Answer<Option<Stamp>> {
    if server.kept.distance() == Distance::Away {
        return Ok(None);
    }
    let ask = work::glance(Arc::clone(server), |server| Ok(server.kept.keeper()?.store().stamp()?));
    server.stamps.answer(came, ask).await
}
