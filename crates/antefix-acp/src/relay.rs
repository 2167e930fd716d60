//! Who says what to whom.
//!
//! 1. A line that is not ours to change goes on as the very bytes that came, in the order in which they came.
//! 2. Every request of the client's is remembered until it is answered, so that none waits for an agent that has died.
//! 3. No lock is held while something is composed, and the thread that listens to the agent never waits for the agent
//!    to listen.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use antefix::agents::Agent as AgentData;
use antefix::deliver::{Agent, Beginning, Mode, Route, SystemField, Way, route};
use antefix::diagnostic::Code;
use antefix::freeze::ConversationId;
use antefix::project::Reader;
use serde_json::value::RawValue;

use crate::Again;
use crate::begin::Begin;
use crate::composer::Composer;
use crate::message::{INTERNAL_ERROR, INVALID_REQUEST, Members, Message, error};
use crate::method::Held;
use crate::refused::is_ours;
use crate::report::{AgentReport, Reports};
use crate::scan::Scan;
use crate::session::Session;

/// The requests that begin a session.
pub(crate) const BEGINNINGS: [&str; 4] = ["session/new", "session/load", "session/resume", FORK];
pub(crate) const FORK: &str = "session/fork";
pub(crate) const PROMPT: &str = "session/prompt";
/// The requests that end one.
const ENDINGS: [&str; 2] = ["session/close", "session/delete"];

/// The two sides, and what is known of them.
pub(crate) struct Relay {
    pub(crate) composer: Composer,
    pub(crate) reports: Reports,
    pub(crate) wishes: Wishes,
    pub(crate) wiring: Wiring,
    client: Mutex<Box<dyn Write + Send>>,
    /// None once the client has gone.
    agent: Mutex<Option<Box<dyn Write + Send>>>,
    state: Mutex<State>,
    /// Held while a line of the agent's is worked on: they go on in order.
    order: Mutex<()>,
}

/// What the user wants.
#[derive(Debug, Default)]
pub(crate) struct Wishes {
    pub(crate) mode: Mode,
    /// Whether the agent is told what it reads by itself.
    pub(crate) again: Again,
    /// The key in `_meta` under which a client brings a prompt of its own.
    pub(crate) client_key: String,
    /// The user's own rows of the table of agents.
    pub(crate) agents: BTreeMap<String, Way>,
    /// The variable that the agent was started with, and its value.
    pub(crate) launched: Option<Launched>,
    /// The name of the agent's program.
    pub(crate) program: Option<String>,
}

/// What an agent was started with.
#[derive(Debug)]
pub(crate) struct Launched {
    pub(crate) variable: String,
    pub(crate) draft: Arc<antefix::project::Draft>,
    pub(crate) cwd: std::path::PathBuf,
}

/// How the agent is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wiring {
    /// By pipes of its own.
    Direct,
    /// Through whoever started us: what is for the agent is wrapped.
    Chain,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) agent: AgentReport,
    pub(crate) field: SystemField,
    pub(crate) unknown_method: Option<String>,
    pub(crate) pending: BTreeMap<String, Pending>,
    pub(crate) sessions: BTreeMap<String, Session>,
    pub(crate) held: Option<Held>,
    pub(crate) asked: u64,
}

/// What the answer to a request of the client's will mean.
pub(crate) enum Pending {
    Other,
    Initialize,
    Begin(Box<Begin>),
    Prompt { session: String },
    End { session: String },
}

/// What becomes of a message.
pub(crate) enum Fate {
    /// It goes on as it is.
    Forward,
    /// Another goes on in its place.
    Replace(String),
    /// It is answered here.
    Answer(String),
    /// It goes nowhere, or later.
    Keep,
}

