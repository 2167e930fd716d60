//! What of a project is trusted, as a JSON document. Later versions only add to it.

use serde::Serialize;

use super::Finding;
use crate::hooks::{Program, TrustState};
use crate::project::TrustOffer;
use crate::stores::Trusted;

/// What `trust --json` prints.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TrustDocument<'t> {
    /// The project's root.
    root: &'t str,
    /// Whether the project's text is trusted.
    trusted: bool,
    /// Since when.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<&'t str>,
    /// The programs that its layout declares.
    hooks: Vec<HookTrust<'t>>,
    /// The files that these are made of, as they are now.
    files: Vec<FileDigest<'t>>,
    diagnostics: Vec<Finding<'t>>,
}

/// A program that a layout declares, and whether it may run.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct HookTrust<'t> {
    name: &'t str,
    /// When it is asked.
    on: &'static str,
    command: &'t [String],
    /// `trusted`, `untrusted`, `modified`, or `not-needed` for one of the user's own.
    state: &'static str,
    /// What has changed since it was trusted.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    changes: &'t [String],
}

/// A file of a project.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FileDigest<'t> {
    file: &'t str,
    digest: String,
}

/// What trusting a project would cover, and what of it is trusted.
pub fn trust<'t>(offer: &'t TrustOffer, trusted: &'t Trusted) -> TrustDocument<'t> {
    let workspace = trusted.approvals.workspaces.get(&offer.root);
    TrustDocument {
        root: &offer.root,
        trusted: workspace.is_some(),
        since: workspace.map(|workspace| workspace.since.as_str()),
        hooks: offer.hooks.iter().map(HookTrust::new).collect(),
        files: offer.files.iter().map(|(file, digest)| FileDigest { file, digest: digest.to_string() }).collect(),
        diagnostics: trusted.finding.iter().map(Finding::of_diagnostic).collect(),
    }
}

impl<'t> HookTrust<'t> {
    fn new((program, state): &'t (Program, TrustState)) -> HookTrust<'t> {
        let rule = program.rule();
        let changes: &[String] = match state {
            TrustState::Modified(changes) => changes,
            TrustState::Shared { reason, .. } => std::slice::from_ref(reason),
            TrustState::NotNeeded | TrustState::Trusted | TrustState::Untrusted => &[],
        };
        HookTrust { name: &rule.name, on: rule.on.name(), command: &rule.command, state: state.name(), changes }
    }
}
