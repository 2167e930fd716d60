//! The tables `[identity.operator]` and `[memory.core]` of the user's settings. Everything that can be wrong with them is
//! found when they are read, before anything is asked.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::{Address, Holder, Remote, RemoteLimits};

/// The table as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RemoteTable {
    #[serde(default = "yes")]
    enabled: bool,
    file: Option<PathBuf>,
    command: Option<Vec<String>>,
    http: Option<String>,
    bearer_env: Option<String>,
    timeout_ms: Option<u64>,
    turn_timeout_ms: Option<u64>,
    max_bytes: Option<usize>,
}

fn yes() -> bool {
    true
}

/// Whoever waits longer for a prompt has given up.
const LONGEST: u64 = 60_000;
/// A longer text is not a core memory.
const LARGEST: usize = 1024 * 1024;

impl TryFrom<RemoteTable> for Remote {
    type Error = String;

    fn try_from(table: RemoteTable) -> Result<Remote, String> {
        let RemoteTable { enabled, file, command, http, bearer_env, timeout_ms, turn_timeout_ms, max_bytes } = table;
        let limits = limits(timeout_ms, turn_timeout_ms, max_bytes)?;
        if bearer_env.is_some() && http.is_none() {
            return Err("`bearer_env` is only for `http`".to_owned());
        }
        let by = match (file, command, http) {
            (Some(path), None, None) => Holder::File(path),
            (None, Some(words), None) => Holder::Command(program(words)?),
            (None, None, Some(address)) => Holder::Http { address: Address::parse(&address)?, bearer_env },
            (None, None, None) if !enabled => return Ok(Remote::SwitchedOff),
            _ => return Err("name exactly one of `file`, `command` and `http`".to_owned()),
        };
        Ok(if enabled { Remote::Configured { by, limits } } else { Remote::SwitchedOff })
    }
}

fn limits(
    timeout_ms: Option<u64>,
    turn_timeout_ms: Option<u64>,
    max_bytes: Option<usize>,
) -> Result<RemoteLimits, String> {
    let mut limits = RemoteLimits::default();
    let times = [("timeout_ms", timeout_ms, &mut limits.time), ("turn_timeout_ms", turn_timeout_ms, &mut limits.turn)];
    for (key, given, limit) in times {
        let Some(time) = given else { continue };
        if !(1..=LONGEST).contains(&time) {
            return Err(format!("`{key}` is from 1 to {LONGEST}"));
        }
        *limit = Duration::from_millis(time);
    }
    if let Some(bytes) = max_bytes {
        if !(1..=LARGEST).contains(&bytes) {
            return Err(format!("`max_bytes` is from 1 to {LARGEST}"));
        }
        limits.bytes = bytes;
    }
    Ok(limits)
}

/// The words of a command. A relative path would be looked for nowhere.
fn program(words: Vec<String>) -> Result<Vec<String>, String> {
    let Some(first) = words.first().filter(|first| !first.is_empty()) else {
        return Err("`command` is a program and its arguments, such as [\"program\", \"argument\"]".to_owned());
    };
    let path = Path::new(first);
    if path.is_absolute() || first.starts_with("~/") || path.components().count() == 1 {
        return Ok(words);
    }
    Err(format!("`{first}` is neither a program's name nor a path from `/` or `~/`"))
}
