//! Paths that are touched: what applies to them is put into the conversation.
//!
//! 1. A file that applies since a path was touched is an insertion. It is said once, again when its text has changed, and again
//!    after a compaction, which ends all that was said.
//! 2. A turn that is asked for again under its name has what it had, whatever the files say now.

use std::path::PathBuf;

use super::hooked::question;
use super::{Keeper, ROUNDS, TurnInput, changes_too_fast, now};
use crate::compose::{Layout, notice};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::discover::touch::{Touched, touch};
use crate::discover::{Report, Situation, World};
use crate::error::{ErrorKind, Result};
use crate::freeze::store::Appended;
use crate::freeze::{ConversationId, Insertion, InsertionKind, Insertions, Taken};
use crate::hooks::AskedRoots;
use crate::text::{FactName, Text};

/// What applies when paths are touched.
pub struct TouchNotice {
    /// The notice; none if nothing new applies.
    pub text: Option<Text>,
    /// What was loaded and what was not.
    pub report: Report,
    /// What is worth knowing.
    pub diagnostics: Vec<Diagnostic>,
    /// What the conversation has from then on.
    kind: InsertionKind,
}

impl TouchNotice {
    /// Looks for what applies, and is not in the conversation.
    pub(crate) fn find(
        world: &dyn World,
        layout: &Layout,
        situation: &Situation<'_>,
        paths: &[PathBuf],
        before: &Insertions,
    ) -> Result<TouchNotice> {
        let files = FactName::new("instructions", "files");
        if !layout.facts().contains(&files) {
            let message =
                format!("the layout `{}` does not name `{files}`, so nothing waits for a path", layout.name());
            return Ok(TouchNotice::nothing(Diagnostic::note(Code::NothingTouched, message)));
        }
        let known = before.touched();
        let touched = touch(world, situation, paths, &known);
        let text = notice(&touched, layout.wording())?;
        let Touched { digests, report, mut diagnostics, .. } = touched;
        if text.is_none() && !diagnostics.iter().any(|finding| finding.level == Level::Error) {
            let message = match known.is_empty() {
                true => "no rule and no nested instruction file applies to these paths",
                false => {
                    "no rule and no nested instruction file applies to these paths that the conversation does not have"
                }
            };
            let hint = "`antefix explain` lists those that wait for a path";
            diagnostics.push(Diagnostic::note(Code::NothingTouched, message).hint(hint));
        }
        Ok(TouchNotice { text, report, diagnostics, kind: InsertionKind::Touched(digests) })
    }

    fn nothing(why: Diagnostic) -> TouchNotice {
        let kind = InsertionKind::Touched(Default::default());
        TouchNotice { text: None, report: Report::default(), diagnostics: vec![why], kind }
    }
}

impl Keeper {
    /// Puts what applies to the paths of the input, and is not in the conversation yet, before the next turn.
    pub fn touch(&self, conversation: &ConversationId, input: &TurnInput<'_>) -> Result<TouchNotice> {
        let input = &input.named(conversation);
        let asked = AskedRoots::ask(input.hooks, &question(conversation, None, input));
        self.touched(conversation, input, &asked)
    }

    fn touched(&self, conversation: &ConversationId, input: &TurnInput<'_>, asked: &AskedRoots) -> Result<TouchNotice> {
        let current = self.current(conversation)?;
        let body = current.as_ref().map(|current| current.epoch.body());
        let more = asked.roots(&question(conversation, None, input), body);
        let situation = input.with_roots(&more).situation;
        for _ in 0..ROUNDS {
            let before = self.store.insertions(conversation)?;
            let notice = TouchNotice::find(input.world, input.layout, &situation, input.touch, &before)?;
            let Some(text) = &notice.text else { return Ok(notice) };
            let insertion = Insertion {
                number: before.last + 1,
                kind: notice.kind.clone(),
                at: now(input),
                text: text.as_str().to_owned(),
                taken: None,
            };
            // If somebody else was faster, the conversation may have it by now.
            if let Appended::Won = self.store.insert(conversation, &insertion)? {
                return Ok(notice);
            }
        }
        Err(changes_too_fast(conversation))
    }

    /// The same for a turn, which takes it then. A conversation goes on, whatever is wrong with the files; the answer is
    /// what is worth knowing.
    pub(super) fn touched_by_turn(
        &self,
        conversation: &ConversationId,
        input: &TurnInput<'_>,
        asked: &AskedRoots,
    ) -> Result<Vec<Diagnostic>> {
        if input.touch.is_empty() || self.has_touched(conversation, input.id)? {
            return Ok(Vec::new());
        }
        match self.touched(conversation, input, asked) {
            Ok(notice) => {
                let mut diagnostics = notice.diagnostics;
                // Most turns touch what was touched before.
                diagnostics.retain(|finding| finding.code != Code::NothingTouched);
                Ok(diagnostics)
            }
            Err(error) if matches!(error.kind(), ErrorKind::Store(_) | ErrorKind::Conflict) => Err(error),
            Err(error) => Ok(vec![Diagnostic::of_error(Code::Unrenderable, &error)]),
        }
    }

    /// Whether the turn of this name has had a notice already.
    fn has_touched(&self, conversation: &ConversationId, turn: Option<&str>) -> Result<bool> {
        let Some(turn) = turn else { return Ok(false) };
        let is_its_own = |one: &Insertion| {
            let took = one.taken.as_ref().and_then(|taken| taken.turn.as_deref());
            took == Some(turn) && matches!(one.kind, InsertionKind::Touched(_))
        };
        Ok(self.store.insertions(conversation)?.all.iter().any(is_its_own))
    }

    /// Remembers a notice that waits and ends now, because it has arrived where somebody else keeps the history: it is not said
    /// again before a compaction.
    pub(super) fn keep_touched(&self, conversation: &ConversationId, number: u64) -> Result<()> {
        for _ in 0..ROUNDS {
            let Insertions { last, all } = self.store.insertions(conversation)?;
            let is_one = |one: &Insertion| {
                one.number == number && one.taken.is_none() && matches!(one.kind, InsertionKind::Touched(_))
            };
            let Some(notice) = all.into_iter().find(is_one) else { return Ok(()) };
            let kept = Insertion { number: last + 1, taken: Some(Taken::default()), ..notice };
            if let Appended::Won = self.store.insert(conversation, &kept)? {
                return Ok(());
            }
        }
        Err(changes_too_fast(conversation))
    }
}
