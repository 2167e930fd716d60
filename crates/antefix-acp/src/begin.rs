//! Sessions that begin: new ones, loaded ones, resumed ones and forks.
//!
//! 1. The prompt is composed before the request goes on, for the session's own directory. If that fails the client gets
//!    an error: no session begins without what its layout says.
//! 2. Of a session that the ledger knows, the standing bytes are sent again. A fork takes over what its original has.
//! 3. The ledger is written when the agent has said yes, under the id that it gave.
//! 4. What a client brings along is kept: its prompt for the operator's section, its own system prompt beside ours.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use antefix::Diagnostic;
use antefix::deliver::{Arrival, Beginning, Mode, Route, Way, prompt_in_meta};
use antefix::diagnostic::Code;
use antefix::keeper::Began;
use serde_json::{Value, json};

use crate::composer::{SessionPrompt, operator_of, says_operator};
use crate::hooked;
use crate::message::{INTERNAL_ERROR, INVALID_PARAMS, Members, Message, error, string};
use crate::relay::{FORK, Fate, Launched, Relay};
use crate::report::{AgentReport, Delivery, SentPart, SessionReport};
use crate::session::{Known, LiveBlock, Owed, Session};

/// A session that the agent was asked to begin.
pub(crate) struct Begin {
    /// The id of the request.
    pub(crate) id: String,
    pub(crate) method: String,
    /// The session that was named; none for a new one.
    session: Option<String>,
    cwd: PathBuf,
    operator: Option<String>,
    pub(crate) prompt: SessionPrompt,
    /// What is worth knowing about it.
    found: Vec<Diagnostic>,
    route: Route,
    agent: AgentReport,
}

impl Relay {
    /// Puts the prompt into a request that begins a session, if that is the way. The error is the answer to the request.
    pub(crate) fn begin(&self, method: &str, id: &str, message: Message<'_>) -> Result<(Option<Begin>, Fate), String> {
        // An agent may take it as it is, and nobody would know that its session has no prompt.
        let invalid = |why: &str| self.refuse(id, INVALID_PARAMS, &format!("a {method} {why}"));
        let (Some(params), Some(raw)) = (message.params(), message.members.get("params").map(str::to_owned)) else {
            return Err(invalid("has no parameters, so there is no directory to compose its prompt for"));
        };
        let Some(cwd) = params.text("cwd").map(PathBuf::from) else {
            return Err(invalid("has no `cwd`, the directory to compose its prompt for"));
        };
        if !cwd.is_absolute() {
            return Err(invalid("needs an absolute path as its `cwd`"));
        }
        let session = params.text("sessionId").filter(|_| method != "session/new");
        if session.is_none() && method != "session/new" {
            return Err(invalid("has no `sessionId`"));
        }
        let refused = |failure: antefix::Error| {
            error(id, INTERNAL_ERROR, &format!("antefix cannot compose the system prompt: {failure}"))
        };
        let meta: Option<Value> = params.get("_meta").and_then(|meta| serde_json::from_str(meta).ok());
        let brought = meta.as_ref().and_then(|meta| prompt_in_meta(meta, &self.wishes.client_key)).map(str::to_owned);
        let (prompt, operator, found) =
            self.prompt_of(method, session.as_deref(), &cwd, brought.clone()).map_err(refused)?;
        self.reports.findings(&found);
        let beginning = if method == FORK { Beginning::Fork } else { Beginning::Itself };
        let (mut route, agent) = self.route(beginning);
        let Some(mut params) = Members::parse(&raw) else { return Ok((None, Fate::Forward)) };
        let mut changed = false;
        if brought.is_some() && operator.is_some() {
            self.take_out(&mut params);
            changed = true;
        }
        let text = prompt.text();
        if !text.is_empty() {
            let put = match route.way {
                Way::Field(mode) => put_field(&mut params, text, mode),
                Way::Meta => put_meta(&mut params, text),
                Way::MetaKey(ref key) => put_meta_key(&mut params, key, text),
                Way::Method(_) | Way::Launch(_) | Way::UserMessage => Put::Nowhere,
            };
            match put {
                Put::Nowhere => {}
                Put::Here => changed = true,
                Put::Malformed => {
                    let because = "the client's own systemPrompt is malformed".to_owned();
                    route = Route { way: Way::UserMessage, because, arrival: Arrival::Known };
                }
            }
        }
        let fate = if changed { Fate::Replace(message.with_params(&params)) } else { Fate::Forward };
        let (id, method) = (id.to_owned(), method.to_owned());
        Ok((Some(Begin { id, method, session, cwd, operator, prompt, found, route, agent }), fate))
    }

