//! Trusting a project: what that covers, and keeping the answer.

use std::path::Path;

use super::context::{Choice, ProjectContext};
use super::{Antefix, LayoutChoice, Project};
use crate::discover::trust::Trust;
use crate::discover::{Answer, Workspace};
use crate::error::{Error, ErrorKind, Result};
use crate::hooks::{Files, Program, TrustState, TrustedWorkspace};
use crate::stores::{TrustFile, Trusted};

/// What trusting a project covers: its text, and the programs that its layout declares, by their bytes.
pub struct TrustOffer {
    /// The project's root.
    pub root: String,
    /// The hooks, each with whether it may run now.
    pub hooks: Vec<(Program, TrustState)>,
    /// The files that the hooks are made of, as they are now.
    pub files: Files,
    /// What trust knows the layout by.
    layout: String,
}

impl Project {
    /// What trusting the project as it is now would cover. The layout is read as if the project were trusted.
    pub fn trust_offer(&self, layout: Option<LayoutChoice>) -> Result<TrustOffer> {
        let (antefix, world) = (&self.antefix, self.antefix.world());
        let choice = Choice { layout, wording: None };
        let context = ProjectContext::resolve(
            world,
            &self.directory,
            &choice,
            antefix.given_settings(),
            &antefix.trusted(),
            Some(Trust::Trusted),
        )?;
        let mut files = Files::new();
        for program in &context.programs {
            for (file, digest) in program.files(world, &context.workspace) {
                let Answer::Present(digest) = digest else {
                    let message = format!("{file} cannot be read, so it cannot be trusted");
                    let hint = "nothing was changed; make it readable, or take it out of the hook's command";
                    return Err(Error::new(ErrorKind::Input, message).with_hint(hint));
                };
                files.insert(file, digest);
            }
        }
        Ok(TrustOffer {
            root: self.root()?,
            hooks: self.states(&context),
            files,
            layout: Program::layout_label(&context.workspace, context.layout_file.as_deref()),
        })
    }

    /// Trusts what was offered, and answers with the file that keeps it.
    pub fn trust(&self, offer: TrustOffer) -> Result<&Path> {
        let world = self.antefix.world();
        let since = world.now().to_string();
        let TrustOffer { root, files, layout, .. } = offer;
        self.antefix.kept_trust()?.change(world, |approvals| {
            let trusted: &mut TrustedWorkspace = approvals.workspaces.entry(root).or_default();
            trusted.since = since;
            // What was trusted of this layout before counts no more.
            trusted.layouts.remove(&layout);
            if !files.is_empty() {
                trusted.layouts.insert(layout, files);
            }
        })
    }

    /// Trusts the project no more. The answer is whether it was trusted.
    pub fn revoke_trust(&self) -> Result<bool> {
        let root = self.root()?;
        if !self.antefix.trusted().approvals.workspaces.contains_key(&root) {
            return Ok(false);
        }
        self.antefix.kept_trust()?.change(self.antefix.world(), |approvals| {
            approvals.workspaces.remove(&root);
        })?;
        Ok(true)
    }

    /// The root as trust knows it.
    pub fn root(&self) -> Result<String> {
        let workspace = Workspace::find(self.antefix.world(), self.directory());
        let root = workspace.root.to_str().map(str::to_owned);
        root.ok_or_else(|| Error::new(ErrorKind::Input, "the project's path is not UTF-8, so it cannot be trusted"))
    }
}

impl Antefix {
    /// What the user trusts.
    pub fn trusted(&self) -> Trusted {
        self.trust_source().load(self.world())
    }

    fn kept_trust(&self) -> Result<&TrustFile> {
        self.trust_source().file().ok_or_else(|| {
            let error = Error::new(ErrorKind::Settings, "there is no place to keep what is trusted");
            error.with_hint("set HOME or XDG_STATE_HOME to an absolute path")
        })
    }
}
