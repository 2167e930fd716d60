//! What waits for a turn, and what turns repeat.

use jiff::Timestamp;
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::fault::Failure;
use super::rows::{Micros, Number};
use crate::freeze::store::Appended;
use crate::freeze::{ConversationId, Insertion, InsertionKind, Insertions, Taken};
use crate::stores::failpoint;

/// The columns that [`insertion`] reads.
const COLUMNS: &str = "number, at, text, touched, taken, turn, place";

/// The highest number that was ever given.
pub(super) fn last(connection: &Connection, conversation: &ConversationId) -> Result<u64, Failure> {
    let mut statement =
        connection.prepare_cached("SELECT coalesce(max(number), 0) FROM messages WHERE conversation = ?1")?;
    let Number(last) = statement.query_row([conversation.as_str()], |row| row.get(0))?;
    Ok(last)
}

pub(super) fn queue(
    connection: &Connection,
    conversation: &ConversationId,
    at: Timestamp,
    text: &str,
) -> Result<u64, Failure> {
    let number = last(connection, conversation)? + 1;
    let queued = Insertion { number, kind: InsertionKind::Queued, at, text: text.to_owned(), taken: None };
    insert(connection, conversation, &queued)?;
    Ok(number)
}

pub(super) fn insert(
    connection: &Connection,
    conversation: &ConversationId,
    insertion: &Insertion,
) -> Result<Appended<u64>, Failure> {
    let last = last(connection, conversation)?;
    if insertion.number <= last {
        return Ok(Appended::Lost(last));
    }
    let taken = insertion.taken.as_ref();
    connection
        .prepare_cached(
            "INSERT INTO messages (conversation, number, at, text, touched, taken, turn, place) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            conversation.as_str(),
            Number(insertion.number),
            Micros(insertion.at),
            insertion.text,
            insertion.kind.record(),
            i64::from(taken.is_some()),
            taken.and_then(|taken| taken.turn.as_ref()),
            taken.and_then(|taken| taken.place).map(Number),
        ])?;
    failpoint::reach("an insertion is written")?;
    Ok(Appended::Won)
}

/// All that wait or are repeated.
pub(super) fn all(connection: &Connection, conversation: &ConversationId) -> Result<Insertions, Failure> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM messages WHERE conversation = ?1 AND ended = 0 ORDER BY number"
    ))?;
    let rows = statement.query_map([conversation.as_str()], insertion)?;
    Ok(Insertions { last: last(connection, conversation)?, all: rows.collect::<rusqlite::Result<_>>()? })
}

/// Whether a take would write something.
pub(super) fn is_due(
    connection: &Connection,
    conversation: &ConversationId,
    place: Option<u64>,
) -> Result<bool, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT 1 FROM messages WHERE conversation = ?1 AND ended = 0 \
         AND (taken = 0 OR (place IS NULL AND ?2 IS NOT NULL)) LIMIT 1",
    )?;
    let found = statement.query_row(params![conversation.as_str(), place.map(Number)], |_| Ok(())).optional()?;
    Ok(found.is_some())
}

/// Takes what waits, and gives a place to what has none. The answer are those that waited, and those that went with this turn.
pub(super) fn take(
    connection: &Connection,
    conversation: &ConversationId,
    turn: Option<&str>,
    place: Option<u64>,
) -> Result<Vec<Insertion>, Failure> {
    let waited: Vec<u64> = all(connection, conversation)?.waiting().map(|waiting| waiting.number).collect();
    connection
        .prepare_cached("UPDATE messages SET taken = 1, turn = ?2 WHERE conversation = ?1 AND ended = 0 AND taken = 0")?
        .execute(params![conversation.as_str(), turn])?;
    failpoint::reach("insertions are taken")?;
    connection
        .prepare_cached("UPDATE messages SET place = ?2 WHERE conversation = ?1 AND ended = 0 AND place IS NULL")?
        .execute(params![conversation.as_str(), place.map(Number)])?;
    let all = all(connection, conversation)?;
    let is_fresh = |one: &Insertion| waited.contains(&one.number) || is_of(one, turn);
    Ok(all.taken().filter(is_fresh).collect())
}

/// Those that went with a turn of this name.
pub(super) fn of_turn(
    connection: &Connection,
    conversation: &ConversationId,
    turn: Option<&str>,
) -> Result<Vec<Insertion>, Failure> {
    Ok(all(connection, conversation)?.taken().filter(|one| is_of(one, turn)).collect())
}

/// Whether an insertion went with a turn of this name.
fn is_of(insertion: &Insertion, turn: Option<&str>) -> bool {
    let took = insertion.taken.as_ref().and_then(|taken| taken.turn.as_deref());
    turn.is_some() && took == turn
}

/// Ends insertions by their numbers.
pub(super) fn end(connection: &Connection, conversation: &ConversationId, numbers: &[u64]) -> Result<(), Failure> {
    let mut statement =
        connection.prepare_cached("UPDATE messages SET ended = 1 WHERE conversation = ?1 AND number = ?2")?;
    for number in numbers {
        statement.execute(params![conversation.as_str(), Number(*number)])?;
    }
    Ok(())
}

/// Ends all that were taken.
pub(super) fn end_taken(connection: &Connection, conversation: &ConversationId) -> Result<(), Failure> {
    connection
        .prepare_cached("UPDATE messages SET ended = 1 WHERE conversation = ?1 AND ended = 0 AND taken = 1")?
        .execute([conversation.as_str()])?;
    Ok(())
}

fn insertion(row: &Row<'_>) -> rusqlite::Result<Insertion> {
    let (Number(number), Micros(at)) = (row.get(0)?, row.get(1)?);
    let touched: Option<String> = row.get(3)?;
    let kind = InsertionKind::parse(touched.as_deref())
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(3, Type::Text, Box::new(error)))?;
    let taken = match row.get::<_, i64>(4)? {
        0 => None,
        _ => Some(Taken { turn: row.get(5)?, place: row.get::<_, Option<Number>>(6)?.map(|Number(place)| place) }),
    };
    Ok(Insertion { number, kind, at, text: row.get(2)?, taken })
}
