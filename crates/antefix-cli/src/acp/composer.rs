//! What a session is told: from its working directory to texts, by way of the ledger.

use std::path::Path;

use antefix::Diagnostic;
use antefix::deliver::{Content, Notice, SaidSection, Target, deliver, said_sections};
use antefix::freeze::{ConversationId, EpochBody};
use antefix::keeper::{Draft, Keeper, Turn};
use antefix::text::FactName;

use crate::Failure;
use crate::args::ComposeArgs;
use crate::setup::{self, Prepared};

/// The fact that a client's own prompt answers.
const OPERATOR: &str = "identity:operator";

/// Composes for any number of sessions.
pub(super) struct Composer {
    pub(super) args: ComposeArgs,
    pub(super) keeper: Keeper,
    pub(super) live: Live,
}

/// Whether the live part of a layout goes with every prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Live {
    Sent,
    LeftOut,
}

/// What a session is told when it begins.
pub(super) enum Told {
    /// The ledger knows nothing of it yet.
    Draft(Box<Draft>),
    /// It is told again what it was told before, or what took its place.
    Standing(Box<Turn>),
}

impl Told {
    pub(super) fn text(&self) -> &str {
        match self {
            Told::Draft(draft) => draft.text(),
            // The bytes that stand: what a hook makes of one turn has no place in a session.
            Told::Standing(turn) => turn.epoch.as_deref().map_or("", |epoch| epoch.text()),
        }
    }

    pub(super) fn body(&self) -> Option<&EpochBody> {
        match self {
            Told::Draft(draft) => Some(draft.body()),
            Told::Standing(turn) => turn.epoch.as_deref().map(|epoch| epoch.body()),
        }
    }
}

impl Composer {
    /// Everything that is known before anything is asked for, for a directory.
    pub(super) fn prepared(&self, cwd: &Path, operator: Option<&str>) -> Result<Prepared, Failure> {
        let mut args = self.args.clone();
        args.cwd = Some(cwd.to_owned());
        args.conversation = None;
        let mut prepared = setup::prepared(&args)?;
        if let Some(text) = operator {
            prepared.answer(FactName::new("identity", "operator"), text);
        }
        Ok(prepared)
    }

    /// Whether the layout says what a client brings along.
    pub(super) fn says_operator(prepared: &Prepared) -> bool {
        prepared.facts().iter().any(|fact| fact.as_str() == OPERATOR)
    }

    pub(super) fn draft(&self, prepared: &Prepared) -> Result<Draft, Failure> {
        Ok(prepared.with_input(|input| self.keeper.draft(input))?)
    }

    /// A turn of a conversation that the ledger knows; `id` names it, so that asking again gives the same.
    pub(super) fn turn(
        &self,
        conversation: &ConversationId,
        prepared: &Prepared,
        id: Option<&str>,
    ) -> Result<Turn, Failure> {
        Ok(prepared.with_input(|input| {
            let mut input = *input;
            input.id = id;
            self.keeper.turn(conversation, &input)
        })?)
    }

    pub(super) fn is_known(&self, conversation: &ConversationId) -> Result<bool, Failure> {
        let standing = self.keeper.store().standing(conversation).map_err(antefix::Error::from)?;
        Ok(standing.is_some())
    }

    /// What a client said of the operator when the standing epoch was composed: a session that is loaded without it
    /// keeps it.
    pub(super) fn operator_of(&self, conversation: &ConversationId) -> Result<Option<String>, Failure> {
        let (epoch, _) = self.keeper.standing(conversation)?;
        let spans = epoch.body().spans().map_err(antefix::Error::from)?;
        let own = spans.iter().filter(|span| span.origin.kind == "variable" && span.origin.name == OPERATOR);
        let text: String = own.map(|span| &epoch.text()[span.start..span.end]).collect();
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    /// The prefix as sections of a user's message.
    pub(super) fn sections(&self, body: &EpochBody, prepared: &Prepared) -> Result<Vec<SaidSection>, Failure> {
        Ok(prepared.with_input(|input| said_sections(body, input.layout.wording()))?)
    }

    /// A turn of a conversation that has not adopted its draft yet.
    pub(super) fn rehearse(
        &self,
        conversation: &ConversationId,
        draft: &Draft,
        prepared: &Prepared,
    ) -> Result<Turn, Failure> {
        Ok(prepared.with_input(|input| self.keeper.rehearse(conversation, draft, input))?)
    }

    /// Makes a draft the conversation's epoch, and tells hooks of it; what is worth knowing comes back.
    pub(super) fn adopt(
        &self,
        conversation: &ConversationId,
        draft: &Draft,
        prepared: &Prepared,
    ) -> Result<Vec<Diagnostic>, Failure> {
        let adopted = prepared.with_input(|input| self.keeper.adopt(conversation, draft, input))?;
        Ok(adopted.diagnostics)
    }

    /// Texts that the system says in mid-conversation, in their frames: notices and messages, and the live part.
    pub(super) fn framed(
        &self,
        texts: &[&str],
        suffix: Option<&str>,
        prepared: &Prepared,
    ) -> Result<(Vec<String>, Option<String>), Failure> {
        let mut content = prepared.placed(Content::new("", 0, suffix.unwrap_or_default()));
        content.notices = texts.iter().zip(1..).map(|(text, number)| Notice { number, text, after: None }).collect();
        let delivery = deliver(&content, Target::Acp, None)?;
        let fragment = delivery.fragment.to_value();
        let blocks = fragment.get("prompt").and_then(|prompt| prompt.as_array()).into_iter().flatten();
        let mut framed: Vec<String> =
            blocks.filter_map(|block| block.get("text")?.as_str().map(str::to_owned)).collect();
        let live = (framed.len() > texts.len()).then(|| framed.pop()).flatten();
        Ok((framed, live))
    }
}
