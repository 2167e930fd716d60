//! The front door's first step: a user's settings, a ledger, the table of models, a world.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::Project;
use super::ask::LayoutChoice;
use super::context::{Contexts, TrustSource};
use super::conversation::Conversation;
use super::directory::Directory;
use super::ledger::Ledger;
use super::remembered::Remembered;
use super::settings::Settings;
use crate::diagnostic::{Code, Diagnostic};
use crate::discover::Workspace;
use crate::discover::hygiene::Hygiene;
use crate::discover::world::{Answer, Kind, World};
use crate::error::{Error, ErrorKind, Result};
use crate::freeze::{ConversationId, Store};
use crate::hooks::{Approvals, Hook};
use crate::keeper::{Current, Keeper};
use crate::models::Models;
use crate::stores::{TrustFile, Trusted};
use crate::text::{Source, SourceKind};

/// A user's settings, a ledger, the table of models and a world: what every project and conversation needs. A copy costs
/// nothing and shares all of it.
///
/// ```
/// use antefix::{Antefix, Ask};
/// use antefix::worlds::MemoryWorld;
///
/// let world = MemoryWorld::new().file("/p/.git/HEAD", "").file("/p/AGENTS.md", "Use tabs.");
/// let antefix = Antefix::builder().world(world).store("memory").build()?;
/// let turn = antefix.project("/p")?.conversation("c1")?.turn(Ask::new())?;
/// assert!(turn.prefix().contains("Use tabs."));
/// # Ok::<(), antefix::Error>(())
/// ```
#[derive(Clone)]
pub struct Antefix {
    pub(super) shared: Arc<Shared>,
    pub(super) world: Arc<dyn World + Send + Sync>,
    /// Where projects may be; anywhere, if there are none. Real paths.
    pub(super) roots: Arc<[PathBuf]>,
    /// The root that the project must not leave.
    pub(super) bound: Option<Arc<Path>>,
}

pub(super) struct Shared {
    ledger: Ledger,
    settings: Option<Settings>,
    layout: Option<LayoutChoice>,
    models: Option<Models>,
    /// The text of the user's `models.json` that was read last, and what it says.
    read_models: Mutex<Option<(Arc<str>, Models)>>,
    trust: TrustSource,
    hooks: Vec<Box<dyn Hook + Send + Sync>>,
    contexts: Contexts,
}

/// Puts an [`Antefix`] together. What is not said is the user's own.
#[derive(Default)]
#[must_use]
pub struct Builder {
    world: Option<Box<dyn World + Send + Sync>>,
    address: Option<String>,
    store: Option<Box<dyn Store>>,
    settings: Option<Settings>,
    layout: Option<LayoutChoice>,
    models: Option<Models>,
    trust: Option<Approvals>,
    hooks: Vec<Box<dyn Hook + Send + Sync>>,
}

impl Builder {
    /// Another world than this machine.
    pub fn world(mut self, world: impl World + Send + 'static) -> Builder {
        self.world = Some(Box::new(world));
        self
    }

    /// The store at an address: `sqlite:PATH`, `postgres://…` or `memory`. It is opened when it is first needed.
    pub fn store(mut self, address: impl Into<String>) -> Builder {
        self.address = Some(address.into());
        self
    }

    /// A store that is open.
    pub fn open_store(mut self, store: impl Store + 'static) -> Builder {
        self.store = Some(Box::new(store));
        self
    }

    /// Settings in the place of the user's `settings.toml`.
    pub fn settings(mut self, settings: Settings) -> Builder {
        self.settings = Some(settings);
        self
    }

    /// The layout of prompts and of new conversations for which none is named, in the place of the project's, the user's and
    /// the built-in one. A conversation keeps the layout that it was opened with.
    pub fn layout(mut self, layout: LayoutChoice) -> Builder {
        self.layout = Some(layout);
        self
    }

    /// A table of models in the place of the built-in one with the user's `models.json`.
    pub fn models(mut self, models: Models) -> Builder {
        self.models = Some(models);
        self
    }

    /// What is trusted, in the place of what the user trusts.
    pub fn trust(mut self, approvals: Approvals) -> Builder {
        self.trust = Some(approvals);
        self
    }

    /// A hook that has a say in every turn, before those that layouts declare.
    pub fn hook(mut self, hook: impl Hook + Send + 'static) -> Builder {
        self.hooks.push(Box::new(hook));
        self
    }

