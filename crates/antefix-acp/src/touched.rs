//! The paths that an agent names in its calls of tools.
//!
//! They are read in passing: a message of a shape that nobody knows names none, and every message goes on as it is.

use std::collections::BTreeSet;
use std::path::PathBuf;

use antefix::diagnostic::Code;
use serde::Deserialize;

use crate::message::Message;
use crate::relay::Relay;

/// The notification that has them.
const UPDATE: &str = "session/update";
/// The most paths that are kept for one prompt, and the most bytes of one.
const MOST: usize = 200;
const LONGEST: usize = 4096;

/// The parameters of the notification, as far as they matter here.
#[derive(Deserialize)]
struct Params {
    #[serde(rename = "sessionId")]
    session: String,
    update: Said,
}

#[derive(Deserialize)]
#[serde(tag = "sessionUpdate", rename_all = "snake_case")]
enum Said {
    ToolCall(Call),
    ToolCallUpdate(Call),
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Call {
    /// Null is as good as none.
    #[serde(default)]
    locations: Option<Vec<Location>>,
}

#[derive(Deserialize)]
struct Location {
    path: String,
}

impl Relay {
    /// Remembers the paths of a message of the agent's, if it names any.
    pub(crate) fn notice_touched(&self, message: &Message<'_>) {
        if message.method.as_deref() != Some(UPDATE) {
            return;
        }
        let params = message.members.get("params").and_then(|params| serde_json::from_str::<Params>(params).ok());
        let Some(Params { session, update: Said::ToolCall(call) | Said::ToolCallUpdate(call) }) = params else {
            return;
        };
        let mut state = self.state();
        let Some(session) = state.sessions.get_mut(&session) else { return };
        let paths = call.locations.into_iter().flatten().map(|location| location.path);
        let before = session.touched.len();
        for path in paths.filter(|path| !path.is_empty() && path.len() <= LONGEST).map(PathBuf::from) {
            if session.touched.len() < MOST {
                session.touched.insert(path);
            }
        }
        let is_full = before < MOST && session.touched.len() == MOST;
        drop(state);
        if is_full {
            let message = format!(
                "the agent has named {MOST} paths since the last prompt: others are not looked at before the next one"
            );
            self.reports.warn(Code::ScanLimit, &message);
        }
    }

    /// A turn has looked at these paths.
    pub(crate) fn forget_touched(&self, session: &str, paths: &BTreeSet<PathBuf>) {
        if let Some(session) = self.state().sessions.get_mut(session) {
            session.touched.retain(|path| !paths.contains(path));
        }
    }
}
