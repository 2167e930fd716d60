//! A session: what it was given, what it is owed, and what goes with its prompts.
//!
//! 1. What is owed is carried by one prompt. If that prompt fails, is canceled or refused, another one carries it;
//!    once it has succeeded, no other does.
//! 2. A queued message waits in the ledger until a prompt with it has succeeded, so that it also outlives the proxy. From then on the
//!    agent has it, and no turn does.
//! 3. What goes with a user's message is in the ledger once it has arrived, and not before.
//! 4. An epoch that somebody else has begun, with `antefix renew` or over HTTP, is news for a session as well, and so is a
//!    notice that somebody else's turn has appended.
//! 5. The paths that an agent names in its calls of tools are touched by the next prompt, and what applies to them goes with it.
//! 6. A slash command carries nothing: its words would no longer be the first or the last.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use antefix::diagnostic::Code;
use antefix::freeze::{ConversationId, Epoch, Insertion, InsertionKind};
use antefix::keeper::Began;
use antefix::project::Draft;
use antefix::{Diagnostic, Result, Turn};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::hooked;
use crate::message::Message;
use crate::relay::{Fate, PROMPT, Relay};
use crate::report::{Delivery, SentPart, SessionReport};

/// What somebody queued for the session, as receipts call it.
const MESSAGE: &str = "message";
/// The live part, as receipts call it.
const LIVE: &str = "live";

/// A session of the agent's.
pub(crate) struct Session {
    pub(crate) conversation: ConversationId,
    pub(crate) cwd: PathBuf,
    /// What the client said of the operator.
    pub(crate) operator: Option<String>,
    /// What is on its way in a user's message, and in no ledger yet.
    pub(crate) draft: Option<Arc<Draft>>,
    pub(crate) owed: Vec<Owed>,
    /// What of the ledger it was told or is owed; none if the ledger does not have it yet.
    pub(crate) known: Option<Known>,
    /// What was found in its last turn: a person hears of each finding once.
    pub(crate) found: Vec<Diagnostic>,
    pub(crate) live: LiveBlock,
    /// Paths that the agent has named since the last prompt.
    pub(crate) touched: BTreeSet<PathBuf>,
    pub(crate) report: SessionReport,
}

/// The live part as the agent has it in its history: it goes with a prompt when it is another one.
#[derive(Debug, Default)]
pub(crate) struct LiveBlock {
    /// The last one that arrived.
    known: Option<String>,
    /// The one on its way, and the prompt that carries it.
    carried: Option<(String, String)>,
}

impl LiveBlock {
    /// Whether a text must go with a prompt; if so, it does.
    fn is_due(&mut self, id: &str, text: &str) -> bool {
        let is_due = self.known.as_deref() != Some(text);
        if is_due {
            self.carried = Some((id.to_owned(), text.to_owned()));
        }
        is_due
    }

    /// A prompt was answered: the text that it carried, if it did.
    fn carried_by(&mut self, id: &str) -> Option<String> {
        self.carried.take_if(|(carrier, _)| carrier == id).map(|(_, text)| text)
    }
}

/// How far a session knows its ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) epoch: u64,
    /// How many notices of that epoch.
    pub(crate) notices: usize,
}

/// A text that must reach the agent once.
#[derive(Debug, Clone)]
pub(crate) struct Owed {
    pub(crate) what: String,
    pub(crate) place: Place,
    pub(crate) text: String,
    /// Its number, if it waits in the ledger until it has arrived.
    pub(crate) waits: Option<u64>,
    /// The prompt that carries it.
    pub(crate) carried_by: Option<String>,
}

/// The position of a text in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Front,
    Back,
}

