//! From what a request says to what the front door takes.

use std::path::{Path, PathBuf};

use antefix::freeze::ConversationId;
use antefix::keeper::Keeper;
use antefix::{Ask, Conversation, Project};

use crate::Shared;
use crate::problem::{Answer, Problem};
use crate::said::Context;
use crate::work;

impl Shared {
    /// The ledger, if the store can be reached.
    pub(crate) fn keeper(&self) -> Answer<&Keeper> {
        Ok(self.antefix.keeper()?)
    }

    /// Where requests work that name no directory.
    pub(crate) fn first_project(&self) -> antefix::Result<Project> {
        // There always is a root.
        self.antefix.project(self.antefix.roots().first().map_or(Path::new("."), PathBuf::as_path))
    }

    /// The project of the directory that a request names, else the first root.
    pub(crate) fn project(&self, cwd: Option<&str>) -> Answer<Project> {
        match cwd {
            Some(cwd) => Ok(self.antefix.project(self.given(cwd)?)?),
            None => Ok(self.first_project()?),
        }
    }

    /// A conversation, in the directory that a request names, else where it was last, else in the first root.
    pub(crate) fn conversation(&self, id: &ConversationId, cwd: Option<&str>) -> Answer<Conversation> {
        if cwd.is_some() {
            return Ok(self.project(cwd)?.conversation(id.as_str())?);
        }
        Ok(self.antefix.conversation(id.as_str(), self.first_root()?)?)
    }

    /// A conversation that somebody has opened.
    pub(crate) fn open_conversation(&self, id: &ConversationId, cwd: Option<&str>) -> Answer<Conversation> {
        // Whether there is one is said before what may be wrong with its directory.
        self.keeper()?.standing(id)?;
        self.conversation(id, cwd)
    }

    /// The directory that a request names, in full.
    fn given(&self, cwd: &str) -> Answer<PathBuf> {
        Ok(self.first_root()?.join(cwd))
    }

    fn first_root(&self) -> Answer<&Path> {
        self.antefix.roots().first().map(PathBuf::as_path).ok_or_else(outside)
    }
}

impl Context {
    /// What the request says, for the front door, by somebody who waits for the answer.
    pub(crate) fn ask(self, server: &Shared) -> Answer<Ask> {
        Ok(self.said(&server.tools)?.stop(&work::stop()))
    }
}

/// An ask that says nothing, of somebody who waits for the answer.
pub(crate) fn new_ask() -> Ask {
    Ask::new().stop(&work::stop())
}

pub(crate) fn outside() -> Problem {
    let problem = Problem::forbidden("outside", "The working directory is not under a root of this server");
    problem.hint("GET /roots lists them; --root names others")
}
