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
    /// What any of them is given, each file once.
    together: TogetherDocument,
    /// What is worth knowing.
    diagnostics: Vec<Finding<'a>>,
}

/// What any of several agents is given, each file once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TogetherDocument {
    /// How many files.
    pub files: usize,
    /// How many bytes they have.
    pub bytes: usize,
    /// How many tokens, in o200k_base; none where tokens are not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
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
    let mut counts = CountedTexts::default();
    AgentsDocument {
        agents: report.views.iter().map(|view| AgentDocument::new(view, counts.of(view, counting))).collect(),
        together: given_to_any(&report.views, counting, &mut counts),
        diagnostics: report.diagnostics.iter().map(Finding::of_diagnostic).collect(),
    }
}

/// What any of these agents is given, each file once: the longest that one of them is given of it.
pub fn given_to_any<'v>(views: &'v [AgentView], counting: Counting, counts: &mut CountedTexts<'v>) -> TogetherDocument {
    let mut files: BTreeMap<&str, &str> = BTreeMap::new();
    for (path, text) in views.iter().flat_map(|view| &view.texts) {
        let longest = files.entry(path).or_default();
        if text.len() > longest.len() {
            *longest = text;
        }
    }
    TogetherDocument {
        files: files.len(),
        bytes: files.values().map(|text| text.len()).sum(),
        tokens: match counting {
            Counting::Tokens => files.values().map(|text| counts.text(text)).sum(),
            Counting::Bytes => None,
        },
    }
}

/// Tokens of texts, each counted once: most agents are given the same files.
#[derive(Default)]
pub struct CountedTexts<'v> {
    known: BTreeMap<&'v str, Option<usize>>,
}

impl<'v> CountedTexts<'v> {
    /// How many tokens an agent is given; none where tokens are not counted.
    pub fn of(&mut self, view: &'v AgentView, counting: Counting) -> Option<usize> {
        match counting {
            Counting::Tokens => view.texts.iter().map(|(_, text)| self.text(text)).sum(),
            Counting::Bytes => None,
        }
    }

    fn text(&mut self, text: &'v str) -> Option<usize> {
        *self.known.entry(text).or_insert_with(|| tokens::count(text))
    }
}

impl<'a> AgentDocument<'a> {
    fn new(view: &'a AgentView, tokens: Option<usize>) -> AgentDocument<'a> {
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
            tokens,
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
