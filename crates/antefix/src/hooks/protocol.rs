//! The documents that programs read and print. `docs/reference/hooks.md` is the specification.
//!
//! Version 1. Later versions add fields to what is asked; a field that an answer may not have is an error in every
//! version, so that a misspelled one is found.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{HookPoint, HookResult, Question, SystemOfTurn};
use crate::discover::Paths;
use crate::discover::roots::NamedRoots;
use crate::hooks::HookFailure;

/// The version of the documents.
const VERSION: u32 = 1;

/// What every program is given.
#[derive(Serialize)]
struct Asked<'a> {
    version: u32,
    on: &'static str,
    hook: &'a str,
    conversation: Option<&'a str>,
    epoch: Option<AskedEpoch>,
    cwd: String,
    root: String,
    model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system: Option<AskedSystem<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<&'a [Value]>,
}

#[derive(Serialize)]
struct AskedEpoch {
    number: u64,
    cause: &'static str,
    digest: String,
}

#[derive(Serialize)]
struct AskedSystem<'a> {
    prefix: &'a str,
    suffix: &'a str,
}

/// The document for a program.
pub(super) fn question(
    hook: &str,
    on: HookPoint,
    question: &Question<'_>,
    system: Option<SystemOfTurn<'_>>,
    messages: Option<&[Value]>,
) -> Vec<u8> {
    let workspace = &question.situation.workspace;
    let asked = Asked {
        version: VERSION,
        on: on.name(),
        hook,
        conversation: question.conversation.map(|conversation| conversation.as_str()),
        epoch: question.epoch.map(|epoch| AskedEpoch {
            number: epoch.number,
            cause: epoch.cause.name(),
            digest: epoch.digest.to_string(),
        }),
        cwd: workspace.show(&workspace.cwd, Paths::Absolute),
        root: workspace.show(&workspace.root, Paths::Absolute),
        model: question.situation.caller.model.as_deref(),
        system: system.map(|SystemOfTurn { prefix, suffix }| AskedSystem { prefix, suffix }),
        messages,
    };
    // Texts, numbers and lists: writing them cannot fail.
    let mut bytes = serde_json::to_vec(&asked).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// What a program may print before a turn.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TurnAnswer {
    version: Option<u32>,
    pub(super) system: Option<String>,
    pub(super) append: Option<String>,
    pub(super) messages: Vec<Value>,
}

/// What a program may print about messages.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct MessagesAnswer {
    version: Option<u32>,
    pub(super) messages: Option<Vec<Value>>,
}

/// What a program may print about roots.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RootsAnswer {
    version: Option<u32>,
    skills: Vec<String>,
    prompts: Vec<String>,
    instructions: Vec<String>,
}

impl From<RootsAnswer> for NamedRoots {
    fn from(answer: RootsAnswer) -> NamedRoots {
        NamedRoots { skills: answer.skills, prompts: answer.prompts, instructions: answer.instructions }
    }
}

/// A document that says its version.
pub(super) trait Versioned {
    fn version(&self) -> Option<u32>;
}

impl Versioned for TurnAnswer {
    fn version(&self) -> Option<u32> {
        self.version
    }
}

impl Versioned for MessagesAnswer {
    fn version(&self) -> Option<u32> {
        self.version
    }
}

impl Versioned for RootsAnswer {
    fn version(&self) -> Option<u32> {
        self.version
    }
}

/// Reads what a program printed. Nothing at all is an answer that changes nothing.
pub(super) fn read<T: Default + Versioned + for<'de> Deserialize<'de>>(stdout: &[u8]) -> HookResult<T> {
    let Ok(text) = str::from_utf8(stdout) else {
        return Err(HookFailure::new("what it printed is not UTF-8"));
    };
    if text.trim().is_empty() {
        return Ok(T::default());
    }
    // A list would be taken for the fields in their order.
    if !text.trim_start().starts_with('{') {
        return Err(HookFailure::new("its output is not an answer: it is not a JSON object"));
    }
    let answer: T = serde_json::from_str(text)
        .map_err(|error| HookFailure::new(format!("its output is not an answer: {error}")))?;
    match answer.version() {
        None | Some(VERSION) => Ok(answer),
        Some(other) => {
            let reason = format!("it answers in version {other}, and this antefix reads version {VERSION}");
            Err(HookFailure::new(reason))
        }
    }
}
