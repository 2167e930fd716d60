//! The front door: from a directory to what is sent.
//!
//! ```text
//! Antefix        a user's settings, a ledger, the table of models, a world
//! Project        a directory, resolved: root, trust, layout, wordings, hooks
//! Conversation   its ledger, and what it was told
//! Ask            what a caller says: model, tools, messages, given facts, …
//! Turn           epoch, amendments, suffix, queued messages, pending changes, diagnostics
//! Delivery       fragment and receipt
//! ```
//!
//! 1. All front ends go through these types, so that the same input gives the same bytes, epochs, diagnostics and errors.
//! 2. What an [`Ask`] does not say, the conversation remembers.
//! 3. The user's settings, trust, models and the project's layout and hooks are in force without being asked for.

mod agents;
mod antefix;
mod ask;
mod audit;
mod carry;
mod check;
mod confined;
mod context;
mod conversation;
mod directory;
mod doctor;
mod draft;
mod layouts;
mod ledger;
mod lock;
mod observed;
mod offers;
mod own_files;
mod preview;
mod remembered;
mod request;
mod revision;
mod saved;
mod settings;
mod templates;
mod trust;
mod why;

use std::path::Path;
use std::sync::Arc;

pub use self::agents::AgentsReport;
pub use self::antefix::{Antefix, Builder};
pub use self::ask::{Ask, LayoutChoice, MemoryChoice, Reader, TemplateChoice};
pub use self::audit::{AuditAsk, AuditReport};
pub use self::check::{CheckRules, CodeName, Denied, Importance};
pub use self::context::ProjectContext;
use self::context::{Choice, EditedText};
pub use self::conversation::Conversation;
use self::directory::{Directory, Location};
pub use self::doctor::{Check, Health};
pub use self::draft::Draft;
pub use self::lock::{LOCK_FILE, Lock};
pub use self::observed::{Observed, ObservedRequest, TwoRequests};
pub use self::preview::{Look, Preview};
use self::preview::{permissions, situation};
use self::remembered::Remembered;
pub use self::revision::{Compared, Range};
pub use self::saved::{CurrentTemplate, TEMPLATE_LIMIT, TemplateCondition, TemplateFrom, TemplateOutcome};
pub use self::settings::{AcpSettings, IdentitySettings, MemorySettings, SETTINGS_TABLES, Settings, settings_page};
pub use self::templates::{TemplateDirectories, TemplateList};
pub use self::trust::TrustOffer;
pub use self::why::{BilledTurn, Billing};
use crate::discover::World;
use crate::discover::roots::MoreRoots;
use crate::error::{Error, ErrorKind, Result};
use crate::freeze::ConversationId;
use crate::hooks::{Hook, Program, TrustState};
pub use crate::keeper::TouchNotice;
use crate::keeper::TurnInput;
use crate::models::Models;
use crate::worlds::FixedClock;

/// What findings call the template that somebody saved.
const SAVED: &str = "saved template";

/// A directory, and the project around it.
///
/// What its files say is read when it is needed, and again when they change.
#[derive(Debug, Clone)]
pub struct Project {
    antefix: Antefix,
    directory: Directory,
    /// Why nothing of it can be read now; its open conversations go on.
    unusable: Option<Error>,
}

impl Project {
    fn new(antefix: &Antefix, directory: Directory) -> Project {
        Project { antefix: antefix.clone(), directory, unusable: None }
    }

    /// The same directory under the name that its user gave it, for those who followed its links themselves. Prompts that show
    /// it in full show that name, as long as it leads there.
    #[must_use]
    pub fn given_as(mut self, given: impl AsRef<Path>) -> Project {
        self.directory = Directory::new(self.directory.path, Some(given.as_ref().to_owned()));
        self
    }

