//! A world that can be exchanged between two steps of a conversation.
//!
//! Each thread has its own, so that threads can race in different worlds through one `Antefix`.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use antefix::discover::world::{
    Answer, Command, Contents, Kind, Listing, Output, Owner, Request, Response, SystemText, World,
};
use antefix::worlds::MemoryWorld;

thread_local! {
    static ENTERED: RefCell<Option<Arc<dyn World>>> = const { RefCell::new(None) };
}

/// The world that the thread has [`entered`]. Outside of that it is empty.
pub(crate) struct CurrentWorld;

/// Runs `work` in a world.
pub(crate) fn entered<T>(world: impl World + 'static, work: impl FnOnce() -> T) -> T {
    let before = ENTERED.replace(Some(Arc::new(world)));
    let done = work();
    ENTERED.set(before);
    done
}

fn here<T>(ask: impl FnOnce(&dyn World) -> T) -> T {
    match ENTERED.with_borrow(Clone::clone) {
        Some(world) => ask(&*world),
        None => ask(&MemoryWorld::new()),
    }
}

impl World for CurrentWorld {
    fn now(&self) -> jiff::Timestamp {
        here(|world| world.now())
    }

    fn time_zone(&self, name: Option<&str>) -> Answer<jiff::tz::TimeZone> {
        here(|world| world.time_zone(name))
    }

    fn platform(&self) -> String {
        here(|world| world.platform())
    }

    fn system_text(&self, which: SystemText) -> Answer<String> {
        here(|world| world.system_text(which))
    }

    fn hostname(&self) -> Answer<String> {
        here(|world| world.hostname())
    }

    fn env(&self, name: &str) -> Answer<String> {
        here(|world| world.env(name))
    }

    fn kind(&self, path: &Path) -> Answer<Kind> {
        here(|world| world.kind(path))
    }

    fn owner(&self, path: &Path) -> Answer<Owner> {
        here(|world| world.owner(path))
    }

    fn resolve(&self, path: &Path) -> Answer<PathBuf> {
        here(|world| world.resolve(path))
    }

    fn read(&self, root: &Path, path: &Path, limit: usize) -> Answer<Contents> {
        here(|world| world.read(root, path, limit))
    }

    fn list(&self, root: &Path, path: &Path, limit: usize) -> Answer<Listing> {
        here(|world| world.list(root, path, limit))
    }

    fn run(&self, command: &Command) -> Answer<Output> {
        here(|world| world.run(command))
    }

    fn fetch(&self, request: &Request) -> Answer<Response> {
        here(|world| world.fetch(request))
    }
}