impl Relay {
    /// Puts into a prompt what is due with it.
    pub(crate) fn prompted(&self, id: &str, session: &str, message: Message<'_>) -> Fate {
        let params = message.params();
        let prompt = params.as_ref().and_then(|params| params.get("prompt"));
        let Some(blocks) = prompt.and_then(|prompt| serde_json::from_str::<Vec<&RawValue>>(prompt).ok()) else {
            return Fate::Forward;
        };
        if !self.state().sessions.contains_key(session) {
            return Fate::Forward;
        }
        if is_command(&blocks) {
            return Fate::Forward;
        }
        let news = self.moved(session).unwrap_or_else(|error| {
            let message = format!("a prompt is sent without changes and without its live part: {error}");
            self.reports.warn(Code::Turn, &message);
            Vec::new()
        });
        let (front, back) = self.carried(id, session, news);
        if front.is_empty() && back.is_empty() {
            return Fate::Forward;
        }
        let own = blocks.iter().map(|block| block.get().to_owned());
        let all: Vec<String> = front.into_iter().chain(own).chain(back).collect();
        let Some(params) = params else { return Fate::Forward };
        let mut params = params.print();
        if let Some(mut members) = crate::message::Members::parse(&params.clone()) {
            members.set("prompt", format!("[{}]", all.join(",")));
            params = members.print();
        }
        let Message { mut members, .. } = message;
        members.set("params", params);
        Fate::Replace(members.print())
    }

    /// Finds out what has moved since; the answer is what goes with this prompt alone, each text with its name: what hooks
    /// say, and the live part.
    fn moved(&self, session: &str) -> Result<Vec<(String, String)>> {
        let (conversation, cwd, operator, draft, touched) = {
            let state = self.state();
            let Some(session) = state.sessions.get(session) else { return Ok(Vec::new()) };
            let (conversation, cwd, touched) = (&session.conversation, &session.cwd, &session.touched);
            (conversation.clone(), cwd.clone(), session.operator.clone(), session.draft.clone(), touched.clone())
        };
        let conversation = self.composer.conversation(&cwd, &conversation)?;
        let ask = self.composer.ask(operator.as_deref(), self.reader()).touch(&touched);
        let turn = match &draft {
            Some(draft) => conversation.rehearse(draft, &ask)?,
            None => {
                let mut turn = conversation.turn(ask)?;
                // An agent may well look at files elsewhere.
                turn.diagnostics.retain(|finding| finding.code != Code::OutsideProject);
                self.forget_touched(session, &touched);
                self.owe(session, &turn)?;
                turn
            }
        };
        let (messages, undelivered) = hooked::messages(&turn);
        self.reports.findings(&self.new_findings(session, &turn));
        self.reports.findings(&hooked::findings(&turn));
        self.reports.findings(&undelivered);
        let live = hooked::live(&turn, self.composer.live)?;
        let live = Some((LIVE.to_owned(), live)).filter(|(_, text)| !text.is_empty());
        Ok(messages.into_iter().chain(live).map(|(name, text)| (name, turn.framed(&text))).collect())
    }

    /// What was not found in the session's last turn. What hooks did is told every time, elsewhere.
    fn new_findings(&self, session: &str, turn: &Turn) -> Vec<Diagnostic> {
        let found = turn.diagnostics.iter().filter(|finding| !finding.code.is_about_hooks()).cloned().collect();
        let mut state = self.state();
        let Some(session) = state.sessions.get_mut(session) else { return Vec::new() };
        let before = std::mem::replace(&mut session.found, found);
        session.found.iter().filter(|finding| !before.contains(finding)).cloned().collect()
    }

    /// Makes a draft that has arrived the conversation's epoch. The answer is what its session knows by then.
    pub(crate) fn adopt(&self, conversation: &ConversationId, draft: &Draft) -> Option<Known> {
        let adopted = draft.conversation(conversation.as_str()).and_then(|conversation| {
            let adopted = conversation.adopt(draft)?;
            self.reports.findings(&adopted.diagnostics);
            let (epoch, amendments) = conversation.standing()?;
            Ok(Known { epoch: epoch.number(), notices: amendments.len() })
        });
        adopted
            .map_err(|error| {
                let message = format!("{conversation} has its prompt, but its ledger could not be written: {error}");
                self.reports.warn(Code::Store, &message);
            })
            .ok()
    }

