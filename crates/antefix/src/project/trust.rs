//! Trusting a project: what that covers, and keeping the answer.

use std::collections::BTreeMap;
use std::path::Path;

use super::context::{Choice, ProjectContext};
use super::{Antefix, LayoutChoice, Project};
use crate::discover::trust::Trust;
use crate::discover::{Answer, Paths};
use crate::error::{Error, ErrorKind, Result};
use crate::hooks::{Files, Program, ProjectFile, TrustState, TrustedWorkspace, layout_label};
use crate::stores::{TrustFile, Trusted};

/// What trusting a project covers: its text, and the programs that its layout declares, by their bytes.
pub struct TrustOffer {
    /// The project's root.
    pub root: String,
    /// The hooks, each with whether it may run now.
    pub hooks: Vec<(Program, TrustState)>,
    /// The files that the hooks are made of, as they are now.
    pub files: Files,
    /// The same by the project that they are in, each with what the layout is called there.
    by_project: BTreeMap<String, (String, Files)>,
    /// What the layout is called in this project.
    layout: String,
}

impl Project {
    /// What trusting the project as it is now would cover. The layout is read as if the project were trusted.
    pub fn trust_offer(&self, layout: Option<LayoutChoice>) -> Result<TrustOffer> {
        let (antefix, world) = (&self.antefix, self.antefix.world());
        let choice = Choice { layout, ..Choice::default() };
        let context = ProjectContext::resolve(
            world,
            self.location(),
            &choice,
            antefix.given_settings(),
            &antefix.trusted(),
            Some(Trust::Trusted),
        )?;
        let (mut files, mut by_project) = (Files::new(), BTreeMap::<String, (String, Files)>::new());
        for program in &context.programs {
            for ProjectFile { project, file, digest } in program.files(world, &context.workspace) {
                let shown = context.workspace.show(&Path::new(&project).join(&file), Paths::Portable);
                let digest = match digest {
                    Answer::Present(digest) => digest,
                    Answer::Absent => return Err(untrustable(&shown, "it is gone")),
                    Answer::Unavailable(reason) => return Err(untrustable(&shown, &reason.to_string())),
                };
                files.insert(shown, digest);
                let label = || (program.layout_label(&context.workspace, &project), Files::new());
                by_project.entry(project.clone()).or_insert_with(label).1.insert(file, digest);
            }
        }
        let layout = layout_label(&context.workspace, context.layout_file.as_deref());
        Ok(TrustOffer { root: self.root()?, hooks: self.states(&context), files, by_project, layout })
    }

    /// Trusts what was offered, and answers with the file that keeps it.
    pub fn trust(&self, offer: TrustOffer) -> Result<&Path> {
        let world = self.antefix.world();
        let since = world.now().to_string();
        let TrustOffer { root, by_project, layout, .. } = offer;
        self.antefix.kept_trust()?.change(world, |approvals| {
            // A project without hooks is trusted for its text. What was trusted of this layout before counts no more.
            let trusted: &mut TrustedWorkspace = approvals.workspaces.entry(root).or_default();
            trusted.layouts.remove(&layout);
            trusted.since = since.clone();
            for (project, (layout, files)) in by_project {
                let trusted = approvals.workspaces.entry(project).or_default();
                trusted.since = since.clone();
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
        let workspace = self.location().workspace(self.antefix.world())?;
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

fn untrustable(file: &str, why: &str) -> Error {
    let message = format!("{file} cannot be read, so it cannot be trusted: {why}");
    Error::new(ErrorKind::Input, message)
        .with_hint("nothing was changed; make it readable, or take it out of the hook's command")
}
