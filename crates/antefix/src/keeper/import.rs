//! Ledgers out of JSON lines, into a store.
//!
//! 1. Nothing is believed: a text must have its digest, an epoch its bytes, an amendment must be readable, and the numbers
//!    must follow one another. All of that is found out before anything is written.
//! 2. All ledgers of a file are written, or none: one transaction of the store, which compares them with what is there
//!    ([`crate::freeze::copy`]). What is there already must be the same; what is lacking is appended.
//! 3. An import can be run again at any time. It changes nothing then, also after messages went with a turn.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::Keeper;
use super::lines::{EpochLine, Line, VERSION, digests};
use crate::error::{Error, ErrorKind, Result};
use crate::freeze::copy::{Copied, LedgerCopy, LedgerRow};
use crate::freeze::store::{AmendmentRow, Appended, Bundle, EpochRow, Store};
use crate::freeze::{AmendmentBody, Cause, ConversationId, EpochBody, Insertion, InsertionKind};
use crate::stores::MemoryStore;
use crate::text::Digest;

/// What an import did for one conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Whose ledger it was.
    pub conversation: ConversationId,
    /// How many epochs were appended.
    pub epochs: u64,
    /// How many were there already.
    pub known: u64,
    /// How many insertions were appended: messages that wait, and what turns repeat.
    pub messages: u64,
}

/// Whether the memory with this body can be read. The store has all texts of the file so far.
pub type MemoryCheck<'c> = &'c dyn Fn(&dyn Store, Digest) -> Result<()>;

impl Keeper {
    /// Reads ledgers, line by line, and takes in all of them or none.
    pub fn import(
        &self,
        lines: impl IntoIterator<Item = Result<String>>,
        memory: MemoryCheck<'_>,
    ) -> Result<Vec<Imported>> {
        let mut import = Import::new(memory);
        for (number, line) in lines.into_iter().enumerate() {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let at = |message: &str| refused(format!("line {}: {message}", number + 1));
            let line: Line = serde_json::from_str(&line).map_err(|error| at(&error.to_string()))?;
            import.line(line).map_err(|error| at(error.message()))?;
        }
        let ledgers = import.ledgers;
        if ledgers.is_empty() {
            return Err(refused("there is no ledger in it".to_owned()));
        }
        if let Some(empty) = ledgers.iter().find(|ledger| ledger.rows.is_empty()) {
            return Err(refused(format!("the ledger of {} has no epoch", empty.conversation)));
        }
        match self.store.import(&ledgers)? {
            Copied::Parted(parted) => Err(refused(parted.to_string()).of_kind(ErrorKind::Conflict)),
            Copied::Done(copied) => {
                let done = ledgers.into_iter().zip(copied).map(|(ledger, copied)| Imported {
                    conversation: ledger.conversation,
                    epochs: copied.epochs,
                    known: copied.known,
                    messages: copied.messages,
                });
                Ok(done.collect())
            }
        }
    }
}

fn refused(message: String) -> Error {
    let hint = "nothing was imported; the store is as it was";
    Error::new(ErrorKind::Input, message).with_hint(hint)
}

/// Ledgers as far as they were read.
struct Import<'c> {
    memory: MemoryCheck<'c>,
    texts: BTreeMap<Digest, Arc<str>>,
    ledgers: Vec<LedgerCopy>,
    conversations: BTreeSet<ConversationId>,
    /// Where rows are tried before they are believed.
    checked: MemoryStore,
}

