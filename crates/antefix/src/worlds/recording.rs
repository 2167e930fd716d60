//! A world that records what it was asked and what it answered.
//!
//! What was made of its answers, and of nothing else, can be used again while the same questions get the same answers.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::discover::world::{
    Access, Answer, Command, Contents, Kind, Listing, Output, Owner, Request, Response, SystemText, World,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// A question to a world, with its answer.
#[derive(Debug, PartialEq)]
pub enum Observation {
    /// An environment variable.
    Env(String, Answer<String>),
    /// What a path leads to.
    Kind(PathBuf, Answer<Kind>),
    /// The owner of a path.
    Owner(PathBuf, Answer<Owner>),
    /// Who can use a path.
    Access(PathBuf, Answer<Access>),
    /// Where links lead.
    Resolve(PathBuf, Answer<PathBuf>),
    /// The contents of a file.
    Read(PathBuf, PathBuf, usize, Answer<Contents>),
    /// The entries of a directory.
    List(PathBuf, PathBuf, usize, Answer<Listing>),
    /// Something that may be another each time.
    Moving,
}

impl Observation {
    /// Whether the world still gives the same answer.
    pub fn holds(&self, world: &dyn World) -> bool {
        match self {
            Observation::Env(name, said) => world.env(name) == *said,
            Observation::Kind(path, said) => world.kind(path) == *said,
            Observation::Owner(path, said) => world.owner(path) == *said,
            Observation::Access(path, said) => world.access(path) == *said,
            Observation::Resolve(path, said) => world.resolve(path) == *said,
            Observation::Read(root, path, limit, said) => world.read(root, path, *limit) == *said,
            Observation::List(root, path, limit, said) => world.list(root, path, *limit) == *said,
            Observation::Moving => false,
        }
    }
}

/// A world, and all that it was asked.
pub struct RecordingWorld<'w> {
    world: &'w dyn World,
    observed: Mutex<Vec<Observation>>,
}

impl<'w> RecordingWorld<'w> {
    /// Begins to record.
    pub fn new(world: &'w dyn World) -> RecordingWorld<'w> {
        RecordingWorld { world, observed: Mutex::default() }
    }

    /// All that was asked so far, in order.
    pub fn observations(self) -> Vec<Observation> {
        self.observed.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn note<T: Clone>(&self, said: T, observed: impl FnOnce(T) -> Observation) -> T {
        self.observed.lock().unwrap_or_else(PoisonError::into_inner).push(observed(said.clone()));
        said
    }
}

impl World for RecordingWorld<'_> {
    fn now(&self) -> Timestamp {
        self.note(self.world.now(), |_| Observation::Moving)
    }

    fn time_zone(&self, name: Option<&str>) -> Answer<TimeZone> {
        self.note(self.world.time_zone(name), |_| Observation::Moving)
    }

    fn platform(&self) -> String {
        // It does not change under a running process.
        self.world.platform()
    }

    fn system_text(&self, which: SystemText) -> Answer<String> {
        self.note(self.world.system_text(which), |_| Observation::Moving)
    }

    fn hostname(&self) -> Answer<String> {
        self.note(self.world.hostname(), |_| Observation::Moving)
    }

    fn env(&self, name: &str) -> Answer<String> {
        self.note(self.world.env(name), |said| Observation::Env(name.to_owned(), said))
    }

    fn kind(&self, path: &Path) -> Answer<Kind> {
        self.note(self.world.kind(path), |said| Observation::Kind(path.to_owned(), said))
    }

    fn owner(&self, path: &Path) -> Answer<Owner> {
        self.note(self.world.owner(path), |said| Observation::Owner(path.to_owned(), said))
    }

    fn access(&self, path: &Path) -> Answer<Access> {
        self.note(self.world.access(path), |said| Observation::Access(path.to_owned(), said))
    }

    fn resolve(&self, path: &Path) -> Answer<PathBuf> {
        self.note(self.world.resolve(path), |said| Observation::Resolve(path.to_owned(), said))
    }

    fn read(&self, root: &Path, path: &Path, limit: usize) -> Answer<Contents> {
        let said = self.world.read(root, path, limit);
        self.note(said, |said| Observation::Read(root.to_owned(), path.to_owned(), limit, said))
    }

    fn list(&self, root: &Path, path: &Path, limit: usize) -> Answer<Listing> {
        let said = self.world.list(root, path, limit);
        self.note(said, |said| Observation::List(root.to_owned(), path.to_owned(), limit, said))
    }

    fn run(&self, command: &Command) -> Answer<Output> {
        self.note(self.world.run(command), |_| Observation::Moving)
    }

    fn end_programs(&self) {
        self.world.end_programs();
    }

    fn fetch(&self, request: &Request) -> Answer<Response> {
        self.note(self.world.fetch(request), |_| Observation::Moving)
    }
}
