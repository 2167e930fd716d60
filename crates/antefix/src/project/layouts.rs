//! Finding the layout and the wordings.
//!
//! 1. A layout: the one that was chosen, else the project's `.antefix/layout.toml`, else the user's, else `coding-agent`.
//! 2. Wordings: built-in, the user's, the project's, then a file that was named. A later one wins, key by key.
//! 3. A file of the project that may not be used is left out and listed. Any other one that is there and cannot be used stops
//!    the work: half a layout is another layout.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ask::{LayoutChoice, unknown_layout};
use super::own_files::refuse_shared;
use super::templates::TemplateDirectories;
use crate::agents::Agent;
use crate::compose::template::TemplateRef;
use crate::compose::{Dialect, Layout, Wording, builtin};
use crate::discover::hygiene::Hygiene;
use crate::discover::{Answer, NotLoaded, Paths, Reason, ReasonCode, Why, Workspace, World};
use crate::error::{Error, ErrorKind, Result};
use crate::text::{FactName, Source, SourceKind};

/// The largest file that may be named, in bytes.
const INPUT_LIMIT: usize = 2 * 1024 * 1024;

/// Where layouts and wordings are looked for.
pub(super) struct Finder<'f> {
    pub(super) world: &'f dyn World,
    pub(super) workspace: &'f Workspace,
    pub(super) hygiene: Hygiene,
    /// Files of the project that were not read, because the project is not trusted.
    pub(super) withheld: Vec<NotLoaded>,
}

/// A layout, and where it was found.
pub(super) struct Found {
    pub(super) layout: Layout,
    /// Its file; none for a built-in one and for a template alone.
    pub(super) file: Option<PathBuf>,
    /// What saved templates know it by.
    pub(super) key: String,
}

