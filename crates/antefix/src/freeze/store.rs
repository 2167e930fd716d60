//! The port to whatever keeps ledgers.
//!
//! 1. A ledger only grows: epochs are appended by number, amendments by number within their epoch. Nothing is updated, and
//!    what goes, goes as a whole: [`Store::delete`]. Beside it a conversation has one memory, of which only the latest is kept,
//!    and its insertions: what is put between the messages of its caller.
//! 2. First writer wins, by a unique key and not by a lock. Losing is not an error: the winner is the answer.
//! 3. Texts are content-addressed and shared by all conversations. An append writes its texts and its row together, or
//!    nothing at all.
//! 4. A store that cannot answer says so with a [`Fault`], within a bounded time. It never panics and never repairs a file
//!    that it does not understand.
//! 5. Every byte of a text and of a message is kept, also NUL. Ids are compared and ordered byte by byte.
//! 6. Whoever makes a row gives it whole milliseconds ([`truncate_to_millis`](super::truncate_to_millis)), so that it
//!    equals the row that is kept. A store keeps times to the microsecond all the same: earlier versions had such rows.
//!
//! A store knows nothing of layouts, facts or prompts: to it a body is a text like any other. [`crate::contract`] has
//! the rules that every store must keep.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;

use super::copy::{Copied, LedgerCopy};
use super::template::Templates;
use super::{Cause, ConversationId, Insertion, Insertions, Pauses};
use crate::error::{Error, ErrorKind, Fault};
use crate::text::Digest;

/// An epoch as it is kept: what belongs to one conversation alone. All else is in its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EpochRow {
    /// The conversation that it belongs to.
    pub conversation: ConversationId,
    /// From 1, without gaps. Order is by this number, never by time.
    pub number: u64,
    /// Why it began.
    pub cause: Cause,
    /// When, by the clock of whoever opened it.
    pub opened_at: Timestamp,
    /// The digest of what the model sees.
    pub digest: Digest,
    /// The digest of the body's text.
    pub body: Digest,
    /// Where the conversation worked.
    pub cwd: String,
    /// On which machine, if that was known.
    pub machine: Option<String>,
    /// With which model, if that was known.
    pub model: Option<String>,
}

/// An amendment as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AmendmentRow {
    /// The conversation that it belongs to.
    pub conversation: ConversationId,
    /// The epoch that it amends.
    pub epoch: u64,
    /// From 1 within the epoch, without gaps.
    pub number: u64,
    /// When, by the clock of whoever appended it.
    pub at: Timestamp,
    /// The digest of the body's text.
    pub body: Digest,
}

/// A body and the texts that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// The text that the row names as its body.
    pub body: Arc<str>,
    /// Its parts, by their digests.
    pub parts: BTreeMap<Digest, Arc<str>>,
}

impl Bundle {
    /// A body with its parts.
    pub fn new(body: impl Into<Arc<str>>, parts: impl IntoIterator<Item = Arc<str>>) -> Bundle {
        let parts = parts.into_iter().map(|text| (Digest::of(&text), text)).collect();
        Bundle { body: body.into(), parts }
    }
}

/// How an append ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Appended<Row> {
    /// The row is in the ledger.
    Won,
    /// Another row has the number, and nothing was written. For an epoch this is the standing one.
    Lost(Row),
}

/// The last epoch of a conversation, with all that a turn needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The epoch with the highest number.
    pub epoch: EpochRow,
    /// Its amendments, in order.
    pub amendments: Vec<AmendmentRow>,
    /// How many insertions wait for the next turn.
    pub waiting: u64,
    /// How many were taken by turns, and are repeated.
    pub inserted: u64,
    /// The digest of the body that the conversation remembers; none if it was never given one.
    pub said: Option<Digest>,
    /// When somebody noted that it is in use; none if nobody did.
    pub used: Option<Timestamp>,
    /// The pauses that were noted with its uses.
    pub pauses: Pauses,
}

/// A compaction that was begun. It is not part of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactionRow {
    /// The conversation that it belongs to.
    pub conversation: ConversationId,
    /// Who may commit it.
    pub token: String,
    /// The epoch that was the standing one when it was begun.
    pub epoch: u64,
    /// The epoch that a commit appends; none if it keeps the standing one.
    pub next: Option<EpochRow>,
}

/// How a commit ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// It is done, and this is the standing epoch.
    Done(EpochRow),
    /// It was done before, and this is the epoch that it made or kept.
    Before(EpochRow),
    /// There is no compaction with that token: it was aborted, or superseded by another one.
    NotBegun,
    /// The conversation has another epoch by now. The compaction is gone, the ledger is as it was.
    MovedOn(EpochRow),
}

