//! Whether the text of a repository may enter a prompt before its user trusts it.
//!
//! 1. By default it may, because a person ran the command there. The user's own settings can withhold it
//!    (`untrusted_text = "withhold"`), but for the directories that they name as `trusted`; a project can do neither.
//! 2. What is withheld is unavailable, with the reason [`Untrusted`](ReasonCode::Untrusted): it is listed, and it is no
//!    error. A file that is not there stays absent.
//! 3. It is decided in one place, between the sources and the world, so that no source can forget it: nothing beneath
//!    the project root or in a directory above it is read, and no program is run there.
//! 4. The user's own files are never withheld: antefix's configuration directory, the home directory, and what
//!    `file_roots` allows outside the project.
//! 5. Whatever has a path in the project is read from the project root on, also where a source names a directory of the project
//!    as its root: a link at `.antefix` or `.antefix/prompts` may lead elsewhere in the project, and not out of it.
//! 6. An `.antefix` that belongs to another user is not read at all.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;

use super::report::{NotLoaded, Report, Why};
use super::workspace::{Workspace, normalize};
use super::world::{
    Access, Answer, Command, Contents, Kind, Listing, Output, Owner, ReasonCode, Request, Response, SystemText, World,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::FactName;

/// What becomes of a repository's text while nobody trusts it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UntrustedText {
    /// Text of an untrusted project is used.
    #[default]
    Use,
    /// Text of an untrusted project is withheld.
    Withhold,
}

/// Whether a workspace's text may be used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Trust {
    /// Text of the project may enter a prompt.
    #[default]
    Trusted,
    /// Text of the project is withheld.
    Untrusted,
}

impl UntrustedText {
    /// Whether a workspace's text may be used. `trusted` are real paths of directories, from the user's own settings.
    pub fn trust(self, workspace: &Workspace, trusted: &[PathBuf]) -> Trust {
        match self {
            UntrustedText::Use => Trust::Trusted,
            UntrustedText::Withhold if trusted.iter().any(|directory| workspace.root.starts_with(directory)) => {
                Trust::Trusted
            }
            UntrustedText::Withhold => Trust::Untrusted,
        }
    }
}

/// One finding about all that was withheld. The report has the rest of it.
pub(super) fn withheld_finding(report: &Report) -> Option<Diagnostic> {
    let is_untrusted =
        |one: &&NotLoaded| matches!(&one.why, Why::Unavailable(reason) if reason.code == ReasonCode::Untrusted);
    // A fact whose files are listed one by one is listed itself as well, without a path.
    let with_paths = report.not_loaded.iter().filter(|one| one.path.is_some());
    let listed: BTreeSet<&FactName> = with_paths.map(|one| &one.fact).collect();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let mut what: Vec<&str> = Vec::new();
    for one in report.not_loaded.iter().filter(is_untrusted) {
        let name = one.path.as_deref().unwrap_or(one.fact.as_str());
        if (one.path.is_some() || !listed.contains(&one.fact)) && known.insert(name) {
            what.push(name);
        }
    }
    let more = what.len().saturating_sub(REPORTED);
    let mut names = what.get(..REPORTED.min(what.len()))?.join(", ");
    if names.is_empty() {
        return None;
    }
    if more > 0 {
        names.push_str(&format!(" and {more} more"));
    }
    let message = format!("the project's text is withheld, because this workspace is not trusted: {names}");
    Some(Diagnostic::note(Code::Untrusted, message).hint(HINT))
}

/// How many things that were withheld are named in the finding.
const REPORTED: usize = 5;

/// What to do about it.
const HINT: &str =
    "run `antefix trust`, or name the project's directory in `trusted` in your settings, if you trust it";

/// A world that withholds what is not trusted. It asks the world behind it for everything else.
pub struct Gate<'w> {
    world: &'w dyn World,
    workspace: &'w Workspace,
    allowed: &'w [PathBuf],
    trust: Trust,
}

