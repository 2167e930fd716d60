//! The directories that templates are loaded from: built-in, the user's, the workspace's, the layout's own.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::compose::builtin;
use crate::compose::template::{Prefix, TemplateLoader, TemplateLookup, TemplateRef};
use crate::discover::Paths;
use crate::discover::file::FILE_LIMIT;
use crate::discover::hygiene::{HiddenText, Hygiene};
use crate::discover::world::{Answer, Kind, Link, ReasonCode, World};
use crate::discover::{Workspace, read_text};

/// How many directories below a prefix are searched for a list, and how many names in each.
const DIRECTORIES: usize = 64;
const NAMES: usize = 2_000;

/// The templates below one prefix, for whoever writes a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateList {
    /// The prefix that they are referred to by.
    pub prefix: Prefix,
    /// Its directory, as a person is shown it; the built-in one has none.
    pub directory: Option<String>,
    /// The templates' paths, as references have them, in order.
    pub templates: Vec<String>,
    /// Whether there are more.
    pub more: bool,
}

/// Loads templates from the directories of a world.
pub struct TemplateDirectories<'w> {
    world: &'w dyn World,
    workspace: &'w Workspace,
    layout: Option<PathBuf>,
    hygiene: Hygiene,
}

impl<'w> TemplateDirectories<'w> {
    /// The directories of a workspace. `layout` is the directory of the layout file, if the layout is a file.
    pub fn new(world: &'w dyn World, workspace: &'w Workspace, layout: Option<&Path>) -> TemplateDirectories<'w> {
        TemplateDirectories { world, workspace, layout: layout.map(Path::to_owned), hygiene: Hygiene::default() }
    }

    /// Sets what happens to hidden characters and secrets in templates of the project.
    #[must_use]
    pub fn with_hygiene(mut self, hygiene: Hygiene) -> TemplateDirectories<'w> {
        self.hygiene = hygiene;
        self
    }

    /// What a template outside any file may refer to, at most `limit` templates for each prefix.
    pub fn list(&self, limit: usize) -> Vec<TemplateList> {
        [Prefix::Workspace, Prefix::User, Prefix::Builtin].map(|prefix| self.list_of(prefix, limit)).into()
    }

    fn list_of(&self, prefix: Prefix, limit: usize) -> TemplateList {
        let directory = self.directory(prefix).0;
        let (mut templates, more) = match &directory {
            Some(directory) => self.below(directory, prefix, limit),
            None if prefix == Prefix::Builtin => {
                (builtin::PROMPTS.iter().map(|(path, _)| (*path).to_owned()).collect(), false)
            }
            None => (Vec::new(), false),
        };
        templates.sort();
        let more = more || templates.len() > limit;
        templates.truncate(limit);
        let directory = directory.map(|path| self.workspace.show(&path, Paths::Portable));
        TemplateList { prefix, directory, templates, more }
    }

    /// The templates in a directory and below it, and whether there may be more. Hidden names, and directories that are links,
    /// are left alone.
    fn below(&self, directory: &Path, prefix: Prefix, limit: usize) -> (Vec<String>, bool) {
        let (mut found, mut more) = (Vec::new(), false);
        let mut open = VecDeque::from([PathBuf::new()]);
        for _ in 0..DIRECTORIES {
            let Some(path) = open.pop_front() else { return (found, more) };
            let Answer::Present(listing) = self.world.list(directory, &path, NAMES) else { continue };
            more |= listing.more;
            for entry in listing.entries.into_iter().filter(|entry| !entry.name.starts_with('.')) {
                let inside = path.join(&entry.name);
                match (entry.kind, entry.link) {
                    (Some(Kind::Directory), Link::None) => open.push_back(inside),
                    (Some(Kind::File), _) => found.extend(referred(prefix, &inside)),
                    _ => {}
                }
            }
            if found.len() > limit {
                return (found, true);
            }
        }
        (found, more || !open.is_empty())
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
            Prefix::Layout => (self.layout.clone(), "only a layout that is a file has files beside it".into()),
        }
    }
}

/// How a reference names a file below a prefix; none if no reference leads there.
fn referred(prefix: Prefix, file: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = file.iter().map(|part| part.to_str()).collect();
    let path = parts?.join("/").strip_suffix(".md")?.to_owned();
    let read = TemplateRef::parse(&format!("{}/{path}", prefix.name()), None).ok()?;
    (read.path() == path && !path.contains(char::is_control)).then_some(path)
}

impl TemplateLoader for TemplateDirectories<'_> {
    fn fetch(&self, reference: &TemplateRef) -> TemplateLookup {
        if reference.prefix() == Prefix::Builtin {
            let text = builtin::prompt(reference.path()).map_or(Answer::Absent, |text| Answer::Present(text.into()));
            return TemplateLookup::File { path: reference.to_string(), text, hidden: HiddenText::Allow };
        }
        let (directory, hint) = self.directory(reference.prefix());
        let Some(directory) =
            directory.filter(|path| matches!(self.world.kind(path), Answer::Present(Kind::Directory)))
        else {
            return TemplateLookup::NotConfigured { hint };
        };
        let file = format!("{}.md", reference.path());
        let path = self.workspace.show(&directory.join(&file), Paths::Portable);
        let text = read_text(self.world, &directory, Path::new(&file), FILE_LIMIT).and_then(|file| {
            if file.more {
                return Answer::unavailable(ReasonCode::Failed, format!("it has more than {FILE_LIMIT} bytes"));
            }
            self.workspace.own_text(&directory, file.text, &path, self.hygiene).map(Arc::from)
        });
        TemplateLookup::File { path, text, hidden: self.workspace.hiding(&directory, self.hygiene) }
    }
}
