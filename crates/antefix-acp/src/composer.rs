//! The prompt of a session: from its working directory to texts, by way of the library's front door.

use std::path::Path;
use std::sync::Arc;

use antefix::freeze::ConversationId;
use antefix::keeper::Repeat;
use antefix::project::{Draft, Reader};
use antefix::text::FactName;
use antefix::{Antefix, Ask, Conversation, Project, Result, Turn};

/// The fact that a client's own prompt answers.
const OPERATOR: &str = "identity:operator";

/// Composes for any number of sessions.
pub(crate) struct Composer {
    pub(crate) antefix: Antefix,
    /// What is said for every session.
    pub(crate) ask: Ask,
    pub(crate) live: Live,
}

/// Whether the live part of a layout goes with every prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Live {
    /// The live part goes with each prompt.
    #[default]
    Sent,
    /// Only what hooks append to it.
    LeftOut,
}

/// The prompt that a session is given when it begins.
pub(crate) enum SessionPrompt {
    /// The ledger knows nothing of it yet.
    Draft(Arc<Draft>),
    /// It goes on from another one, and so does the agent: it has the prompt already.
    Fork(Arc<Draft>),
    /// It is given the same prompt again, or what took its place.
    Standing(Box<Turn>),
}

impl SessionPrompt {
    pub(crate) fn text(&self) -> &str {
        match self {
            SessionPrompt::Draft(draft) | SessionPrompt::Fork(draft) => draft.text(),
            // The bytes of the epoch: what a hook changes in one turn has no place in a session.
            SessionPrompt::Standing(turn) => turn.epoch.as_deref().map_or("", |epoch| epoch.text()),
        }
    }
}

impl Composer {
    pub(crate) fn project(&self, cwd: &Path) -> Result<Project> {
        self.antefix.project(cwd)
    }

    /// A session's conversation, in the directory that the session works in.
    pub(crate) fn conversation(&self, cwd: &Path, id: &ConversationId) -> Result<Conversation> {
        match self.project(cwd) {
            Ok(project) => project.conversation(id.as_str()),
            // One that is open goes on where it was.
            Err(_) => self.antefix.conversation(id.as_str(), cwd),
        }
    }

    /// The clock, for receipts.
    pub(crate) fn now(&self) -> String {
        self.antefix.world().now().to_string()
    }

    /// What is said for a session whose client brings a prompt for the operator along, or none.
    pub(crate) fn ask(&self, operator: Option<&str>, reader: Reader) -> Ask {
        let mut ask = self.ask.clone();
        ask.reader = reader;
        // The agent keeps the history.
        ask.repeat = Repeat::Never;
        match operator {
            Some(text) => ask.given(FactName::new("identity", "operator"), text),
            None => ask,
        }
    }
}

/// Whether a layout says what a client brings along.
pub(crate) fn says_operator(layout: &antefix::compose::Layout) -> bool {
    layout.facts().iter().any(|fact| fact.as_str() == OPERATOR)
}

/// What a client said of the operator when the standing epoch was composed: a session that is loaded without it keeps it.
pub(crate) fn operator_of(conversation: &Conversation) -> Result<Option<String>> {
    let (epoch, _) = conversation.standing()?;
    let spans = epoch.body().spans()?;
    let own = spans.iter().filter(|span| span.origin.kind == "variable" && span.origin.name == OPERATOR);
    let text: String = own.map(|span| &epoch.text()[span.start..span.end]).collect();
    Ok(Some(text).filter(|text| !text.is_empty()))
}
