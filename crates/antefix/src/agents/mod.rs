//! Agents that compose their own prompts, as data: what each reads of a project, and how it takes a prompt.
//!
//! 1. `agents/<name>.toml` has one agent, with the version and the day that it was checked for. Its tables `[instructions]` and
//!    `[skills]` are those of a layout: what an agent reads is found by the same code as what we read.
//! 2. `agents/base.toml` has what all have in common. A file of the same name in `agents/` of the user's configuration directory
//!    takes the place of a built-in one, and others are added.
//! 3. Each group of fields says how it is known: by running the agent, from its code, or from documents.
//! 4. Nothing here knows an agent by its name.

mod file;
mod findings;
mod layout;
mod settings;
mod survey;
mod view;

use std::sync::{Arc, OnceLock};

pub use self::file::{AcpName, AgentFile, AgentHome, Arrives, How, Known, Placement, PromptWays, SettingRule};
pub use self::findings::{Asked, findings};
pub use self::settings::{AppliedSetting, Outcome};
pub use self::survey::{Candidate, survey};
pub use self::view::{AgentView, FileState, FileView};
use crate::discover::{Answer, Paths, Workspace, World};
use crate::error::{Error, ErrorKind, Result};
use crate::text::{Source, SourceKind};

/// An agent.
#[derive(Debug, Clone)]
pub struct Agent {
    /// The name in commands and documents.
    pub name: String,
    /// What is known of it.
    pub file: AgentFile,
    /// Where its file is; none for a built-in one.
    pub path: Option<String>,
    source: Arc<Source>,
}

macro_rules! agents {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../agents/", $name, ".toml")))),*]
    };
}

/// The files that come with the library: those that were run first, then the others by name.
const FILES: &[(&str, &str)] = agents![
    "claude-code",
    "codex",
    "gemini-cli",
    "qwen-code",
    "opencode",
    "pi",
    "copilot-cli",
    "cline",
    "droid",
    "aider",
    "amp",
    "antigravity",
    "buzz-agent",
    "crush",
    "cursor",
    "goose",
    "grok",
    "junie",
    "kilo",
    "kiro",
    "openhands",
    "roo",
    "vscode",
    "warp",
    "windsurf",
    "zed",
];

/// What all agents have in common.
const BASE: &str = include_str!("../../agents/base.toml");

impl Agent {
    /// The built-in agents.
    pub fn built_in() -> &'static [Agent] {
        static AGENTS: OnceLock<Vec<Agent>> = OnceLock::new();
        AGENTS.get_or_init(|| {
            let read = |(name, text): &(&str, &str)| {
                let source = Arc::new(Source::new(SourceKind::Layout, format!("agents/{name}.toml"), *text));
                Agent::parse(name, None, &source).ok()
            };
            FILES.iter().filter_map(read).collect()
        })
    }

    /// All agents: the built-in ones, with the user's own in their places and behind them.
    pub fn all(world: &dyn World, workspace: &Workspace) -> Result<Vec<Agent>> {
        let mut agents = Agent::built_in().to_vec();
        let Some(directory) = workspace.config.as_ref().map(|config| config.join("agents")) else { return Ok(agents) };
        let listing = match world.list(&directory, "".as_ref(), MOST) {
            Answer::Present(listing) => listing,
            Answer::Absent | Answer::Unavailable(_) => return Ok(agents),
        };
        for entry in listing.entries {
            let Some(name) = entry.name.strip_suffix(".toml") else { continue };
            let shown = workspace.show(&directory.join(&entry.name), Paths::Portable);
            let text = match crate::discover::read_text(world, &directory, entry.name.as_ref(), 256 * 1024) {
                Answer::Present(file) => file.text,
                Answer::Absent => continue,
                Answer::Unavailable(reason) => {
                    return Err(Error::new(reason.kind_or(ErrorKind::Layout), format!("{shown}: {reason}")));
                }
            };
            let source = Arc::new(Source::new(SourceKind::Layout, shown.clone(), text).at(shown.clone()));
            let agent = Agent::parse(name, Some(shown), &source)?;
            match agents.iter_mut().find(|known| known.name == name) {
                Some(known) => *known = agent,
                None => agents.push(agent),
            }
        }
        Ok(agents)
    }

    /// The agent that calls itself so in the Agent Client Protocol, with what is known of that name.
    pub fn of_acp_name(name: &str) -> Option<(&'static Agent, &'static AcpName)> {
        Agent::built_in().iter().find_map(|agent| {
            let row = agent.file.acp.iter().find(|row| row.name == name)?;
            Some((agent, row))
        })
    }

    /// The agent of a name, or one that is started by a program of that name.
    pub fn find<'a>(agents: &'a [Agent], name: &str) -> Result<&'a Agent> {
        let by_name = agents.iter().find(|agent| agent.name == name);
        by_name
            .or_else(|| agents.iter().find(|agent| agent.file.programs.iter().any(|program| program == name)))
            .ok_or_else(|| {
                let names: Vec<&str> =
                    agents.iter().filter(|agent| agent.file.listed).map(|agent| agent.name.as_str()).collect();
                let error = Error::new(ErrorKind::Input, format!("there is no agent `{name}`"));
                error.with_hint(format!("the agents are {}", names.join(", ")))
            })
    }

    fn parse(name: &str, path: Option<String>, source: &Arc<Source>) -> Result<Agent> {
        let file = AgentFile::parse(source)?;
        Ok(Agent { name: name.to_owned(), file, path, source: Arc::clone(source) })
    }
}

/// How many files of the user's are looked at.
const MOST: usize = 200;
