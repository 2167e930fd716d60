//! What completes a name while somebody writes a template: templates to include, paths of files, and what is hidden.

use std::path::Path;

use super::preview::{permissions, situation};
use super::{Ask, Project, TemplateList};
use crate::compose::template::HiddenFacts;
use crate::discover::file::{Completed, complete};
use crate::discover::roots::MoreRoots;
use crate::discover::world::{Answer, Kind, Link, ListedEntry};
use crate::error::Result;

/// How many names of a directory are looked at.
const NAMES: usize = 10_000;

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

    /// The ways in which a path of `file:` may go on: at most `limit`.
    pub fn complete_path(&self, ask: &Ask, typed: &str, limit: usize) -> Result<Answer<Completed>> {
        let said = self.first_said(ask);
        let context = self.context(ask, &said)?;
        let (caller, permissions, no_roots) = (said.caller(ask), permissions(&context, ask), MoreRoots::default());
        let situation = situation(&context, &permissions, &caller, None, &no_roots);
        Ok(complete(&context.gate(self.antefix.world()), &situation, typed, limit))
    }

    /// The names of the directories in the working directory that are neither hidden nor links, in order, and whether there are
    /// more than `limit`.
    pub fn subdirectories(&self, limit: usize) -> Answer<(Vec<String>, bool)> {
        self.antefix.world().list(&self.directory.path, Path::new(""), NAMES).map(|listing| {
            let is_real = |entry: &ListedEntry| entry.kind == Some(Kind::Directory) && entry.link == Link::None;
            let shown = |entry: ListedEntry| (is_real(&entry) && !entry.name.starts_with('.')).then_some(entry.name);
            let mut names: Vec<String> = listing.entries.into_iter().filter_map(shown).collect();
            let more = listing.more || names.len() > limit;
            names.truncate(limit);
            (names, more)
        })
    }
}
