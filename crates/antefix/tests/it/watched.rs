//! A world that remembers what it was asked, and in which everything has an answer.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use antefix::discover::world::{
    Answer, Command, Contents, Kind, Listing, Output, Owner, Request, Response, SystemText, World,
};
use antefix::worlds::MemoryWorld;

/// A world that remembers what it was asked. One that was made from another shares its memory.
pub(crate) struct Watched {
    inner: MemoryWorld,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Watched {
    pub(crate) fn new(inner: MemoryWorld) -> Watched {
        Watched { inner, asked: Arc::default() }
    }

    /// The same with a change to what is there.
    pub(crate) fn with(&self, change: impl FnOnce(MemoryWorld) -> MemoryWorld) -> Watched {
        Watched { inner: change(self.inner.clone()), asked: Arc::clone(&self.asked) }
    }

    /// What was asked since the last time.
    pub(crate) fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    fn note(&self, question: String) {
        self.asked.lock().unwrap().push(question);
    }
}

impl World for Watched {
    fn now(&self) -> jiff::Timestamp {
        self.note("now".to_owned());
        self.inner.now()
    }

    fn time_zone(&self, name: Option<&str>) -> Answer<jiff::tz::TimeZone> {
        self.note("time zone".to_owned());
        self.inner.time_zone(name)
    }

    fn platform(&self) -> String {
        self.note("platform".to_owned());
        self.inner.platform()
    }

    fn system_text(&self, which: SystemText) -> Answer<String> {
        self.note(format!("text {which:?}"));
        self.inner.system_text(which)
    }

    fn hostname(&self) -> Answer<String> {
        self.note("hostname".to_owned());
        self.inner.hostname()
    }

    fn env(&self, name: &str) -> Answer<String> {
        self.note(format!("env {name}"));
        self.inner.env(name)
    }

    fn kind(&self, path: &Path) -> Answer<Kind> {
        self.note(format!("kind {}", path.display()));
        self.inner.kind(path)
    }

    fn owner(&self, path: &Path) -> Answer<Owner> {
        self.note(format!("owner {}", path.display()));
        self.inner.owner(path)
    }

    fn resolve(&self, path: &Path) -> Answer<PathBuf> {
        self.note(format!("resolve {}", path.display()));
        self.inner.resolve(path)
    }

    fn read(&self, root: &Path, path: &Path, limit: usize) -> Answer<Contents> {
        self.note(format!("read {}", root.join(path).display()));
        self.inner.read(root, path, limit)
    }

    fn list(&self, root: &Path, path: &Path, limit: usize) -> Answer<Listing> {
        self.note(format!("list {}", root.join(path).display()));
        self.inner.list(root, path, limit)
    }

    fn fetch(&self, request: &Request) -> Answer<Response> {
        self.note(format!("fetch {} within {} ms", request.address, request.time_limit.as_millis()));
        self.inner.fetch(request)
    }

    /// A git that is new enough, has no drivers, and answers every other question with its first word.
    fn run(&self, command: &Command) -> Answer<Output> {
        let first = command.args.first().cloned().unwrap_or_default();
        self.note(format!("run {} {first}", command.program));
        let stdout = if first == "config" { "command\0safe.barerepository\0".to_owned() } else { format!("{first}\n") };
        Answer::Present(Output { code: Some(0), stdout: stdout.into_bytes(), more: false, stderr: Vec::new() })
    }
}
