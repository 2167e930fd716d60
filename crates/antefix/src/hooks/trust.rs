//! Which programs of a project may run.
//!
//! 1. A hook waits for trust if its layout is in a project, or if a word of its command names a file or a directory in one:
//!    see [`files`](super::files).
//! 2. Trust is in bytes: the digests of the layout and its templates, and of every such file. Other bytes are *modified*,
//!    and are not run until they are trusted as they are. Each file must be trusted in the project that it is in.
//! 3. A layout in no project is its user's own word, and its hooks need no trust. If others can write to it, or put another in
//!    its place, it may be theirs: it is read, and its hooks do not run.
//! 4. Digests are taken from the files right before each run. Between that and the run, whoever can write to the project
//!    can still exchange a file; and what a program loads by itself is not covered. To run a private copy instead would
//!    close the first window and not the second, and would take a script away from the files beside it.
//!
//! The answer of a person is kept outside the project, by whoever asked; here is only what it means.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::files::{ProjectFile, layout_label};
use crate::discover::Workspace;
use crate::discover::world::Answer;
use crate::text::Digest;

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

    /// What is trusted of a layout's hooks, by project: a layout goes by another name in each.
    pub(super) fn files(&self, workspace: &Workspace, layout: Option<&Path>) -> BTreeMap<String, Files> {
        let of_layout = |(root, trusted): (&String, &TrustedWorkspace)| {
            let files = trusted.layouts.get(&layout_label(&workspace.at(root), layout))?;
            Some((root.clone(), files.clone()))
        };
        self.workspaces.iter().filter_map(of_layout).collect()
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
    /// The layout is in no project, and others could have written it: nobody trusted its bytes.
    Shared {
        /// What others can write to, and who.
        reason: String,
        /// What to do about it.
        remedy: String,
    },
}

impl TrustState {
    /// The name in documents.
    pub fn name(&self) -> &'static str {
        match self {
            TrustState::NotNeeded => "not-needed",
            TrustState::Trusted => "trusted",
            TrustState::Untrusted => "untrusted",
            TrustState::Modified(_) => "modified",
            TrustState::Shared { .. } => "shared",
        }
    }

    /// The state of files that must be trusted; `trusted` is by project.
    pub(super) fn of(files: &[ProjectFile], trusted: &BTreeMap<String, Files>) -> TrustState {
        if files.is_empty() {
            return TrustState::NotNeeded;
        }
        if !files.iter().any(|file| trusted.contains_key(&file.project)) {
            return TrustState::Untrusted;
        }
        let change = |ProjectFile { project, file, digest }: &ProjectFile| match (
            trusted.get(project).and_then(|files| files.get(file)),
            digest,
        ) {
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
