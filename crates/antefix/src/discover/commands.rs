//! `command:NAME`: what a program of the user's prints.
//!
//! 1. Only the user's own settings declare one, with its words: `[commands.NAME]`. A template names it, and can add nothing.
//! 2. It runs in projects that the user trusts by name, and in no other: a template of a stranger's could ask for it.
//! 3. It is bounded like other programs that print texts: no shell, an environment built from nothing, a time, a length.
//! 4. Its output is looked through like a file, and comes whole or not at all.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::remote::{Holder, Remote};

/// A program that prints a text: `command`, and optionally `timeout_ms`, `turn_timeout_ms`, `max_bytes` and `enabled`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Remote")]
pub struct CommandSetting(Remote);

impl TryFrom<Remote> for CommandSetting {
    type Error = String;

    fn try_from(remote: Remote) -> Result<CommandSetting, String> {
        match &remote {
            Remote::Configured { by: Holder::Command(_), .. } | Remote::SwitchedOff => Ok(CommandSetting(remote)),
            _ => Err("`command` is a program and its arguments, such as [\"program\", \"argument\"]".to_owned()),
        }
    }
}

/// The programs that may be asked in a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Commands {
    declared: BTreeMap<String, CommandSetting>,
    /// Whether they may run here.
    pub runs: Runs,
}

/// Whether programs of the user's run for a project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Runs {
    /// The user has not said that the project is trusted.
    #[default]
    No,
    /// The user has.
    Trusted,
}

impl Commands {
    /// Those that the user's settings declare, for a project.
    pub fn new(declared: BTreeMap<String, CommandSetting>, runs: Runs) -> Commands {
        Commands { declared, runs }
    }

    /// The program of a name.
    pub(super) fn get(&self, name: &str) -> Option<&Remote> {
        self.declared.get(name).map(|CommandSetting(remote)| remote)
    }
}