impl<'w> Gate<'w> {
    /// Stands before a world. `allowed` are the directories that the user's own settings let `file:` read.
    pub fn new(world: &'w dyn World, workspace: &'w Workspace, allowed: &'w [PathBuf], trust: Trust) -> Gate<'w> {
        Gate { world, workspace, allowed, trust }
    }

    /// From where a path is read. What has a path in the project is read from the project root on, unless it is the user's own.
    fn place<'p>(&self, root: &'p Path, path: &'p Path) -> Answer<(Cow<'p, Path>, Cow<'p, Path>)> {
        let project = &self.workspace.root;
        let users_own = || {
            let home = self.workspace.home.as_ref().filter(|home| home.starts_with(project));
            self.workspace.config.iter().chain(home).any(|own| root.starts_with(own))
        };
        let inside = match root.strip_prefix(project) {
            Ok(inside) if !inside.as_os_str().is_empty() && !users_own() => inside,
            _ => return self.owned(root, path).map(|()| (Cow::Borrowed(root), Cow::Borrowed(path))),
        };
        if !normalize(&root.join(path)).starts_with(root) {
            return Answer::unavailable(ReasonCode::OutsideRoot, "");
        }
        self.owned(root, path).map(|()| (Cow::Owned(project.clone()), Cow::Owned(inside.join(path))))
    }

    /// Refuses what is in an `.antefix` of somebody else.
    fn owned(&self, root: &Path, path: &Path) -> Answer<()> {
        if self.workspace.is_project_foreign()
            && normalize(&root.join(path)).starts_with(self.workspace.project())
            && !matches!(self.world.kind(&root.join(path)), Answer::Absent)
        {
            return Answer::unavailable(ReasonCode::ForeignOwner, "");
        }
        Answer::Present(())
    }

    fn withholds(&self, root: &Path, path: &Path) -> bool {
        if self.trust == Trust::Trusted {
            return false;
        }
        let path = normalize(&root.join(path));
        let project = &self.workspace.root;
        let is_config = self.workspace.config.as_ref().is_some_and(|config| path.starts_with(config));
        // Where the project is the home directory, or lies around it, what is at home is the user's own all the same.
        let is_at_home =
            self.workspace.home.as_ref().is_some_and(|home| home.starts_with(project) && path.starts_with(home));
        if is_config || is_at_home {
            return false;
        }
        let is_above = project.starts_with(root)
            && self.workspace.home.as_deref() != Some(root)
            && !self.allowed.iter().any(|allowed| allowed == root);
        path.starts_with(project) || is_above
    }
}

impl World for Gate<'_> {
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
        if !self.withholds(root, path) {
            return self.place(root, path).and_then(|(from, inside)| {
                let contents = self.world.read(&from, &inside, limit);
                match from {
                    Cow::Borrowed(_) => contents,
                    // In full, because it need not be beneath the root that the source named.
                    Cow::Owned(from) => {
                        contents.map(|contents| Contents { resolved: from.join(&contents.resolved), ..contents })
                    }
                }
            });
        }
        // That nothing is there may be said: it is what the agent would find itself.
        match self.world.kind(&root.join(path)) {
            Answer::Absent => Answer::Absent,
            _ => Answer::unavailable(ReasonCode::Untrusted, ""),
        }
    }

    fn list(&self, root: &Path, path: &Path, limit: usize) -> Answer<Listing> {
        // Names are needed to say what was withheld; they enter no prompt.
        self.place(root, path).and_then(|(from, inside)| self.world.list(&from, &inside, limit))
    }

    fn run(&self, command: &Command) -> Answer<Output> {
        // What runs in the project speaks for it, as git does. What the user's own settings run at home does not.
        if self.withholds(&command.cwd, Path::new("")) {
            return Answer::unavailable(ReasonCode::Untrusted, "");
        }
        self.world.run(command)
    }

    fn end_programs(&self) {
        self.world.end_programs();
    }

    fn fetch(&self, request: &Request) -> Answer<Response> {
        self.world.fetch(request)
    }
}