    /// Notes what a turn has to say that its session does not know yet.
    pub(crate) fn owe(&self, session: &str, turn: &Turn) -> Result<()> {
        let mut owed = Vec::new();
        let known = self.state().sessions.get(session).and_then(|session| session.known);
        let standing = turn.epoch.as_deref();
        let told = match (known, standing) {
            (Some(known), Some(epoch)) if known.epoch == epoch.number() => known.notices.min(turn.amendments.len()),
            (Some(_), Some(_)) => 0,
            _ => turn.amendments.len() - turn.fresh,
        };
        let is_new = |epoch: &&Epoch| known.map_or(turn.began == Began::Now, |known| known.epoch != epoch.number());
        if let Some(epoch) = standing.filter(is_new) {
            let message = format!(
                "{}: epoch {} ({}) goes with the next prompt: an agent takes a system prompt only when a session begins",
                epoch.conversation(),
                epoch.number(),
                epoch.cause().name()
            );
            self.reports.note(&message);
            owed.extend(turn.said_renewal()?.map(Owed::renewal));
            // It has taken up all that was on its way, or waits.
            if let Some(session) = self.state().sessions.get_mut(session) {
                session.owed.retain(|owed| owed.waits.is_some());
            }
        }
        // An agent has tools of its own.
        let notices = turn.amendments[told..].iter().filter(|amendment| amendment.body.tools.is_empty());
        let notices = notices.map(|amendment| ("notice", &*amendment.body.text));
        let notices = notices.filter(|(_, text)| !text.is_empty());
        owed.extend(notices.map(|(what, text)| Owed::framed(what, turn.framed(text))));
        if let Some(session) = self.state().sessions.get_mut(session) {
            session.owed.extend(owed);
            // What waits in the ledger does so until it has arrived, and may be owed already.
            for waiting in turn.messages.iter().filter(|waiting| !waiting.text.is_empty()) {
                if !session.owed.iter().any(|owed| owed.waits == Some(waiting.number)) {
                    session.owed.push(Owed::waiting(waiting, turn));
                }
            }
            session.known = standing.map(|epoch| Known { epoch: epoch.number(), notices: turn.amendments.len() });
        }
        Ok(())
    }

    /// The blocks that a prompt carries, in front and at the back.
    fn carried(&self, id: &str, session: &str, news: Vec<(String, String)>) -> (Vec<String>, Vec<String>) {
        let now = self.composer.now();
        let mut state = self.state();
        let Some(session) = state.sessions.get_mut(session) else { return Default::default() };
        let (mut front, mut back) = (Vec::new(), Vec::new());
        for owed in session.owed.iter_mut().filter(|owed| owed.carried_by.is_none()) {
            owed.carried_by = Some(id.to_owned());
            session.report.sent(SentPart::new(now.clone(), &owed.what, PROMPT, &owed.text));
            match owed.place {
                Place::Front => front.push(block(&owed.text)),
                Place::Back => back.push(block(&owed.text)),
            }
        }
        for (what, text) in news {
            if what == LIVE && !session.live.is_due(id, &text) {
                continue;
            }
            session.report.sent(SentPart::new(now.clone(), &what, PROMPT, &text));
            back.push(block(&text));
        }
        let report = session.report.clone();
        drop(state);
        if !front.is_empty() || !back.is_empty() {
            self.reports.write(&report);
        }
        (front, back)
    }

