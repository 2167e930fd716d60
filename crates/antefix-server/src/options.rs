//! What a server is told when it starts.

use std::path::PathBuf;
use std::time::Duration;

use antefix::{Antefix, Error, ErrorKind, Result};

use crate::Logged;

/// What a server is told when it starts. What is not said has a default.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Options {
    /// The directories that requests may work in, with all below them; the one that the process was started in, if there
    /// are none. The first one is where requests work that name no directory.
    pub roots: Vec<PathBuf>,
    /// The names under which requests may come, besides those of this machine: `prompts.example`, or `https://prompts.example`
    /// where a proxy in front speaks TLS.
    pub hosts: Vec<String>,
    /// The origins whose pages may show the page in a frame, such as `https://app.example`; none, if there are none.
    pub embed_origins: Vec<String>,
    /// What clients may ask of the server.
    pub limits: Limits,
    /// Which requests get a line on stderr.
    pub log: Logged,
}

/// What clients may ask of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The bytes of a body.
    pub body: usize,
    /// The bytes of all bodies at once; fewer, where the machine grants little memory.
    pub bodies: usize,
    /// From the first byte of a request to its answer.
    pub time: Duration,
    /// How many requests compose at once.
    pub concurrency: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        Limits {
            body: 8 * 1024 * 1024,
            bodies: 64 * 1024 * 1024,
            time: Duration::from_secs(30),
            concurrency: 4 * processors,
        }
    }
}

impl Options {
    /// Confines projects to the roots.
    pub(crate) fn confine(&self, antefix: &Antefix) -> Result<Antefix> {
        let here = [PathBuf::from(".")];
        let named = if self.roots.is_empty() { &here[..] } else { &self.roots };
        let absolute: std::io::Result<Vec<PathBuf>> = named.iter().map(std::path::absolute).collect();
        let absolute =
            absolute.map_err(|error| Error::new(ErrorKind::Input, format!("the current directory: {error}")))?;
        antefix
            .confined_to(&absolute)
            .map_err(|error| error.with_hint("--root names a directory that requests may work in"))
    }
}
