//! `identity:operator` and `memory:core`: texts about the agent that are kept outside the workspace.
//!
//! 1. Only the user's own settings say where: a file, a program or an address. No layout and no template can.
//! 2. Three outcomes, never merged. There is a text; whoever holds it answered and there is none; or nothing was learned.
//! 3. A text comes whole or not at all: one that is too long, broke off or is not UTF-8 is unavailable, never cut.
//! 4. Hidden characters and secrets are looked for as in files, and what the layout frames the text with cannot be forged
//!    by the text, unless the layout trusts its author and says it as it was written.
//!
//! A file is read whenever it could matter; `fetching.rs` says when programs and servers are asked.
//!
//! Not to ask is not a failure. Core memory that nobody configured, or that was switched off, is unavailable as
//! [`Disabled`](ReasonCode::Disabled): it leaves no gap, and nothing may conclude that the memory is empty. An operator
//! prompt that nobody configured is absent: the settings are where it would be, and they were read.

mod address;
mod fetching;
mod http;
mod program;
mod settings;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

pub use self::address::Address;
pub use self::fetching::{Fetched, Fetching, Purpose};

use super::fact::Value;
use super::file::{holds_secrets, read_text};
use super::frame::protected;
use super::instructions::normalized;
use super::world::{Answer, ReasonCode, World};
use super::{Fact, Situation, Workspace};
use crate::diagnostic::{Code, Diagnostic, Subject};
use crate::text::{Draft, FactName, Origin, Text, Transform};

/// Where a text about the agent is kept, if anywhere. The user's settings say it as a table:
///
/// ```toml
/// [memory.core]
/// http = "https://memory.example/core"   # or `file = "~/core.md"`, or `command = ["program", "argument"]`
/// bearer_env = "MEMORY_TOKEN"            # with `http`: the variable that holds the token
/// timeout_ms = 3000                      # when an epoch begins
/// turn_timeout_ms = 500                  # in turns after that, for sections that act on a change
/// max_bytes = 65536
/// enabled = true
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "settings::RemoteTable")]
pub enum Remote {
    /// The user has not said.
    #[default]
    NotConfigured,
    /// The user does not want it asked for.
    SwitchedOff,
    /// The settings say where it is kept.
    Configured {
        /// What keeps it.
        by: Holder,
        /// How long asking may take, and how long the text may be.
        limits: RemoteLimits,
    },
}

/// Who keeps a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holder {
    /// A file: absolute, `~/…`, or beside the user's settings.
    File(PathBuf),
    /// A program that prints it, and its arguments. No shell sees them.
    Command(Vec<String>),
    /// A server.
    Http {
        /// Where it answers.
        address: Address,
        /// The variable of the environment that holds the token for it.
        bearer_env: Option<String>,
    },
}

/// How long asking may take, and how long the text may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RemoteLimits {
    /// For everything from the first step to the last byte.
    pub time: Duration,
    /// The same for a turn of a conversation that has its prompt already.
    pub turn: Duration,
    /// In bytes. A longer text is not used.
    pub bytes: usize,
}

impl Default for RemoteLimits {
    fn default() -> RemoteLimits {
        RemoteLimits { time: Duration::from_secs(3), turn: Duration::from_millis(500), bytes: 64 * 1024 }
    }
}

/// What a layout says about these texts: `[remote]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RemoteRules {
    /// What the layout frames them with: `memory` is a tag, `[Base` the beginning of a header line. The texts cannot
    /// contain any of it.
    pub protect: Vec<String>,
    /// The texts that are said byte for byte as they were written: with their line ends, and also what would look like a
    /// frame. For those whose authors the layout trusts.
    pub verbatim: Vec<RemoteText>,
}

/// One of the two texts, by the name of its fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum RemoteText {
    /// What the operator says.
    #[serde(rename = "identity:operator")]
    Operator,
    /// What the agent keeps in mind.
    #[serde(rename = "memory:core")]
    Memory,
}

impl RemoteText {
    /// The name of its fact.
    pub fn fact(self) -> &'static str {
        match self {
            RemoteText::Operator => "identity:operator",
            RemoteText::Memory => "memory:core",
        }
    }
}

