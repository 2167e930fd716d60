//! The shelves that templates stand on: built-in, the user's, the workspace's, the layout's own directory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file::{FILE_LIMIT, read_text};
use super::workspace::Workspace;
use super::world::{Answer, Kind, ReasonCode, World};
use crate::compose::{Paths, Prefix, Shelf, Stock, TemplateRef, builtin};

/// Fetches templates from a world.
pub struct Shelves<'w> {
    world: &'w dyn World,
    workspace: &'w Workspace,
    layout: Option<PathBuf>,
}

impl<'w> Shelves<'w> {
    /// The shelves around a workspace. `layout` is the directory of the layout file, if it lies in one.
    pub fn new(world: &'w dyn World, workspace: &'w Workspace, layout: Option<&Path>) -> Shelves<'w> {
        Shelves { world, workspace, layout: layout.map(Path::to_owned) }
    }

    /// The directory of a prefix, and what would configure it.
    fn directory(&self, prefix: Prefix) -> (Option<PathBuf>, String) {
        match prefix {
            Prefix::Builtin => (None, String::new()),
            Prefix::User => {
                let directory = self.workspace.config.as_ref().map(|config| config.join("prompts"));
                let shown = directory.as_ref().map(|path| self.workspace.show(path, Paths::Portable));
                (
                    directory,
                    format!("make the directory {}", shown.as_deref().unwrap_or("prompts/ in your configuration")),
                )
            }
            Prefix::Workspace => (
                Some(self.workspace.project().join("prompts")),
                "make the directory .antefix/prompts in the project".into(),
            ),
            Prefix::Layout => (self.layout.clone(), "only a layout that lies in a file has files beside it".into()),
        }
    }
}

impl Shelf for Shelves<'_> {
    fn fetch(&self, reference: &TemplateRef) -> Stock {
        if reference.prefix() == Prefix::Builtin {
            let text = builtin::prompt(reference.path()).map_or(Answer::Absent, |text| Answer::Present(text.into()));
            return Stock::Looked { path: reference.to_string(), text };
        }
        let (directory, hint) = self.directory(reference.prefix());
        let Some(directory) =
            directory.filter(|path| matches!(self.world.kind(path), Answer::Present(Kind::Directory)))
        else {
            return Stock::NotConfigured { hint };
        };
        let file = format!("{}.md", reference.path());
        let path = self.workspace.show(&directory.join(&file), Paths::Portable);
        let text = read_text(self.world, &directory, Path::new(&file), FILE_LIMIT).and_then(|file| {
            if file.more {
                return Answer::unavailable(ReasonCode::Failed, format!("it has more than {FILE_LIMIT} bytes"));
            }
            Answer::Present(Arc::from(file.text))
        });
        Stock::Looked { path, text }
    }
}
