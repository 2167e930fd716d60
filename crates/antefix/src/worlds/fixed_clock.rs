//! A world whose clock stands still.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::discover::world::{
    Access, Answer, Command, Contents, Kind, Listing, Output, Owner, Request, Response, SystemText, World,
};

/// Another world, at a given instant.
pub struct FixedClock<'w> {
    /// The world that is asked for everything but the time.
    pub world: &'w dyn World,
    /// The time that its clock always gives.
    pub now: Timestamp,
}

impl World for FixedClock<'_> {
    fn now(&self) -> Timestamp {
        self.now
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
        self.world.kind(path)
    }

    fn access(&self, path: &Path) -> Answer<Access> {
        self.world.access(path)
    }

    fn owner(&self, path: &Path) -> Answer<Owner> {
        self.world.owner(path)
    }

    fn resolve(&self, path: &Path) -> Answer<PathBuf> {
        self.world.resolve(path)
    }

    fn read(&self, root: &Path, path: &Path, limit: usize) -> Answer<Contents> {
        self.world.read(root, path, limit)
    }

    fn list(&self, root: &Path, path: &Path, limit: usize) -> Answer<Listing> {
        self.world.list(root, path, limit)
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
}
