//! Hooks as a layout declares them: which program is asked, when, and within which limits.
//!
//! A declaration runs nothing. Whether its program may run is decided where it would, in `hooks`.

use std::time::Duration;

use serde::Deserialize;

/// When a hook is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookPoint {
    /// Before each turn: it may change the system text of this turn, and add messages.
    BeforeTurn,
    /// Before each turn: it may change the messages that the caller passes through.
    Messages,
    /// Before each turn: it names more roots of skills, prompts and instructions.
    Discover,
    /// After a conversation's first epoch began.
    Opened,
    /// After a later epoch began.
    Renewed,
}

impl HookPoint {
    /// All of them, in the order of a turn.
    pub const ALL: [HookPoint; 5] =
        [HookPoint::Discover, HookPoint::Opened, HookPoint::Renewed, HookPoint::BeforeTurn, HookPoint::Messages];

    /// The name in layouts and documents.
    pub fn name(self) -> &'static str {
        match self {
            HookPoint::BeforeTurn => "before_turn",
            HookPoint::Messages => "messages",
            HookPoint::Discover => "discover",
            HookPoint::Opened => "opened",
            HookPoint::Renewed => "renewed",
        }
    }
}

/// A hook that is a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookRule {
    /// Its name: unique among the hooks of its point.
    pub name: String,
    /// When it is asked.
    pub on: HookPoint,
    /// The program and its arguments; no shell sees them.
    pub command: Vec<String>,
    /// It and its descendants are killed after this.
    pub time_limit: Duration,
    /// It is stopped once it has printed more than this, in bytes.
    pub output_limit: usize,
}

/// How many hooks a layout may declare.
pub(super) const HOOKS: usize = 20;
/// How many words a command may have.
const WORDS: usize = 100;
/// How many bytes a command may have.
const COMMAND: usize = 32 * 1024;
/// The longest that a hook may take.
const LONGEST: Duration = Duration::from_secs(600);
/// The most that a hook may print.
const LARGEST: usize = 16 * 1024 * 1024;

/// `[[hook]]` in a layout.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HookFile {
    name: Option<String>,
    on: HookPoint,
    command: Vec<String>,
    #[serde(default = "usual_time")]
    time_limit_ms: u64,
    #[serde(default = "usual_output")]
    output_limit: usize,
}

fn usual_time() -> u64 {
    5_000
}

fn usual_output() -> usize {
    1024 * 1024
}

impl HookFile {
    /// The hook, or what is wrong with it and what to do.
    pub(super) fn checked(self, before: &[HookRule]) -> Result<HookRule, (String, &'static str)> {
        let wrong = |message: String, hint: &'static str| Err((message, hint));
        let Some(program) = self.command.first().filter(|program| !program.is_empty()) else {
            return wrong("a hook needs a command".into(), "write `command = [\"program\", \"argument\"]`");
        };
        if self.command.iter().any(|word| word.contains('\0')) {
            return wrong("a command has a NUL byte in it".into(), "no program could be given it");
        }
        if self.command.len() > WORDS || self.command.iter().map(String::len).sum::<usize>() > COMMAND {
            let message = format!("a command has at most {WORDS} words and {COMMAND} bytes");
            return wrong(message, "put what is long into a file that the program reads");
        }
        if program.split(['/', '\\']).any(|part| part == "..") {
            let hint = "a program is in the layout's directory or below, or is named by its absolute path or by its name alone";
            return wrong(format!("`{program}` cannot be a hook's program"), hint);
        }
        let last = program.rsplit(['/', '\\']).next().unwrap_or_default();
        let name = self.name.unwrap_or_else(|| last.to_owned());
        let simple = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > 100 || !name.chars().all(simple) {
            let message = format!("`{name}` cannot be a hook's name");
            return wrong(message, "write `name = \"…\"` with letters, digits, `-`, `_` and `.`");
        }
        if before.iter().any(|hook| hook.name == name && hook.on == self.on) {
            let message = format!("there are two hooks `{name}` on `{}`", self.on.name());
            return wrong(message, "write `name = \"…\"` to tell them apart");
        }
        let time_limit = Duration::from_millis(self.time_limit_ms);
        if time_limit.is_zero() || time_limit > LONGEST {
            let message = format!("`time_limit_ms` is from 1 to {}", LONGEST.as_millis());
            return wrong(message, "leave it out for 5 seconds");
        }
        if self.output_limit == 0 || self.output_limit > LARGEST {
            let message = format!("`output_limit` is from 1 to {LARGEST} bytes");
            return wrong(message, "leave it out for 1 MiB");
        }
        Ok(HookRule { name, on: self.on, command: self.command, time_limit, output_limit: self.output_limit })
    }
}