    /// A prompt is answered: what it carried has arrived, or is owed again.
    pub(crate) fn prompt_answered(&self, id: &str, name: &str, result: Option<&str>) {
        let reason = result.map(|result| {
            let result: Value = serde_json::from_str(result).unwrap_or_default();
            result["stopReason"].as_str().unwrap_or_default().to_owned()
        });
        // What was refused is taken out of the history by the agent, and what was canceled may be.
        let arrived = reason.as_deref().is_some_and(|reason| reason != "cancelled" && reason != "refusal");
        let mut state = self.state();
        let Some(session) = state.sessions.get_mut(name) else { return };
        if let Some(text) = session.live.carried_by(id).filter(|_| arrived) {
            session.live.known = Some(text);
        }
        let carried = |owed: &Owed| owed.carried_by.as_deref() == Some(id);
        let in_front = session.owed.iter().any(|owed| carried(owed) && owed.place == Place::Front);
        if !arrived {
            session.owed.iter_mut().filter(|owed| carried(owed)).for_each(|owed| owed.carried_by = None);
            if in_front {
                let conversation = session.conversation.clone();
                drop(state);
                self.reports
                    .note(&format!("{conversation}: the prompt did not succeed, so the next one carries it again"));
            }
            return;
        }
        let arrived: Vec<u64> =
            session.owed.iter().filter(|owed| carried(owed)).filter_map(|owed| owed.waits).collect();
        session.owed.retain(|owed| !carried(owed));
        let (conversation, cwd) = (session.conversation.clone(), session.cwd.clone());
        if !in_front {
            drop(state);
            return self.arrived(&cwd, &conversation, &arrived);
        }
        session.report.delivery = Delivery::Delivered;
        let (draft, report) = (session.draft.take(), session.report.clone());
        drop(state);
        self.arrived(&cwd, &conversation, &arrived);
        if let Some(draft) = draft {
            let known = self.adopt(&conversation, &draft);
            if let Some(session) = self.state().sessions.get_mut(name) {
                session.known = known;
            }
        }
        self.reports.note(&format!("{conversation}: delivered in the user's message"));
        self.reports.write(&report);
    }
}

impl Relay {
    /// What waited in the ledger has arrived, and waits no more.
    fn arrived(&self, cwd: &Path, conversation: &ConversationId, numbers: &[u64]) {
        if numbers.is_empty() {
            return;
        }
        let ended =
            self.composer.conversation(cwd, conversation).and_then(|conversation| conversation.arrived(numbers));
        if let Err(error) = ended {
            let message = format!("{conversation} has its messages, but its ledger could not be written: {error}");
            self.reports.warn(Code::Store, &message);
        }
    }
}

impl Owed {
    pub(crate) fn section(section: antefix::deliver::SaidSection) -> Owed {
        let what = format!("section {}", section.section);
        Owed { what, place: Place::Front, text: section.text, waits: None, carried_by: None }
    }

    /// What takes the place of what the session was told before, in its frame.
    pub(crate) fn renewal(text: String) -> Owed {
        Owed { what: "renewal".to_owned(), place: Place::Front, text, waits: None, carried_by: None }
    }

    /// What the system says in mid-conversation, in its frame.
    fn framed(what: &str, text: String) -> Owed {
        Owed { what: what.to_owned(), place: Place::Back, text, waits: None, carried_by: None }
    }

    /// What goes between the messages of a conversation: a message as it is, and all else in its frame.
    fn waiting(insertion: &Insertion, turn: &Turn) -> Owed {
        let (what, text) = match insertion.kind {
            InsertionKind::Queued => (MESSAGE, insertion.text.clone()),
            InsertionKind::Touched(_) => ("touched", turn.framed(&insertion.text)),
            InsertionKind::Live(_) => ("live", turn.framed(&insertion.text)),
        };
        Owed { waits: Some(insertion.number), ..Owed::framed(what, text) }
    }
}

/// Whether a prompt is a command of the agent's.
fn is_command(blocks: &[&RawValue]) -> bool {
    let first = blocks.first().and_then(|block| serde_json::from_str::<Value>(block.get()).ok());
    first.is_some_and(|block| block["text"].as_str().is_some_and(|text| text.starts_with('/')))
}

fn block(text: &str) -> String {
    json!({"type": "text", "text": text}).to_string()
}