/// Answers for one of the two.
pub(super) fn answer(
    world: &dyn World,
    situation: &Situation<'_>,
    name: &FactName,
    diagnostics: &mut Vec<Diagnostic>,
) -> Fact {
    let Some(remote) = fetching::remote(situation.permissions, name) else {
        return if name.namespace() == "command" { no_command(situation, name, diagnostics) } else { Answer::Absent };
    };
    let table = match name.namespace() {
        "command" => format!("[commands.{}]", name.name()),
        namespace => format!("[{namespace}.{}]", name.name()),
    };
    let fetching = &situation.fetching;
    let verbatim = situation.rules.remote.verbatim.iter().any(|text| text.fact() == name.as_str());
    let (holder, limits) = match remote {
        Remote::Configured { by, limits } => (by, fetching.limits(*limits)),
        Remote::NotConfigured if name.namespace() == "identity" => return Answer::Absent,
        Remote::NotConfigured => {
            return Answer::unavailable(ReasonCode::Disabled, format!("your settings have no {table}"));
        }
        Remote::SwitchedOff => return Answer::unavailable(ReasonCode::Disabled, "you switched it off"),
    };
    let workspace = &situation.workspace;
    let label: Arc<str> = holder.label(situation).into();
    let kept = match holder {
        Holder::File(path) => file(world, &at_home(workspace, path), limits),
        Holder::Command(words) => fetching.once(name, || program::ask(world, workspace, words, limits)),
        Holder::Http { address, bearer_env } => {
            fetching.once(name, || http::ask(world, address, bearer_env.as_deref(), limits))
        }
    };
    // A program or an address is not a file: findings name the fact, or who holds its text.
    let (about, held) = match holder {
        Holder::File(_) => (Subject::file_of(name.as_str(), &label), Subject::file_of(name.as_str(), &label)),
        Holder::Command(_) | Holder::Http { .. } => (Subject::from(name.as_str()), Subject::from(&*label)),
    };
    if let Answer::Unavailable(reason) = &kept {
        let message = format!("{name} could not be asked for: {reason} ({label})");
        let hint = match (fetching.purpose, reason.code) {
            (Purpose::Prompt, _) => {
                format!("this prompt is composed without it; {table} in your settings says where it is kept")
            }
            (Purpose::Turn, ReasonCode::TimedOut) => format!(
                "what was said of it stays; `turn_timeout_ms` under {table} in your settings says how long a turn waits"
            ),
            (Purpose::Turn, _) => {
                format!("what was said of it stays; {table} in your settings says where it is kept")
            }
        };
        diagnostics.push(Diagnostic::warning(Code::RemoteUnavailable, message).about(&about).hint(hint));
    }
    if let (Answer::Absent, Holder::File(_), "identity") = (&kept, holder, name.namespace()) {
        let message = format!("{name} is not there: there is no file {label}");
        let hint = format!("make the file, or take {table} out of your settings");
        diagnostics.push(Diagnostic::warning(Code::RemoteUnavailable, message).about(&about).hint(hint));
    }
    kept.and_then(|text| if text.trim().is_empty() { Answer::Absent } else { Answer::Present(text) })
        .and_then(|text| {
            let origin = Origin::file(name, &label);
            let text = if verbatim { Text::new(text, origin) } else { ended(&text, origin) };
            situation.permissions.hygiene.clean(text, &held, diagnostics)
        })
        .map(|text| Value::Text(if verbatim { text } else { protected(&text, &situation.rules.remote.protect) }))
}

/// Why a program of the user's is not asked.
fn no_command(situation: &Situation<'_>, name: &FactName, diagnostics: &mut Vec<Diagnostic>) -> Fact {
    let (why, hint) = match situation.permissions.commands.get(name.name()) {
        None => {
            ("your settings do not declare it", format!("declare [commands.{}] in your settings.toml", name.name()))
        }
        Some(_) => (
            "your programs run only in projects that you trust",
            "run `antefix trust`, or name the directory in `trusted` in your settings, if you trust the project"
                .to_owned(),
        ),
    };
    let message = format!("{name} is not asked for: {why}");
    diagnostics.push(Diagnostic::warning(Code::RemoteUnavailable, message).about(name.as_str()).hint(hint));
    Answer::unavailable(ReasonCode::Disabled, why)
}

impl Holder {
    /// What a person calls it. Arguments and queries are left out, because they may hold what nobody should read.
    fn label(&self, situation: &Situation<'_>) -> String {
        match self {
            Holder::File(path) => {
                let workspace = &situation.workspace;
                workspace.show(&at_home(workspace, path), situation.rules.paths)
            }
            Holder::Command(words) => format!("`{}`", words.first().map_or("", String::as_str)),
            Holder::Http { address, .. } => address.label(),
        }
    }
}

/// A file that the user named. Links are the user's own and may lead anywhere.
fn file(world: &dyn World, path: &Path, limits: RemoteLimits) -> Answer<String> {
    let too_long = || Answer::unavailable(ReasonCode::Failed, format!("it has more than {} bytes", limits.bytes));
    world.resolve(path).and_then(|real| {
        let (Some(directory), Some(file)) = (real.parent(), real.file_name()) else {
            return Answer::unavailable(ReasonCode::NotRegular, "a directory");
        };
        if holds_secrets(&real) {
            return Answer::unavailable(ReasonCode::Secret, "");
        }
        let read = read_text(world, directory, Path::new(file), limits.bytes);
        read.and_then(|file| if file.more { too_long() } else { Answer::Present(file.text) })
    })
}

/// Bytes as text; a NUL is not text.
fn decoded(bytes: Vec<u8>) -> Answer<String> {
    match String::from_utf8(bytes) {
        Ok(text) => without_nul(text),
        Err(error) => {
            let offset = error.utf8_error().valid_up_to();
            Answer::unavailable(ReasonCode::NotUtf8, format!("the byte at offset {offset}"))
        }
    }
}

fn without_nul(text: String) -> Answer<String> {
    match text.find('\0') {
        Some(offset) => Answer::unavailable(ReasonCode::Binary, format!("a NUL byte at offset {offset}")),
        None => Answer::Present(text),
    }
}

/// The text with one kind of line end, and none at its end: those belong to the file or the program, not to the text.
fn ended(text: &str, origin: Origin) -> Text {
    let text = normalized(text, origin);
    let mut draft = Draft::default();
    draft.push_text(&text);
    draft.truncate(text.as_str().trim_end_matches('\n').len(), Transform::Trimmed);
    draft.into_text()
}

/// `~/…` in the user's home, and a relative path beside the user's settings. Where there is no such directory the path
/// stays relative, and nothing is found there.
fn at_home(workspace: &Workspace, path: &Path) -> PathBuf {
    let base = match path.strip_prefix("~") {
        Ok(inside) => workspace.home.as_ref().map(|home| home.join(inside)),
        Err(_) => workspace.config.as_ref().map(|config| config.join(path)),
    };
    base.unwrap_or_else(|| path.to_owned())
}