    /// Puts it together. Nothing is read or opened before it is needed, except that there must be a world.
    pub fn build(self) -> Result<Antefix> {
        let world: Arc<dyn World + Send + Sync> = self.world.map_or_else(this_machine, Ok)?.into();
        let ledger = match self.store {
            Some(store) => Ledger::of(Keeper::of(store)),
            None => Ledger::at(self.address),
        };
        let trust = match self.trust {
            Some(approvals) => TrustSource::Given(Trusted::of(approvals)),
            None => TrustSource::File(TrustFile::find(&*world)),
        };
        let (settings, layout, models, hooks) = (self.settings, self.layout, self.models, self.hooks);
        let (contexts, read_models) = (Contexts::default(), Mutex::default());
        let shared = Shared { ledger, settings, layout, models, read_models, trust, hooks, contexts };
        Ok(Antefix { shared: Arc::new(shared), world, roots: Arc::from([]), bound: None })
    }
}

#[cfg(feature = "os")]
fn this_machine() -> Result<Box<dyn World + Send + Sync>> {
    Ok(Box::new(crate::worlds::OsWorld::new()))
}

#[cfg(not(feature = "os"))]
fn this_machine() -> Result<Box<dyn World + Send + Sync>> {
    Err(Error::new(ErrorKind::Input, "this antefix was built without the feature `os`").with_hint("bring a world"))
}

impl Antefix {
    /// This machine, with the user's own settings, models, trust and ledger.
    pub fn open() -> Result<Antefix> {
        Antefix::builder().build()
    }

    /// Anything else: for tests, servers and programs that keep ledgers elsewhere.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A directory, and the project around it.
    pub fn project(&self, directory: impl AsRef<Path>) -> Result<Project> {
        let directory = directory.as_ref();
        let absolute = std::path::absolute(directory).map_err(|error| {
            let message = format!("{}: {error}", directory.display());
            Error::new(ErrorKind::Input, message)
        })?;
        if !self.roots.is_empty() {
            return self.project_in_root(absolute);
        }
        self.check_directory(&absolute, directory)?;
        Ok(Project::new(self, Directory::new(absolute, None)))
    }

    /// Whether a directory is there, and is one; `shown` is how its user calls it.
    pub(super) fn check_directory(&self, directory: &Path, shown: &Path) -> Result<()> {
        let failed = |what: &dyn std::fmt::Display| {
            let message = format!("{}: {what}", shown.display());
            Err(Error::new(ErrorKind::Input, message))
        };
        match self.world().kind(directory) {
            Answer::Present(Kind::Directory) => Ok(()),
            Answer::Present(_) => failed(&"it is not a directory"),
            Answer::Absent => failed(&"there is no such directory"),
            Answer::Unavailable(reason) => {
                failed(&reason).map_err(|error| error.of_kind(reason.kind_or(ErrorKind::Input)))
            }
        }
    }

    /// A conversation where it was last; one that nobody opened yet works in `otherwise`.
    pub fn conversation(&self, id: &str, otherwise: impl AsRef<Path>) -> Result<Conversation> {
        let id = ConversationId::parse(id)?;
        let project = match self.remembered(&id)? {
            Some(remembered) => self.remembered_project(&remembered)?,
            None => self.project(otherwise)?,
        };
        Ok(Conversation::new(project, id))
    }

    /// What is outside the process.
    pub fn world(&self) -> &dyn World {
        &*self.world
    }

    /// The ledger, opened if need be.
    pub fn keeper(&self) -> Result<&Keeper> {
        self.shared.ledger.keeper(self.world())
    }

    /// The ids of conversations, the first ones by their names: for a list to choose from. A ledger that nobody has begun is not begun.
    pub fn known_conversations(&self, limit: usize) -> Result<Vec<String>> {
        let Some(keeper) = self.shared.ledger.existing(self.world())? else { return Ok(Vec::new()) };
        let rows = keeper.store().conversations(None, limit)?;
        Ok(rows.into_iter().map(|row| row.conversation.to_string()).collect())
    }

    /// The ledger, if it is open by now.
    pub fn opened_keeper(&self) -> Option<&Keeper> {
        self.shared.ledger.opened()
    }

