//! A session: what it was told, what it is owed, and what goes with its prompts.
//!
//! 1. What is owed is carried by one prompt. If that prompt fails, is canceled or refused, another one carries it;
//!    once it has succeeded, no other does.
//! 2. What is told in a user's message is in the ledger once it has arrived, and not before.
//! 3. A slash command carries nothing: its words would no longer be the first or the last.

use std::path::PathBuf;
use std::sync::Arc;

use antefix::diagnostic::Code;
use antefix::freeze::ConversationId;
use antefix::keeper::{Began, Draft, Turn};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::hooked;
use super::message::Message;
use super::relay::{Fate, PROMPT, Relay};
use super::report::{SentPart, SessionReport};
use crate::Failure;
use crate::setup::Prepared;

/// A session of the agent's.
pub(super) struct Session {
    pub(super) conversation: ConversationId,
    pub(super) cwd: PathBuf,
    /// What the client said of the operator.
    pub(super) operator: Option<String>,
    /// What is on its way in a user's message, and in no ledger yet.
    pub(super) draft: Option<Arc<Waiting>>,
    pub(super) owed: Vec<Owed>,
    pub(super) report: SessionReport,
}

/// A draft that waits for its prompt to succeed, with what it was composed from: the layout may be broken by then.
pub(super) struct Waiting {
    pub(super) draft: Draft,
    pub(super) prepared: Prepared,
}

/// A text that must reach the agent once.
#[derive(Debug, Clone)]
pub(super) struct Owed {
    pub(super) what: String,
    pub(super) place: Place,
    pub(super) text: String,
    /// The prompt that carries it.
    pub(super) carried_by: Option<String>,
}

/// Where in a prompt a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Front,
    Back,
}

impl Relay {
    /// Puts into a prompt what is due with it.
    pub(super) fn prompted(&self, id: &str, session: &str, message: Message<'_>) -> Fate {
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
        let news = self.moved(id, session).unwrap_or_else(|failure| {
            let message = format!("a prompt goes without news and without its live part: {}", failure.message());
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
        if let Some(mut members) = super::message::Members::parse(&params.clone()) {
            members.set("prompt", format!("[{}]", all.join(",")));
            params = members.print();
        }
        let Message { mut members, .. } = message;
        members.set("params", params);
        Fate::Replace(members.print())
    }

    /// Finds out what has moved since; the answer is what goes with this prompt alone, each text with its name: what hooks
    /// say, and the live part.
    fn moved(&self, id: &str, session: &str) -> Result<Vec<(String, String)>, Failure> {
        let (conversation, cwd, operator, draft) = {
            let state = self.state();
            let Some(session) = state.sessions.get(session) else { return Ok(Vec::new()) };
            (session.conversation.clone(), session.cwd.clone(), session.operator.clone(), session.draft.clone())
        };
        let prepared = self.composer.prepared(&cwd, operator.as_deref())?;
        let turn = match &draft {
            Some(waiting) => self.composer.rehearse(&conversation, &waiting.draft, &prepared)?,
            None => {
                let turn = self.composer.turn(&conversation, &prepared, Some(id))?;
                self.owe(session, &turn, &prepared)?;
                turn
            }
        };
        let (messages, untold) = hooked::messages(&turn);
        self.reports.findings(&hooked::findings(&turn));
        self.reports.findings(&untold);
        let live = hooked::live(&turn, self.composer.live)?;
        let texts: Vec<&str> = messages.iter().map(|(_, text)| text.as_str()).collect();
        let (framed, live) = self.composer.framed(&texts, Some(&live), &prepared)?;
        let names = messages.iter().map(|(name, _)| name.clone());
        Ok(names.zip(framed).chain(live.map(|live| ("live".to_owned(), live))).collect())
    }

    /// Makes a draft that has arrived the conversation's epoch.
    pub(super) fn adopt(&self, conversation: &ConversationId, draft: &Draft, prepared: &Prepared) {
        match self.composer.adopt(conversation, draft, prepared) {
            Ok(findings) => self.reports.findings(&findings),
            Err(failure) => {
                let message =
                    format!("{conversation} was told, but its ledger could not be written: {}", failure.message());
                self.reports.warn(Code::Store, &message);
            }
        }
    }

    /// Notes what a turn has to say besides its prefix.
    pub(super) fn owe(&self, session: &str, turn: &Turn, prepared: &Prepared) -> Result<(), Failure> {
        let mut owed = Vec::new();
        if let (Began::Now, Some(epoch)) = (turn.began, turn.epoch.as_deref()) {
            let message = format!(
                "{}: epoch {} ({}) goes with the next prompt: an agent takes a system prompt only when a session begins",
                epoch.conversation(),
                epoch.number(),
                epoch.cause().name()
            );
            self.reports.note(&message);
            let sections = self.composer.sections(epoch.body(), prepared)?;
            owed.extend(sections.into_iter().map(Owed::section));
        }
        let fresh = &turn.amendments[turn.amendments.len() - turn.fresh..];
        let notices = fresh.iter().map(|amendment| &*amendment.body.text);
        let texts: Vec<&str> = notices.chain(turn.messages.iter().map(|message| &*message.text)).collect();
        let (framed, _) = self.composer.framed(&texts, None, prepared)?;
        owed.extend(framed.into_iter().enumerate().map(|(number, text)| Owed {
            what: if number < fresh.len() { "notice" } else { "message" }.to_owned(),
            place: Place::Back,
            text,
            carried_by: None,
        }));
        if let Some(session) = self.state().sessions.get_mut(session) {
            session.owed.extend(owed);
        }
        Ok(())
    }

    /// The blocks that a prompt carries, in front and at the back.
    fn carried(&self, id: &str, session: &str, news: Vec<(String, String)>) -> (Vec<String>, Vec<String>) {
        let mut state = self.state();
        let Some(session) = state.sessions.get_mut(session) else { return Default::default() };
        let (mut front, mut back) = (Vec::new(), Vec::new());
        for owed in session.owed.iter_mut().filter(|owed| owed.carried_by.is_none()) {
            owed.carried_by = Some(id.to_owned());
            session.report.sent(SentPart::new(&owed.what, PROMPT, &owed.text));
            match owed.place {
                Place::Front => front.push(block(&owed.text)),
                Place::Back => back.push(block(&owed.text)),
            }
        }
        for (what, text) in news {
            session.report.sent(SentPart::new(&what, PROMPT, &text));
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
    pub(super) fn prompt_answered(&self, id: &str, session: &str, result: Option<&str>) {
        let reason = result.map(|result| {
            let result: Value = serde_json::from_str(result).unwrap_or_default();
            result["stopReason"].as_str().unwrap_or_default().to_owned()
        });
        // What was refused is taken out of the history by the agent, and what was canceled may be.
        let arrived = reason.as_deref().is_some_and(|reason| reason != "cancelled" && reason != "refusal");
        let mut state = self.state();
        let Some(session) = state.sessions.get_mut(session) else { return };
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
        session.owed.retain(|owed| !carried(owed));
        if !in_front {
            return;
        }
        session.report.delivered = true;
        let (conversation, draft, report) =
            (session.conversation.clone(), session.draft.take(), session.report.clone());
        drop(state);
        if let Some(waiting) = draft {
            self.adopt(&conversation, &waiting.draft, &waiting.prepared);
        }
        self.reports.note(&format!("{conversation}: delivered in the user's message"));
        self.reports.write(&report);
    }
}

impl Owed {
    pub(super) fn section(section: antefix::deliver::SaidSection) -> Owed {
        let what = format!("section {}", section.section);
        Owed { what, place: Place::Front, text: section.text, carried_by: None }
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