impl<'c> Import<'c> {
    fn new(memory: MemoryCheck<'c>) -> Import<'c> {
        let (texts, conversations) = (BTreeMap::new(), BTreeSet::new());
        Import { memory, texts, ledgers: Vec::new(), conversations, checked: MemoryStore::new() }
    }

    fn line(&mut self, line: Line) -> Result<()> {
        match line {
            Line::Ledger { version, conversation } => self.ledger(version, &conversation),
            Line::Text { digest, text } if Digest::of(&text) != digest => {
                Err(wrong(format!("the text does not have the digest {digest}")))
            }
            Line::Text { digest, text } => {
                self.texts.insert(digest, text.into());
                Ok(())
            }
            Line::Epoch(line) => self.epoch(line),
            Line::Amendment { epoch, number, at, body } => self.amendment(epoch, number, at, body),
            Line::Memory { body } => self.memory(body),
            Line::Insertion(line) => self.insertion(line.insertion()),
            Line::Message { at, text } => {
                // It gets the next number that is free.
                let (number, kind, at) = (0, InsertionKind::Queued, to_micros(at));
                self.last()?.insertions.push(Insertion { number, kind, at, text, taken: None });
                Ok(())
            }
        }
    }

    fn ledger(&mut self, version: u32, conversation: &str) -> Result<()> {
        if version > VERSION {
            return Err(wrong(format!("the ledger has version {version}, and this antefix reads up to {VERSION}")));
        }
        let conversation = ConversationId::parse(conversation)?;
        if !self.conversations.insert(conversation.clone()) {
            return Err(wrong(format!("a second ledger of {conversation} begins here")));
        }
        self.ledgers.push(LedgerCopy { conversation, rows: Vec::new(), memory: None, insertions: Vec::new() });
        Ok(())
    }

    /// The ledger that is being read.
    fn last(&mut self) -> Result<&mut LedgerCopy> {
        self.ledgers.last_mut().ok_or_else(|| wrong("the line that names the ledger must come first".to_owned()))
    }

    fn bundle(&self, body: Digest) -> Result<Bundle> {
        let missing = || wrong(format!("no line before has the text {body}"));
        let text = self.texts.get(&body).ok_or_else(missing)?;
        let parts = digests(text).into_iter().filter_map(|digest| self.texts.get(&digest).map(Arc::clone));
        Ok(Bundle::new(Arc::clone(text), parts))
    }

    fn epoch(&mut self, line: EpochLine) -> Result<()> {
        let conversation = self.last()?.conversation.clone();
        let bundle = self.bundle(line.body)?;
        let cause = Cause::parse(&line.cause).ok_or_else(|| wrong(format!("there is no cause `{}`", line.cause)))?;
        let row = EpochRow {
            conversation,
            number: line.number,
            cause,
            opened_at: to_micros(line.opened_at),
            digest: line.digest,
            body: line.body,
            cwd: line.cwd,
            machine: line.machine,
            model: line.model,
        };
        let before = self.checked.standing(&row.conversation)?.map_or(0, |standing| standing.epoch.number);
        if row.number != before + 1 {
            return Err(wrong(format!("epoch {} follows epoch {before}", row.number)));
        }
        self.checked.append(&row, &bundle)?;
        // Spans are read by few; what is wrong with them is found now, and not by whoever asks for an origin one day.
        EpochBody::load(&self.checked, row.body, row.digest)
            .and_then(|body| body.spans())
            .map_err(|error| wrong(format!("epoch {}: {error}", row.number)))?;
        self.last()?.rows.push((LedgerRow::Epoch(row), bundle));
        Ok(())
    }

    fn amendment(&mut self, epoch: u64, number: u64, at: Timestamp, body: Digest) -> Result<()> {
        let conversation = self.last()?.conversation.clone();
        let bundle = self.bundle(body)?;
        let row = AmendmentRow { conversation, epoch, number, at: to_micros(at), body };
        let standing = self.checked.standing(&row.conversation)?;
        let last_epoch = standing.as_ref().map_or(0, |standing| standing.epoch.number);
        if epoch != last_epoch {
            return Err(wrong(format!("an amendment of epoch {epoch} follows epoch {last_epoch}")));
        }
        if let Appended::Lost(last) = self.checked.amend(&row, &bundle)? {
            let last = last.map_or(0, |last| last.number);
            return Err(wrong(format!("amendment {number} follows amendment {last} of epoch {epoch}")));
        }
        AmendmentBody::load(&self.checked, body)
            .map_err(|error| wrong(format!("amendment {number} of epoch {epoch}: {error}")))?;
        self.last()?.rows.push((LedgerRow::Amendment(row), bundle));
        Ok(())
    }

    /// Numbers ascend, with gaps where insertions have ended.
    fn insertion(&mut self, insertion: Insertion) -> Result<()> {
        let (number, highest) = (insertion.number, Insertion::HIGHEST);
        let ledger = self.last()?;
        // Messages have no numbers yet.
        let mut numbers = ledger.insertions.iter().rev().map(|before| before.number);
        let before = numbers.find(|before| *before > 0).unwrap_or(0);
        if number == 0 {
            return Err(wrong("insertion 0: numbers begin at 1".to_owned()));
        }
        if number <= before {
            return Err(wrong(format!("insertion {number} follows insertion {before}")));
        }
        if number > highest {
            return Err(wrong(format!("insertion {number}: no ledger has a number above {highest}")));
        }
        if let Some(place) = insertion.taken.as_ref().and_then(|taken| taken.place).filter(|place| *place > highest) {
            return Err(wrong(format!("insertion {number}: no conversation has {place} messages before it")));
        }
        ledger.insertions.push(Insertion { at: to_micros(insertion.at), ..insertion });
        Ok(())
    }

    fn memory(&mut self, body: Digest) -> Result<()> {
        let bundle = self.bundle(body)?;
        let conversation = self.last()?.conversation.clone();
        if self.checked.standing(&conversation)?.is_none() {
            return Err(wrong("a memory must come after the first epoch".to_owned()));
        }
        self.checked.remember(&conversation, &bundle)?;
        (self.memory)(&self.checked, body)?;
        self.last()?.memory = Some(bundle);
        Ok(())
    }
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::Input, message)
}

/// Stores keep times to the microsecond. A row that has more must equal the one that is kept.
fn to_micros(at: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(at.as_microsecond()).unwrap_or(at)
}
