//! The port's questions, as statements.

use std::collections::BTreeSet;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::SqliteStore;
use super::copies;
use super::fault::Failure;
use super::rows::{self, EPOCH, Hash, Micros, Number};
use super::{insertions, sweep, uses};
use crate::error::Fault;
use crate::freeze::copy::{Copied, LedgerCopy};
use crate::freeze::store::{
    AmendmentRow, Appended, Bundle, Committed, CompactionRow, Deletable, Deleted, EpochRow, LastUse, Noted, Stamp,
    Standing, Store, StoreError, StoreResult, Sweep, Swept,
};
use crate::freeze::{ConversationId, Insertion, Insertions};
use crate::stores::failpoint;
use crate::stores::memory::{check_number, no_conversation};
use crate::text::Digest;

/// How long a use waits to be noted while others write.
const BLINK: Duration = Duration::from_millis(20);

/// How many digests are remembered as checked; 32 bytes each.
const CHECKED: usize = 4_096;

/// One question: the last epoch, its amendments, how many insertions wait and are repeated, and what the conversation remembers.
const STANDING: &str = "\
    SELECT e.number, e.cause, e.opened_at, h.digest, h.body, h.cwd, h.machine, h.model, \
    (SELECT count(*) FROM messages WHERE conversation = ?1 AND taken = 0 AND ended = 0), \
    (SELECT count(*) FROM messages WHERE conversation = ?1 AND taken = 1 AND ended = 0), \
    (SELECT body FROM memories WHERE conversation = ?1), u.at, u.pauses, a.number, a.at, a.body \
    FROM (SELECT * FROM epochs WHERE conversation = ?1 ORDER BY number DESC LIMIT 1) e JOIN heads h USING (head) \
    LEFT JOIN uses u ON u.conversation = ?1 \
    LEFT JOIN amendments a ON a.conversation = ?1 AND a.epoch = e.number";

const EPOCH_WITH_AMENDMENTS: &str = "\
    SELECT e.number, e.cause, e.opened_at, h.digest, h.body, h.cwd, h.machine, h.model, 0, 0, NULL, NULL, NULL, \
    a.number, a.at, a.body \
    FROM epochs e JOIN heads h USING (head) LEFT JOIN amendments a ON a.conversation = ?1 AND a.epoch = e.number \
    WHERE e.conversation = ?1 AND e.number = ?2";

impl SqliteStore {
    fn map_error<T>(&self, answer: Result<T, Failure>) -> StoreResult<T> {
        answer.map_err(|failure| failure.of(self.connections.path()))
    }

    pub(super) fn read<T>(&self, ask: impl FnOnce(&Connection) -> Result<T, Failure>) -> StoreResult<T> {
        self.map_error(self.connections.read(ask))
    }

    pub(super) fn write<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Failure>) -> StoreResult<T> {
        self.write_unless(|_| Ok(None), work)
    }

    /// Writes all or nothing, unless `meanwhile` finds the answer while others write.
    fn write_unless<T>(
        &self,
        meanwhile: impl Fn(&Connection) -> Result<Option<T>, Failure>,
        work: impl FnOnce(&Connection) -> Result<T, Failure>,
    ) -> StoreResult<T> {
        let answer = self.connections.write(
            |connection| Ok(meanwhile(connection)?.map(|answer| (answer, Vec::new()))),
            |transaction| {
                let noted = self.uses.note_all(transaction)?;
                Ok((work(transaction)?, noted))
            },
        );
        let (answer, noted) = self.map_error(answer)?;
        self.uses.forget(&noted);
        Ok(answer)
    }

    fn checked(&self) -> MutexGuard<'_, BTreeSet<Digest>> {
        self.checked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A text that has the digest that it is kept under. That is looked at once by each process: hashing a prompt takes
    /// longer than reading it.
    fn sound(&self, digest: Digest, text: Option<Arc<str>>) -> Result<Option<Arc<str>>, Failure> {
        let Some(text) = text else { return Ok(None) };
        if self.checked().contains(&digest) {
            return Ok(Some(text));
        }
        if Digest::of(&text) != digest {
            let message = format!("is damaged: the text {digest} is not what was written");
            return Err(StoreError::new(Fault::Corrupt, message).into());
        }
        let mut checked = self.checked();
        if checked.len() < CHECKED {
            checked.insert(digest);
        }
        Ok(Some(text))
    }
}