    /// The prompt that the session is given, what of it the client said, and what is worth knowing.
    fn prompt_of(
        &self,
        method: &str,
        session: Option<&str>,
        cwd: &Path,
        brought: Option<String>,
    ) -> antefix::Result<(SessionPrompt, Option<String>, Vec<Diagnostic>)> {
        let before =
            session.map(|session| self.composer.conversation(cwd, &self.conversation(session)?)).transpose()?;
        let before = match before {
            Some(before) if before.is_open()? => Some(before),
            _ => None,
        };
        let mut operator = brought;
        if let (None, Some(before)) = (&operator, &before) {
            operator = operator_of(before)?;
        }
        let resolved = match &before {
            // What is wrong with it is said by the turn, which goes on all the same.
            Some(before) => before.resolve(&self.composer.ask).ok(),
            None => Some(self.composer.project(cwd)?.resolve(&self.composer.ask)?),
        };
        let layout = resolved.as_ref().map(|resolved| resolved.layout());
        if operator.is_some() && layout.is_some_and(|layout| !says_operator(layout)) {
            self.reports.warn(
                Code::Unused,
                "the client brings a system prompt, and the layout has no `identity:operator` for it",
            );
            operator = None;
        }
        let ask = self.composer.ask(operator.as_deref(), self.reader());
        let prompt = match (&self.wishes.launched, before) {
            (Some(launched), _) => {
                self.compare_directories(launched, cwd);
                SessionPrompt::Draft(Arc::clone(&launched.draft))
            }
            (None, Some(before)) if method == FORK => SessionPrompt::Fork(Arc::new(before.fork(ask)?)),
            (None, Some(before)) => SessionPrompt::Standing(Box::new(before.turn(ask)?)),
            (None, None) => SessionPrompt::Draft(Arc::new(self.composer.project(cwd)?.draft(ask)?)),
        };
        let mut findings = match &prompt {
            SessionPrompt::Draft(draft) | SessionPrompt::Fork(draft) => {
                let of_project = resolved.as_ref().map(|resolved| resolved.findings()).unwrap_or_default();
                [of_project, draft.diagnostics()].concat()
            }
            SessionPrompt::Standing(turn) => turn.diagnostics.clone(),
        };
        findings.extend(layout.into_iter().flat_map(hooked::unasked));
        Ok((prompt, operator, findings))
    }

    /// Says so if a session works elsewhere than the agent was started for.
    fn compare_directories(&self, launched: &Launched, cwd: &Path) {
        if launched.cwd != cwd {
            let message = format!(
                "the agent was started with a prompt for {}, and the session works in {}",
                launched.cwd.display(),
                cwd.display()
            );
            self.reports.warn(Code::Launch, &message);
        }
    }

    /// What was taken into our prompt is not said a second time.
    fn take_out(&self, params: &mut Members<'_>) {
        let Some(meta) = params.get("_meta").map(str::to_owned) else { return };
        let Some(mut members) = Members::parse(&meta) else { return };
        members.remove(&self.wishes.client_key);
        match members.is_empty() {
            true => params.remove("_meta"),
            false => params.set("_meta", members.print()),
        }
    }