/// Whether a sweep deletes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sweep {
    /// Texts that no row names are counted, and stay.
    DryRun,
    /// Texts that no row names are deleted.
    Delete,
}

/// What a sweep found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// How many texts no row names.
    pub texts: u64,
    /// How many bytes they have.
    pub bytes: u64,
}

/// Which conversation may be deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deletable {
    /// Any.
    Any,
    /// One whose last use was before this time. That is looked at in the transaction that deletes it.
    UnusedSince(Timestamp),
}

/// Whether a use was noted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noted {
    /// It is in use, and no sweep by age deletes it.
    Done,
    /// It is there. Somebody else writes at this moment, so that it is noted later, or by the next one who uses it.
    Later,
    /// There is no such conversation.
    NoConversation,
}

/// When a conversation was used last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastUse {
    /// Which one.
    pub conversation: ConversationId,
    /// When.
    pub at: Timestamp,
}

/// What went with a conversation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Deleted {
    /// How many epochs it had.
    pub epochs: u64,
    /// The texts that nobody else names.
    pub swept: Swept,
}

/// A moment of a store: two that are equal had nothing written between them. Two that differ may have had, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp(u64, u64);

impl Stamp {
    /// A moment of a count. Counts with different numbers have no moment in common.
    pub fn new(count: u64, moment: u64) -> Stamp {
        Stamp(count, moment)
    }
}

/// Something that keeps ledgers. It may be asked from several threads, and its medium by several processes.
/// It keeps the templates that people save as well.
pub trait Store: Templates {
    /// The standing epoch, in one question; none for a conversation that nobody opened.
    fn standing(&self, conversation: &ConversationId) -> StoreResult<Option<Standing>>;

    /// One epoch with its amendments. `waiting` and `inserted` are 0 here, `said` and `used` none, `pauses` empty: they belong to the
    /// conversation as it is now.
    fn epoch(&self, conversation: &ConversationId, number: u64) -> StoreResult<Option<Standing>>;

    /// The epochs with higher numbers than `after`, ascending, at most `limit`.
    fn epochs(&self, conversation: &ConversationId, after: u64, limit: usize) -> StoreResult<Vec<EpochRow>>;

    /// The standing epochs of the conversations behind `after` in order of their ids, at most `limit`.
    fn conversations(&self, after: Option<&ConversationId>, limit: usize) -> StoreResult<Vec<EpochRow>>;

    /// Appends an epoch with its texts. Its number must be one more than the standing one's, or 1.
    fn append(&self, row: &EpochRow, bundle: &Bundle) -> StoreResult<Appended<EpochRow>>;

    /// Appends an amendment with its texts to the standing epoch. If another epoch is the standing one by now, or the number is
    /// taken, the answer is lost, and the row is the last amendment of the epoch that the row names, if there is one.
    fn amend(&self, row: &AmendmentRow, bundle: &Bundle) -> StoreResult<Appended<Option<AmendmentRow>>>;

    /// Remembers what a conversation was told, in the place of what it remembered before. Of several at once the last one
    /// stays. What is remembered already is not written again. A conversation without an epoch is a
    /// [`Fault::Failed`], and nothing is written.
    fn remember(&self, conversation: &ConversationId, said: &Bundle) -> StoreResult<()>;

    /// The texts with these digests, in their order; none for one that is not there.
    fn texts(&self, digests: &[Digest]) -> StoreResult<Vec<Option<Arc<str>>>>;

    /// Queues a message for the next turn, and answers with its number.
    fn queue(&self, conversation: &ConversationId, at: Timestamp, text: &str) -> StoreResult<u64>;

    /// Appends an insertion under its number, which must be higher than all others of the conversation. If it is not, nothing is
    /// written, and the answer is the highest one.
    fn insert(&self, conversation: &ConversationId, insertion: &Insertion) -> StoreResult<Appended<u64>>;

    /// Takes the insertions that wait, each once, ascending. A turn that names itself gets the same ones again when it
    /// asks again. All that were taken and have no place yet get this one, if it is known.
    fn take(
        &self,
        conversation: &ConversationId,
        turn: Option<&str>,
        place: Option<u64>,
    ) -> StoreResult<Vec<Insertion>>;

    /// The insertions that wait and those that were taken, without taking any. Those that ended are not among them.
    fn insertions(&self, conversation: &ConversationId) -> StoreResult<Insertions>;

    /// Ends insertions, whether they wait or were taken: no turn gets them any more. Others stay as they are.
    fn end(&self, conversation: &ConversationId, numbers: &[u64]) -> StoreResult<()>;