impl Store for SqliteStore {
    fn standing(&self, conversation: &ConversationId) -> StoreResult<Option<Standing>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(STANDING)?;
            collect(conversation, statement.query([conversation.as_str()])?)
        })
    }

    fn epoch(&self, conversation: &ConversationId, number: u64) -> StoreResult<Option<Standing>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(EPOCH_WITH_AMENDMENTS)?;
            collect(conversation, statement.query(params![conversation.as_str(), Number(number)])?)
        })
    }

    fn epochs(&self, conversation: &ConversationId, after: u64, limit: usize) -> StoreResult<Vec<EpochRow>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT number, {EPOCH} FROM epochs JOIN heads USING (head) \
                 WHERE conversation = ?1 AND number > ?2 ORDER BY number LIMIT ?3"
            ))?;
            let limits = params![conversation.as_str(), Number(after), Number(limit as u64)];
            let rows = statement.query_map(limits, |row| rows::epoch(row, 0, conversation))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn conversations(&self, after: Option<&ConversationId>, limit: usize) -> StoreResult<Vec<EpochRow>> {
        // From one id to the next by the index, however many epochs lie between them. No id is empty.
        let statement = format!(
            "WITH RECURSIVE ids (id) AS (\
             SELECT min(conversation) FROM epochs WHERE conversation > ?1 \
             UNION ALL SELECT (SELECT min(conversation) FROM epochs WHERE conversation > id) FROM ids \
             WHERE id IS NOT NULL LIMIT ?2) \
             SELECT conversation, number, {EPOCH} FROM ids JOIN epochs ON conversation = id \
             AND number = (SELECT max(number) FROM epochs WHERE conversation = id) JOIN heads USING (head) ORDER BY id"
        );
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&statement)?;
            let after = after.map_or("", ConversationId::as_str);
            let rows = statement.query_map(params![after, Number(limit as u64)], |row| {
                let id = row.get_ref(0)?.as_str()?;
                let id = ConversationId::parse(id).map_err(|error| {
                    rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error))
                })?;
                rows::epoch(row, 1, &id)
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn append(&self, row: &EpochRow, bundle: &Bundle) -> StoreResult<Appended<EpochRow>> {
        let lost = |connection: &Connection| {
            let last = rows::last_epoch(connection, &row.conversation)?;
            Ok(last.filter(|last| last.number >= row.number).map(Appended::Lost))
        };
        // Most who come second need no lock to learn it.
        if let Some(lost) = self.read(lost)? {
            return Ok(lost);
        }
        self.write_unless(lost, |connection| {
            let last = match rows::last_epoch(connection, &row.conversation)? {
                Some(last) if last.number >= row.number => return Ok(Appended::Lost(last)),
                last => last.map_or(0, |last| last.number),
            };
            check_number(row, last)?;
            rows::keep(connection, bundle)?;
            rows::insert_epoch(connection, row)?;
            Ok(Appended::Won)
        })
    }

    fn amend(&self, row: &AmendmentRow, bundle: &Bundle) -> StoreResult<Appended<Option<AmendmentRow>>> {
        self.write(|connection| {
            let stands = rows::last_epoch(connection, &row.conversation)?.is_some_and(|last| last.number == row.epoch);
            let last = rows::last_amendment(connection, &row.conversation, row.epoch)?;
            if !stands || row.number != last.as_ref().map_or(1, |last| last.number + 1) {
                return Ok(Appended::Lost(last));
            }
            rows::keep(connection, bundle)?;
            insert_amendment(connection, row)?;
            Ok(Appended::Won)
        })
    }

    fn remember(&self, conversation: &ConversationId, said: &Bundle) -> StoreResult<()> {
        let body = Digest::of(&said.body);
        let is_remembered =
            |connection: &Connection| Ok((memory(connection, conversation)? == Some(body)).then_some(()));
        // Most turns say what the turn before them said, and need no lock for that.
        if self.read(is_remembered)?.is_some() {
            return Ok(());
        }
        self.write_unless(is_remembered, |connection| {
            if rows::last_epoch(connection, conversation)?.is_none() {
                return Err(StoreError::new(Fault::Failed, no_conversation(conversation)).into());
            }
            keep_memory(connection, conversation, said)
        })
    }

    fn texts(&self, digests: &[Digest]) -> StoreResult<Vec<Option<Arc<str>>>> {
        self.read(|connection| {
            // In a transaction the locks of reading are taken once.
            let transaction = connection.unchecked_transaction()?;
            let text = |digest: &Digest| self.sound(*digest, rows::text(&transaction, *digest)?);
            let texts = digests.iter().map(text).collect::<Result<_, Failure>>()?;
            transaction.commit()?;
            Ok(texts)
        })
    }

    fn queue(&self, conversation: &ConversationId, at: Timestamp, text: &str) -> StoreResult<u64> {
        self.write(|connection| insertions::queue(connection, conversation, at, text))
    }

    fn insert(&self, conversation: &ConversationId, insertion: &Insertion) -> StoreResult<Appended<u64>> {
        self.write(|connection| insertions::insert(connection, conversation, insertion))
    }

    fn take(
        &self,
        conversation: &ConversationId,
        turn: Option<&str>,
        place: Option<u64>,
    ) -> StoreResult<Vec<Insertion>> {
        // A turn for which nothing waits writes nothing.
        if !self.read(|connection| insertions::is_due(connection, conversation, place))? {
            return self.read(|connection| insertions::of_turn(connection, conversation, turn));
        }
        self.write(|connection| insertions::take(connection, conversation, turn, place))
    }

    fn insertions(&self, conversation: &ConversationId) -> StoreResult<Insertions> {
        self.read(|connection| insertions::all(connection, conversation))
    }

    fn end(&self, conversation: &ConversationId, numbers: &[u64]) -> StoreResult<()> {
        self.write(|connection| insertions::end(connection, conversation, numbers))
    }

    fn begin(&self, compaction: &CompactionRow, bundle: Option<&Bundle>) -> StoreResult<()> {
        self.write(|connection| {
            if let Some(bundle) = bundle {
                rows::keep(connection, bundle)?;
            }
            let next = compaction.next.as_ref();
            connection
                .prepare_cached(&format!(
                    "REPLACE INTO compactions (conversation, token, epoch, {EPOCH}) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
                ))?
                .execute(params![
                    compaction.conversation.as_str(),
                    compaction.token,
                    Number(compaction.epoch),
                    next.map(|next| next.cause.name()),
                    next.map(|next| Micros(next.opened_at)),
                    next.map(|next| Hash(next.digest)),
                    next.map(|next| Hash(next.body)),
                    next.map(|next| &next.cwd),
                    next.and_then(|next| next.machine.as_ref()),
                    next.and_then(|next| next.model.as_ref()),
                ])?;
            failpoint::reach("a compaction is begun")?;
            Ok(())
        })
    }

    fn commit(&self, conversation: &ConversationId, token: &str, at: Timestamp) -> StoreResult<Committed> {
        self.write(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "DELETE FROM compactions WHERE conversation = ?1 AND token = ?2 RETURNING epoch, epoch + 1, {EPOCH}"
            ))?;
            let begun = statement.query_row(params![conversation.as_str(), token], |row| {
                let Number(epoch) = row.get(0)?;
                let keeps = row.get_ref(5)? == rusqlite::types::ValueRef::Null;
                Ok((epoch, if keeps { None } else { Some(rows::epoch(row, 1, conversation)?) }))
            });
            let Some((epoch, next)) = begun.optional()? else {
                return committed_before(connection, conversation, token);
            };
            failpoint::reach("a compaction is forgotten")?;
            let Some(standing) = rows::last_epoch(connection, conversation)? else { return Ok(Committed::NotBegun) };
            if standing.number != epoch {
                return Ok(Committed::MovedOn(standing));
            }
            insertions::end_taken(connection, conversation)?;
            failpoint::reach("insertions have ended")?;
            let made = match next {
                None => standing,
                Some(next) => {
                    let next = EpochRow { opened_at: at, ..next };
                    rows::insert_epoch(connection, &next)?;
                    next
                }
            };
            connection
                .prepare_cached("REPLACE INTO commits (conversation, token, epoch) VALUES (?1, ?2, ?3)")?
                .execute(params![conversation.as_str(), token, Number(made.number)])?;
            Ok(Committed::Done(made))
        })
    }

    fn abort(&self, conversation: &ConversationId, token: &str) -> StoreResult<()> {
        self.write(|connection| {
            connection
                .prepare_cached("DELETE FROM compactions WHERE conversation = ?1 AND token = ?2")?
                .execute(params![conversation.as_str(), token])?;
            Ok(())
        })
    }

    fn import(&self, copies: &[LedgerCopy]) -> StoreResult<Copied> {
        self.write(|connection| copies::import(connection, copies))
    }

    fn delete(&self, conversation: &ConversationId, which: Deletable) -> StoreResult<Option<Deleted>> {
        self.write(|connection| {
            if let Deletable::UnusedSince(since) = which
                && uses::last_use(connection, conversation)?.is_some_and(|last| last >= since)
            {
                return Ok(None);
            }
            let Some((bodies, epochs)) = copies::delete(connection, conversation)? else { return Ok(None) };
            failpoint::reach("rows are deleted")?;
            Ok(Some(Deleted { epochs, swept: sweep::delete_with_parts(connection, &bodies)? }))
        })
    }

    fn note_use(&self, conversation: &ConversationId, at: Timestamp, pause: Option<u64>) -> StoreResult<Noted> {
        // A sweep holds the lock for a moment at a time, and would delete what it did not hear of.
        let patience = if self.uses.has(conversation) { Duration::ZERO } else { BLINK };
        let until = Instant::now() + patience;
        loop {
            let note = |connection: &Transaction<'_>| uses::note(connection, conversation, at, pause);
            let at_once = self.connections.write_at_once(note);
            if let Some(noted) = self.map_error(at_once)? {
                return Ok(noted);
            }
            if Instant::now() >= until {
                break;
            }
            std::thread::sleep(BLINK / 20);
        }
        if self.read(|connection| rows::last_epoch(connection, conversation))?.is_none() {
            return Ok(Noted::NoConversation);
        }
        self.uses.add(conversation, at, pause);
        Ok(Noted::Later)
    }

    fn last_uses(&self, after: Option<&ConversationId>, limit: usize) -> StoreResult<Vec<LastUse>> {
        self.read(|connection| uses::list(connection, after, limit))
    }

    fn sweep(&self, sweep: Sweep) -> StoreResult<Swept> {
        self.map_error(sweep::run(&self.connections, sweep))
    }

    fn ready(&self) -> StoreResult<()> {
        self.map_error(self.connections.ready())
    }

    fn stamp(&self) -> StoreResult<Option<Stamp>> {
        self.map_error(self.connections.stamp())
    }
}