    /// The agent has answered a request to begin a session.
    pub(crate) fn begun(self: &Arc<Relay>, begin: Begin, result: Option<&str>, line: Option<&[u8]>) -> Fate {
        let Some(result) = result else {
            self.reports.note(&format!("the agent refused {}, so nothing was recorded", begin.method));
            return Fate::Forward;
        };
        let given = Members::parse(result).and_then(|result| result.text("sessionId"));
        let Some(session) = given.or_else(|| begin.session.clone()) else {
            self.reports
                .warn(Code::Undelivered, &format!("the agent answered {} without a session's id", begin.method));
            return Fate::Forward;
        };
        match (begin.route.way.clone(), line) {
            (Way::Method(method), Some(line)) if !begin.prompt.text().is_empty() => {
                self.ask_to_take(&method, begin, session, line);
                Fate::Keep
            }
            // One answer of several cannot be held back.
            (Way::Method(_), None) => {
                let because = "the agent answers several requests at once".to_owned();
                let route = Route { way: Way::UserMessage, because, arrival: Arrival::Known };
                self.register(begin, &session, Some(route));
                Fate::Forward
            }
            _ => {
                self.register(begin, &session, None);
                Fate::Forward
            }
        }
    }

    /// A session has begun. `other` is another way than the one that was meant.
    pub(crate) fn register(&self, begin: Begin, session: &str, other: Option<Route>) {
        let Begin { method, cwd, operator, prompt, found, route, agent, .. } = begin;
        let route = other.unwrap_or(route);
        let conversation = match self.conversation(session) {
            Ok(conversation) => conversation,
            Err(error) => return self.reports.warn(Code::Undelivered, &error.to_string()),
        };
        let mut report = SessionReport::new(&conversation, &agent, &route, prompt.text());
        let to_user = route.way == Way::UserMessage;
        let said = match &prompt {
            SessionPrompt::Draft(draft) if to_user => {
                draft.said_sections().map(|sections| sections.into_iter().map(Owed::section).collect())
            }
            // What the session was told before is in its history.
            SessionPrompt::Standing(turn) if to_user && turn.began == Began::Now => {
                turn.said_renewal().map(|renewal| renewal.into_iter().map(Owed::renewal).collect())
            }
            _ => Ok(Vec::new()),
        };
        let owed: Vec<Owed> = said.unwrap_or_else(|error| {
            self.reports.warn(Code::Undelivered, &error.to_string());
            Vec::new()
        });
        report.delivery = match route.arrival {
            _ if prompt.text().is_empty() => Delivery::Nothing,
            _ if !owed.is_empty() => Delivery::Due,
            _ if to_user => Delivery::Earlier,
            Arrival::Known => Delivery::Delivered,
            Arrival::Unconfirmed => Delivery::Sent,
        };
        if matches!(report.delivery, Delivery::Delivered | Delivery::Sent) {
            let to = pointer(&method, &route.way);
            report.sent(SentPart::new(self.composer.now(), "prefix", &to, prompt.text()));
        }
        let (draft, standing, known) = match prompt {
            SessionPrompt::Draft(draft) | SessionPrompt::Fork(draft) if owed.is_empty() => {
                (None, None, self.adopt(&conversation, &draft))
            }
            SessionPrompt::Draft(draft) | SessionPrompt::Fork(draft) => (Some(draft), None, None),
            SessionPrompt::Standing(turn) => {
                // The prefix goes with the request or is owed already; earlier notices are in the session's history.
                let notices = turn.amendments.len() - turn.fresh;
                let known = turn.epoch.as_deref().map(|epoch| Known { epoch: epoch.number(), notices });
                (None, Some(turn), known)
            }
        };
        self.reports.began(&report);
        let live = LiveBlock::default();
        let touched = BTreeSet::new();
        let new = Session { conversation, cwd, operator, draft, owed, known, found, live, touched, report };
        self.state().sessions.insert(session.to_owned(), new);
        if let Some(turn) = standing
            && let Err(error) = self.owe(session, &turn)
        {
            self.reports.warn(Code::Turn, &error.to_string());
        }
    }
}