impl Relay {
    pub(crate) fn new(
        composer: Composer,
        reports: Reports,
        wishes: Wishes,
        wiring: Wiring,
        (client, agent): (Box<dyn Write + Send>, Option<Box<dyn Write + Send>>),
    ) -> Arc<Relay> {
        let program = wishes.program.clone();
        let state = State { agent: AgentReport { program, ..AgentReport::default() }, ..State::default() };
        Arc::new(Relay {
            composer,
            reports,
            wishes,
            wiring,
            client: Mutex::new(client),
            agent: Mutex::new(agent),
            state: Mutex::new(state),
            order: Mutex::new(()),
        })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The agent's lines, one at a time.
    pub(crate) fn order(&self) -> MutexGuard<'_, ()> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A line of the client's.
    pub(crate) fn client_says(&self, line: &[u8]) -> io::Result<()> {
        let Ok(text) = std::str::from_utf8(line) else { return self.not_a_message(line) };
        let trimmed = text.trim();
        if trimmed.starts_with('[')
            && let Ok(batch) = serde_json::from_str::<Vec<&RawValue>>(trimmed)
        {
            let fate =
                |one: &str| self.client_message(one).or_else(|| self.unreadable(one.as_bytes()).map(Fate::Answer));
            return self.batch(line, &batch, fate, Side::Agent);
        }
        match self.client_message(trimmed) {
            Some(Fate::Forward) => self.to_agent(line),
            Some(Fate::Replace(message)) => self.to_agent(ended(&message).as_bytes()),
            Some(Fate::Answer(answer)) => self.to_client(ended(&answer).as_bytes()),
            Some(Fate::Keep) => Ok(()),
            None => self.not_a_message(line),
        }
    }

    /// What should have been ours to change cannot go on unchanged; all else is the agent's to judge.
    fn not_a_message(&self, line: &[u8]) -> io::Result<()> {
        match self.unreadable(line) {
            Some(answer) => self.to_client(ended(&answer).as_bytes()),
            None => self.to_agent(line),
        }
    }

    /// A line of the agent's.
    pub(crate) fn agent_says(self: &Arc<Relay>, line: &[u8]) -> io::Result<()> {
        let _order = self.order();
        self.agent_line(line)
    }

    /// The last line of an agent that ended in the middle of it, or before its end. Half a message is worth nothing, and would
    /// spoil what is said behind it.
    pub(crate) fn agent_broke_off(self: &Arc<Relay>, line: &[u8]) -> io::Result<()> {
        if serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok() {
            return self.agent_says(&[line, b"\n"].concat());
        }
        let message = format!("the agent ended in the middle of a message, {} bytes of which are left out", line.len());
        self.reports.warn(Code::BadMessage, &message);
        Ok(())
    }

    /// A line of the agent's, in its turn.
    pub(crate) fn agent_line(self: &Arc<Relay>, line: &[u8]) -> io::Result<()> {
        let text = std::str::from_utf8(line).map(str::trim).unwrap_or_default();
        if text.starts_with('[')
            && let Ok(batch) = serde_json::from_str::<Vec<&RawValue>>(text)
        {
            return self.batch(line, &batch, |one| Some(self.agent_message(one, None)), Side::Client);
        }
        match self.agent_message(text, Some(line)) {
            Fate::Forward => self.to_client(line),
            Fate::Replace(message) | Fate::Answer(message) => self.to_client(ended(&message).as_bytes()),
            Fate::Keep => Ok(()),
        }
    }

    /// Several messages in one line. If none is changed, the line is not.
    fn batch(&self, line: &[u8], batch: &[&RawValue], fate: impl Fn(&str) -> Option<Fate>, to: Side) -> io::Result<()> {
        let mut rest = Vec::with_capacity(batch.len());
        let mut changed = false;
        for one in batch {
            match fate(one.get()).unwrap_or(Fate::Forward) {
                Fate::Forward => rest.push(one.get().to_owned()),
                Fate::Replace(message) => {
                    changed = true;
                    rest.push(message);
                }
                Fate::Answer(answer) => {
                    changed = true;
                    self.to_client(ended(&answer).as_bytes())?;
                }
                Fate::Keep => changed = true,
            }
        }
        let printed = ended(&format!("[{}]", rest.join(",")));
        let line = if changed { printed.as_bytes() } else { line };
        match to {
            _ if rest.is_empty() && changed => Ok(()),
            Side::Agent => self.to_agent(line),
            Side::Client => self.to_client(line),
        }
    }

    /// What becomes of a message of the client's; none if it is not a message.
    fn client_message(&self, text: &str) -> Option<Fate> {
        let message = Message::parse(text)?;
        let Some(method) = message.method.clone() else { return Some(Fate::Forward) };
        let Some(id) = message.id.clone() else {
            if !is_ours(&method) {
                return Some(Fate::Forward);
            }
            let why = match message.members.get("id") {
                Some(_) => format!("the id of a {method} is neither a text nor a number"),
                None => format!("a {method} has no id, so that nobody would know whether it was answered"),
            };
            return Some(Fate::Answer(self.refuse("null", INVALID_REQUEST, &why)));
        };
        let session = || message.params().and_then(|params| params.text("sessionId"));
        let (pending, fate) = match method.as_str() {
            "initialize" => (Pending::Initialize, Fate::Forward),
            PROMPT => match session() {
                Some(session) => {
                    let fate = self.prompted(&id, &session, message);
                    (Pending::Prompt { session }, fate)
                }
                None => (Pending::Other, Fate::Forward),
            },
            method if ENDINGS.contains(&method) => match session() {
                Some(session) => (Pending::End { session }, Fate::Forward),
                None => (Pending::Other, Fate::Forward),
            },
            method if BEGINNINGS.contains(&method) => match self.begin(method, &id, message) {
                Ok((begin, fate)) => (begin.map_or(Pending::Other, |begin| Pending::Begin(Box::new(begin))), fate),
                Err(refused) => return Some(Fate::Answer(refused)),
            },
            _ => (Pending::Other, Fate::Forward),
        };
        self.state().pending.insert(id, pending);
        Some(fate)
    }

    /// What becomes of a message of the agent's. `line` is all of it, unless it is one of several.
    fn agent_message(self: &Arc<Relay>, text: &str, line: Option<&[u8]>) -> Fate {
        let message = Message::parse(text);
        let id = message.as_ref().filter(|message| message.method.is_none()).and_then(|message| message.id.clone());
        if let (Some(message), Some(id)) = (&message, &id)
            && self.is_awaited(id)
        {
            self.method_answered(id, message.members.get("error"));
            return Fate::Keep;
        }
        // What comes behind an answer that is held back waits behind it.
        if let (Some(held), Some(line)) = (&mut self.state().held, line) {
            held.queue(line);
            return Fate::Keep;
        }
        if let Some(message) = &message {
            self.notice_touched(message);
        }
        let (Some(message), Some(id)) = (message, id) else { return Fate::Forward };
        let Some(pending) = self.state().pending.remove(&id) else { return Fate::Forward };
        let result = message.members.get("result");
        match pending {
            Pending::Other => Fate::Forward,
            Pending::Initialize => {
                if let Some(result) = result {
                    self.met(result);
                }
                Fate::Forward
            }
            Pending::Begin(begin) => self.begun(*begin, result, line),
            Pending::Prompt { session } => {
                self.prompt_answered(&id, &session, result);
                Fate::Forward
            }
            Pending::End { session } => {
                if result.is_some() {
                    self.state().sessions.remove(&session);
                }
                Fate::Forward
            }
        }
    }

    /// Whether the client waits for an answer with this id, or we do.
    pub(crate) fn is_asked(&self, id: &str) -> bool {
        self.state().pending.contains_key(id) || self.is_awaited(id)
    }

    /// Learns what the agent says of itself.
    fn met(&self, result: &str) {
        let Ok(result) = serde_json::from_str::<serde_json::Value>(result) else { return };
        let capability = &result["agentCapabilities"]["sessionCapabilities"]["systemPrompt"];
        let mut state = self.state();
        state.field = match (capability.is_object(), capability["mode"]["override"].is_object()) {
            (false, _) => SystemField::None,
            (true, false) => SystemField::Append,
            (true, true) => SystemField::Override,
        };
        let text = |key: &str| result["agentInfo"][key].as_str().map(str::to_owned);
        state.agent.name = text("name");
        state.agent.version = text("version");
    }

    /// The one way to the agent for a session that begins so, and what is known of it.
    pub(crate) fn route(&self, beginning: Beginning) -> (Route, AgentReport) {
        let state = self.state();
        let agent = Agent {
            name: state.agent.name.as_deref().or(state.agent.program.as_deref()),
            field: state.field,
            launched: self.wishes.launched.as_ref().map(|launched| launched.variable.as_str()),
            unknown_method: state.unknown_method.as_deref(),
            beginning,
        };
        let own = self.wishes.agents.iter().map(|(name, way)| (name.as_str(), way));
        (route(&agent, self.wishes.mode, own), state.agent.clone())
    }

    /// The agent, if it reads files by itself and they are to be left out. Where our prompt takes the place of its own instructions,
    /// or was composed before it was known who it is, all is told.
    pub(crate) fn reader(&self) -> Reader {
        if self.wishes.again == Again::Tell || self.wishes.mode == Mode::Override || self.wishes.launched.is_some() {
            return Reader::Nobody;
        }
        let state = self.state();
        let known = state.agent.name.as_deref().and_then(AgentData::of_acp_name).map(|(agent, _)| agent);
        let started = |agent: &&AgentData| {
            let is = |name: &Option<String>| name.as_ref().is_some_and(|name| agent.file.programs.contains(name));
            is(&state.agent.program) || is(&state.agent.name)
        };
        let known = known.or_else(|| AgentData::built_in().iter().find(started));
        known.map_or(Reader::Nobody, |agent| Reader::Agent(agent.name.clone()))
    }

    /// The conversation of a session: by the agent's name and the id that it gave.
    pub(crate) fn conversation(&self, session: &str) -> Result<ConversationId, antefix::Error> {
        let state = self.state();
        let agent = state.agent.name.as_deref().or(state.agent.program.as_deref()).unwrap_or("agent");
        let plain = format!("acp:{agent}:{session}");
        // An id that no ledger takes is known by its digest.
        ConversationId::parse(&plain)
            .or_else(|_| ConversationId::parse(&format!("acp:{}", antefix::text::Digest::of(&plain))))
    }

    /// A request of the client's that was too long to be parsed.
    pub(crate) fn passed_to_agent(&self, scan: &Scan) {
        let Some(id) = scan.id.clone() else { return };
        let Some(method) = scan.method.as_deref() else { return };
        if is_ours(method) {
            let message = format!("a {method} was too long to be changed, and went on without what is due with it");
            self.reports.warn(Code::TooLong, &message);
        }
        self.state().pending.insert(id, Pending::Other);
    }

    /// An answer of the agent's that was too long to be parsed.
    pub(crate) fn passed_to_client(&self, scan: &Scan) {
        if scan.method.is_some() {
            return;
        }
        let Some(id) = &scan.id else { return };
        let pending = self.state().pending.remove(id);
        match pending {
            Some(Pending::Prompt { session }) if scan.has_result => self.prompt_answered(id, &session, Some("{}")),
            Some(Pending::Prompt { session }) => self.prompt_answered(id, &session, None),
            Some(Pending::Begin(begin)) => {
                let message =
                    format!("the answer to {} was too long to be read, so antefix leaves it alone", begin.method);
                self.reports.warn(Code::TooLong, &message);
            }
            _ => {}
        }
    }

    pub(crate) fn to_client(&self, line: &[u8]) -> io::Result<()> {
        self.with_client(|client| client.write_all(line).and_then(|()| client.flush()))
    }

    pub(crate) fn with_client<T>(&self, with: impl FnOnce(&mut dyn Write) -> T) -> T {
        with(&mut **self.client.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn to_agent(&self, line: &[u8]) -> io::Result<()> {
        if self.wiring == Wiring::Chain {
            return self.to_client(&wrapped(line));
        }
        self.with_agent(|agent| agent.write_all(line).and_then(|()| agent.flush()))
    }

    pub(crate) fn with_agent(&self, with: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        match self.agent.lock().unwrap_or_else(PoisonError::into_inner).as_deref_mut() {
            Some(agent) => with(agent),
            None => Ok(()),
        }
    }

    /// Nothing more will be said to the agent.
    pub(crate) fn hang_up(&self) {
        // Whoever is still writing has the lock, and a dead agent ends that.
        if let Ok(mut agent) = self.agent.try_lock() {
            *agent = None;
        }
    }

    /// Answers every request that waits, because nobody else will.
    pub(crate) fn give_up(&self, why: &str) {
        let mut state = self.state();
        let mut waiting: Vec<String> = std::mem::take(&mut state.pending).into_keys().collect();
        let held = state.held.take();
        drop(state);
        if let Some(held) = held {
            waiting.extend(held.id().map(str::to_owned));
            for line in held.lines() {
                let _ = self.to_client(&line);
            }
        }
        for id in waiting {
            let _ = self.to_client(ended(&error(&id, INTERNAL_ERROR, why)).as_bytes());
        }
    }
}

#[derive(Clone, Copy)]
enum Side {
    Client,
    Agent,
}

/// A message as a line.
pub(crate) fn ended(message: &str) -> String {
    format!("{message}\n")
}

/// A line for the agent, as a chain wants it: requests and notifications are wrapped, answers are not.
fn wrapped(line: &[u8]) -> Vec<u8> {
    let wrap = || {
        let text = std::str::from_utf8(line).ok()?.trim();
        let mut message = Message::parse(text)?;
        let mut inner = Members::default();
        inner.set("method", message.members.get("method")?.to_owned());
        if let Some(params) = message.members.get("params") {
            inner.set("params", params.to_owned());
        }
        message.members.set("method", "\"proxy/successor\"".to_owned());
        message.members.set("params", inner.print());
        Some(ended(&message.members.print()).into_bytes())
    };
    wrap().unwrap_or_else(|| line.to_vec())
}
