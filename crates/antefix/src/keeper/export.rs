//! A conversation's ledger as JSON lines, out of a store.
//!
//! 1. It is read page by page, so that a long ledger takes no more memory than a short one. Between two pages nothing is held:
//!    whoever sends it somewhere may take the time that takes.
//! 2. What is appended meanwhile is part of it. A ledger that is deleted meanwhile is an error, and never a shorter one.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Keeper;
use super::lines::{EpochLine, InsertionLine, Line, VERSION, WITHOUT_INSERTIONS, WITHOUT_MEMORY, digests};
use crate::error::{Error, ErrorKind, Fault, Result};
use crate::freeze::store::{AmendmentRow, EpochRow};
use crate::freeze::{ConversationId, Insertion, InsertionKind};
use crate::text::Digest;

/// How many epochs are read at a time.
const PAGE: usize = 20;

/// Texts by their digests.
type Texts = Vec<(Digest, Arc<str>)>;

/// A ledger on its way out.
pub struct Export {
    conversation: ConversationId,
    /// The epoch that was the standing one when it began.
    standing: u64,
    /// The last epoch that was written.
    after: u64,
    memory: Option<(Digest, Texts)>,
    /// All but the messages that wait.
    insertions: Vec<Insertion>,
    /// The texts that were written.
    sent: BTreeSet<Digest>,
    next: Next,
}

/// What comes next.
enum Next {
    Head,
    Epochs,
    Rest,
    Nothing,
}

impl Keeper {
    /// Gives the lines of a conversation's ledger to `write`, some at a time, each with its line feed.
    pub fn export<E: From<Error>>(
        &self,
        conversation: &ConversationId,
        mut write: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut export = self.begin_export(conversation)?;
        while let Some(lines) = export.next(self)? {
            write(&lines)?;
        }
        Ok(())
    }

    /// Begins to export a conversation's ledger.
    pub fn begin_export(&self, conversation: &ConversationId) -> Result<Export> {
        let (epoch, _) = self.standing(conversation)?;
        // The memory is read before all else: while lines are written, a turn may put another one in its place and a sweep
        // delete its texts.
        let memory = self.memory(conversation)?;
        // So are the insertions, which say what version it is.
        let insertions = self.store.insertions(conversation)?.all.into_iter().filter(|one| !is_message(one)).collect();
        let (conversation, standing) = (conversation.clone(), epoch.number());
        let sent = BTreeSet::new();
        Ok(Export { conversation, standing, after: 0, memory, insertions, sent, next: Next::Head })
    }

    /// What a conversation remembers: the digest of the body, and all its texts.
    fn memory(&self, conversation: &ConversationId) -> Result<Option<(Digest, Texts)>> {
        let body = self.store.standing(conversation)?.and_then(|standing| standing.said);
        body.map(|body| Ok((body, self.named(body)?))).transpose()
    }

    /// A body and the texts that it names.
    fn named(&self, body: Digest) -> Result<Texts> {
        let missing = || Error::new(ErrorKind::Store(Fault::Corrupt), format!("the text {body} is missing"));
        let text = self.store.texts(&[body])?.pop().flatten().ok_or_else(missing)?;
        let digests = digests(&text);
        let parts = self.store.texts(&digests)?;
        let parts = digests.into_iter().zip(parts).filter_map(|(digest, text)| Some((digest, text?)));
        Ok(parts.chain([(body, text)]).collect())
    }
}

impl Export {
    /// The next lines, each with its line feed; none at the end.
    pub fn next(&mut self, keeper: &Keeper) -> Result<Option<String>> {
        let mut lines = String::new();
        match self.next {
            Next::Head => {
                let version = match (&self.memory, self.insertions.is_empty()) {
                    (_, false) => VERSION,
                    (Some(_), true) => WITHOUT_INSERTIONS,
                    (None, true) => WITHOUT_MEMORY,
                };
                line(&mut lines, &Line::Ledger { version, conversation: self.conversation.to_string() });
                self.next = Next::Epochs;
            }
            Next::Epochs => {
                let rows = keeper.store.epochs(&self.conversation, self.after, PAGE)?;
                if rows.is_empty() {
                    self.check_end(keeper)?;
                    self.next = Next::Rest;
                    return self.next(keeper);
                }
                for row in &rows {
                    // A ledger that goes takes its texts along.
                    self.epoch(&mut lines, keeper, row).or_else(|error| self.check_end(keeper).and(Err(error)))?;
                }
            }
            Next::Rest => {
                if let Some((body, texts)) = self.memory.take() {
                    self.texts(&mut lines, texts);
                    line(&mut lines, &Line::Memory { body });
                }
                for insertion in std::mem::take(&mut self.insertions) {
                    line(&mut lines, &Line::Insertion(InsertionLine::new(insertion)));
                }
                for message in keeper.store.insertions(&self.conversation)?.all.into_iter().filter(is_message) {
                    line(&mut lines, &Line::Message { at: message.at, text: message.text });
                }
                self.next = Next::Nothing;
            }
            Next::Nothing => return Ok(None),
        }
        Ok(Some(lines))
    }

    fn epoch(&mut self, lines: &mut String, keeper: &Keeper, row: &EpochRow) -> Result<()> {
        self.texts(lines, keeper.named(row.body)?);
        let epoch = EpochLine {
            number: row.number,
            cause: row.cause.name().to_owned(),
            opened_at: row.opened_at,
            digest: row.digest,
            body: row.body,
            cwd: row.cwd.clone(),
            machine: row.machine.clone(),
            model: row.model.clone(),
        };
        line(lines, &Line::Epoch(epoch));
        let amendments = keeper.store.epoch(&self.conversation, row.number)?;
        for amendment in amendments.into_iter().flat_map(|epoch| epoch.amendments) {
            self.texts(lines, keeper.named(amendment.body)?);
            let AmendmentRow { epoch, number, at, body, .. } = amendment;
            line(lines, &Line::Amendment { epoch, number, at, body });
        }
        self.after = row.number;
        Ok(())
    }

    /// Writes each text once, however many bodies name it.
    fn texts(&mut self, lines: &mut String, texts: Texts) {
        for (digest, text) in texts {
            if self.sent.insert(digest) {
                line(lines, &Line::Text { digest, text: text.to_string() });
            }
        }
    }

    /// Whether the ledger is still the one that was begun with.
    fn check_end(&self, keeper: &Keeper) -> Result<()> {
        let standing = keeper.store.standing(&self.conversation)?.map_or(0, |standing| standing.epoch.number);
        if self.after.max(standing) >= self.standing && standing > 0 {
            return Ok(());
        }
        let message = format!("{} was deleted while it was exported", self.conversation);
        Err(Error::new(ErrorKind::Conflict, message).with_hint("what was written of it is not whole"))
    }
}

/// Whether it is a message that waits, which needs neither a number nor a place.
fn is_message(insertion: &Insertion) -> bool {
    insertion.taken.is_none() && insertion.kind == InsertionKind::Queued
}

fn line(lines: &mut String, line: &Line) {
    lines.push_str(&serde_json::to_string(line).unwrap_or_default());
    lines.push('\n');
}
