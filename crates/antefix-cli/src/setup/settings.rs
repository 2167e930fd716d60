//! The user's own settings.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use antefix::discover::hygiene::{HiddenText, Hygiene, Secrets};
use antefix::discover::remote::Remote;
use antefix::discover::trust::UntrustedText;
use antefix::discover::{Answer, Workspace, World};
use antefix::project::AcpSettings;
use antefix::text::{Source, SourceKind};
use serde::Deserialize;

use crate::Failure;

/// The user's own settings. A project cannot set them.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    /// The variables that `env:` may name.
    #[serde(default)]
    pub(super) env_allow: BTreeSet<String>,
    /// Directories besides the project root that `file:` may read.
    #[serde(default)]
    pub(super) file_roots: Vec<PathBuf>,
    /// What becomes of hidden characters in files: `block`, `escape` or `allow`.
    #[serde(default)]
    pub(super) hidden_text: HiddenText,
    /// What becomes of what looks like a secret: `redact` or `keep`.
    #[serde(default)]
    pub(super) secrets: Secrets,
    /// What becomes of the text of a project that is not trusted: `use` or `withhold`.
    #[serde(default)]
    pub(super) untrusted_text: UntrustedText,
    /// The directories whose projects are trusted.
    #[serde(default)]
    pub(super) trusted: Vec<PathBuf>,
    /// Where the operator's prompt is kept: `[identity.operator]`.
    #[serde(default)]
    pub(super) identity: IdentitySettings,
    /// Where the core memory is kept: `[memory.core]`.
    #[serde(default)]
    pub(super) memory: MemorySettings,
    /// What `antefix acp` does: `[acp]`.
    #[expect(dead_code, reason = "the proxy reads it by way of the library; here it is only known to be allowed")]
    #[serde(default)]
    acp: AcpSettings,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct IdentitySettings {
    #[serde(default)]
    pub(super) operator: Remote,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MemorySettings {
    #[serde(default)]
    pub(super) core: Remote,
}

impl Settings {
    /// What becomes of hidden characters and secrets.
    pub(super) fn hygiene(&self) -> Hygiene {
        Hygiene { hidden: self.hidden_text, secrets: self.secrets }
    }

    pub(super) fn load(world: &dyn World, workspace: &Workspace) -> Result<Settings, Failure> {
        let Some(config) = &workspace.config else { return Ok(Settings::default()) };
        let source = match workspace.own_file(world, config, "settings.toml", SourceKind::Layout, Hygiene::default()) {
            Answer::Present(source) => source,
            Answer::Absent => return Ok(Settings::default()),
            Answer::Unavailable(reason) => {
                return Err(Failure::plain(format!("{}: {reason}", config.join("settings.toml").display())));
            }
        };
        let mut settings: Settings = toml::from_str(&source.text).map_err(|error| invalid_toml(&source, &error))?;
        for (key, directories) in [("file_roots", &mut settings.file_roots), ("trusted", &mut settings.trusted)] {
            for directory in directories.iter_mut() {
                *directory = real(directory, world, workspace);
                // A relative one would be another directory wherever the program is run: a project could lie in it.
                if !directory.is_absolute() {
                    let message = format!("`{}` in `{key}` is not absolute", directory.display());
                    return Err(Failure::with_hint(message, "write it in full, or from `~/`"));
                }
            }
        }
        Ok(settings)
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

fn invalid_toml(source: &Arc<Source>, error: &toml::de::Error) -> Failure {
    antefix::Error::of_toml(antefix::ErrorKind::Layout, source, error.message(), error.span()).into()
}
