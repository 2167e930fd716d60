//! The input of discovery: four parts, each with an owner of its own.
//!
//! 1. [`Rules`] are the layout's: which files count, how paths are shown.
//! 2. [`Permissions`] are the user's: what may be read, and where things are kept. A project cannot set any of them.
//! 3. [`Caller`] is what a caller knows and the world does not: model, tools, facts answered by hand.
//! 4. What hooks name, how closely to look and how long to wait belongs to one question.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::commands::Commands;
use super::documentation::Documentation;
use super::git::{GitLimits, GitRules};
use super::hygiene::Hygiene;
use super::instructions::{InstructionRules, PathPattern};
use super::remote::{Fetching, Remote, RemoteRules};
use super::roots::MoreRoots;
use super::rules::Survey;
use super::scope::Scope;
use super::skills::SkillRules;
use super::tools::{ToolRules, Tools};
use super::trust::Trust;
use super::{Given, Paths, Workspace};
use crate::stop::Stop;
use crate::text::{FactName, Phrases};

/// What a layout and its wording say about discovery.
#[derive(Debug, Clone)]
pub struct Rules {
    /// How paths are shown.
    pub paths: Paths,
    /// Which instruction files are loaded.
    pub instructions: InstructionRules,
    /// Which skills are listed.
    pub skills: SkillRules,
    /// How the agent's tools are listed.
    pub tools: ToolRules,
    /// How the operator's prompt and the core memory are framed.
    pub remote: RemoteRules,
    /// How much git's texts may have.
    pub git: GitRules,
    /// Wordings without variables: notices of cuts, texts for tools.
    pub phrases: Phrases,
}

/// What the user allows. Only the user's own settings, and what the user trusts, fill this.
#[derive(Debug, Clone, Default)]
pub struct Permissions {
    /// The variables that `env:` may name.
    pub env_allow: BTreeSet<String>,
    /// Directories besides the project root that `file:` may read.
    pub file_roots: Vec<PathBuf>,
    /// Where the operator's prompt is kept.
    pub identity: Remote,
    /// Where the agent's core memory is kept.
    pub memory: Remote,
    /// How long git may take and how much it may print.
    pub git: GitLimits,
    /// What becomes of hidden characters and secrets.
    pub hygiene: Hygiene,
    /// Whether the text of the repository may be used.
    pub trust: Trust,
    /// Instruction files and rules that are not used, by their paths.
    pub exclude: Vec<PathPattern>,
    /// Instruction files that are used besides, by their paths.
    pub include: Vec<PathPattern>,
    /// Programs whose output templates may name as `command:NAME`, by that name.
    pub commands: Commands,
    /// The time zone of times for people; none for the machine's.
    pub time_zone: Option<String>,
    /// Where the agent's own documentation is.
    pub documentation: Documentation,
}

/// Files that an agent reads by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadByAgent {
    /// What the agent is called.
    pub title: String,
    /// The files.
    pub paths: BTreeSet<PathBuf>,
}

/// What a caller knows and the world does not.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    /// The model's name.
    pub model: Option<String>,
    /// The workspace's id.
    pub workspace_id: Option<String>,
    /// The machine that the conversation works on, if there is more than one to choose from. This is not the machine that
    /// we run on: replicas of a server differ in that, and serve the same conversations.
    pub machine: Option<String>,
    /// The agent's tools; none if the caller does not know them.
    pub tools: Option<Tools>,
    /// Facts answered by hand; the world is not asked for them.
    pub given: BTreeMap<FactName, Given>,
    /// Files that whoever is told the prompt reads by itself: they are left out.
    pub reads: ReadByAgent,
    /// Whether the caller still waits.
    pub stop: Stop,
}

/// For whom, where and by which rules the world is asked.
#[derive(Debug, Clone, Copy)]
pub struct Situation<'s> {
    /// Where the agent works.
    pub workspace: &'s Workspace,
    /// What the layout says.
    pub rules: &'s Rules,
    /// What the user allows.
    pub permissions: &'s Permissions,
    /// What the agent may touch; none if nobody says.
    pub scope: Option<&'s Scope>,
    /// What the caller says.
    pub caller: &'s Caller,
    /// The conversation's id, if the prompt is for one.
    pub conversation_id: Option<&'s str>,
    /// Where hooks say to look besides.
    pub more: &'s MoreRoots,
    /// Whether the project is searched for what waits for a path.
    pub survey: Survey,
    /// What texts are fetched for that a program or a server keeps.
    pub fetching: Fetching<'s>,
}
