//! A conversation's ledger as JSON lines, out of one store and into another.
//!
//! 1. The first line says what follows; then come texts, epochs, amendments, what the conversation remembers, and messages,
//!    each on a line of its own, and every text before the first line that names it.
//! 2. Nothing is believed: a text must have its digest, an epoch its bytes, and the numbers must follow one another.
//! 3. What is there already must be the same. What is lacking is appended; an import that stopped can be run again.
//! 4. What the conversation remembers is the file's afterwards, as if it had been told just now. Only a conversation that
//!    has later epochs than the file keeps what it was told since.
//! 5. A ledger without a memory is written as version 1, which older releases can read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Keeper;
use crate::error::{Error, ErrorKind, Result};
use crate::freeze::store::{AmendmentRow, Appended, Bundle, EpochRow, Standing, Store};
use crate::freeze::{Cause, ConversationId, EpochBody};
use crate::stores::MemoryStore;
use crate::text::Digest;

/// The version that is read and, where a conversation remembers something, written.
const VERSION: u32 = 2;
/// The version of a ledger without a memory.
const WITHOUT_MEMORY: u32 = 1;
/// How many epochs are read at a time.
const PAGE: usize = 100;

/// Texts by their digests.
type Texts = Vec<(Digest, Arc<str>)>;

/// What an import did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Whose ledger it was.
    pub conversation: ConversationId,
    /// How many epochs were appended.
    pub epochs: u64,
    /// How many were there already.
    pub known: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    Ledger { version: u32, conversation: String },
    Text { digest: Digest, text: String },
    Epoch(EpochLine),
    Amendment { epoch: u64, number: u64, at: Timestamp, body: Digest },
    Memory { body: Digest },
    Message { at: Timestamp, text: String },
}

#[derive(Debug, Serialize, Deserialize)]
struct EpochLine {
    number: u64,
    cause: String,
    opened_at: Timestamp,
    digest: Digest,
    body: Digest,
    cwd: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    machine: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<String>,
}

impl Keeper {
    /// Gives the lines of a conversation's ledger to `write`, one by one, each without its line feed.
    pub fn export<E: From<Error>>(
        &self,
        conversation: &ConversationId,
        write: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        self.standing(conversation)?;
        // The memory is read before all else: while lines are written, a turn may put another one in its place and a sweep
        // delete its texts.
        let memory = self.memory(conversation)?;
        let mut export = Export { write, sent: BTreeSet::new() };
        let version = if memory.is_some() { VERSION } else { WITHOUT_MEMORY };
        export.line(&Line::Ledger { version, conversation: conversation.to_string() })?;
        let mut after = 0;
        loop {
            let rows = self.store.epochs(conversation, after, PAGE).map_err(Error::from)?;
            let Some(last) = rows.last() else { break };
            after = last.number;
            for row in &rows {
                export.texts(self.named(row.body)?)?;
                export.line(&Line::Epoch(EpochLine {
                    number: row.number,
                    cause: row.cause.name().to_owned(),
                    opened_at: row.opened_at,
                    digest: row.digest,
                    body: row.body,
                    cwd: row.cwd.clone(),
                    machine: row.machine.clone(),
                    model: row.model.clone(),
                }))?;
                let amendments = self.store.epoch(conversation, row.number).map_err(Error::from)?;
                for amendment in amendments.into_iter().flat_map(|epoch| epoch.amendments) {
                    export.texts(self.named(amendment.body)?)?;
                    let AmendmentRow { epoch, number, at, body, .. } = amendment;
                    export.line(&Line::Amendment { epoch, number, at, body })?;
                }
            }
        }
        if let Some((body, texts)) = memory {
            export.texts(texts)?;
            export.line(&Line::Memory { body })?;
        }
        for message in self.store.waiting(conversation).map_err(Error::from)? {
            export.line(&Line::Message { at: message.at, text: message.text })?;
        }
        Ok(())
    }

    /// What a conversation remembers: the digest of the body, and all its texts.
    fn memory(&self, conversation: &ConversationId) -> Result<Option<(Digest, Texts)>> {
        let body = self.store.standing(conversation)?.and_then(|standing| standing.said);
        body.map(|body| Ok((body, self.named(body)?))).transpose()
    }

