//! What waits for a turn, and what turns repeat.

use jiff::Timestamp;

use super::fault::Trouble;
use super::rows::{self, asked};
use super::session::Session;
use super::work::Written;
use crate::freeze::{ConversationId, Insertion, Insertions};

const LAST: &str = "SELECT coalesce(max(number), 0) FROM messages WHERE conversation = $1";

/// The highest number that was ever given.
pub(super) async fn last(session: &Session, conversation: &ConversationId) -> Result<u64, Trouble> {
    let row = session.query_opt(LAST, &[&conversation.as_str()]).await?;
    row.map_or(Ok(0), |row| rows::number(row.try_get(0)?))
}

const INSERT: &str = "\
    INSERT INTO messages (conversation, number, at, text, touched, queued_by, taken_by, turn, place) \
    VALUES ($1, $2, $3, $4, $5, $6::text::uuid, $7::text::uuid, $8, $9)";

/// Writes an insertion under a number that nobody has.
pub(super) async fn insert(
    session: &Session,
    conversation: &ConversationId,
    insertion: &Insertion,
    id: &str,
) -> Result<(), Trouble> {
    let taken = insertion.taken.as_ref();
    let touched = insertion.kind.record();
    session
        .execute(
            INSERT,
            &[
                &conversation.as_str(),
                &asked(insertion.number),
                &insertion.at.to_string(),
                &insertion.text.as_bytes(),
                &touched.as_ref().map(|files| files.as_bytes()),
                &id,
                &taken.map(|_| id),
                &taken.and_then(|taken| taken.turn.as_ref()).map(|turn| turn.as_bytes()),
                &taken.and_then(|taken| taken.place).map(asked),
            ],
        )
        .await?;
    Ok(())
}

const INSERTED: &str = "SELECT 1 FROM messages WHERE conversation = $1 AND number = $2 AND queued_by = $3::text::uuid";

/// Whether the transaction with that id wrote the insertion.
pub(super) async fn is_inserted(
    session: &Session,
    conversation: &ConversationId,
    number: u64,
    id: &str,
) -> Result<bool, Trouble> {
    Ok(session.query_opt(INSERTED, &[&conversation.as_str(), &asked(number), &id]).await?.is_some())
}

const ALL: &str = "\
    SELECT number, at, text, touched, taken_by IS NOT NULL, turn, place FROM messages \
    WHERE conversation = $1 AND NOT ended ORDER BY number";

/// All that wait or are repeated.
pub(super) async fn all(session: &Session, conversation: &ConversationId) -> Result<Insertions, Trouble> {
    let rows = session.query(ALL, &[&conversation.as_str()]).await?;
    let all = rows.iter().map(rows::insertion).collect::<Result<_, _>>()?;
    Ok(Insertions { last: last(session, conversation).await?, all })
}

const EVER: &str = "SELECT at, text FROM messages WHERE conversation = $1";

/// All that there ever were, by time and text.
pub(super) async fn ever(
    session: &Session,
    conversation: &ConversationId,
) -> Result<Vec<(Timestamp, String)>, Trouble> {
    let rows = session.query(EVER, &[&conversation.as_str()]).await?;
    rows.iter().map(|row| Ok((rows::timestamp(row.try_get(0)?)?, rows::text(row.try_get(1)?)?))).collect()
}

const TAKE: &str = "\
    UPDATE messages SET taken_by = $3::text::uuid, turn = $2 \
    WHERE conversation = $1 AND taken_by IS NULL AND NOT ended";
const PLACE: &str = "UPDATE messages SET place = $2 WHERE conversation = $1 AND place IS NULL AND NOT ended";
const TAKEN: &str = "\
    SELECT number, at, text, touched, taken_by IS NOT NULL, turn, place FROM messages \
    WHERE conversation = $1 AND NOT ended AND (taken_by = $3::text::uuid OR turn = $2) ORDER BY number";

/// Takes what waits, and gives a place to what has none. The answer are those that waited, and those that went with the same turn.
pub(super) async fn take(
    session: &Session,
    conversation: &ConversationId,
    (turn, place): (Option<&str>, Option<u64>),
    id: &str,
) -> Result<Written<Vec<Insertion>>, Trouble> {
    let turn = turn.map(str::as_bytes);
    let mut changed = session.execute(TAKE, &[&conversation.as_str(), &turn, &id]).await?;
    if let Some(place) = place {
        changed += session.execute(PLACE, &[&conversation.as_str(), &asked(place)]).await?;
    }
    let rows = session.query(TAKEN, &[&conversation.as_str(), &turn, &id]).await?;
    let taken = rows.iter().map(rows::insertion).collect::<Result<_, _>>()?;
    Ok(if changed == 0 { Written::Nothing(taken) } else { Written::Commit(taken) })
}

const DUE: &str = "\
    SELECT 1 FROM messages WHERE conversation = $1 AND NOT ended \
    AND (taken_by IS NULL OR (place IS NULL AND $2::bigint IS NOT NULL)) LIMIT 1";
const OF_TURN: &str = "\
    SELECT number, at, text, touched, taken_by IS NOT NULL, turn, place FROM messages \
    WHERE conversation = $1 AND NOT ended AND turn = $2 ORDER BY number";

/// What a take would answer, if it had nothing to write; none if it has.
pub(super) async fn taken(
    session: &Session,
    conversation: &ConversationId,
    (turn, place): (Option<&str>, Option<u64>),
) -> Result<Option<Vec<Insertion>>, Trouble> {
    if session.query_opt(DUE, &[&conversation.as_str(), &place.map(asked)]).await?.is_some() {
        return Ok(None);
    }
    let turn = turn.map(str::as_bytes);
    let rows = session.query(OF_TURN, &[&conversation.as_str(), &turn]).await?;
    Ok(Some(rows.iter().map(rows::insertion).collect::<Result<_, _>>()?))
}

const TOOK: &str = "SELECT 1 FROM messages WHERE conversation = $1 AND taken_by = $2::text::uuid LIMIT 1";

/// Whether the transaction with that id took any. One that only gave places may be done again.
pub(super) async fn has_taken(session: &Session, conversation: &ConversationId, id: &str) -> Result<bool, Trouble> {
    Ok(session.query_opt(TOOK, &[&conversation.as_str(), &id]).await?.is_some())
}

const END: &str = "\
    UPDATE messages SET ended = true, taken_by = coalesce(taken_by, $3::text::uuid) \
    WHERE conversation = $1 AND number = ANY($2)";

/// Ends insertions by their numbers. One that waited counts as taken, also for a server of the version before.
pub(super) async fn end(
    session: &Session,
    conversation: &ConversationId,
    numbers: &[u64],
    id: &str,
) -> Result<Written<()>, Trouble> {
    let numbers: Vec<i64> = numbers.iter().copied().map(asked).collect();
    session.execute(END, &[&conversation.as_str(), &numbers, &id]).await?;
    Ok(Written::Commit(()))
}

const END_TAKEN: &str =
    "UPDATE messages SET ended = true WHERE conversation = $1 AND taken_by IS NOT NULL AND NOT ended";

/// Ends all that were taken.
pub(super) async fn end_taken(session: &Session, conversation: &ConversationId) -> Result<(), Trouble> {
    session.execute(END_TAKEN, &[&conversation.as_str()]).await?;
    Ok(())
}
