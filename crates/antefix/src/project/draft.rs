//! Prompts for conversations that have no name yet.
//!
//! 1. A draft keeps all that it was composed from, so that it can be adopted later: the project's layout may be broken or
//!    another one by then.
//! 2. Nothing is stored before a conversation adopts it.

use std::fmt;
use std::sync::Arc;

use super::remembered::Remembered;
use super::{Ask, Conversation, Project, ProjectContext};
use crate::deliver::{SaidSection, said_sections};
use crate::diagnostic::Diagnostic;
use crate::discover::Report;
use crate::error::Result;
use crate::freeze::EpochBody;
use crate::keeper;

/// A prompt for a conversation that has no name yet, with all that it was composed from.
///
/// ```
/// use antefix::{Antefix, Ask};
/// use antefix::worlds::MemoryWorld;
///
/// let world = MemoryWorld::new().file("/p/.git/HEAD", "").file("/p/AGENTS.md", "Use tabs.");
/// let project = Antefix::builder().world(world).store("memory").build()?.project("/p")?;
/// let draft = project.draft(Ask::new())?;
/// // Once it is known what the conversation is called:
/// let adopted = draft.conversation("c1")?.adopt(&draft)?;
/// assert_eq!(adopted.epoch.text(), draft.text());
/// # Ok::<(), antefix::Error>(())
/// ```
#[derive(Clone)]
pub struct Draft {
    pub(super) project: Project,
    pub(super) composed: keeper::Draft,
    pub(super) context: Arc<ProjectContext>,
    pub(super) ask: Ask,
    pub(super) said: Remembered,
}

impl Draft {
    /// The frozen prefix.
    pub fn text(&self) -> &str {
        self.composed.text()
    }

    /// What the epoch will be made of.
    pub fn body(&self) -> &EpochBody {
        self.composed.body()
    }

    /// What was loaded and what was not.
    pub fn report(&self) -> &Report {
        &self.composed.report
    }

    /// The conversation of a name, where the draft was composed.
    pub fn conversation(&self, id: &str) -> Result<Conversation> {
        self.project.conversation(id)
    }

    /// The project as it was when the draft was composed.
    pub fn context(&self) -> &ProjectContext {
        &self.context
    }

    /// What is worth knowing about the prompt; [`ProjectContext::findings`] has what is worth knowing about the project.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.composed.diagnostics
    }

    /// The prefix as sections of a user's message, in the words of the draft's layout.
    pub fn said_sections(&self) -> Result<Vec<SaidSection>> {
        said_sections(self.body(), self.context.layout.wording())
    }
}

impl fmt::Debug for Draft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Draft").field("composed", &self.composed).finish_non_exhaustive()
    }
}

impl Project {
    /// Composes the first epoch of a conversation whose name is not known yet. Nothing is stored.
    pub fn draft(&self, ask: Ask) -> Result<Draft> {
        ask.check()?;
        let said = self.first_said(&ask);
        let keeper = self.antefix.keeper()?;
        let draft = |ask: &Ask| {
            let context = self.context(ask, &said)?;
            let (models, finding) = self.antefix.models_for(said.model.as_deref());
            let mut composed = self.with_input(None, ask, &said, &context, &models, |input| keeper.draft(input))?;
            composed.diagnostics.extend(finding);
            Ok(Draft { project: self.clone(), composed, context, ask: ask.clone(), said: said.clone() })
        };
        self.with_last_good(&ask, &said, draft, |draft: &mut Draft| &mut draft.composed.diagnostics)
    }
}
