//! Conversations, turn by turn.

mod compaction;

mod drafts;

mod drift;

mod hooks;

mod races;

mod reports;

mod suffix;

mod table;

mod transfer;

mod turns;

use std::path::Path;
use std::sync::Arc;

use crate::parts::Parts;
use antefix::Result;
use antefix::compose::{Layout, Wording};
use antefix::discover::{Tool, Workspace, World};
use antefix::freeze::{Cause, Change, ConversationId, Epoch, Watch};
use antefix::keeper::{Began, Keeper, Turn, TurnInput};
use antefix::project::Shelves;
use antefix::stores::MemoryStore;
use antefix::text::{Source, SourceKind};
use antefix::worlds::MemoryWorld;

/// A conversation `c` in `/p`, with a layout made of data.
pub(super) struct Talk {
    pub(super) keeper: Keeper,
    pub(super) layout: Layout,
    pub(super) wording: Wording,
    pub(super) conversation: ConversationId,
    pub(super) tools: Option<Vec<Tool>>,
    pub(super) model: Option<String>,
    pub(super) machine: Option<String>,
    pub(super) cwd: &'static str,
    pub(super) watch: Watch,
}

impl Talk {
    pub(super) fn new(layout: &str) -> Talk {
        let wording = Wording::built_in();
        let world = project();
        let workspace = Workspace::find(&world, Path::new("/p"));
        let source = Source::new(SourceKind::Layout, "test", layout);
        let layout = Layout::parse(&source.into(), &wording, &Shelves::new(&world, &workspace, None)).unwrap();
        Talk {
            keeper: Keeper::new(MemoryStore::new()),
            layout,
            wording,
            conversation: ConversationId::parse("c").unwrap(),
            tools: None,
            model: None,
            machine: None,
            cwd: "/p",
            watch: Watch::Acting,
        }
    }

    /// Runs `with` on the input of a turn in a world.
    pub(super) fn with<T>(&self, world: &dyn World, with: impl FnOnce(&TurnInput<'_>) -> T) -> T {
        let workspace = Workspace::find(world, Path::new(self.cwd));
        let shelves = Shelves::new(world, &workspace, None);
        let mut situation = Parts::new(workspace.clone());
        situation.rules.paths = self.layout.rules().paths;
        situation.rules.instructions = self.layout.rules().instructions.clone();
        situation.rules.skills = self.layout.rules().skills.clone();
        situation.caller.tools = self.tools.clone().map(Into::into);
        situation.caller.model.clone_from(&self.model);
        situation.caller.machine.clone_from(&self.machine);
        let mut input = TurnInput::new(world, &self.layout, situation.situation());
        input.watch = self.watch;
        with(&input)
    }

    pub(super) fn try_turn(&self, world: &dyn World) -> Result<Turn> {
        self.with(world, |input| self.keeper.turn(&self.conversation, input))
    }

    pub(super) fn hooked(&self, world: &dyn World, hooks: &[&dyn antefix::hooks::Hook]) -> Turn {
        self.with(world, |input| self.keeper.turn(&self.conversation, &TurnInput { hooks, ..*input })).unwrap()
    }

    pub(super) fn turn(&self, world: &dyn World) -> Turn {
        self.try_turn(world).unwrap()
    }

    pub(super) fn renew(&self, world: &dyn World, cause: Cause) -> (Arc<Epoch>, Began) {
        let renewed = self.with(world, |input| self.keeper.renew(&self.conversation, cause, input)).unwrap();
        (renewed.epoch, renewed.began)
    }

    /// Number and cause of every epoch.
    pub(super) fn ledger(&self) -> Vec<(u64, &'static str)> {
        let rows = self.keeper.history(&self.conversation, 0, 100).unwrap();
        rows.iter().map(|row| (row.number, row.cause.name())).collect()
    }
}

/// A repository with nothing in it.
pub(super) fn project() -> MemoryWorld {
    MemoryWorld::new().file("/p/.git/HEAD", "")
}

/// Changes as `kind origin`.
pub(super) fn told(changes: &[Change]) -> Vec<String> {
    changes.iter().map(|change| format!("{} {}", change.kind.name(), change.origin)).collect()
}
