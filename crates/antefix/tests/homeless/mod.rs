//! This machine without its user: what somebody configured here has no say in a test.

use std::path::{Path, PathBuf};

use antefix::discover::world::{
    Answer, Command, Contents, Kind, Listing, Output, Owner, Request, Response, SystemText, World,
};
use antefix::worlds::OsWorld;

/// This machine, in whose environment nothing names a directory of the user.
pub(crate) struct Homeless(OsWorld);

impl Homeless {
    pub(crate) fn new() -> Homeless {
        Homeless(OsWorld::new())
    }
}

impl World for Homeless {
    fn env(&self, name: &str) -> Answer<String> {
        match name {
            "HOME" | "APPDATA" | "USERPROFILE" => Answer::Absent,
            _ if name.starts_with("XDG_") => Answer::Absent,
            _ => self.0.env(name),
        }
    }

    fn now(&self) -> jiff::Timestamp {
        self.0.now()
    }

    fn time_zone(&self, name: Option<&str>) -> Answer<jiff::tz::TimeZone> {
        self.0.time_zone(name)
    }

    fn platform(&self) -> String {
        self.0.platform()
    }

    fn system_text(&self, which: SystemText) -> Answer<String> {
        self.0.system_text(which)
    }

    fn hostname(&self) -> Answer<String> {
        self.0.hostname()
    }

    fn kind(&self, path: &Path) -> Answer<Kind> {
        self.0.kind(path)
    }

    fn owner(&self, path: &Path) -> Answer<Owner> {
        self.0.owner(path)
    }

    fn resolve(&self, path: &Path) -> Answer<PathBuf> {
        self.0.resolve(path)
    }

    fn read(&self, root: &Path, path: &Path, limit: usize) -> Answer<Contents> {
        self.0.read(root, path, limit)
    }

    fn list(&self, root: &Path, path: &Path, limit: usize) -> Answer<Listing> {
        self.0.list(root, path, limit)
    }

    fn run(&self, command: &Command) -> Answer<Output> {
        self.0.run(command)
    }

    fn fetch(&self, request: &Request) -> Answer<Response> {
        self.0.fetch(request)
    }
}