    /// Remembers a compaction in the place of any other of the conversation. The ledger does not change.
    fn begin(&self, compaction: &CompactionRow, bundle: Option<&Bundle>) -> StoreResult<()>;

    /// Appends the epoch of the compaction with that token, opened at `at`, ends the insertions that were taken, and forgets the
    /// compaction: all or nothing. A compaction that keeps the epoch ends them as well. The token of the last one that was
    /// committed is kept, and asking again gets the epoch that it made; nothing is ended then.
    fn commit(&self, conversation: &ConversationId, token: &str, at: Timestamp) -> StoreResult<Committed>;

    /// Forgets the compaction with that token. It is not an error if there is none.
    fn abort(&self, conversation: &ConversationId, token: &str) -> StoreResult<()>;

    /// Takes in what is lacking of ledgers from elsewhere, each of another conversation: all of it, or nothing at all.
    fn import(&self, copies: &[LedgerCopy]) -> StoreResult<Copied>;

    /// Ends a ledger: all rows of the conversation go, and with them the texts that nobody else names. None if there was
    /// nothing of it, or if it was used too late.
    fn delete(&self, conversation: &ConversationId, which: Deletable) -> StoreResult<Option<Deleted>>;

    /// Notes that a conversation is in use. What was noted never becomes earlier. Nothing is noted for a conversation without
    /// an epoch. It does not wait for somebody who writes, beyond the blink of an eye: a turn that has nothing to write is not kept
    /// from its answer.
    ///
    /// A pause of so many seconds before the use is kept behind those that are known, unless somebody has noted a use within it.
    fn note_use(&self, conversation: &ConversationId, at: Timestamp, pause: Option<u64>) -> StoreResult<Noted>;

    /// When the conversations behind `after` in order of their ids were used last: the latest of their rows, or what was noted.
    /// At most `limit`; those that only have messages are among them.
    fn last_uses(&self, after: Option<&ConversationId>, limit: usize) -> StoreResult<Vec<LastUse>>;

    /// Finds the texts that no row names, and deletes them or not.
    fn sweep(&self, sweep: Sweep) -> StoreResult<Swept>;

    /// Whether a write would be taken now, as far as that can be known without writing. It is soon answered, also where a
    /// question would wait longer. A store that can be put right again is put right.
    fn ready(&self) -> StoreResult<()> {
        Ok(())
    }

    /// Which moment it is, with all that anybody has written; none where answering that takes as long as any other question.
    fn stamp(&self) -> StoreResult<Option<Stamp>> {
        Ok(None)
    }
}

/// A result with a [`StoreError`].
pub type StoreResult<T> = std::result::Result<T, StoreError>;

/// Why a store could not answer.
#[derive(Debug)]
pub struct StoreError {
    /// What to branch on.
    pub fault: Fault,
    /// For people: lower case, no final stop; names the file or address.
    pub message: String,
    /// What to look at, where the fault alone does not say it.
    pub hint: Option<String>,
    /// What the driver said.
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl StoreError {
    /// An error without a source.
    pub fn new(fault: Fault, message: impl Into<String>) -> StoreError {
        StoreError { fault, message: message.into(), hint: None, source: None }
    }

    /// The same error, with advice.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> StoreError {
        self.hint = Some(hint.into());
        self
    }

    /// The same error, because of another one.
    #[must_use]
    pub fn because(mut self, source: impl std::error::Error + Send + Sync + 'static) -> StoreError {
        self.source = Some(Box::new(source));
        self
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.source {
            Some(source) => write!(f, ": {source}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source.as_ref() as &(dyn std::error::Error + 'static))
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        let hint = match error.fault {
            Fault::Busy | Fault::Unreachable => Some("try again"),
            Fault::Descriptors => Some("try again, or raise the limit of open files (`ulimit -n`)"),
            Fault::Memory => Some("try again, or give it more memory"),
            Fault::Displaced => Some("put its files back as they were; what is stored can still be read"),
            Fault::Full => Some("make room; what is stored can still be read"),
            Fault::ReadOnly => Some("make the store writable, or name another one with --store"),
            Fault::Newer => Some("use the newer antefix that wrote it"),
            Fault::Corrupt => Some("the file was left as it is; restore a copy, or name another store"),
            Fault::Failed => None,
        };
        let result = Error::new(ErrorKind::Store(error.fault), error.to_string());
        match error.hint.as_deref().or(hint) {
            Some(hint) => result.with_hint(hint),
            None => result,
        }
    }
}
