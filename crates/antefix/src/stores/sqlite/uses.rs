//! When conversations were used last.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use rusqlite::{Connection, Row, params};

use super::fault::Failure;
use super::rows::{self, Micros, Number};
use crate::error::Fault;
use crate::freeze::store::{LastUse, Noted};
use crate::freeze::{ConversationId, Pauses, StoreError};

/// The latest of a conversation's rows, or what was noted, for `{}` in a statement; null if there is nothing of it.
const LAST: &str = "(SELECT max(at) FROM (\
    SELECT max(opened_at) AS at FROM epochs WHERE conversation = {} \
    UNION ALL SELECT max(at) FROM amendments WHERE conversation = {} \
    UNION ALL SELECT max(at) FROM messages WHERE conversation = {} \
    UNION ALL SELECT opened_at FROM compactions WHERE conversation = {} \
    UNION ALL SELECT at FROM uses WHERE conversation = {}))";

/// Uses that were not noted at once, because somebody else wrote. The next write of this process takes them along.
#[derive(Default)]
pub(super) struct DeferredUses(Mutex<BTreeMap<ConversationId, Use>>);

/// A use, and the pause before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Use {
    at: Timestamp,
    pause: Option<u64>,
}

/// How many are kept at most. One that finds no room is noted by the next turn of its conversation.
const MOST: usize = 10_000;

impl DeferredUses {
    pub(super) fn add(&self, id: &ConversationId, at: Timestamp, pause: Option<u64>) {
        let mut all = self.lock();
        if all.len() < MOST || all.contains_key(id) {
            let known = all.entry(id.clone()).or_insert(Use { at, pause });
            *known = Use { at: at.max(known.at), pause: known.pause.or(pause) };
        }
    }

    /// Whether a use of this conversation waits already.
    pub(super) fn has(&self, id: &ConversationId) -> bool {
        self.lock().contains_key(id)
    }

    /// Notes all of them, and answers with what was noted.
    pub(super) fn note_all(&self, connection: &Connection) -> Result<Vec<(ConversationId, Use)>, Failure> {
        let all: Vec<_> = self.lock().iter().map(|(id, at)| (id.clone(), *at)).collect();
        for (id, Use { at, pause }) in &all {
            // One that was deleted meanwhile needs none.
            note(connection, id, *at, *pause)?;
        }
        Ok(all)
    }

    /// Forgets what was committed.
    pub(super) fn forget(&self, noted: &[(ConversationId, Use)]) {
        if noted.is_empty() {
            return;
        }
        let mut all = self.lock();
        for (id, used) in noted {
            if all.get(id) == Some(used) {
                all.remove(id);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ConversationId, Use>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// When a conversation was used last; none if there is nothing of it.
pub(super) fn last_use(connection: &Connection, id: &ConversationId) -> Result<Option<Timestamp>, Failure> {
    let mut statement = connection.prepare_cached(&format!("SELECT {}", LAST.replace("{}", "?1")))?;
    let at = statement.query_row([id.as_str()], |row| row.get::<_, Option<Micros>>(0))?;
    Ok(at.map(|Micros(at)| at))
}

/// Notes a use of a conversation that has an epoch, and the pause before it.
pub(super) fn note(
    connection: &Connection,
    id: &ConversationId,
    at: Timestamp,
    pause: Option<u64>,
) -> Result<Noted, Failure> {
    if rows::last_epoch(connection, id)?.is_none() {
        return Ok(Noted::NoConversation);
    }
    let mut known = connection.prepare_cached("SELECT at, pauses FROM uses WHERE conversation = ?1")?;
    let mut rows = known.query([id.as_str()])?;
    let (noted, mut kept) = match rows.next()? {
        Some(row) => (Some(row.get::<_, Micros>(0)?.0), pauses(row, 1)?),
        None => (None, Pauses::default()),
    };
    if let Some(pause) = pause {
        kept.note(pause, at, noted);
    }
    connection
        .prepare_cached(
            "INSERT INTO uses (conversation, at, pauses) VALUES (?1, ?2, ?3) \
             ON CONFLICT (conversation) DO UPDATE SET at = max(at, excluded.at), pauses = excluded.pauses",
        )?
        .execute(params![id.as_str(), Micros(at), kept.to_string()])?;
    Ok(Noted::Done)
}

/// The pauses in a column of a row that may be missing.
pub(super) fn pauses(row: &Row<'_>, column: usize) -> Result<Pauses, Failure> {
    let text: Option<String> = row.get(column)?;
    let wrong = || StoreError::new(Fault::Corrupt, "is damaged: the pauses of a conversation cannot be read").into();
    Pauses::parse(text.as_deref().unwrap_or_default()).ok_or_else(wrong)
}

/// The conversations behind one, each with its last use. From one id to the next by the indexes, as conversations are listed.
pub(super) fn list(
    connection: &Connection,
    after: Option<&ConversationId>,
    limit: usize,
) -> Result<Vec<LastUse>, Failure> {
    let next = "(SELECT min(id) FROM (SELECT min(conversation) AS id FROM epochs WHERE conversation > {} \
                UNION ALL SELECT min(conversation) FROM messages WHERE conversation > {}))";
    let (first, next) = (next.replace("{}", "?1"), next.replace("{}", "ids.id"));
    let mut statement = connection.prepare_cached(&format!(
        "WITH RECURSIVE ids (id) AS (SELECT {first} UNION ALL SELECT {next} FROM ids WHERE id IS NOT NULL LIMIT ?2) \
         SELECT id, {} FROM ids WHERE id IS NOT NULL",
        LAST.replace("{}", "ids.id")
    ))?;
    let after = after.map_or("", ConversationId::as_str);
    let rows = statement.query_map(params![after, Number(limit as u64)], |row| {
        let id = ConversationId::parse(row.get_ref(0)?.as_str()?).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(error))
        })?;
        Ok(LastUse { conversation: id, at: row.get::<_, Micros>(1)?.0 })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
