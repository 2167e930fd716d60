//! When conversations were used last.

use jiff::Timestamp;
use tokio_postgres::Row;

use super::fault::Trouble;
use super::ledger::last;
use super::rows::{self, asked};
use super::session::Session;
use super::work::Written;
use crate::freeze::ConversationId;
use crate::freeze::store::{LastUse, Noted};

/// The last row of each kind, and what was noted. Times are texts that are not in order, so the latest is found here.
macro_rules! times {
    ($id:literal) => {
        concat!(
            "(SELECT opened_at FROM epochs WHERE conversation = ",
            $id,
            " ORDER BY number DESC LIMIT 1), \
             (SELECT at FROM amendments WHERE conversation = ",
            $id,
            " ORDER BY epoch DESC, number DESC LIMIT 1), \
             (SELECT at FROM messages WHERE conversation = ",
            $id,
            " ORDER BY number DESC LIMIT 1), \
             (SELECT opened_at FROM compactions WHERE conversation = ",
            $id,
            "), \
             (SELECT at FROM uses WHERE conversation = ",
            $id,
            ")"
        )
    };
}
const TIMES: usize = 5;

const ONE: &str = concat!("SELECT ", times!("$1"));

/// When a conversation was used last; none if there is nothing of it.
pub(super) async fn last_use(session: &Session, id: &ConversationId) -> Result<Option<Timestamp>, Trouble> {
    match session.query_opt(ONE, &[&id.as_str()]).await? {
        Some(row) => latest(&row, 0),
        None => Ok(None),
    }
}

fn latest(row: &Row, first: usize) -> Result<Option<Timestamp>, Trouble> {
    let mut latest = None;
    for column in first..first + TIMES {
        latest = latest.max(row.try_get::<_, Option<&str>>(column)?.map(rows::timestamp).transpose()?);
    }
    Ok(latest)
}

const NOTED: &str = "SELECT at, pauses FROM uses WHERE conversation = $1";
const NOTE: &str = "INSERT INTO uses (conversation, at, pauses) VALUES ($1, $2, $3) \
                    ON CONFLICT (conversation) DO UPDATE SET at = excluded.at, pauses = excluded.pauses";

/// Notes a use of a conversation that has an epoch, and the pause before it. Writers of a conversation take turns, so that none is lost.
pub(super) async fn note(
    session: &Session,
    id: &ConversationId,
    at: Timestamp,
    pause: Option<u64>,
) -> Result<Written<Noted>, Trouble> {
    if last(session, id).await?.is_none() {
        return Ok(Written::Nothing(Noted::NoConversation));
    }
    let before = session.query_opt(NOTED, &[&id.as_str()]).await?;
    let mut kept = rows::pauses(before.as_ref().map(|row| row.try_get(1)).transpose()?)?;
    let before = before.map(|row| rows::timestamp(row.try_get(0)?)).transpose()?;
    if before >= Some(at) {
        return Ok(Written::Nothing(Noted::Done));
    }
    if let Some(pause) = pause {
        kept.note(pause, at, before);
    }
    session.execute(NOTE, &[&id.as_str(), &at.to_string(), &kept.to_string()]).await?;
    Ok(Written::Commit(Noted::Done))
}

const LIST: &str = concat!(
    "SELECT ids.conversation, ",
    times!("ids.conversation"),
    " FROM ((SELECT conversation FROM epochs WHERE number = 1 AND conversation > $1 ORDER BY conversation LIMIT $2) \
     UNION (SELECT DISTINCT conversation FROM messages WHERE conversation > $1 ORDER BY conversation LIMIT $2) \
     ORDER BY conversation LIMIT $2) ids ORDER BY ids.conversation"
);

/// The conversations behind one, each with its last use.
pub(super) async fn list(
    session: &Session,
    after: Option<&ConversationId>,
    limit: usize,
) -> Result<Vec<LastUse>, Trouble> {
    let after = after.map_or("", ConversationId::as_str);
    let rows = session.query(LIST, &[&after, &asked(limit as u64)]).await?;
    let mut uses = Vec::with_capacity(rows.len());
    for row in &rows {
        let conversation = rows::conversation(row.try_get(0)?)?;
        // Deleted between two looks.
        let Some(at) = latest(row, 1)? else { continue };
        uses.push(LastUse { conversation, at });
    }
    Ok(uses)
}
