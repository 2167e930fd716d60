//! Which programs of a project may run.
//!
//! 1. A hook waits for trust if its layout lies in the project, or if a word of its command names a file in the project.
//! 2. Trust is in bytes: the digests of the layout and its templates, and of every such file. Other bytes are *modified*,
//!    and are not run until they are trusted as they are.
//! 3. Digests are taken from the files right before each run. Between that and the run, whoever can write to the project
//!    can still exchange a file; and what a program loads by itself is not covered. To run a private copy instead would
//!    close the first window and not the second, and would take a script away from the files beside it.
//!
//! The answer of a person is kept outside the project, by whoever asked; here is only what it means.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::compose::Layout;
use crate::discover::world::{Answer, Kind, ReasonCode, World};
use crate::discover::{Paths, Workspace, normalize};
use crate::text::Digest;

/// The largest program of a project that can be trusted.
const PROGRAM: usize = 64 * 1024 * 1024;

/// Files of a project and their digests, by the paths from its root.
pub type Files = BTreeMap<String, Digest>;

/// All that a user trusts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approvals {
    version: u32,
    /// By the real path of the project's root.
    #[serde(default)]
    pub workspaces: BTreeMap<String, TrustedWorkspace>,
}

/// What a user trusts of one project. That it is here at all makes its text trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustedWorkspace {
    /// When, in RFC 3339.
    pub since: String,
    /// By the layout's path: the files that its hooks are made of.
    #[serde(default)]
    pub layouts: BTreeMap<String, Files>,
}

/// The version of the document.
const VERSION: u32 = 1;

impl Approvals {
    /// Nothing is trusted.
    pub fn none() -> Approvals {
        Approvals { version: VERSION, workspaces: BTreeMap::new() }
    }

    /// Reads what was kept. An error is for people; nothing is trusted then.
    pub fn parse(text: &str) -> Result<Approvals, String> {
        let approvals: Approvals = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match approvals.version {
            VERSION => Ok(approvals),
            other => Err(format!("it has version {other}, and this antefix reads version {VERSION}")),
        }
    }

    /// The document to keep.
    pub fn print(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// What is trusted of a workspace.
    pub fn of(&self, workspace: &Workspace) -> Option<&TrustedWorkspace> {
        self.workspaces.get(workspace.root.to_str()?)
    }

    /// What is trusted of a layout's hooks.
    pub(super) fn files(&self, workspace: &Workspace, layout: &str) -> Option<&Files> {
        self.of(workspace)?.layouts.get(layout)
    }
}

/// Whether a hook may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrustState {
    /// It is the user's own.
    NotNeeded,
    /// Its bytes are the ones that were trusted.
    Trusted,
    /// Nobody has trusted it.
    Untrusted,
    /// It was trusted with other bytes; each is a file and what happened to it.
    Modified(Vec<String>),
}

impl TrustState {
    /// The name in documents.
    pub fn name(&self) -> &'static str {
        match self {
            TrustState::NotNeeded => "not-needed",
            TrustState::Trusted => "trusted",
            TrustState::Untrusted => "untrusted",
            TrustState::Modified(_) => "modified",
        }
    }

    /// The state of files that must be trusted.
    pub(super) fn of(files: &[(String, Answer<Digest>)], trusted: Option<&Files>) -> TrustState {
        if files.is_empty() {
            return TrustState::NotNeeded;
        }
        let Some(trusted) = trusted else { return TrustState::Untrusted };
        let change = |(file, now): &(String, Answer<Digest>)| match (trusted.get(file), now) {
            (Some(before), Answer::Present(now)) if before == now => None,
            (Some(_), Answer::Present(_)) => Some(format!("{file} has changed")),
            (None, Answer::Present(_)) => Some(format!("{file} is new")),
            (_, Answer::Absent) => Some(format!("{file} is gone")),
            (_, Answer::Unavailable(reason)) => Some(format!("{file} cannot be read: {reason}")),
        };
        let changes: Vec<String> = files.iter().filter_map(change).collect();
        if changes.is_empty() { TrustState::Trusted } else { TrustState::Modified(changes) }
    }
}

/// The path in the project that a path is or leads to. A link in the project is the project's, wherever it leads.
pub(super) fn in_project(world: &dyn World, workspace: &Workspace, path: &Path) -> Option<PathBuf> {
    let paths = [Some(normalize(path)), world.resolve(path).present()];
    paths.into_iter().flatten().find(|path| is_in_project(workspace, path))
}

/// Whether a path lies in the project, and is not the user's own where the project lies around that.
fn is_in_project(workspace: &Workspace, path: &Path) -> bool {
    let is_config = workspace.config.as_ref().is_some_and(|config| path.starts_with(config));
    path.starts_with(&workspace.root) && !is_config
}

/// The texts of a layout that lie in the project: the file that it was read from, and its templates.
pub(super) fn layout_files(
    world: &dyn World,
    workspace: &Workspace,
    layout: &Layout,
    file: &Path,
) -> Vec<(String, Answer<Digest>)> {
    let own = in_project(world, workspace, file).unwrap_or_else(|| file.to_owned());
    let own = workspace.show(&own, Paths::Portable);
    let mut files = vec![(own, Answer::Present(Digest::of(&layout.source().text)))];
    // A text inside the layout's file is named by that file.
    for source in layout.sources().skip(1).filter(|source| source.within.is_none()) {
        let Some(label) = &source.path else { continue };
        // What lies outside the project is shown in full or from `~/`.
        let is_ours = !label.starts_with("~/") && is_in_project(workspace, &workspace.root.join(label));
        if is_ours && !files.iter().any(|(known, _)| known == label) {
            files.push((label.clone(), Answer::Present(Digest::of(&source.text))));
        }
    }
    files
}

/// The files in the project that the words of a command name.
pub(super) fn command_files(
    world: &dyn World,
    workspace: &Workspace,
    program: &Path,
    args: &[String],
) -> Vec<(String, Answer<Digest>)> {
    let args = args.iter().flat_map(|arg| {
        // `--script=x` names a file as well as `x` does.
        let value = arg.split_once('=').map(|(_, value)| value);
        std::iter::once(arg.as_str()).chain(value).map(|word| workspace.root.join(word)).collect::<Vec<PathBuf>>()
    });
    let mut files = Vec::new();
    for path in std::iter::once(program.to_owned()).chain(args) {
        if !matches!(world.kind(&path), Answer::Present(Kind::File)) {
            continue;
        }
        if let Some(path) = in_project(world, workspace, &path) {
            let label = workspace.show(&path, Paths::Portable);
            if !files.iter().any(|(known, _)| *known == label) {
                files.push((label, digest(world, &path)));
            }
        }
    }
    files
}

fn digest(world: &dyn World, path: &Path) -> Answer<Digest> {
    let real = match world.resolve(path) {
        Answer::Present(real) => real,
        Answer::Absent => return Answer::Absent,
        Answer::Unavailable(reason) => return Answer::Unavailable(reason),
    };
    let (Some(parent), Some(name)) = (real.parent(), real.file_name()) else { return Answer::Absent };
    world.read(parent, Path::new(name), PROGRAM).and_then(|contents| {
        if contents.more {
            return Answer::unavailable(ReasonCode::Failed, format!("it has more than {PROGRAM} bytes"));
        }
        Answer::Present(Digest::of_bytes(&contents.bytes))
    })
}
