//! From what a request says to what the front door takes.

use std::path::{Path, PathBuf};

use antefix::discover::Answer as Found;
use antefix::freeze::ConversationId;
use antefix::keeper::Keeper;
use antefix::project::LayoutChoice;
use antefix::{Ask, Conversation, Project};

use crate::Shared;
use crate::body::Context;
use crate::problem::{Answer, Problem};

impl Shared {
    /// The ledger, if the store can be reached.
    pub(crate) fn keeper(&self) -> Answer<&Keeper> {
        Ok(self.antefix.keeper()?)
    }

    /// Where requests work that name no directory.
    pub(crate) fn first_project(&self) -> antefix::Result<Project> {
        // There always is a root.
        self.antefix.project(self.roots.first().map_or(Path::new("."), PathBuf::as_path))
    }

    /// The project of the directory that a request names, else the first root.
    pub(crate) fn project(&self, cwd: Option<&str>) -> Answer<Project> {
        match cwd {
            Some(cwd) => Ok(self.antefix.project(self.directory(cwd)?)?.given_as(self.given(cwd)?)),
            None => Ok(self.first_project()?),
        }
    }

    /// A conversation, in the directory that a request names, else where it was last, else in the first root.
    pub(crate) fn conversation(&self, id: &ConversationId, cwd: Option<&str>) -> Answer<Conversation> {
        if cwd.is_some() {
            return Ok(self.project(cwd)?.conversation(id.as_str())?);
        }
        let first = self.roots.first().map_or(Path::new("."), PathBuf::as_path);
        let conversation = self.antefix.conversation(id.as_str(), first)?;
        self.check_beneath(conversation.project().directory())?;
        Ok(conversation)
    }

    /// A conversation that somebody has opened.
    pub(crate) fn open_conversation(&self, id: &ConversationId, cwd: Option<&str>) -> Answer<Conversation> {
        // Whether there is one is said before what may be wrong with its directory.
        self.keeper()?.standing(id)?;
        self.conversation(id, cwd)
    }

    /// The directory that a request names, in full.
    fn given(&self, cwd: &str) -> Answer<PathBuf> {
        Ok(self.roots.first().ok_or_else(outside)?.join(cwd))
    }

    /// A directory under one of the roots, wherever links lead.
    pub(crate) fn directory(&self, cwd: &str) -> Answer<PathBuf> {
        // Whether there is something outside is nobody's business.
        let Found::Present(real) = self.antefix.world().resolve(&self.given(cwd)?) else { return Err(outside()) };
        if !self.is_beneath(&real) || !real.is_dir() {
            return Err(outside());
        }
        Ok(real)
    }

    /// Refuses the directory of a conversation that another server, or the program, opened elsewhere. One that is gone by
    /// now is where it was.
    fn check_beneath(&self, directory: &Path) -> Answer<()> {
        let real = match self.antefix.world().resolve(directory) {
            Found::Present(real) => real,
            Found::Absent => directory.to_owned(),
            Found::Unavailable(_) => return Err(outside()),
        };
        if self.is_beneath(&real) { Ok(()) } else { Err(outside()) }
    }

    /// Whether a request may name a file: one under a root, wherever links lead.
    pub(crate) fn may_name(&self, path: &Path) -> bool {
        match self.antefix.world().resolve(path) {
            Found::Present(real) => self.is_beneath(&real),
            Found::Absent | Found::Unavailable(_) => false,
        }
    }

    fn is_beneath(&self, real: &Path) -> bool {
        self.roots.iter().any(|root| real.starts_with(root))
    }

    /// The root that a directory lies under: the innermost, where one lies in another.
    pub(crate) fn root_of<'d>(&'d self, directory: &'d Path) -> &'d Path {
        let around = self.roots.iter().filter(|root| directory.starts_with(root));
        around.max_by_key(|root| root.as_os_str().len()).map_or(directory, PathBuf::as_path)
    }
}

impl Context {
    /// What the request says, for the front door.
    pub(crate) fn ask(mut self, server: &Shared) -> Answer<Ask> {
        let mut ask = Ask::new();
        ask.layout = self.layout.as_deref().map(built_in).transpose()?;
        ask.given = self.facts()?;
        ask.model = self.model;
        ask.machine = self.machine;
        ask.tools = self.tools.map(|tools| server.tools.read(tools)).transpose()?;
        ask.now = self.now;
        meant(ask)
    }
}

/// What can be meant.
pub(crate) fn meant(ask: Ask) -> Answer<Ask> {
    match ask.check() {
        Ok(()) => Ok(ask),
        Err(error) => Err(Problem::bad(error.message()).hint(error.hint().unwrap_or_default())),
    }
}

/// A built-in layout by its name. A path would let a request read files as layouts.
fn built_in(name: &str) -> Answer<LayoutChoice> {
    LayoutChoice::built_in(name).map_err(|error| {
        let problem = Problem::not_found(error.message());
        problem.hint(error.hint().unwrap_or("GET /layouts"))
    })
}

fn outside() -> Problem {
    let problem = Problem::forbidden("outside", "The working directory is not under a root of this server");
    problem.hint("GET /roots lists them; --root names others")
}