    /// A body and the texts that it names.
    fn named(&self, body: Digest) -> Result<Texts> {
        let missing =
            || Error::new(ErrorKind::Store(crate::error::Fault::Corrupt), format!("the text {body} is missing"));
        let text = self.store.texts(&[body])?.pop().flatten().ok_or_else(missing)?;
        let digests = digests(&text);
        let parts = self.store.texts(&digests)?;
        let parts = digests.into_iter().zip(parts).filter_map(|(digest, text)| Some((digest, text?)));
        Ok(parts.chain([(body, text)]).collect())
    }

    /// Reads a ledger, line by line.
    pub fn import(&self, lines: impl IntoIterator<Item = Result<String>>) -> Result<Imported> {
        let mut import = Import { keeper: self, texts: BTreeMap::new(), to: None, checked: MemoryStore::new() };
        for (number, line) in lines.into_iter().enumerate() {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let at = |message: String| {
                let hint = "what was read before this line is in the store; fix the file and import it again";
                Error::new(ErrorKind::Conversation, format!("line {}: {message}", number + 1)).with_hint(hint)
            };
            let line: Line = serde_json::from_str(&line).map_err(|error| at(error.to_string()))?;
            import.line(line).map_err(|error| match error.kind() {
                ErrorKind::Conversation => at(error.message().to_owned()),
                _ => error,
            })?;
        }
        import.to.ok_or_else(|| Error::new(ErrorKind::Conversation, "there is no ledger in it"))
    }
}

/// Lines on their way out.
struct Export<W> {
    write: W,
    /// The texts that were written.
    sent: BTreeSet<Digest>,
}

impl<E, W: FnMut(&str) -> Result<(), E>> Export<W> {
    fn line(&mut self, line: &Line) -> Result<(), E> {
        (self.write)(&serde_json::to_string(line).unwrap_or_default())
    }

    /// Writes each text once, however many bodies name it.
    fn texts(&mut self, texts: Texts) -> Result<(), E> {
        for (digest, text) in texts {
            if self.sent.insert(digest) {
                self.line(&Line::Text { digest, text: text.to_string() })?;
            }
        }
        Ok(())
    }
}

struct Import<'k> {
    keeper: &'k Keeper,
    texts: BTreeMap<Digest, Arc<str>>,
    to: Option<Imported>,
    /// Where epochs are tried before they are believed.
    checked: MemoryStore,
}

