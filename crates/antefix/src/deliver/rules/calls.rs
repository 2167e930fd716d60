//! Calls of tools and their answers: each provider wants one for the other.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::Value;

use super::{Asked, Found};

/// How blocks of a message say that a tool is called, and what it answered.
pub(super) struct Words {
    /// The identity of a call that a block makes.
    pub(super) call: fn(&Value) -> Option<&str>,
    /// The identity of the call that a block answers.
    pub(super) answer: fn(&Value) -> Option<&str>,
}

impl Asked<'_> {
    /// Calls whose answers are not in what the user says next.
    pub(super) fn unanswered(&self, words: &Words) -> Vec<Found> {
        let turns = self.turns();
        let mut found = Vec::new();
        for (number, turn) in turns.iter().enumerate() {
            let answered = turns.get(number + 1).map(|next| self.ids(next, words.answer)).unwrap_or_default();
            for at in turn.clone() {
                let missing = blocks(&self.messages()[at]).filter_map(words.call).find(|id| !answered.contains(id));
                found.extend(missing.map(|id| (self.at(at), format!("nothing answers the call `{id}`"))));
            }
        }
        found
    }

    /// Answers whose calls are not in what the model said before.
    pub(super) fn unasked(&self, words: &Words) -> Vec<Found> {
        let turns = self.turns();
        let mut found = Vec::new();
        for (number, turn) in turns.iter().enumerate() {
            let before = number.checked_sub(1).and_then(|before| turns.get(before));
            let asked = before.map(|before| self.ids(before, words.call)).unwrap_or_default();
            for at in turn.clone() {
                let strange = blocks(&self.messages()[at]).filter_map(words.answer).find(|id| !asked.contains(id));
                found.extend(
                    strange.map(|id| (self.at(at), format!("the call `{id}` is not directly before its answer"))),
                );
            }
        }
        found
    }

    /// What one speaker says in a row: providers take that for one turn.
    fn turns(&self) -> Vec<Range<usize>> {
        let mut turns: Vec<Range<usize>> = Vec::new();
        for (at, message) in self.messages().iter().enumerate() {
            match turns.last_mut() {
                Some(turn) if self.messages()[turn.start]["role"] == message["role"] => turn.end = at + 1,
                _ => turns.push(at..at + 1),
            }
        }
        turns
    }

    fn ids(&self, turn: &Range<usize>, of: fn(&Value) -> Option<&str>) -> BTreeSet<&str> {
        let messages = self.messages().get(turn.clone()).unwrap_or_default();
        messages.iter().flat_map(blocks).filter_map(of).collect()
    }
}

fn blocks(message: &Value) -> impl Iterator<Item = &Value> {
    message["content"].as_array().into_iter().flatten()
}