    /// What keeps the ledger: `sqlite`, `postgres`, `memory`, or `other` for a store that the builder was given. It need not
    /// be reachable.
    pub fn store_kind(&self) -> &'static str {
        self.shared.ledger.kind(self.world())
    }

    /// The table of models: the built-in one with the rows of the user's `models.json` over it, which are parsed again only
    /// when they change. Where they cannot be read, it is the built-in one, and the finding says why: no turn fails for it.
    pub fn models(&self) -> (Models, Option<Diagnostic>) {
        if let Some(models) = &self.shared.models {
            return (models.clone(), None);
        }
        let workspace = Workspace::of_user(self.world());
        let Some(config) = &workspace.config else { return (Models::built_in().clone(), None) };
        let read = workspace.own_file(self.world(), config, "models.json", SourceKind::Layout, Hygiene::default());
        match read {
            Answer::Present(file) => self.models_of(&file),
            Answer::Absent => (Models::built_in().clone(), None),
            Answer::Unavailable(reason) => {
                let message = format!("{}: {reason}", config.join("models.json").display());
                (
                    Models::built_in().clone(),
                    Some(Diagnostic::of_error(Code::ModelsUnreadable, &Error::new(ErrorKind::Models, message))),
                )
            }
        }
    }

    fn models_of(&self, file: &Arc<Source>) -> (Models, Option<Diagnostic>) {
        let mut last = self.shared.read_models.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((text, models)) = &*last
            && *text == file.text
        {
            return (models.clone(), None);
        }
        match Models::built_in().with(file) {
            Ok(models) => {
                *last = Some((Arc::clone(&file.text), models.clone()));
                (models, None)
            }
            Err(error) => (Models::built_in().clone(), Some(Diagnostic::of_error(Code::ModelsUnreadable, &error))),
        }
    }

    /// The table of models for a model, if one was named.
    pub(super) fn models_for(&self, model: Option<&str>) -> (Models, Option<Diagnostic>) {
        match model {
            Some(_) => self.models(),
            None => (self.shared.models.as_ref().unwrap_or(Models::built_in()).clone(), None),
        }
    }

    /// The directory of the user's settings.
    pub(super) fn users_directory(&self) -> Option<PathBuf> {
        Workspace::of_user(self.world()).config
    }

    /// The file of the ledger, if it is kept in one.
    pub(super) fn ledger_file(&self) -> Option<PathBuf> {
        self.shared.ledger.file(self.world())
    }

    /// The directory of tokens, of what is trusted and of receipts.
    pub(super) fn state_directory(&self) -> Option<PathBuf> {
        self.shared.trust.file().and_then(TrustFile::directory).map(Path::to_owned)
    }

    /// What the user's settings say, wherever the user works.
    pub fn settings(&self) -> Result<Settings> {
        let workspace = Workspace::of_user(self.world());
        match &self.shared.settings {
            Some(settings) => settings.clone().resolved(self.world(), &workspace),
            None => Settings::load(self.world(), &workspace),
        }
    }

    /// What a conversation was told; none if nobody opened it.
    pub(super) fn remembered(&self, conversation: &ConversationId) -> Result<Option<Arc<Remembered>>> {
        Ok(self.found(conversation)?.map(|(remembered, _)| remembered))
    }

    /// The same, with the epoch that stands.
    pub(super) fn found(&self, conversation: &ConversationId) -> Result<Option<(Arc<Remembered>, Current)>> {
        let keeper = self.keeper()?;
        let mut before = None;
        loop {
            let Some(current) = keeper.current(conversation)? else { return Ok(None) };
            let Some(said) = current.standing.said else {
                let remembered = Remembered::of_epoch(&current.epoch, self.default_layout());
                return Ok(Some((Arc::new(remembered), current)));
            };
            match keeper.cached(said, || Remembered::load(keeper.store(), said)) {
                // Somebody deleted the conversation, or told it something else, between two questions.
                Err(_) if before != Some(said) => before = Some(said),
                remembered => return Ok(Some((remembered?, current))),
            }
        }
    }

    pub(super) fn ledger(&self) -> &Ledger {
        &self.shared.ledger
    }

    pub(super) fn contexts(&self) -> &Contexts {
        &self.shared.contexts
    }

    /// The layout of those who name none, if the builder was given one.
    pub fn default_layout(&self) -> Option<&LayoutChoice> {
        self.shared.layout.as_ref()
    }

    pub(super) fn given_settings(&self) -> Option<&Settings> {
        self.shared.settings.as_ref()
    }

    pub(super) fn trust_source(&self) -> &TrustSource {
        &self.shared.trust
    }

    pub(super) fn hooks(&self) -> impl Iterator<Item = &dyn Hook> {
        self.shared.hooks.iter().map(|hook| &**hook as &dyn Hook)
    }
}

impl std::fmt::Debug for Antefix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Antefix").finish_non_exhaustive()
    }
}
