//! Agents that take a system prompt by a request of their own, once a session has begun.
//!
//! 1. The answer that the session has begun is held back until the agent has taken the prompt, and so is all that the
//!    agent says meanwhile: no prompt of the user's can overtake it.
//! 2. An agent that does not know the request gets the prompt in the user's message, in this session and in all others.
//! 3. Any other error is the client's to see: the session is not one that the client may go on with.

use std::sync::Arc;
use std::time::Duration;

use antefix::deliver::Beginning;
use antefix::diagnostic::Code;
use serde_json::{Value, json};

use crate::begin::Begin;
use crate::message::{INTERNAL_ERROR, METHOD_NOT_FOUND, error, normal_id};
use crate::relay::{Relay, ended};

/// How long an agent may take over it.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many bytes may wait behind an answer.
const ROOM: usize = 16 * 1024 * 1024;

/// An answer that is held back, and what came behind it.
pub(crate) struct Held {
    /// The id of our own request.
    asked: String,
    method: String,
    begin: Begin,
    session: String,
    lines: Vec<Vec<u8>>,
    bytes: usize,
}

impl Held {
    pub(crate) fn queue(&mut self, line: &[u8]) {
        self.bytes += line.len();
        self.lines.push(line.to_vec());
    }

    /// The id of the request whose answer is held back.
    pub(crate) fn id(&self) -> Option<&str> {
        Some(&self.begin.id)
    }

    /// What came behind the answer.
    pub(crate) fn lines(self) -> impl Iterator<Item = Vec<u8>> {
        self.lines.into_iter().skip(1)
    }
}

impl Relay {
    /// Whether this is the id of a request of ours.
    pub(crate) fn is_awaited(&self, id: &str) -> bool {
        self.state().held.as_ref().is_some_and(|held| held.asked == id)
    }

    /// Holds an answer back, and asks the agent to take the prompt.
    pub(crate) fn ask_to_take(self: &Arc<Relay>, method: &str, begin: Begin, session: String, line: &[u8]) {
        let asked = {
            let mut state = self.state();
            state.asked += 1;
            format!("antefix-{}", state.asked)
        };
        let request = json!({
            "jsonrpc": "2.0",
            "id": asked,
            "method": method,
            "params": {"sessionId": session, "mode": "set", "key": "antefix", "text": begin.prompt.text()},
        });
        let asked = normal_id(&request["id"].to_string()).unwrap_or_default();
        let (method, lines) = (method.to_owned(), vec![line.to_vec()]);
        let held = Held { asked: asked.clone(), method, begin, session, bytes: line.len(), lines };
        self.state().held = Some(held);
        let relay = Arc::clone(self);
        // Whoever listens to the agent must not wait for it to listen.
        let body = move || {
            let _ = relay.to_agent(ended(&request.to_string()).as_bytes());
            std::thread::sleep(PATIENCE);
            let _order = relay.order();
            if relay.is_awaited(&asked) {
                relay.resolve(Err("it did not answer in time".to_owned()));
            }
        };
        if std::thread::Builder::new().name("antefix-method".to_owned()).spawn(body).is_err() {
            self.resolve(Err("there is no thread to ask it with".to_owned()));
        }
    }

    /// The agent has answered our request.
    pub(crate) fn method_answered(self: &Arc<Relay>, _id: &str, error: Option<&str>) {
        let error = error.and_then(|error| serde_json::from_str::<Value>(error).ok()).filter(|error| !error.is_null());
        self.resolve(match error {
            None => Ok(Taken::Yes),
            Some(error) if error["code"].as_i64() == Some(METHOD_NOT_FOUND) => Ok(Taken::Unknown),
            Some(error) => Err(error["message"].as_str().unwrap_or("it did not say why").to_owned()),
        });
    }

    /// Lets the answer go, or puts an error in its place, and all that waited behind it.
    pub(crate) fn resolve(self: &Arc<Relay>, taken: Result<Taken, String>) {
        let Some(held) = self.state().held.take() else { return };
        let Held { method, begin, session, mut lines, .. } = held;
        let rest = lines.split_off(1);
        let first = match taken {
            Ok(Taken::Yes) => {
                self.register(begin, &session, None);
                lines.remove(0)
            }
            Ok(Taken::Unknown) => {
                self.state().unknown_method = Some(method);
                let (route, _) = self.route(Beginning::Itself);
                self.register(begin, &session, Some(route));
                lines.remove(0)
            }
            Err(why) => {
                let message = format!("the agent did not take the system prompt by {method}: {why}");
                self.reports.warn(Code::Undelivered, &message);
                ended(&error(&begin.id, INTERNAL_ERROR, &message)).into_bytes()
            }
        };
        let _ = self.to_client(&first);
        for line in rest {
            let _ = self.agent_line(&line);
        }
    }

    /// Whether so much waits that it must go on.
    pub(crate) fn is_overfull(&self) -> bool {
        self.state().held.as_ref().is_some_and(|held| held.bytes > ROOM)
    }
}

/// What an agent says to being asked.
pub(crate) enum Taken {
    Yes,
    /// It does not know the request.
    Unknown,
}