/// The rows of an epoch with its amendments: the epoch is in each of them. They are put in order here, because SQLite
/// would sort them even if there is one.
fn collect(conversation: &ConversationId, mut rows: rusqlite::Rows<'_>) -> Result<Option<Standing>, Failure> {
    let mut standing: Option<Standing> = None;
    while let Some(row) = rows.next()? {
        let found = match &mut standing {
            Some(found) => found,
            none => {
                let (Number(waiting), Number(inserted)) = (row.get(8)?, row.get(9)?);
                let said = row.get::<_, Option<Hash>>(10)?.map(|Hash(body)| body);
                let used = row.get::<_, Option<Micros>>(11)?.map(|Micros(at)| at);
                let epoch = rows::epoch(row, 0, conversation)?;
                let pauses = uses::pauses(row, 12)?;
                none.insert(Standing { epoch, amendments: Vec::new(), waiting, inserted, said, used, pauses })
            }
        };
        if row.get_ref(13)? != rusqlite::types::ValueRef::Null {
            found.amendments.push(rows::amendment(row, 13, conversation, found.epoch.number)?);
        }
    }
    if let Some(standing) = &mut standing {
        standing.amendments.sort_by_key(|amendment| amendment.number);
    }
    Ok(standing)
}

/// What a compaction with this token came to before.
fn committed_before(connection: &Connection, id: &ConversationId, token: &str) -> Result<Committed, Failure> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT number, {EPOCH} FROM commits JOIN epochs USING (conversation) JOIN heads USING (head) \
         WHERE conversation = ?1 AND token = ?2 AND number = commits.epoch"
    ))?;
    let made = statement.query_row(params![id.as_str(), token], |row| rows::epoch(row, 0, id)).optional()?;
    Ok(made.map_or(Committed::NotBegun, Committed::Before))
}

