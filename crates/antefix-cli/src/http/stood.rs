//! Turns that stood, with their answers: asked again while nothing has changed, a turn has the same answer to the last byte.
//!
//! 1. A turn follows from its request, from what the store has of its conversation and of templates, and from what the world
//!    says. All three are asked for each time. What is saved is to read, compose, compare and write anew what comes out the same.
//! 2. That nobody wrote to the store at all, which template counts, and that a directory is as it was, is asked once for all
//!    who wait; see `rounds.rs`. Where somebody wrote, or may have written, the row of the conversation is asked for.
//! 3. What is remembered of an answer is what stands around the prefix. Prefixes and scenes are kept once, within a bound of
//!    their own, and an answer whose prefix or scene is gone is gone as well.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Instant;

use antefix::freeze::store::{EpochRow, Stamp};
use antefix::freeze::template::TemplateRow;
use antefix::freeze::{ConversationId, Epoch};
use antefix::keeper::Keeper;
use axum::body::Bytes;
use serde_json::value::RawValue;

use super::near::QUICK;
use super::problem::{Answer, Problem};
use super::rounds::{Came, Rounds};
use super::store::Distance;
use super::{Server, work};
use crate::setup::Around;

/// How many answers are remembered. Beyond that all are forgotten, and found once more.
const ANSWERS: usize = 10_000;
/// How many bytes of scenes are remembered. Beyond that all are forgotten, with the answers that belong to them.
const SCENES: usize = 32 * 1024 * 1024;
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
    scenes: Mutex<Scenes>,
}

#[derive(Default)]
struct Scenes {
    /// By what turns say, and for which directory.
    kept: BTreeMap<(Bytes, String), Arc<Scene>>,
    bytes: usize,
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
    scene: Weak<Scene>,
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
    prefix: Weak<RawValue>,
    tail: Box<str>,
}

/// A request for a turn that stood.
pub(super) struct Again {
    known: Arc<Answered>,
    scene: Arc<Scene>,
    prefix: Arc<RawValue>,
    /// When it came.
    came: Arrival,
}

struct Arrival {
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
    pub(super) fn again(&self, server: &Server, conversation: &ConversationId, body: &Bytes) -> Option<Again> {
        let known = self.answers().get(conversation).cloned()?;
        let (scene, prefix) = (known.scene.upgrade()?, known.text.prefix.upgrade()?);
        let came =
            Arrival { store: server.stamps.come(), template: server.templates.come(), scene: scene.holds.come() };
        (scene.body == *body).then_some(Again { known, scene, prefix, came })
    }

