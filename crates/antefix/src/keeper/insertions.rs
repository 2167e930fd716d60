//! What a turn puts between the messages of its caller.
//!
//! 1. A turn takes what waits, and repeats what earlier turns took, each at its place.
//! 2. Where an agent keeps the history itself, nothing is repeated: what waits goes with a turn, and waits on until it is known to have
//!    arrived. The files of a touch are remembered beyond that.
//! 3. A turn whose system text is the caller's takes nothing, and repeats what was taken: the history is the same one.

use serde_json::{Value, json};

use super::{Keeper, Turn};
use crate::deliver::{Speaker, place};
use crate::error::Result;
use crate::freeze::{ConversationId, Insertion, InsertionKind, Insertions};
use crate::hooks::{HookFailure, HookResult};

/// How often a conversation's insertions are sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Repeat {
    /// In every request, because the caller sends the whole history each time.
    #[default]
    EveryTurn,
    /// Once, because somebody else keeps the history. Whoever says so must say what has arrived.
    Never,
}

/// An insertion of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnInsertion {
    /// What is inserted, as hooks left it.
    pub insertion: Insertion,
    /// How many messages of the turn's history come before it; none where the caller keeps its messages to itself.
    pub after: Option<u64>,
    /// Whether this turn is the first to have it.
    pub is_fresh: bool,
}

/// The member by which a message for hooks says which insertion it is.
const MARK: &str = "antefix";

impl Keeper {
    /// What a turn takes, and all that it repeats.
    pub(super) fn take(
        &self,
        conversation: &ConversationId,
        (turn, place, repeat): (Option<&str>, Option<usize>, Repeat),
    ) -> Result<Vec<TurnInsertion>> {
        let before = self.store.insertions(conversation)?;
        if repeat == Repeat::Never {
            return Ok(before.waiting().cloned().map(TurnInsertion::waiting).collect());
        }
        let place = place.map(|place| place as u64);
        let is_due = |one: &Insertion| match &one.taken {
            None => true,
            Some(taken) => place.is_some() && taken.place.is_none(),
        };
        if !before.all.iter().any(is_due) {
            let is_its_own = |one: &&Insertion| {
                one.taken.as_ref().and_then(|taken| taken.turn.as_deref()).is_some_and(|took| Some(took) == turn)
            };
            let fresh: Vec<u64> = before.all.iter().filter(is_its_own).map(|one| one.number).collect();
            return Ok(taken(before, &fresh));
        }
        let took = self.store.take(conversation, turn, place)?;
        let fresh: Vec<u64> = took.iter().map(|one| one.number).collect();
        let mut now = self.store.insertions(conversation)?;
        // A compaction may have ended meanwhile what this turn took. No other turn has it, so this one does.
        let is_there = |one: &Insertion| now.all.iter().any(|other| other.number == one.number);
        let ended: Vec<Insertion> = took.into_iter().filter(|one| !is_there(one)).collect();
        now.all.extend(ended);
        now.all.sort_by_key(|one| one.number);
        Ok(taken(now, &fresh))
    }

    /// What earlier turns took. Nothing is written.
    pub(super) fn repeated(&self, conversation: &ConversationId) -> Result<Vec<TurnInsertion>> {
        Ok(taken(self.store.insertions(conversation)?, &[]))
    }

    /// Ends insertions that have arrived where they are not repeated.
    pub(crate) fn arrived(&self, conversation: &ConversationId, numbers: &[u64]) -> Result<()> {
        for number in numbers {
            self.keep_touched(conversation, *number)?;
        }
        Ok(self.store.end(conversation, numbers)?)
    }
}

fn taken(insertions: Insertions, fresh: &[u64]) -> Vec<TurnInsertion> {
    insertions.taken().map(|insertion| TurnInsertion::taken(insertion, fresh)).collect()
}

impl TurnInsertion {
    fn waiting(insertion: Insertion) -> TurnInsertion {
        TurnInsertion { insertion, after: None, is_fresh: true }
    }

    fn taken(insertion: Insertion, fresh: &[u64]) -> TurnInsertion {
        let after = insertion.taken.as_ref().and_then(|taken| taken.place);
        TurnInsertion { is_fresh: fresh.contains(&insertion.number), after, insertion }
    }

    /// As hooks see it.
    fn message(&self) -> Value {
        json!({"role": "user", "content": self.insertion.text, MARK: self.insertion.name()})
    }
}

impl Turn {
    /// Puts the insertions where they may be in this history.
    pub(super) fn place_insertions(&mut self) {
        let history = self.history.as_deref();
        for one in &mut self.insertions {
            one.after = history.map(|history| place(history, one.after) as u64);
        }
        self.insertions.sort_by_key(|one| (one.after, one.insertion.number));
    }

    /// The messages of the request as hooks see them: the caller's, what is between them, and what hooks added.
    pub(super) fn shown(&self) -> Vec<Value> {
        let history = self.history.as_deref().unwrap_or_default();
        let mut shown = Vec::with_capacity(history.len() + self.insertions.len() + self.behind.len());
        let mut insertions = self.insertions.iter().peekable();
        for at in 0..=history.len() {
            while let Some(one) = insertions.next_if(|one| one.after == Some(at as u64)) {
                shown.push(one.message());
            }
            shown.extend(history.get(at).cloned());
        }
        shown.extend(self.behind.iter().cloned());
        shown
    }

    /// Takes over what a hook made of those messages.
    pub(super) fn changed(&mut self, hook: &str, answered: Answered) {
        for one in &self.insertions {
            let name = one.insertion.name();
            if !answered.insertions.iter().any(|kept| kept.insertion.number == one.insertion.number) {
                self.removed.push((name, hook.to_owned()));
            }
        }
        self.history = Some(answered.own.into());
        self.insertions = answered.insertions;
        self.behind = Vec::new();
    }
}

/// What a hook made of the messages of a request.
pub(super) struct Answered {
    own: Vec<Value>,
    insertions: Vec<TurnInsertion>,
}

impl Answered {
    /// Reads an answer: which of its messages are the insertions that the hook was shown?
    pub(super) fn read(messages: Vec<Value>, shown: &[TurnInsertion]) -> HookResult<Answered> {
        let mut answered = Answered { own: Vec::with_capacity(messages.len()), insertions: Vec::new() };
        for message in messages {
            let Some(mark) = message.get(MARK) else {
                answered.own.push(message);
                continue;
            };
            let failure = |what: &str| HookFailure::new(format!("one of its messages is marked as {mark}, {what}"));
            let one = shown.iter().find(|one| *mark == *one.insertion.name());
            let one = one.ok_or_else(|| failure("which it was not shown"))?;
            let text = message["content"].as_str().ok_or_else(|| failure("and its `content` is not a text"))?;
            if answered.insertions.iter().any(|there| there.insertion.number == one.insertion.number) {
                return Err(failure("as another one is"));
            }
            let insertion = Insertion { text: text.to_owned(), ..one.insertion.clone() };
            let after = Some(answered.own.len() as u64);
            answered.insertions.push(TurnInsertion { insertion, after, is_fresh: one.is_fresh });
        }
        Ok(answered)
    }
}

/// Whether the user says it, or the program that the model runs in; none if the system does, as it says notices.
pub(super) fn speaker(kind: &InsertionKind) -> Option<Speaker> {
    match kind {
        InsertionKind::Queued => Some(Speaker::User),
        InsertionKind::Touched(_) => Some(Speaker::Program),
        InsertionKind::Live(_) => None,
    }
}
