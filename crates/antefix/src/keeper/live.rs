//! The live part of a turn, where a layout keeps it in the conversation.
//!
//! 1. It is an insertion behind the last message of the first request that has it, and is in every later request at that place, so that
//!    all that follows stays cached. A section is said again when its text has changed, and the last one counts.
//! 2. A turn that has nothing new to say writes nothing. Of racing turns one says it, and the others have it from there.
//! 3. Where the caller keeps its messages to itself, nobody knows the place, and all of it goes with each request as ever.
//! 4. What hooks make of the live part is said for their turn alone, and is not kept.

use std::collections::BTreeMap;

use super::insertions::TurnInsertion;
use super::{Keeper, ROUNDS, Turn, TurnInput, changes_too_fast, now};
use crate::compose::policy::{Live, Placement};
use crate::compose::{Layout, Prompt, WordingKey, print};
use crate::deliver::end_of;
use crate::error::Result;
use crate::freeze::store::Appended;
use crate::freeze::{ConversationId, Insertion, InsertionKind, Taken};
use crate::keeper::insertions::Repeat;
use crate::text::{Digest, Draft, FactName, Origin, Text};

impl Keeper {
    /// Puts what is new in the live part into the conversation, if the layout keeps it.
    pub(super) fn keep_live(
        &self,
        conversation: &ConversationId,
        turn: &mut Turn,
        input: &TurnInput<'_>,
    ) -> Result<()> {
        let is_kept = input.layout.live() == Live::Kept && input.layout.placement() == Placement::Last;
        let Some(history) = input.history.filter(|_| is_kept && input.repeat == Repeat::EveryTurn) else {
            return Ok(());
        };
        for _ in 0..ROUNDS {
            let told = told(&turn.insertions);
            let Some(said) = Said::new(&turn.suffix, &told, input.layout)? else { break };
            let standing = self.store.insertions(conversation)?;
            let is_heard = |one: &Insertion| turn.insertions.iter().any(|known| known.insertion.number == one.number);
            if standing.all.iter().any(|one| matches!(one.kind, InsertionKind::Live(_)) && !is_heard(one)) {
                // Said by somebody else since this turn has looked: it may be the same.
                self.hear_of_others(conversation, turn)?;
                continue;
            }
            let insertion = Insertion {
                number: standing.last + 1,
                kind: InsertionKind::Live(said.sections),
                at: now(input),
                text: said.text,
                taken: Some(Taken { turn: input.id.map(str::to_owned), place: Some(end_of(history) as u64) }),
            };
            match self.store.insert(conversation, &insertion)? {
                Appended::Won => {
                    let after = insertion.taken.as_ref().and_then(|taken| taken.place);
                    turn.insertions.push(TurnInsertion { insertion, after, is_fresh: true });
                    turn.place_insertions();
                    break;
                }
                // Somebody else was faster, and may have said the same.
                Appended::Lost(_) => self.hear_of_others(conversation, turn)?,
            }
            input.situation.caller.stop.check()?;
        }
        if Said::new(&turn.suffix, &told(&turn.insertions), input.layout)?.is_some() {
            return Err(changes_too_fast(conversation));
        }
        turn.kept = turn.suffix.text().to_owned();
        Ok(())
    }

    /// Adds what other turns have said meanwhile.
    fn hear_of_others(&self, conversation: &ConversationId, turn: &mut Turn) -> Result<()> {
        for one in self.repeated(conversation)? {
            if !turn.insertions.iter().any(|known| known.insertion.number == one.insertion.number) {
                turn.insertions.push(one);
            }
        }
        turn.place_insertions();
        Ok(())
    }
}

/// What the conversation was told last of each live section.
fn told(insertions: &[TurnInsertion]) -> BTreeMap<String, Digest> {
    let mut live: Vec<&Insertion> = insertions.iter().map(|one| &one.insertion).collect();
    live.sort_by_key(|one| one.number);
    let sections = live.into_iter().filter_map(|one| match &one.kind {
        InsertionKind::Live(sections) => Some(sections.clone()),
        InsertionKind::Queued | InsertionKind::Touched(_) => None,
    });
    // What is gone was said with the digest of nothing.
    sections.flatten().collect()
}

/// What is new in a live part.
struct Said {
    sections: BTreeMap<String, Digest>,
    text: String,
}

impl Said {
    /// None if nothing is. A section that is gone lets all others be said again, because what follows replaces what was said.
    fn new(suffix: &Prompt, told: &BTreeMap<String, Digest>, layout: &Layout) -> Result<Option<Said>> {
        let nothing = Digest::of("");
        let text_of = |at: usize| suffix.text()[suffix.sections()[at].range.clone()].trim();
        let now: BTreeMap<&str, Digest> = (suffix.sections().iter().enumerate())
            .map(|(at, section)| (section.id.as_str(), Digest::of(text_of(at))))
            .collect();
        let gone = told.iter().filter(|(id, digest)| **digest != nothing && !now.contains_key(id.as_str()));
        let gone: BTreeMap<String, Digest> = gone.map(|(id, _)| (id.clone(), nothing)).collect();
        let is_new = |id: &str| now.get(id).is_some_and(|digest| told.get(id).unwrap_or(&nothing) != digest);
        if gone.is_empty() && !now.keys().any(|id| is_new(id)) {
            return Ok(None);
        }
        let all = suffix.sections().iter().enumerate();
        let said: Vec<(usize, &str)> = all
            .filter(|(_, section)| !gone.is_empty() || is_new(&section.id))
            .map(|(at, section)| (at, section.id.as_str()))
            .collect();
        let texts: Vec<&str> = said.iter().map(|(at, _)| text_of(*at)).filter(|text| !text.is_empty()).collect();
        let text = texts.join("\n\n");
        let mut sections = gone;
        sections.extend(said.iter().filter_map(|(_, id)| Some(((*id).to_owned(), *now.get(id)?))));
        let text = match told.is_empty() {
            true => text,
            false => {
                let template = layout.wording().template(WordingKey::parse("live_changed")?)?;
                let words = Text::new(text, Origin::fact(&FactName::new("section", "live")));
                print(template, &[("text", &words)]).map(Draft::into_text)?.as_str().trim().to_owned()
            }
        };
        Ok(Some(Said { sections, text }))
    }
}