/// Writes an amendment. Its primary key lets nobody write it twice.
pub(super) fn insert_amendment(connection: &Connection, row: &AmendmentRow) -> Result<(), Failure> {
    let AmendmentRow { conversation, epoch, number, at, body } = row;
    connection
        .prepare_cached("INSERT INTO amendments (conversation, epoch, number, at, body) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![conversation.as_str(), Number(*epoch), Number(*number), Micros(*at), Hash(*body)])?;
    failpoint::reach("an amendment is written")?;
    Ok(())
}

/// Remembers in the place of what was remembered before.
pub(super) fn keep_memory(connection: &Connection, id: &ConversationId, said: &Bundle) -> Result<(), Failure> {
    rows::keep(connection, said)?;
    connection
        .prepare_cached("REPLACE INTO memories (conversation, body) VALUES (?1, ?2)")?
        .execute(params![id.as_str(), Hash(Digest::of(&said.body))])?;
    failpoint::reach("a memory is written")?;
    Ok(())
}

/// The body that a conversation remembers.
pub(super) fn memory(connection: &Connection, conversation: &ConversationId) -> Result<Option<Digest>, Failure> {
    let mut statement = connection.prepare_cached("SELECT body FROM memories WHERE conversation = ?1")?;
    let body = statement.query_row([conversation.as_str()], |row| row.get::<_, Hash>(0)).optional()?;
    Ok(body.map(|Hash(body)| body))
}
