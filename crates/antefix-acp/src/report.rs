//! What was delivered, and how: a line on stderr for every session, and receipts as files if they are wanted.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use antefix::deliver::Route;
use antefix::diagnostic::Code;
use antefix::freeze::ConversationId;
use antefix::stores::private_directory;
use antefix::text::{Digest, grouped};
use antefix::{Diagnostic, document};
use serde::Serialize;

/// Takes what the proxy says to the person who runs it. stdout carries the protocol, so it must not go there.
pub trait Reporter: Send + Sync {
    /// Something that is good to know.
    fn note(&self, message: &str);

    /// What was found in a prompt, or looks wrong.
    fn findings(&self, findings: &[Diagnostic]);
}

/// How many parts a receipt lists; of earlier ones it has the number.
const MOST: usize = 200;

/// Where reports go.
pub(crate) struct Reports {
    reporter: Box<dyn Reporter>,
    /// Where receipts are written, if they are wanted.
    directory: Option<PathBuf>,
    /// One at a time: two threads have something to say.
    turn: Mutex<()>,
}

/// What a session got.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct SessionReport {
    conversation: String,
    agent: AgentReport,
    /// The step of the ladder.
    way: &'static str,
    because: String,
    role: &'static str,
    bytes: usize,
    digest: Digest,
    pub(crate) delivery: Delivery,
    earlier: usize,
    sent: VecDeque<SentPart>,
}

/// How far a session's prompt has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Delivery {
    /// There is none.
    Nothing,
    /// It goes with the first prompt that succeeds.
    Due,
    /// It was sent in a way that agents may drop without a word.
    Sent,
    /// The agent is known to have got it.
    Delivered,
    /// It is in the history that the session goes on with.
    Earlier,
}

impl Delivery {
    fn words(self) -> &'static str {
        match self {
            Delivery::Nothing => "nothing to deliver",
            Delivery::Due => "due with the first prompt",
            Delivery::Sent => "sent, unconfirmed,",
            Delivery::Delivered => "delivered",
            Delivery::Earlier => "delivered earlier",
        }
    }
}

/// Who it was sent to.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct AgentReport {
    pub(crate) name: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) program: Option<String>,
}

/// A run of bytes, and where it went.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct SentPart {
    pub(crate) at: String,
    /// `prefix`, `section base`, `notice`, `message`, `live`.
    pub(crate) what: String,
    /// The method, and a JSON pointer into its parameters.
    pub(crate) to: String,
    pub(crate) bytes: usize,
    pub(crate) digest: Digest,
}

impl SentPart {
    /// `at` is the instant, in RFC 3339.
    pub(crate) fn new(at: String, what: &str, to: &str, text: &str) -> SentPart {
        SentPart { at, what: what.to_owned(), to: to.to_owned(), bytes: text.len(), digest: Digest::of(text) }
    }
}

impl SessionReport {
    pub(crate) fn new(conversation: &ConversationId, agent: &AgentReport, route: &Route, text: &str) -> SessionReport {
        SessionReport {
            conversation: conversation.to_string(),
            agent: agent.clone(),
            way: route.way.name(),
            because: route.because.clone(),
            role: route.way.role(),
            bytes: text.len(),
            digest: Digest::of(text),
            delivery: Delivery::Due,
            earlier: 0,
            sent: VecDeque::new(),
        }
    }

    pub(crate) fn sent(&mut self, part: SentPart) {
        if self.sent.len() == MOST {
            self.sent.pop_front();
            self.earlier += 1;
        }
        self.sent.push_back(part);
    }
}

impl Reports {
    /// Receipts go to `directory`, if there is one.
    pub(crate) fn new(reporter: Box<dyn Reporter>, directory: Option<PathBuf>) -> Reports {
        Reports { reporter, directory, turn: Mutex::new(()) }
    }

    /// Says something that is good to know.
    pub(crate) fn note(&self, message: &str) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.reporter.note(message);
    }

    /// Says what looks wrong.
    pub(crate) fn warn(&self, code: Code, message: &str) {
        self.findings(&[Diagnostic::warning(code, message)]);
    }

    pub(crate) fn findings(&self, findings: &[Diagnostic]) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        self.reporter.findings(findings);
    }

    /// The line of a session that has begun.
    pub(crate) fn began(&self, report: &SessionReport) {
        let SessionReport { conversation, way, because, bytes, digest, .. } = report;
        let when = report.delivery.words();
        self.note(&format!(
            "{conversation}: {} bytes, digest {}, {when} by way of {way}: {because}",
            grouped(*bytes),
            digest.short()
        ));
        self.write(report);
    }

    /// The receipt of a session, in place of the one before.
    pub(crate) fn write(&self, report: &SessionReport) {
        let Some(directory) = &self.directory else { return };
        let name = file_name(&report.conversation);
        let written = private_directory(directory).and_then(|()| {
            let scratch = directory.join(format!("{name}.{}.part", std::process::id()));
            private(&scratch, &document::print(report))?;
            std::fs::rename(&scratch, directory.join(&name))
        });
        if let Err(error) = written {
            self.warn(
                Code::Receipt,
                &format!("the receipt {} cannot be written: {error}", directory.join(&name).display()),
            );
        }
    }
}

/// A file that only its user can read: a receipt says where somebody works.
fn private(path: &std::path::Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}

/// A file's name for a conversation: readable, and no two alike.
fn file_name(conversation: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let readable: String = conversation.chars().map(plain).take(80).collect();
    format!("{readable}-{}.json", Digest::of(conversation).short())
}
