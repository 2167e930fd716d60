//! How paths are shown, and what is only so on one machine.

use serde::Deserialize;

/// How paths are shown in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Paths {
    /// Relative to the project root, `~/…` below the home directory: two clones of a repository share their bytes.
    #[default]
    Portable,
    /// Absolute paths.
    Absolute,
}

/// What is only so on one machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Machine {
    /// The project root, in full.
    pub root: Option<String>,
    /// The working directory as it was given, where that is not beneath the root.
    pub given: Option<String>,
    /// The home directory, in full.
    pub home: Option<String>,
    /// The machine's name.
    pub host: Option<String>,
}
