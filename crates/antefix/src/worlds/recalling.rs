//! A world that answers a question once: what many ask in one piece of work is read from the machine one time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::discover::world::{
    Access, Answer, Command, Contents, Kind, Listing, Output, Owner, Request, Response, SystemText, World,
};

/// A world, and the answers that it gave about files.
pub struct RecallingWorld<'w> {
    world: &'w dyn World,
    kinds: Mutex<BTreeMap<PathBuf, Answer<Kind>>>,
    real: Mutex<BTreeMap<PathBuf, Answer<PathBuf>>>,
    files: Mutex<BTreeMap<(PathBuf, PathBuf, usize), Answer<Contents>>>,
    listings: Mutex<BTreeMap<(PathBuf, PathBuf, usize), Answer<Listing>>>,
}

impl<'w> RecallingWorld<'w> {
    /// Remembers from now on.
    pub fn new(world: &'w dyn World) -> RecallingWorld<'w> {
        RecallingWorld {
            world,
            kinds: Mutex::default(),
            real: Mutex::default(),
            files: Mutex::default(),
            listings: Mutex::default(),
        }
    }
}

/// The answer that was given before, or the one that is given now.
fn recall<K: Ord, V: Clone>(known: &Mutex<BTreeMap<K, V>>, key: K, ask: impl FnOnce(&K) -> V) -> V {
    let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(answer) = known.get(&key) {
        return answer.clone();
    }
    let answer = ask(&key);
    known.insert(key, answer.clone());
    answer
}

impl World for RecallingWorld<'_> {
    fn now(&self) -> Timestamp {
        self.world.now()
    }

    fn time_zone(&self, name: Option<&str>) -> Answer<TimeZone> {
        self.world.time_zone(name)
    }

    fn platform(&self) -> String {
        self.world.platform()
    }

    fn system_text(&self, which: SystemText) -> Answer<String> {
        self.world.system_text(which)
    }

    fn hostname(&self) -> Answer<String> {
        self.world.hostname()
    }

    fn env(&self, name: &str) -> Answer<String> {
        self.world.env(name)
    }

    fn kind(&self, path: &Path) -> Answer<Kind> {
        recall(&self.kinds, path.to_owned(), |path| self.world.kind(path))
    }

    fn access(&self, path: &Path) -> Answer<Access> {
        self.world.access(path)
    }

    fn owner(&self, path: &Path) -> Answer<Owner> {
        self.world.owner(path)
    }

    fn resolve(&self, path: &Path) -> Answer<PathBuf> {
        recall(&self.real, path.to_owned(), |path| self.world.resolve(path))
    }

    fn read(&self, root: &Path, path: &Path, limit: usize) -> Answer<Contents> {
        let key = (root.to_owned(), path.to_owned(), limit);
        recall(&self.files, key, |(root, path, limit)| self.world.read(root, path, *limit))
    }

    fn list(&self, root: &Path, path: &Path, limit: usize) -> Answer<Listing> {
        let key = (root.to_owned(), path.to_owned(), limit);
        recall(&self.listings, key, |(root, path, limit)| self.world.list(root, path, *limit))
    }

    fn run(&self, command: &Command) -> Answer<Output> {
        self.world.run(command)
    }

    fn end_programs(&self) {
        self.world.end_programs();
    }

    fn fetch(&self, request: &Request) -> Answer<Response> {
        self.world.fetch(request)
    }

    fn hold(&self, directory: &Path) -> Answer<Option<Box<dyn World + Send + Sync>>> {
        self.world.hold(directory)
    }
}
