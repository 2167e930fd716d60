//! A world that remembers what it was asked and what it said.
//!
//! What was made of its answers, and of nothing else, can be used again while the same questions get the same answers.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use antefix::discover::world::{
    Answer, Command, Contents, Kind, Listing, Output, Owner, Request, Response, SystemText, World,
};
use jiff::Timestamp;

/// One question with its answer.
#[derive(Debug, PartialEq)]
pub(super) enum Heard {
    Env(String, Answer<String>),
    Kind(PathBuf, Answer<Kind>),
    Owner(PathBuf, Answer<Owner>),
    Resolve(PathBuf, Answer<PathBuf>),
    Read(PathBuf, PathBuf, usize, Answer<Contents>),
    List(PathBuf, PathBuf, usize, Answer<Listing>),
    /// Something that may be another each time.
    Moving,
}

impl Heard {
    /// Whether the world still says so.
    pub(super) fn holds(&self, world: &dyn World) -> bool {
        match self {
            Heard::Env(name, said) => world.env(name) == *said,
            Heard::Kind(path, said) => world.kind(path) == *said,
            Heard::Owner(path, said) => world.owner(path) == *said,
            Heard::Resolve(path, said) => world.resolve(path) == *said,
            Heard::Read(root, path, limit, said) => world.read(root, path, *limit) == *said,
            Heard::List(root, path, limit, said) => world.list(root, path, *limit) == *said,
            Heard::Moving => false,
        }
    }
}

/// How many bytes it takes to remember what was heard, roughly; none if it may be another each time.
pub(super) fn weight(heard: &[Heard]) -> Option<usize> {
    heard.iter().try_fold(0, |sum, one| match one {
        Heard::Moving => None,
        Heard::Read(_, _, _, Answer::Present(contents)) => Some(sum + 200 + contents.bytes.len()),
        Heard::List(_, _, _, Answer::Present(listing)) => Some(sum + 200 + 100 * listing.entries.len()),
        _ => Some(sum + 200),
    })
}

/// A world, and all that it was asked.
pub(super) struct Witness<'w> {
    world: &'w dyn World,
    heard: Mutex<Vec<Heard>>,
}

impl<'w> Witness<'w> {
    pub(super) fn of(world: &'w dyn World) -> Witness<'w> {
        Witness { world, heard: Mutex::default() }
    }

    pub(super) fn heard(self) -> Vec<Heard> {
        self.heard.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn note<T: Clone>(&self, said: T, heard: impl FnOnce(T) -> Heard) -> T {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).push(heard(said.clone()));
        said
    }
}

impl World for Witness<'_> {
    fn now(&self) -> Timestamp {
        self.note(self.world.now(), |_| Heard::Moving)
    }

    fn platform(&self) -> String {
        // It does not change under a running process.
        self.world.platform()
    }

    fn system_text(&self, which: SystemText) -> Answer<String> {
        self.note(self.world.system_text(which), |_| Heard::Moving)
    }

    fn hostname(&self) -> Answer<String> {
        self.note(self.world.hostname(), |_| Heard::Moving)
    }

    fn env(&self, name: &str) -> Answer<String> {
        self.note(self.world.env(name), |said| Heard::Env(name.to_owned(), said))
    }

    fn kind(&self, path: &Path) -> Answer<Kind> {
        self.note(self.world.kind(path), |said| Heard::Kind(path.to_owned(), said))
    }

    fn owner(&self, path: &Path) -> Answer<Owner> {
        self.note(self.world.owner(path), |said| Heard::Owner(path.to_owned(), said))
    }

    fn resolve(&self, path: &Path) -> Answer<PathBuf> {
        self.note(self.world.resolve(path), |said| Heard::Resolve(path.to_owned(), said))
    }

    fn read(&self, root: &Path, path: &Path, limit: usize) -> Answer<Contents> {
        let said = self.world.read(root, path, limit);
        self.note(said, |said| Heard::Read(root.to_owned(), path.to_owned(), limit, said))
    }

    fn list(&self, root: &Path, path: &Path, limit: usize) -> Answer<Listing> {
        let said = self.world.list(root, path, limit);
        self.note(said, |said| Heard::List(root.to_owned(), path.to_owned(), limit, said))
    }

    fn run(&self, command: &Command) -> Answer<Output> {
        self.note(self.world.run(command), |_| Heard::Moving)
    }

    fn fetch(&self, request: &Request) -> Answer<Response> {
        self.note(self.world.fetch(request), |_| Heard::Moving)
    }
}
