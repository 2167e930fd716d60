//! What agents read, as a JSON document. Later versions only add to it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Finding;
use crate::agents::{AgentView, FileView, How};
use crate::project::AgentsReport;
use crate::tokens;

/// What `agents --json` prints.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AgentsDocument<'a> {
    /// One for each agent.
    agents: Vec<AgentDocument<'a>>,
    /// What is worth knowing.
    diagnostics: Vec<Finding<'a>>,
}

/// One agent, and what it makes of the files here.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct AgentDocument<'a> {
    name: &'a str,
    title: &'a str,
    /// The version that the data was checked for.
    version: &'a str,
    /// The day on which it was.
    checked: &'a str,
    /// How each group of fields is known: `run`, `code` or `doc`.
    known: BTreeMap<&'static str, How>,
    /// Where the data is, if it is the user's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    /// Every file that was considered, those that are given first, in their order.
    files: Vec<FileDocument<'a>>,
    /// Skills.
    skills: Vec<FileDocument<'a>>,
    /// How many bytes of instruction files and rules the agent is given from the start.
    bytes: usize,
    /// How many tokens these have, in o200k_base; none where tokens are not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
    /// How many bytes the agent's own words have, where that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    own_bytes: Option<usize>,
    /// Where files go in the request.
    place: &'a str,
    /// When they are read again.
    read_again: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    trust: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'a [String],
}

/// What an agent makes of a file.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FileDocument<'a> {
    path: &'a str,
    /// `loaded`, `cut`, `imported`, `linked`, `waits`, `shadowed`, `duplicate`, `dropped`, `empty`, `unusable` or `ignored`.
    state: &'static str,
    /// How many bytes of it the agent is given.
    bytes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

/// Whether tokens are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// They are.
    Tokens,
    /// Bytes are enough.
    Bytes,
}

/// What agents read.
pub fn agents(report: &AgentsReport, counting: Counting) -> AgentsDocument<'_> {
    AgentsDocument {
        agents: report.views.iter().map(|view| AgentDocument::new(view, counting)).collect(),
        diagnostics: report.diagnostics.iter().map(Finding::of_diagnostic).collect(),
    }
}

/// How many tokens an agent is given; none in a build that counts none.
pub fn tokens_of(view: &AgentView) -> Option<usize> {
    view.texts.iter().map(|(_, text)| tokens::count(text)).sum()
}

impl<'a> AgentDocument<'a> {
    fn new(view: &'a AgentView, counting: Counting) -> AgentDocument<'a> {
        let file = &view.agent.file;
        let known = [
            ("instructions", file.known.instructions),
            ("nested", file.known.nested),
            ("skills", file.known.skills),
            ("place", file.known.place),
            ("frame", file.known.frame),
        ];
        AgentDocument {
            name: &view.agent.name,
            title: &file.title,
            version: &file.version,
            checked: &file.checked,
            known: known.into(),
            file: view.agent.path.as_deref(),
            files: view.files.iter().map(FileDocument::new).collect(),
            skills: view.skills.iter().map(FileDocument::new).collect(),
            bytes: view.texts.iter().map(|(_, text)| text.len()).sum(),
            tokens: if counting == Counting::Tokens { tokens_of(view) } else { None },
            own_bytes: file.own_bytes,
            place: &file.place.instructions,
            read_again: &file.read_again,
            trust: file.trust.as_deref(),
            notes: &file.notes,
        }
    }
}

impl<'a> FileDocument<'a> {
    fn new(file: &'a FileView) -> FileDocument<'a> {
        FileDocument { path: &file.path, state: file.state.name(), bytes: file.bytes, detail: file.state.detail() }
    }
}
