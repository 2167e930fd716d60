//! What a conversation was told last, so that nobody need say it again.
//!
//! 1. It is kept beside the ledger's epochs, and written only when something else was said.
//! 2. A ledger of an older release has no such record: then it is what the standing epoch knows.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::ask::{Ask, LayoutChoice, Reader};
use super::context::Choice;
use super::directory::Directory;
use crate::compose::builtin;
use crate::discover::tools::Tools;
use crate::discover::{Caller, ReadByAgent};
use crate::error::{Error, ErrorKind, Result};
use crate::freeze::Epoch;
use crate::freeze::store::{Bundle, Store};
use crate::text::Digest;

/// What a conversation was told.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Remembered {
    pub(super) layout: Option<LayoutChoice>,
    pub(super) wording: Option<PathBuf>,
    /// Sections to do without.
    pub(super) without: Vec<String>,
    pub(super) directory: Directory,
    pub(super) machine: Option<String>,
    pub(super) model: Option<String>,
    pub(super) workspace_id: Option<String>,
    pub(super) tools: Option<Tools>,
    /// The agent that is told the prompt and reads files by itself.
    pub(super) reader: Option<String>,
}

/// As it is kept. The tools are a text of their own, which many conversations share.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    #[serde(skip_serializing_if = "Option::is_none")]
    layout: Option<LayoutChoice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wording: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    without: Vec<String>,
    cwd: PathBuf,
    /// What prompts call that directory, where that is another path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    given_cwd: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace_id: Option<String>,
    /// The digest of the tools' text.
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Digest>,
    /// The agent that reads files by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reader: Option<String>,
}

impl Remembered {
    /// What an epoch knows of what its conversation was told. Of a layout that is not built in it knows the name alone: then
    /// the layout is the one of those who name none.
    pub(super) fn of_epoch(epoch: &Epoch, default: Option<&LayoutChoice>) -> Remembered {
        let row = epoch.row();
        let tools = epoch.body().tools.as_deref().and_then(|tools| serde_json::from_str::<Tools>(tools).ok());
        let name = epoch.body().made_by.layout.as_str();
        let layout = match builtin::LAYOUTS.iter().position(|layout| layout.name == name) {
            // The first one need not have been named, and then it gives way to one of the project.
            Some(0) => None,
            Some(_) => Some(LayoutChoice::BuiltIn(name.to_owned())),
            None => default.cloned(),
        };
        Remembered {
            layout,
            wording: None,
            without: Vec::new(),
            directory: Directory::new(PathBuf::from(&row.cwd), None),
            machine: row.machine.clone(),
            model: row.model.clone(),
            workspace_id: None,
            tools,
            reader: None,
        }
    }

    /// Reads what was kept.
    pub(super) fn load(store: &dyn Store, digest: Digest) -> Result<(Remembered, usize)> {
        let damaged = |what: &str| {
            let message = format!("what the conversation was told cannot be read: {what}");
            Error::new(ErrorKind::Conversation, message).with_hint("say layout, model and tools once more")
        };
        let text = |digest: Digest| -> Result<Arc<str>> {
            let found = store.texts(&[digest])?.into_iter().next().flatten();
            found.ok_or_else(|| damaged(&format!("the text {digest} is missing")))
        };
        let record: Record = serde_json::from_str(&text(digest)?).map_err(|error| damaged(&error.to_string()))?;
        let tools = record.tools.map(|tools| -> Result<Tools> {
            serde_json::from_str(&text(tools)?).map_err(|error| damaged(&error.to_string()))
        });
        let Record { layout, wording, without, cwd, given_cwd, machine, model, workspace_id, reader, .. } = record;
        let directory = Directory::new(cwd, given_cwd);
        let tools = tools.transpose()?;
        let remembered =
            Remembered { layout, wording, without, directory, machine, model, workspace_id, tools, reader };
        let weight = remembered.weight();
        Ok((remembered, weight))
    }

    /// Roughly how many bytes it takes.
    fn weight(&self) -> usize {
        500 + self.tools.as_ref().map_or(0, |tools| 5 * tools.canonical().len())
    }

    /// The texts to keep.
    pub(super) fn bundle(&self) -> Bundle {
        let tools: Option<Arc<str>> = self.tools.as_ref().map(|tools| tools.print().into());
        let record = Record {
            layout: self.layout.clone(),
            wording: self.wording.clone(),
            without: self.without.clone(),
            cwd: self.directory.path.clone(),
            given_cwd: self.directory.given.clone(),
            machine: self.machine.clone(),
            model: self.model.clone(),
            workspace_id: self.workspace_id.clone(),
            tools: tools.as_deref().map(Digest::of),
            reader: self.reader.clone(),
        };
        Bundle::new(serde_json::to_string(&record).unwrap_or_default(), tools)
    }

    /// The same with what a caller says now.
    pub(super) fn with(&self, ask: &Ask, directory: &Directory) -> Remembered {
        let or = |said: &Option<String>, before: &Option<String>| said.clone().or_else(|| before.clone());
        Remembered {
            layout: ask.layout.clone().or_else(|| self.layout.clone()),
            wording: ask.wording.clone().or_else(|| self.wording.clone()),
            without: ask.without.clone().unwrap_or_else(|| self.without.clone()),
            directory: directory.clone(),
            machine: or(&ask.machine, &self.machine),
            model: or(&ask.model, &self.model),
            workspace_id: or(&ask.workspace_id, &self.workspace_id),
            reader: match &ask.reader {
                Reader::AsBefore => self.reader.clone(),
                Reader::Nobody => None,
                Reader::Agent(name) => Some(name.clone()),
            },
            tools: match (&ask.tools, &self.tools) {
                // Those that are remembered have been put into the shapes of targets before.
                (Some(said), Some(before)) if said == before => Some(before.clone()),
                (said, before) => said.clone().or_else(|| before.clone()),
            },
        }
    }

    /// The files that it names.
    pub(super) fn files(&self) -> impl Iterator<Item = &std::path::Path> {
        let layout = self.layout.as_ref().and_then(|layout| match layout {
            LayoutChoice::File { path, .. } | LayoutChoice::TemplateFile { path, .. } => Some(path.as_path()),
            LayoutChoice::BuiltIn(_) | LayoutChoice::Agent(_) | LayoutChoice::TemplateText { .. } => None,
        });
        layout.into_iter().chain(self.wording.as_deref())
    }

    /// What decides about the project's context.
    pub(super) fn choice(&self) -> Choice {
        let (layout, wording) = (self.layout.clone(), self.wording.clone());
        Choice { layout, wording, without: self.without.clone() }
    }

    /// What the caller says, for discovery.
    pub(super) fn caller(&self, ask: &Ask) -> Caller {
        Caller {
            model: self.model.clone(),
            workspace_id: self.workspace_id.clone(),
            machine: self.machine.clone(),
            tools: self.tools.clone(),
            given: ask.given.clone(),
            reads: ReadByAgent::default(),
            stop: ask.stop.clone(),
        }
    }
}
