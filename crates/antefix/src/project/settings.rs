//! The user's own settings.

mod keys;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;

pub use self::keys::{SETTINGS_TABLES, settings_page};
use super::own_files::refuse_shared;
use crate::discover::commands::{CommandSetting, Commands};
use crate::discover::documentation::Documentation;
use crate::discover::git::GitLimits;
use crate::discover::hygiene::{HiddenText, Hygiene, Secrets};
use crate::discover::instructions::PathPattern;
use crate::discover::remote::Remote;
use crate::discover::trust::{Trust, UntrustedText};
use crate::discover::{Answer, Permissions, Workspace, World};
use crate::error::{Error, ErrorKind, Result};
use crate::text::{Source, SourceKind};

/// The user's own settings. A project cannot set them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// The variables that `env:` may name.
    #[serde(default)]
    pub env_allow: BTreeSet<String>,
    /// Directories besides the project root that `file:` may read.
    #[serde(default)]
    pub file_roots: Vec<PathBuf>,
    /// What becomes of hidden characters in files: `block`, `escape` or `allow`.
    #[serde(default)]
    pub hidden_text: HiddenText,
    /// What becomes of what looks like a secret: `redact` or `keep`.
    #[serde(default)]
    pub secrets: Secrets,
    /// What becomes of the text of a project that is not trusted: `use` or `withhold`.
    #[serde(default)]
    pub untrusted_text: UntrustedText,
    /// The directories whose projects are trusted.
    #[serde(default)]
    pub trusted: Vec<PathBuf>,
    /// Instruction files and rules that are not used, by their paths from the project root or from `~/`.
    #[serde(default)]
    pub exclude: Vec<PathPattern>,
    /// Instruction files that are used besides, by their paths from the project root or from `~/`.
    #[serde(default)]
    pub include: Vec<PathPattern>,
    /// Programs whose output templates may name as `command:NAME`: `[commands.NAME]`.
    #[serde(default)]
    pub commands: BTreeMap<String, CommandSetting>,
    /// Where the operator's prompt is kept: `[identity.operator]`.
    #[serde(default)]
    pub identity: IdentitySettings,
    /// Where the core memory is kept: `[memory.core]`.
    #[serde(default)]
    pub memory: MemorySettings,
    /// The time zone of times for people, such as `Europe/Berlin`; none for the machine's.
    pub time_zone: Option<String>,
    /// Where the agent's own documentation is: `[documentation]`.
    #[serde(default)]
    pub documentation: Documentation,
    /// What `antefix acp` does: `[acp]`.
    #[serde(default)]
    pub acp: AcpSettings,
    /// How much findings matter to a check: `[check]`.
    #[serde(default)]
    pub check: super::CheckRules,
}

/// What the user's settings say of `antefix acp`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcpSettings {
    /// The key in `_meta` under which an editor brings a prompt of its own.
    pub client_key: Option<String>,
    /// How agents take a prompt, by the names that they give themselves.
    #[serde(default)]
    pub agents: BTreeMap<String, String>,
}

/// `[identity]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdentitySettings {
    /// Where the operator's prompt is kept.
    #[serde(default)]
    pub operator: Remote,
}

/// `[memory]`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemorySettings {
    /// Where the core memory is kept.
    #[serde(default)]
    pub core: Remote,
}

impl Settings {
    /// What becomes of hidden characters and secrets.
    pub fn hygiene(&self) -> Hygiene {
        Hygiene { hidden: self.hidden_text, secrets: self.secrets }
    }

    /// Reads settings from the text of a `settings.toml`: for tests, and for programs that keep them elsewhere.
    ///
    /// ```
    /// use antefix::discover::hygiene::Secrets;
    /// use antefix::project::Settings;
    ///
    /// let settings = Settings::parse("secrets = 'keep'\nenv_allow = ['LANG']")?;
    /// assert_eq!(settings.secrets, Secrets::Keep);
    /// # Ok::<(), antefix::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Settings> {
        Settings::of(&Arc::new(Source::new(SourceKind::Layout, "settings", text)))
    }

    fn of(source: &Arc<Source>) -> Result<Settings> {
        toml::from_str(&source.text)
            .map_err(|error| Error::of_toml(ErrorKind::Settings, source, error.message(), error.span()))
    }

    /// Reads `settings.toml` in the user's configuration directory.
    pub(super) fn load(world: &dyn World, workspace: &Workspace) -> Result<Settings> {
        let Some(config) = &workspace.config else { return Ok(Settings::default()) };
        let source = match workspace.own_file(world, config, "settings.toml", SourceKind::Layout, Hygiene::default()) {
            Answer::Present(source) => source,
            Answer::Absent => return Ok(Settings::default()),
            Answer::Unavailable(reason) => {
                let message = format!("{}: {reason}", config.join("settings.toml").display());
                return Err(Error::new(reason.kind_or(ErrorKind::Settings), message));
            }
        };
        refuse_shared(world, &config.join("settings.toml"))?;
        Settings::of(&source)?.resolved(world, workspace)
    }

    /// The same settings with the real paths of their directories.
    pub(super) fn resolved(mut self, world: &dyn World, workspace: &Workspace) -> Result<Settings> {
        for (key, directories) in [("file_roots", &mut self.file_roots), ("trusted", &mut self.trusted)] {
            for directory in directories.iter_mut() {
                *directory = real(directory, world, workspace);
                // A relative one would be another directory wherever the program is run: a project could lie in it.
                if !directory.is_absolute() {
                    let message = format!("`{}` in `{key}` is not absolute", directory.display());
                    let error = Error::new(ErrorKind::Settings, message);
                    return Err(error.with_hint("write it in full, or from `~/`"));
                }
            }
        }
        Ok(self)
    }

    /// What the user allows in a project.
    pub(super) fn permissions(&self, trust: Trust) -> Permissions {
        Permissions {
            env_allow: self.env_allow.clone(),
            file_roots: self.file_roots.clone(),
            identity: self.identity.operator.clone(),
            memory: self.memory.core.clone(),
            git: GitLimits::default(),
            hygiene: self.hygiene(),
            trust,
            exclude: self.exclude.clone(),
            include: self.include.clone(),
            commands: Commands::default(),
            time_zone: self.time_zone.clone(),
            documentation: self.documentation.clone(),
        }
    }
}

/// A directory as real paths are compared with it: from `~/`, and its own links followed.
fn real(directory: &Path, world: &dyn World, workspace: &Workspace) -> PathBuf {
    let at_home = directory.strip_prefix("~").ok().zip(workspace.home.as_ref()).map(|(path, home)| home.join(path));
    let directory = at_home.unwrap_or_else(|| directory.to_owned());
    if !directory.is_absolute() {
        return directory;
    }
    world.resolve(&directory).present().unwrap_or(directory)
}