    /// Where it is, and the root that it must not leave.
    fn location(&self) -> Location<'_> {
        Location { directory: &self.directory, bound: self.antefix.bound.as_deref() }
    }

    /// What it was opened with.
    pub fn antefix(&self) -> &Antefix {
        &self.antefix
    }

    /// Where the agent works.
    pub fn directory(&self) -> &Path {
        &self.directory.path
    }

    /// The directory as its user calls it.
    pub fn given_directory(&self) -> &Path {
        self.directory.given.as_deref().unwrap_or(&self.directory.path)
    }

    /// Whether the directory is still there.
    fn check_directory(&self) -> Result<()> {
        self.check_usable()?;
        self.antefix.check_directory(self.directory(), self.given_directory())
    }

    fn check_usable(&self) -> Result<()> {
        self.unusable.clone().map_or(Ok(()), Err)
    }

    /// A conversation that works here. One that worked elsewhere moves here with its next turn.
    pub fn conversation(&self, id: &str) -> Result<Conversation> {
        Ok(Conversation::new(self.clone(), ConversationId::parse(id)?))
    }

    /// The hooks that the layout declares, each with whether it may run.
    pub fn hooks(&self, ask: &Ask) -> Result<Vec<(Program, TrustState)>> {
        let context = self.context(ask, &self.first_said(ask))?;
        Ok(self.states(&context))
    }

    fn states(&self, context: &ProjectContext) -> Vec<(Program, TrustState)> {
        let state = |program: &Program| program.state(self.antefix.world(), &context.workspace);
        context.programs.iter().map(|program| (program.clone(), state(program))).collect()
    }

    /// The project, resolved for what is said.
    fn context(&self, ask: &Ask, said: &Remembered) -> Result<Arc<ProjectContext>> {
        self.check_usable()?;
        let antefix = &self.antefix;
        let choice = said.choice();
        antefix.contexts().find(
            antefix.world(),
            (self.location(), &choice),
            antefix.given_settings(),
            &|| antefix.trusted(),
            |context| self.edited_text(ask, &choice, context),
        )
    }

    fn edited_text(&self, ask: &Ask, choice: &Choice, context: &ProjectContext) -> Result<Option<EditedText>> {
        match &ask.template {
            TemplateChoice::Own => Ok(None),
            TemplateChoice::Draft { dialect, text } => {
                Ok(Some(EditedText { label: "template", dialect: *dialect, text: Arc::clone(text) }))
            }
            TemplateChoice::Version(number) => {
                let saved = self.antefix.keeper()?.store().template(*number)?;
                let saved = saved.filter(|saved| saved.row.layout == context.layout_key).ok_or_else(|| {
                    Error::new(ErrorKind::Input, format!("the layout has no saved template {number}"))
                })?;
                Ok(Some(EditedText { label: SAVED, dialect: saved.row.dialect, text: saved.text }))
            }
            // A template that was named is a text of its own.
            TemplateChoice::Saved
                if matches!(
                    choice.layout,
                    Some(LayoutChoice::TemplateFile { .. } | LayoutChoice::TemplateText { .. })
                ) =>
            {
                Ok(None)
            }
            TemplateChoice::Saved => {
                let saved = self.antefix.saved_template(&context.layout_key)?;
                Ok(saved.map(|(row, text)| EditedText { label: SAVED, dialect: row.dialect, text }))
            }
        }
    }

    /// The project as it is now: its layout, and what is worth knowing about it.
    pub fn resolve(&self, ask: &Ask) -> Result<Arc<ProjectContext>> {
        self.context(ask, &self.first_said(ask))
    }

    /// What is said where nothing was said before: what an ask leaves out is as the builder has it.
    fn first_said(&self, ask: &Ask) -> Remembered {
        let mut said = Remembered::default().with(ask, &self.directory);
        if said.layout.is_none() {
            said.layout = self.antefix.default_layout().cloned();
        }
        said
    }

    /// Runs `work` on the input of a turn.
    fn with_input<T>(
        &self,
        conversation: Option<&str>,
        ask: &Ask,
        said: &Remembered,
        context: &ProjectContext,
        models: &Models,
        work: impl FnOnce(&TurnInput<'_>) -> Result<T>,
    ) -> Result<T> {
        let (mut caller, permissions, no_roots) = (said.caller(ask), permissions(context, ask), MoreRoots::default());
        caller.reads = self.read_by(said, context, &ask.touch);
        let situation = situation(context, &permissions, &caller, conversation, &no_roots);
        let hooks = self.all_hooks(context);
        self.with_world(ask, |world| {
            let mut input = TurnInput::new(world, &context.layout, situation);
            input.hooks = &hooks;
            input.models = models;
            input.watch = ask.watch;
            input.id = ask.turn.as_deref();
            input.repeat = ask.repeat;
            input.touch = &ask.touch;
            input.replacement = ask.replacement.as_deref();
            input.messages = ask.messages.as_ref().map(|messages| messages.len());
            input.history = ask.messages.as_ref();
            work(&input)
        })
    }

    /// Runs `work` with the world, at the instant that the caller names.
    fn with_world<T>(&self, ask: &Ask, work: impl FnOnce(&dyn World) -> T) -> T {
        let world = self.antefix.world();
        match ask.now {
            Some(now) => work(&FixedClock { world, now }),
            None => work(world),
        }
    }

    /// All hooks that have a say, in order.
    fn all_hooks<'h>(&'h self, context: &'h ProjectContext) -> Vec<&'h dyn Hook> {
        self.antefix.hooks().chain(context.hooks()).collect()
    }
}
