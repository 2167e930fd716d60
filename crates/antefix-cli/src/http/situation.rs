//! From what a request says to what a command would have been told.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use antefix::compose::Dialect;
use antefix::discover::{Answer as Found, World};
use antefix::freeze::ConversationId;
use antefix::freeze::store::EpochRow;
use antefix::freeze::template::SavedTemplate;
use antefix::keeper::Keeper;
use antefix::worlds::OsWorld;

use super::Server;
use super::body::Situated;
use super::problem::{Answer, Problem};
use crate::args::ComposeArgs;
use crate::setup::{self, InHand, Prepared};

/// A text for the editable section: somebody's draft, or what is saved.
pub(super) type Text = Option<(Dialect, Arc<str>)>;

impl Server {
    /// Everything for composing as a request says, with the saved template.
    pub(super) fn prepared(&self, keeper: &Keeper, situated: Situated) -> Answer<Prepared> {
        self.prepared_from(self.saved(keeper)?.as_deref(), situated)
    }

    /// The same with a saved template that was read already.
    pub(super) fn prepared_from(&self, saved: Option<&SavedTemplate>, situated: Situated) -> Answer<Prepared> {
        let saved = saved.map(|saved| (saved.row.dialect, Arc::clone(&saved.text)));
        let (args, given) = self.told(situated, None, saved)?;
        Ok(setup::prepared_on(&self.grounds, &args, given)?)
    }

    /// The same with another layout or another template.
    pub(super) fn prepared_with(&self, situated: Situated, layout: Option<&str>, template: Text) -> Answer<Prepared> {
        let (args, given) = self.told(situated, layout, template)?;
        // A draft is another one with the next key.
        Ok(setup::prepared_with(&args, given)?)
    }

    fn told(&self, situated: Situated, layout: Option<&str>, template: Text) -> Answer<(ComposeArgs, InHand)> {
        let mut args = self.args(layout);
        if let Some(cwd) = &situated.cwd {
            args.cwd = Some(self.directory(cwd)?);
        }
        args.set = situated.facts()?;
        args.now = situated.now;
        let tools = situated.tools.map(|tools| {
            let nameless = || Problem::bad("A tool has no name");
            tools.into_iter().map(|tool| tool.tool().ok_or_else(nameless)).collect::<Answer<Vec<_>>>()
        });
        args.model = situated.model;
        args.machine = situated.machine;
        Ok((args, InHand { tools: tools.transpose()?, template }))
    }

    /// A directory under one of the roots, wherever links lead.
    pub(super) fn directory(&self, cwd: &str) -> Answer<PathBuf> {
        let Some(first) = self.config.roots.first() else { return Err(outside()) };
        let Found::Present(real) = OsWorld::new().resolve(&first.join(Path::new(cwd))) else {
            // Whether there is something outside is nobody's business.
            return Err(outside());
        };
        if !self.config.roots.iter().any(|root| real.starts_with(root)) || !real.is_dir() {
            return Err(outside());
        }
        Ok(real)
    }

    /// The root that a directory lies under: the innermost, where one lies in another.
    pub(super) fn root_of<'d>(&'d self, directory: &'d Path) -> &'d Path {
        let around = self.config.roots.iter().filter(|root| directory.starts_with(root));
        around.max_by_key(|root| root.as_os_str().len()).map_or(directory, PathBuf::as_path)
    }

    /// A request that names no directory, for a conversation that stands: it stays where it is.
    pub(super) fn stay(&self, keeper: &Keeper, conversation: &ConversationId, situated: &mut Situated) -> Answer<()> {
        if situated.cwd.is_some() {
            return Ok(());
        }
        if let Some(standing) = keeper.store().standing(conversation)? {
            settle(situated, standing.epoch);
        }
        Ok(())
    }

    /// What a request does not say is as the standing epoch has it, for questions about that epoch.
    pub(super) fn as_it_stands(
        &self,
        keeper: &Keeper,
        conversation: &ConversationId,
        situated: &mut Situated,
    ) -> Answer<()> {
        let (epoch, _) = keeper.standing(conversation)?;
        if situated.tools.is_none()
            && let Some(tools) = &epoch.body().tools
        {
            let damaged = |_| Problem::bad("the tools of the epoch cannot be read; name them");
            situated.tools = Some(serde_json::from_str(tools).map_err(damaged)?);
        }
        if situated.model.is_none() {
            situated.model.clone_from(&epoch.row().model);
        }
        if situated.cwd.is_none() {
            settle(situated, epoch.row().clone());
        }
        Ok(())
    }
}

fn settle(situated: &mut Situated, row: EpochRow) {
    situated.cwd = Some(row.cwd);
    if situated.machine.is_none() {
        situated.machine = row.machine;
    }
}

fn outside() -> Problem {
    let problem = Problem::forbidden("outside", "The working directory is not under a root of this server");
    problem.hint("GET /roots lists them; --root names others")
}