    /// Remembers a turn and what was answered.
    pub(super) fn remember(&self, stands: Stands<'_>, document: &str) {
        let Some(text) = Written::split(document, &stands.prefix) else { return };
        if stands.body.len() > BODY {
            return;
        }
        let Stands { epoch, amendments, template, stamp, .. } = stands;
        let scene = self.scene(&stands.body, stands.cwd, stands.around);
        let (bytes, epoch) = (epoch.text().len() as u64, epoch.row().clone());
        let conversation = epoch.conversation.clone();
        let known = Answered {
            scene: Arc::downgrade(&scene),
            epoch,
            amendments,
            template,
            stamp: Mutex::new(stamp),
            text,
            bytes,
        };
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

    /// Forgets a scene, and with it all answers that belong to it.
    fn forget(&self, scene: &Arc<Scene>) {
        let mut scenes = self.scenes();
        let key = scene.key();
        if scenes.kept.get(&key).is_some_and(|known| Arc::ptr_eq(known, scene)) {
            scenes.kept.remove(&key);
            scenes.bytes -= scene.weight();
        }
    }

    /// The scene of a turn: one that is known, or a new one in the place of one that is no more.
    fn scene(&self, body: &Bytes, cwd: (String, PathBuf), around: Around) -> Arc<Scene> {
        // Whoever sent the body may have sent more with it, and only the body is kept.
        let scene = Scene { body: Bytes::copy_from_slice(body), cwd, around, holds: Rounds::default() };
        let mut scenes = self.scenes();
        if let Some(known) = scenes.kept.get(&scene.key()).filter(|known| known.is_like(&scene)) {
            return Arc::clone(known);
        }
        let scene = Arc::new(scene);
        if scenes.bytes + scene.weight() > SCENES {
            *scenes = Scenes::default();
        }
        scenes.bytes += scene.weight();
        if let Some(before) = scenes.kept.insert(scene.key(), Arc::clone(&scene)) {
            scenes.bytes -= before.weight();
        }
        scene
    }

    fn scenes(&self) -> MutexGuard<'_, Scenes> {
        self.scenes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answers(&self) -> MutexGuard<'_, BTreeMap<ConversationId, Arc<Answered>>> {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Scene {
    fn key(&self) -> (Bytes, String) {
        (self.body.clone(), self.cwd.0.clone())
    }

    fn is_like(&self, other: &Scene) -> bool {
        self.cwd == other.cwd && self.around.is_like(&other.around)
    }

    /// How many bytes it takes, roughly; what lies around a directory beside what was heard counts for little.
    fn weight(&self) -> usize {
        self.body.len() + self.around.weight() + 4 * 1024
    }

    fn holds(&self, server: &Server) -> bool {
        let (asked, real) = &self.cwd;
        server.directory(asked).is_ok_and(|now| now == *real) && self.around.holds()
    }
}

impl Again {
    /// What was answered, if it is still the answer.
    pub(super) async fn holds(self, server: &Arc<Server>) -> Answer<Option<(Arc<Answered>, String)>> {
        let Again { known, scene, prefix, came } = self;
        if !known.is_in(server, came.store, came.template).await? {
            return Ok(None);
        }
        let looked = Arc::clone(&scene);
        let look = work::briefly(Arc::clone(server), move |server| {
            let begun = Instant::now();
            let holds = looked.holds(server);
            if begun.elapsed() > QUICK {
                server.stood.forget(&looked);
            }
            Ok(holds)
        });
        match scene.holds.answer(came.scene, look).await? {
            Some(true) => {
                let document = known.text.join(&prefix);
                Ok(Some((known, document)))
            }
            Some(false) => Ok(None),
            None => {
                // Somebody looks and does not come back.
                server.stood.forget(&scene);
                Ok(None)
            }
        }
    }
}

impl Answered {
    /// Whether the store has all as it was.
    async fn is_in(self: &Arc<Self>, server: &Arc<Server>, store: Came, template: Came) -> Answer<bool> {
        let stamp = stamp(server, store);
        if stamp.is_some() && *self.stamp() == stamp {
            return Ok(true);
        }
        // What a stamp vouches for must have been asked for after it.
        let came = if stamp.is_some() { server.templates.come() } else { template };
        let last = work::glance(Arc::clone(server), |server| server.last_saved(server.kept.keeper()?));
        if server.templates.answer(came, last).await?.is_none_or(|last| last != self.template) {
            return Ok(false);
        }
        let known = Arc::clone(self);
        let stands = work::glance(Arc::clone(server), move |server| known.stands(server.kept.keeper()?)).await?;
        if stands {
            *self.stamp() = stamp;
        }
        Ok(stands)
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

    fn stamp(&self) -> MutexGuard<'_, Option<Stamp>> {
        self.stamp.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Written {
    /// Splits a document around the prefix; none if there is more around it than can be remembered for many.
    fn split(document: &str, prefix: &Arc<RawValue>) -> Option<Written> {
        let (head, tail) = document.split_once(prefix.get())?;
        let prefix = Arc::downgrade(prefix);
        (head.len() + tail.len() <= AROUND).then(|| Written { head: head.into(), prefix, tail: tail.into() })
    }

    fn join(&self, prefix: &RawValue) -> String {
        [&self.head, prefix.get(), &self.tail].concat()
    }
}

/// The moment of the store, for a request; none if the rows had better be asked for.
pub(super) fn stamp(server: &Server, came: Came) -> Option<Stamp> {
    if server.kept.distance() == Distance::Away {
        return None;
    }
    // Why there is none is told by the questions that follow.
    let ask = || Ok::<_, Problem>(server.kept.keeper()?.store().stamp()?);
    server.stamps.answer_at_once(came, ask).ok().flatten()
}