impl Import<'_> {
    fn line(&mut self, line: Line) -> Result<()> {
        let wrong = |message: String| Err(Error::new(ErrorKind::Conversation, message));
        match line {
            Line::Ledger { version, .. } if version > VERSION => {
                wrong(format!("the ledger has version {version}, and this antefix reads up to {VERSION}"))
            }
            Line::Ledger { .. } if self.to.is_some() => wrong("a second ledger begins here".to_owned()),
            Line::Ledger { conversation, .. } => {
                let conversation = ConversationId::parse(&conversation)?;
                self.to = Some(Imported { conversation, epochs: 0, known: 0 });
                Ok(())
            }
            Line::Text { digest, text } if Digest::of(&text) != digest => {
                wrong(format!("the text does not have the digest {digest}"))
            }
            Line::Text { digest, text } => {
                self.texts.insert(digest, text.into());
                Ok(())
            }
            Line::Epoch(line) => self.epoch(line),
            Line::Amendment { epoch, number, at, body } => self.amendment(epoch, number, at, body),
            Line::Memory { body } => self.memory(body),
            Line::Message { at, text } => {
                let conversation = self.conversation()?;
                let waiting = self.keeper.store.waiting(&conversation)?;
                if !waiting.iter().any(|message| message.at == at && message.text == text) {
                    self.keeper.store.queue(&conversation, at, &text)?;
                }
                Ok(())
            }
        }
    }

    fn conversation(&self) -> Result<ConversationId> {
        let missing = || Error::new(ErrorKind::Conversation, "the line that names the ledger must come first");
        Ok(self.to.as_ref().ok_or_else(missing)?.conversation.clone())
    }

    fn bundle(&self, body: Digest) -> Result<Bundle> {
        let missing = || Error::new(ErrorKind::Conversation, format!("no line before has the text {body}"));
        let text = self.texts.get(&body).ok_or_else(missing)?;
        let parts = digests(text).into_iter().filter_map(|digest| self.texts.get(&digest).map(Arc::clone));
        Ok(Bundle::new(Arc::clone(text), parts))
    }

    fn epoch(&mut self, line: EpochLine) -> Result<()> {
        let wrong = |message: String| Error::new(ErrorKind::Conversation, message);
        let conversation = self.conversation()?;
        let bundle = self.bundle(line.body)?;
        let cause = Cause::parse(&line.cause).ok_or_else(|| wrong(format!("there is no cause `{}`", line.cause)))?;
        let row = EpochRow {
            conversation: conversation.clone(),
            number: line.number,
            cause,
            opened_at: line.opened_at,
            digest: line.digest,
            body: line.body,
            cwd: line.cwd,
            machine: line.machine,
            model: line.model,
        };
        let before = self.checked.standing(&conversation)?.map_or(0, |standing| standing.epoch.number);
        if row.number != before + 1 {
            return Err(wrong(format!("epoch {} follows epoch {before}", row.number)));
        }
        self.checked.append(&row, &bundle)?;
        // Spans are read by few; what is wrong with them is found now, and not by whoever asks for an origin one day.
        EpochBody::load(&self.checked, row.body, row.digest)
            .and_then(|body| body.spans())
            .map_err(|error| wrong(format!("epoch {}: {error}", row.number)))?;
        let known = self.keeper.store.epoch(&conversation, row.number)?;
        let appended = match known {
            Some(known) => Appended::Lost(known.epoch),
            None => self.keeper.store.append(&row, &bundle)?,
        };
        let Some(to) = &mut self.to else { return Ok(()) };
        match appended {
            Appended::Won => to.epochs += 1,
            Appended::Lost(known) if known == row => to.known += 1,
            Appended::Lost(_) => {
                return Err(wrong(format!("the store has another epoch {} of {conversation}", row.number)));
            }
        }
        Ok(())
    }

    fn amendment(&mut self, epoch: u64, number: u64, at: Timestamp, body: Digest) -> Result<()> {
        let conversation = self.conversation()?;
        let bundle = self.bundle(body)?;
        let row = AmendmentRow { conversation: conversation.clone(), epoch, number, at, body };
        let known = self.keeper.store.epoch(&conversation, epoch)?.map(|found| found.amendments).unwrap_or_default();
        match known.into_iter().find(|known| known.number == number) {
            Some(known) if known == row => return Ok(()),
            None => {
                if self.keeper.store.amend(&row, &bundle)? == Appended::Won {
                    return Ok(());
                }
            }
            Some(_) => {}
        }
        let message = format!("the store has another amendment {number} of epoch {epoch} of {conversation}");
        Err(Error::new(ErrorKind::Conversation, message))
    }

    fn memory(&self, body: Digest) -> Result<()> {
        let conversation = self.conversation()?;
        let bundle = self.bundle(body)?;
        let Some(read) = self.checked.standing(&conversation)? else {
            return Err(Error::new(ErrorKind::Conversation, "a memory must come after the first epoch"));
        };
        let there = self.keeper.store.standing(&conversation)?;
        let was_told_since = |there: Standing| there.said.is_some() && there.epoch.number > read.epoch.number;
        if !there.is_some_and(was_told_since) {
            self.keeper.store.remember(&conversation, &bundle)?;
        }
        Ok(())
    }
}

/// What a record may name: every text in it that is a digest.
fn digests(record: &str) -> Vec<Digest> {
    fn walk(value: &serde_json::Value, found: &mut Vec<Digest>) {
        match value {
            serde_json::Value::String(text) => found.extend(Digest::parse(text)),
            serde_json::Value::Array(items) => items.iter().for_each(|item| walk(item, found)),
            serde_json::Value::Object(map) => map.values().for_each(|value| walk(value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    if let Ok(value) = serde_json::from_str(record) {
        walk(&value, &mut found);
    }
    found.sort();
    found.dedup();
    found
}