enum Put {
    Here,
    Nowhere,
    Malformed,
}

/// Puts the prompt into `systemPrompt`, beside the client's own: ours first, unless theirs takes the place of all else.
fn put_field(params: &mut Members<'_>, text: &str, mode: Mode) -> Put {
    let ours = json!({"type": "text", "text": text});
    let theirs: Value = match params.get("systemPrompt").map(serde_json::from_str) {
        None => Value::Null,
        Some(Ok(value)) => value,
        Some(Err(_)) => return Put::Malformed,
    };
    let (mode, content) = match (&theirs, theirs["mode"].as_str(), theirs["content"].as_array()) {
        (Value::Null, ..) => (mode.name(), vec![ours]),
        (_, Some("override"), Some(blocks)) => ("override", blocks.iter().cloned().chain([ours]).collect()),
        (_, Some("append"), Some(blocks)) => (mode.name(), [ours].into_iter().chain(blocks.iter().cloned()).collect()),
        _ => return Put::Malformed,
    };
    params.set("systemPrompt", json!({"mode": mode, "content": content}).to_string());
    Put::Here
}

/// Puts the prompt into `_meta.systemPrompt`, beside the client's own and every other key.
fn put_meta(params: &mut Members<'_>, text: &str) -> Put {
    let raw = params.get("_meta").filter(|raw| *raw != "null").unwrap_or("{}").to_owned();
    let Some(mut meta) = Members::parse(&raw) else { return Put::Malformed };
    let theirs: Value = match meta.get("systemPrompt").map(serde_json::from_str) {
        None => Value::Null,
        Some(Ok(value)) => value,
        Some(Err(_)) => return Put::Malformed,
    };
    let put = match &theirs {
        Value::Null => json!({"append": text}).to_string(),
        // A bare text takes the place of the agent's own instructions, which was the client's wish.
        Value::String(theirs) => string(&format!("{theirs}\n\n{text}")),
        Value::Object(_) => {
            let mut members = theirs.clone();
            let append = theirs["append"].as_str().map_or(text.to_owned(), |theirs| format!("{text}\n\n{theirs}"));
            members["append"] = Value::from(append);
            members.to_string()
        }
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => return Put::Malformed,
    };
    meta.set("systemPrompt", put);
    params.set("_meta", meta.print());
    Put::Here
}

/// Puts the prompt as a bare text under a key of `_meta`, before the client's own and beside every other key.
fn put_meta_key(params: &mut Members<'_>, key: &str, text: &str) -> Put {
    let raw = params.get("_meta").filter(|raw| *raw != "null").unwrap_or("{}").to_owned();
    let Some(mut meta) = Members::parse(&raw) else { return Put::Malformed };
    let put = match meta.get(key).map(serde_json::from_str::<Option<String>>) {
        None | Some(Ok(None)) => string(text),
        Some(Ok(Some(theirs))) => string(&format!("{text}\n\n{theirs}")),
        Some(Err(_)) => return Put::Malformed,
    };
    meta.set(key, put);
    params.set("_meta", meta.print());
    Put::Here
}

/// Where the prefix went.
fn pointer(method: &str, way: &Way) -> String {
    match way {
        Way::Field(_) => format!("{method} /systemPrompt"),
        Way::Meta => format!("{method} /_meta/systemPrompt"),
        // As JSON pointers write it.
        Way::MetaKey(key) => format!("{method} /_meta/{}", key.replace('~', "~0").replace('/', "~1")),
        Way::Method(name) => format!("{name} /text"),
        Way::Launch(variable) => format!("${variable}"),
        Way::UserMessage => crate::relay::PROMPT.to_owned(),
    }
}
