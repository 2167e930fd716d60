//! The table `[agent]` of an agent's file.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};
use crate::text::Source;

/// What is known of an agent besides what it reads.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentFile {
    /// What people call it.
    pub title: String,
    /// The version that it was checked for.
    pub version: String,
    /// The day on which it was checked.
    pub checked: String,
    /// The programs that start it.
    #[serde(default)]
    pub programs: Vec<String>,
    /// What it calls itself in the Agent Client Protocol.
    #[serde(default)]
    pub acp: Vec<AcpName>,
    /// The directory that `$home` means in its file.
    pub home: Option<AgentHome>,
    /// How many bytes its own words have, where that was measured.
    pub own_bytes: Option<usize>,
    /// Where what it reads goes in a request.
    pub place: Placement,
    /// When it reads again.
    pub read_again: String,
    /// What trust changes.
    pub trust: Option<String>,
    /// How each group of fields is known.
    pub known: Known,
    /// Other ways to give it a prompt.
    #[serde(default)]
    pub prompt: PromptWays,
    /// How its traffic is pointed elsewhere.
    #[serde(default)]
    pub traffic: BTreeMap<String, String>,
    /// Where its transcripts are.
    #[serde(default)]
    pub transcripts: BTreeMap<String, String>,
    /// Settings of the agent's own that change what it reads.
    #[serde(default)]
    pub setting: Vec<SettingRule>,
    /// Names of files that it reads with some models only, with which.
    #[serde(default)]
    pub only_with: BTreeMap<String, String>,
    /// What else is worth knowing.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Whether it is listed beside others; one of which only little is known is not.
    #[serde(default = "listed")]
    pub listed: bool,
}

fn listed() -> bool {
    true
}

/// What an agent calls itself in the Agent Client Protocol, and how it takes a prompt there.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcpName {
    /// The name in `agentInfo`.
    pub name: String,
    /// How it takes a system prompt, as `Way::parse` reads it; none if it has no way of its own.
    pub way: Option<String>,
    /// Whether somebody has seen a prompt reach the model that way.
    pub arrival: Option<Arrives>,
}

/// Whether a prompt is known to arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrives {
    /// Somebody has seen it, or the agent answers for it.
    Known,
    /// Nobody knows.
    Unconfirmed,
}

/// A directory of an agent's own, which a variable may move.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentHome {
    /// The variable.
    pub variable: String,
    /// Where it is without one.
    pub default: String,
}

/// Where what an agent reads goes in a request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    /// Instruction files.
    pub instructions: String,
    /// Skills.
    pub skills: String,
}

/// How each group of fields is known.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Names, directories, order and limits.
    pub instructions: How,
    /// Files below the working directory.
    pub nested: How,
    /// Skills.
    pub skills: How,
    /// The place in the request.
    pub place: How,
    /// What is put around files.
    pub frame: How,
    /// Files of the machine's administrator.
    pub managed: Option<How>,
    /// Trust.
    pub trust: Option<How>,
}

/// How something is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// From documents.
    Doc,
    /// From the code of the agent.
    Code,
    /// From what the agent sent when it was run.
    Run,
}

impl How {
    /// The name in files and documents.
    pub fn name(self) -> &'static str {
        match self {
            How::Doc => "doc",
            How::Code => "code",
            How::Run => "run",
        }
    }

    /// In words; nothing for what was seen.
    pub fn doubt(self) -> Option<&'static str> {
        match self {
            How::Run => None,
            How::Code => Some("from its code, not run"),
            How::Doc => Some("from documents, not run"),
        }
    }
}

/// Other ways to give an agent a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PromptWays {
    /// An argument.
    pub flag: Option<String>,
    /// A file.
    pub file: Option<String>,
    /// A variable.
    pub environment: Option<String>,
    /// A setting.
    pub setting: Option<String>,
    /// A hook.
    pub hook: Option<String>,
    /// How the agent itself shows what it read.
    pub see: Option<String>,
}

/// A setting of the agent's own that changes what it reads.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SettingRule {
    /// The files that may have it; the last one that does counts. Relative ones are the project's.
    pub files: Vec<String>,
    /// The key, with dots.
    pub key: String,
    /// The keys of the rules whose values it replaces.
    #[serde(default)]
    pub replace: Vec<String>,
    /// The keys of the rules whose lists it adds to.
    #[serde(default)]
    pub append: Vec<String>,
    /// The keys of the rules to whose lists of paths that are left out its patterns are added.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// What each of its values changes. Without any of the four it is known and not applied.
    #[serde(default)]
    pub values: BTreeMap<String, toml::Table>,
}

/// What is read of an agent's file here; the rest is a layout's.
#[derive(Deserialize)]
struct Whole {
    agent: AgentFile,
}

impl AgentFile {
    pub(super) fn parse(source: &Arc<Source>) -> Result<AgentFile> {
        let whole: Whole = toml::from_str(&source.text)
            .map_err(|failure| Error::of_toml(ErrorKind::Layout, source, failure.message(), failure.span()))?;
        Ok(whole.agent)
    }
}
