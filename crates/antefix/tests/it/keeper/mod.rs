//! Conversations, turn by turn.

mod compaction;

mod drafts;

mod drift;

mod frozen_facts;

mod hooks;

mod insertions;

mod lifetimes;

mod live;

mod notices;

mod races;

mod reports;

mod suffix;

mod table;

mod tools;

mod touch;

mod transfer;

mod turns;

use std::sync::Arc;

use antefix::discover::World;
use antefix::discover::tools::Tool;
use antefix::freeze::{Cause, Change, ConversationId, Epoch, Watch};
use antefix::hooks::Approvals;
use antefix::keeper::{Began, Keeper, Renewed};
use antefix::project::{LayoutChoice, Settings};
use antefix::stores::MemoryStore;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, Conversation, Result, Turn};

use self::hooks::Voice;
use crate::current::{CurrentWorld, entered};
use crate::watched::Watched;

/// A conversation `c` in `/p`, with a layout that lies in a file of its user. Each step says in which world it is taken.
#[derive(Clone)]
pub(super) struct Talk {
    store: MemoryStore,
    antefix: Antefix,
    pub(super) layout: String,
    pub(super) conversation: String,
    pub(super) tools: Option<Vec<Tool>>,
    pub(super) model: Option<String>,
    pub(super) machine: Option<String>,
    pub(super) cwd: &'static str,
    pub(super) watch: Watch,
}

/// Where the layout lies, beside the project.
const LAYOUT_FILE: &str = "/own/layout.toml";

impl Talk {
    pub(super) fn new(layout: &str) -> Talk {
        let store = MemoryStore::new();
        Talk {
            antefix: antefix(&store, &[], Settings::default()),
            store,
            layout: layout.to_owned(),
            conversation: "c".to_owned(),
            tools: None,
            model: None,
            machine: None,
            cwd: "/p",
            watch: Watch::Acting,
        }
    }

    /// The same conversation in a process with these hooks.
    pub(super) fn with_hooks(&self, hooks: &[&Voice]) -> Talk {
        Talk { antefix: antefix(&self.store, hooks, Settings::default()), ..self.clone() }
    }

    /// The same conversation in a process with these hooks, whose user has settings.
    pub(super) fn with_settings(&self, hooks: &[&Voice], settings: &str) -> Talk {
        Talk { antefix: antefix(&self.store, hooks, Settings::parse(settings).unwrap()), ..self.clone() }
    }

    /// The same conversation in a process with an empty ledger.
    pub(super) fn elsewhere(&self) -> Talk {
        let store = MemoryStore::new();
        Talk { antefix: antefix(&store, &[], Settings::default()), store, ..self.clone() }
    }

    /// What the caller says.
    pub(super) fn ask(&self) -> Ask {
        let mut ask = Ask::new().layout(LayoutChoice::File { path: LAYOUT_FILE.into(), label: "test".to_owned() });
        ask.tools = self.tools.clone().map(Into::into);
        ask.model.clone_from(&self.model);
        ask.machine.clone_from(&self.machine);
        ask.watch = self.watch;
        ask
    }

    /// Takes a step of the conversation in a world.
    pub(super) fn at<T>(&self, world: &impl Place, step: impl FnOnce(&Conversation) -> T) -> T {
        self.at_named(&self.conversation, world, step)
    }

    /// Takes a step of another conversation in a world.
    pub(super) fn at_named<T>(&self, id: &str, world: &impl Place, step: impl FnOnce(&Conversation) -> T) -> T {
        entered(world.with_file(LAYOUT_FILE, &self.layout), || {
            step(&self.antefix.project(self.cwd).unwrap().conversation(id).unwrap())
        })
    }

    pub(super) fn try_turn(&self, world: &impl Place) -> Result<Turn> {
        self.at(world, |conversation| conversation.turn(self.ask()))
    }

    pub(super) fn hooked(&self, world: &impl Place, hooks: &[&Voice]) -> Turn {
        self.with_hooks(hooks).turn(world)
    }

    pub(super) fn turn(&self, world: &impl Place) -> Turn {
        self.try_turn(world).unwrap()
    }

    pub(super) fn try_renew(&self, world: &impl Place, cause: Cause) -> Result<Renewed> {
        self.at(world, |conversation| conversation.renew(cause, self.ask()))
    }

    pub(super) fn renew(&self, world: &impl Place, cause: Cause) -> (Arc<Epoch>, Began) {
        let renewed = self.try_renew(world, cause).unwrap();
        (renewed.epoch, renewed.began)
    }

    /// What is in the ledger.
    pub(super) fn keeper(&self) -> &Keeper {
        self.antefix.keeper().unwrap()
    }

    pub(super) fn id(&self) -> ConversationId {
        ConversationId::parse(&self.conversation).unwrap()
    }

    /// Number and cause of every epoch.
    pub(super) fn ledger(&self) -> Vec<(u64, &'static str)> {
        let rows = self.keeper().history(&self.id(), 0, 100).unwrap();
        rows.iter().map(|row| (row.number, row.cause.name())).collect()
    }
}

fn antefix(store: &MemoryStore, hooks: &[&Voice], settings: Settings) -> Antefix {
    let builder = Antefix::builder().world(CurrentWorld).open_store(store.clone());
    let builder = builder.settings(settings).trust(Approvals::none());
    hooks.iter().fold(builder, |builder, &hook| builder.hook(hook.clone())).build().unwrap()
}

/// A world that a step is taken in.
pub(super) trait Place: World + Send + Sync + Sized + 'static {
    /// The same world with a file.
    fn with_file(&self, path: &str, text: &str) -> Self;
}

impl Place for MemoryWorld {
    fn with_file(&self, path: &str, text: &str) -> MemoryWorld {
        self.clone().file(path, text)
    }
}

impl Place for Watched {
    fn with_file(&self, path: &str, text: &str) -> Watched {
        self.with(|world| world.file(path, text))
    }
}

/// A repository with nothing in it.
pub(super) fn project() -> MemoryWorld {
    MemoryWorld::new().file("/p/.git/HEAD", "")
}

/// Changes as `kind origin`.
pub(super) fn reported(changes: &[Change]) -> Vec<String> {
    changes.iter().map(|change| format!("{} {}", change.kind.name(), change.origin)).collect()
}
