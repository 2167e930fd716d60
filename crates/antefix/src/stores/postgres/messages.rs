//! Messages that wait for the next turn.

use jiff::Timestamp;

use super::fault::Trouble;
use super::rows::{self, asked};
use super::session::Session;
use super::work::Written;
use crate::freeze::{ConversationId, QueuedMessage};

const QUEUE: &str = "\
    INSERT INTO messages (conversation, number, at, text, queued_by) \
    SELECT $1, 1 + coalesce(max(number), 0), $2, $3, $4::text::uuid FROM messages WHERE conversation = $1 \
    RETURNING number";

pub(super) async fn queue(
    session: &Session,
    conversation: &ConversationId,
    at: Timestamp,
    text: &str,
    id: &str,
) -> Result<Written<u64>, Trouble> {
    let row = session.query_opt(QUEUE, &[&conversation.as_str(), &at.to_string(), &text.as_bytes(), &id]).await?;
    let row = row.ok_or_else(|| Trouble::corrupt("a message has no number"))?;
    Ok(Written::Commit(rows::number(row.try_get(0)?)?))
}

const QUEUED: &str = "SELECT 1 FROM messages WHERE conversation = $1 AND number = $2 AND queued_by = $3::text::uuid";

/// Whether the transaction with that id queued the message.
pub(super) async fn is_queued(
    session: &Session,
    conversation: &ConversationId,
    number: u64,
    id: &str,
) -> Result<bool, Trouble> {
    Ok(session.query_opt(QUEUED, &[&conversation.as_str(), &asked(number), &id]).await?.is_some())
}

const TAKE: &str = "\
    UPDATE messages SET taken_by = $3::text::uuid, turn = $2 WHERE conversation = $1 AND taken_by IS NULL";
const TAKEN: &str = "\
    SELECT number, at, text FROM messages \
    WHERE conversation = $1 AND taken_by IS NOT NULL AND (taken_by = $3::text::uuid OR turn = $2) ORDER BY number";

/// Takes the messages that wait, and those that went with the same turn.
pub(super) async fn take(
    session: &Session,
    conversation: &ConversationId,
    turn: Option<&str>,
    id: &str,
) -> Result<Written<Vec<QueuedMessage>>, Trouble> {
    let turn = turn.map(str::as_bytes);
    let changed = session.execute(TAKE, &[&conversation.as_str(), &turn, &id]).await?;
    let rows = session.query(TAKEN, &[&conversation.as_str(), &turn, &id]).await?;
    let taken = rows.iter().map(rows::message).collect::<Result<_, _>>()?;
    Ok(if changed == 0 { Written::Nothing(taken) } else { Written::Commit(taken) })
}

const TOOK: &str = "SELECT 1 FROM messages WHERE conversation = $1 AND taken_by = $2::text::uuid LIMIT 1";

/// Whether the transaction with that id took any.
pub(super) async fn has_taken(session: &Session, conversation: &ConversationId, id: &str) -> Result<bool, Trouble> {
    Ok(session.query_opt(TOOK, &[&conversation.as_str(), &id]).await?.is_some())
}

const WAITING: &str =
    "SELECT number, at, text FROM messages WHERE conversation = $1 AND taken_by IS NULL ORDER BY number";

/// The messages that wait.
pub(super) async fn waiting(session: &Session, conversation: &ConversationId) -> Result<Vec<QueuedMessage>, Trouble> {
    session.query(WAITING, &[&conversation.as_str()]).await?.iter().map(rows::message).collect()
}

const ALL: &str = "SELECT number, at, text FROM messages WHERE conversation = $1 ORDER BY number";

/// All messages, also those that went with a turn.
pub(super) async fn all(session: &Session, conversation: &ConversationId) -> Result<Vec<QueuedMessage>, Trouble> {
    session.query(ALL, &[&conversation.as_str()]).await?.iter().map(rows::message).collect()
}