impl Finder<'_> {
    /// The wordings in force.
    pub(super) fn wording(&mut self, named: Option<&Path>) -> Result<Wording> {
        let mut layers = Vec::new();
        for directory in self.workspace.config.iter().cloned().chain([self.workspace.project()]) {
            layers.extend(self.own_file(&directory, "wording.toml", SourceKind::Wording)?);
        }
        if let Some(path) = named {
            let label = self.workspace.show(path, Paths::Portable);
            let text = read_named(self.world, path, &label)?;
            layers.push(Arc::new(Source::new(SourceKind::Wording, label.clone(), text).at(label)));
        }
        Wording::with_layers(&layers, &self.templates(None))
    }

    /// The layout that counts.
    pub(super) fn layout(&mut self, chosen: Option<&LayoutChoice>, wording: &Wording) -> Result<Found> {
        match chosen {
            Some(LayoutChoice::BuiltIn(name)) => self.built_in(name, wording),
            Some(LayoutChoice::Agent(name)) => self.agent(name, wording),
            Some(LayoutChoice::File { path, label }) => {
                let text = read_named(self.world, path, label)?;
                let source = Source::new(SourceKind::Layout, label.clone(), text).at(label.clone());
                self.parsed(&Arc::new(source), path, wording)
            }
            Some(LayoutChoice::TemplateFile { path, label, dialect }) => {
                let text = read_named(self.world, path, label)?;
                self.template_alone(label, text.into(), Some(path), *dialect, wording)
            }
            Some(LayoutChoice::TemplateText { label, text, dialect }) => {
                self.template_alone(label, Arc::clone(text), None, *dialect, wording)
            }
            None => self.default_layout(wording),
        }
    }

    fn default_layout(&mut self, wording: &Wording) -> Result<Found> {
        for directory in std::iter::once(self.workspace.project()).chain(self.workspace.config.clone()) {
            if let Some(source) = self.own_file(&directory, "layout.toml", SourceKind::Layout)? {
                if self.workspace.config.as_ref() == Some(&directory) {
                    refuse_shared(self.world, &directory.join("layout.toml"))?;
                }
                return self.parsed(&source, &directory.join("layout.toml"), wording);
            }
        }
        self.built_in(builtin::LAYOUTS[0].name, wording)
    }

    fn built_in(&self, name: &str, wording: &Wording) -> Result<Found> {
        let built_in = builtin::layout(name).ok_or_else(|| unknown_layout(name))?;
        let source = Arc::new(Source::new(SourceKind::Layout, built_in.name, built_in.text));
        let layout = Layout::parse(&source, wording, &self.templates(None))?;
        Ok(Found { layout, file: None, key: built_in.name.to_owned() })
    }

    fn agent(&self, name: &str, wording: &Wording) -> Result<Found> {
        let agents = Agent::all(self.world, self.workspace)?;
        let agent = Agent::find(&agents, name)?;
        let layout = agent.layout(self.world, self.workspace, wording)?.layout;
        Ok(Found { layout, file: None, key: format!("agent {}", agent.name) })
    }

    fn parsed(&self, source: &Arc<Source>, file: &Path, wording: &Wording) -> Result<Found> {
        let layout = Layout::parse(source, wording, &self.templates(file.parent()))?;
        Ok(Found { layout, file: Some(file.to_owned()), key: file.to_string_lossy().into_owned() })
    }

    fn template_alone(
        &self,
        label: &str,
        text: Arc<str>,
        path: Option<&Path>,
        dialect: Dialect,
        wording: &Wording,
    ) -> Result<Found> {
        let source = Arc::new(Source::new(SourceKind::Template, label, text).at(label));
        // A template in a file may include the files beside it.
        let directory = path.and_then(Path::parent);
        let name = path.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let reference = name.map(|name| format!("$layout/{}", name.trim_end_matches(".md")));
        let reference = reference.and_then(|reference| TemplateRef::parse(&reference, None).ok());
        let templates = self.templates(directory);
        let layout = Layout::of_template(&source, reference.as_ref(), dialect, wording, &templates)?;
        Ok(Found { layout, file: None, key: format!("template {label}") })
    }

    fn templates(&self, directory: Option<&Path>) -> TemplateDirectories<'_> {
        TemplateDirectories::new(self.world, self.workspace, directory).with_hygiene(self.hygiene)
    }

    /// A file of the project's or the user's own directory; none if there is none, or if it is withheld.
    fn own_file(&mut self, directory: &Path, name: &str, kind: SourceKind) -> Result<Option<Arc<Source>>> {
        match self.workspace.own_file(self.world, directory, name, kind, self.hygiene) {
            Answer::Present(source) => Ok(Some(source)),
            Answer::Absent => Ok(None),
            Answer::Unavailable(reason) if matches!(reason.code, ReasonCode::Untrusted | ReasonCode::ForeignOwner) => {
                let path = self.workspace.show(&directory.join(name), Paths::Portable);
                let fact = FactName::new("antefix", name.trim_end_matches(".toml"));
                self.withheld.push(NotLoaded { fact, path: Some(path), why: Why::Unavailable(reason) });
                Ok(None)
            }
            Answer::Unavailable(reason) => Err(unusable(&directory.join(name), &reason)),
        }
    }
}

/// A file that is there and cannot be used.
fn unusable(path: &Path, reason: &Reason) -> Error {
    let error = Error::new(reason.kind_or(ErrorKind::Layout), format!("{}: {reason}", path.display()));
    match reason.code {
        ReasonCode::HiddenText => error.with_hint("remove them; your own settings may say `hidden_text` and `secrets`"),
        _ => error,
    }
}

/// A file that a user named: wherever its links lead, because it is the user's own word.
fn read_named(world: &dyn World, path: &Path, label: &str) -> Result<String> {
    let failed = |what: String| Error::new(ErrorKind::Input, format!("{label}: {what}"));
    let unread = |reason: &Reason| failed(reason.to_string()).of_kind(reason.kind_or(ErrorKind::Input));
    let missing = || failed("there is no such file".to_owned());
    let real = match world.resolve(path) {
        Answer::Present(real) => real,
        Answer::Absent => return Err(missing()),
        Answer::Unavailable(reason) => return Err(unread(&reason)),
    };
    let (Some(directory), Some(name)) = (real.parent(), real.file_name()) else { return Err(missing()) };
    let contents = match world.read(directory, Path::new(name), INPUT_LIMIT) {
        Answer::Present(contents) => contents,
        Answer::Absent => return Err(missing()),
        Answer::Unavailable(reason) => return Err(unread(&reason)),
    };
    if contents.more {
        return Err(failed(format!("larger than {INPUT_LIMIT} bytes")));
    }
    String::from_utf8(contents.bytes)
        .map_err(|error| failed(format!("not UTF-8: byte {} is invalid", error.utf8_error().valid_up_to())))
}
