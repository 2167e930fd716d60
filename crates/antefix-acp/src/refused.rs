//! Messages that cannot go on: they would begin a session without its prompt, and nobody would know.
//!
//! 1. What is not ours to change goes on as it is, even if it is no message at all: that is the agent's to judge.
//! 2. What begins a session or is a prompt, or may be one, and cannot be read as such is answered with an error, and goes
//!    nowhere. A person hears of it as well.
//!
//! | what | error |
//! |---|---|
//! | no JSON, or bytes that are not UTF-8 | -32700 |
//! | an id that is missing, or neither a text nor a number; a message within two lists; too long | -32600 |
//! | without parameters, `cwd` or `sessionId` | -32602 |

use antefix::diagnostic::Code;

use crate::message::{INVALID_REQUEST, PARSE_ERROR, error};
use crate::relay::{BEGINNINGS, PROMPT, Relay};
use crate::scan::Scan;

/// Whether a method begins a session or is a prompt.
pub(crate) fn is_ours(method: &str) -> bool {
    BEGINNINGS.contains(&method) || method == PROMPT
}

impl Relay {
    /// The answer to a line that is no message, if it may begin a session or be a prompt.
    pub(crate) fn unreadable(&self, line: &[u8]) -> Option<String> {
        let mut scan = Scan::default();
        scan.read(line);
        let text = String::from_utf8_lossy(line);
        // Within what is broken, a method may be anywhere.
        let named = scan.method.as_deref().is_some_and(is_ours);
        if !named && !BEGINNINGS.iter().chain([&PROMPT]).any(|method| text.contains(method)) {
            return None;
        }
        let id = scan.id.as_deref().unwrap_or("null");
        let (code, why) = match (std::str::from_utf8(line), serde_json::from_slice::<serde::de::IgnoredAny>(line)) {
            (Err(_), _) => (PARSE_ERROR, "it is not UTF-8"),
            (Ok(_), Err(_)) => (PARSE_ERROR, "it is not JSON"),
            (Ok(_), Ok(_)) => (INVALID_REQUEST, "it is not a JSON-RPC message"),
        };
        Some(self.refuse(id, code, &format!("antefix cannot read this message, which may begin a session: {why}")))
    }

    /// The answer to a message that cannot go on.
    pub(crate) fn refuse(&self, id: &str, code: i64, why: &str) -> String {
        self.reports.warn(Code::BadMessage, why);
        error(id, code, why)
    }
}
