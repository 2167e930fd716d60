//! What completes a name while somebody writes a template: templates to include, paths of files, and what is hidden.

use std::path::Path;

use super::preview::{permissions, situation};
use super::{Ask, Project, TemplateList};
use crate::compose::template::HiddenFacts;
use crate::discover::Answer;
use crate::discover::file::{Completed, complete};
use crate::discover::roots::MoreRoots;
use crate::error::Result;

impl Project {
    /// The templates that a text may include, at most `limit` of each place.
    pub fn included_templates(&self, ask: &Ask, limit: usize) -> Result<Vec<TemplateList>> {
        let context = self.context(ask, &self.first_said(ask))?;
        let gate = context.gate(self.antefix.world());
        Ok(context.templates(&gate).list(limit))
    }

    /// The facts that a text may not name, because the layout hides them from templates.
    pub fn hidden_facts(&self, ask: &Ask) -> Result<HiddenFacts> {
        Ok(self.context(ask, &self.first_said(ask))?.layout().hidden().clone())
    }

    /// The ways in which a path of `file:` may go on, beneath a directory: at most `limit`.
    pub fn complete_path(&self, ask: &Ask, within: &Path, typed: &str, limit: usize) -> Result<Answer<Completed>> {
        let said = self.first_said(ask);
        let context = self.context(ask, &said)?;
        let (caller, permissions, no_roots) = (said.caller(ask), permissions(&context, ask), MoreRoots::default());
        let situation = situation(&context, &permissions, &caller, None, &no_roots);
        Ok(complete(&context.gate(self.antefix.world()), &situation, within, typed, limit))
    }
}
