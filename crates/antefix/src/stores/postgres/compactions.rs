//! Compactions: begun, then committed or forgotten.

use jiff::Timestamp;
use tokio_postgres::Row;

use super::fault::Trouble;
use super::ledger::{has, insert, keep, last};
use super::rows::{self, asked, epoch_columns};
use super::session::Session;
use super::work::Written;
use crate::freeze::ConversationId;
use crate::freeze::store::{Bundle, Committed, CompactionRow, EpochRow};

const BEGIN: &str = "\
    INSERT INTO compactions (conversation, token, epoch, cause, opened_at, digest, body, cwd, machine, model) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
    ON CONFLICT (conversation) DO UPDATE SET token = excluded.token, epoch = excluded.epoch, cause = excluded.cause, \
    opened_at = excluded.opened_at, digest = excluded.digest, body = excluded.body, cwd = excluded.cwd, \
    machine = excluded.machine, model = excluded.model";

/// Remembers a compaction.
pub(super) async fn begin(
    session: &Session,
    compaction: &CompactionRow,
    bundle: Option<&Bundle>,
) -> Result<Written<()>, Trouble> {
    if let Some(bundle) = bundle {
        keep(session, bundle).await?;
    }
    let next = compaction.next.as_ref();
    let opened_at = next.map(|next| next.opened_at.to_string());
    session
        .execute(
            BEGIN,
            &[
                &compaction.conversation.as_str(),
                &compaction.token.as_bytes(),
                &asked(compaction.epoch),
                &next.map(|next| next.cause.name()),
                &opened_at,
                &next.map(|next| next.digest.bytes().as_slice()),
                &next.map(|next| next.body.bytes().as_slice()),
                &next.map(|next| next.cwd.as_bytes()),
                &next.and_then(|next| next.machine.as_ref()).map(|machine| machine.as_bytes()),
                &next.and_then(|next| next.model.as_ref()).map(|model| model.as_bytes()),
            ],
        )
        .await?;
    Ok(Written::Commit(()))
}

const FORGET: &str = "\
    DELETE FROM compactions WHERE conversation = $1 AND token = $2 \
    RETURNING epoch, cause, digest, body, cwd, machine, model";

/// Appends the epoch of a compaction, and forgets it.
pub(super) async fn commit(
    session: &Session,
    conversation: &ConversationId,
    token: &str,
    at: Timestamp,
) -> Result<Written<Committed>, Trouble> {
    let Some(row) = session.query_opt(FORGET, &[&conversation.as_str(), &token.as_bytes()]).await? else {
        return Ok(Written::Nothing(committed_before(session, conversation, token).await?));
    };
    let Some(standing) = last(session, conversation).await? else {
        return Ok(Written::Commit(Committed::NotBegun));
    };
    if standing.number != rows::number(row.try_get(0)?)? {
        return Ok(Written::Commit(Committed::MovedOn(standing)));
    }
    let made = match next(&row, &standing, at)? {
        None => standing,
        Some(next) if insert(session, &next).await? => next,
        Some(_) => {
            let standing = last(session, conversation).await?.unwrap_or(standing);
            return Ok(Written::Commit(Committed::MovedOn(standing)));
        }
    };
    super::insertions::end_taken(session, conversation).await?;
    let number = asked(made.number);
    session.execute(COMMITTED, &[&conversation.as_str(), &token.as_bytes(), &number]).await?;
    Ok(Written::Commit(Committed::Done(made)))
}

const COMMITTED: &str = "\
    INSERT INTO commits (conversation, token, epoch) VALUES ($1, $2, $3) \
    ON CONFLICT (conversation) DO UPDATE SET token = excluded.token, epoch = excluded.epoch";
const BEFORE: &str = concat!(
    "SELECT ",
    epoch_columns!("e"),
    " FROM commits c JOIN epochs e ON e.conversation = c.conversation AND e.number = c.epoch \
     WHERE c.conversation = $1 AND c.token = $2"
);

/// What a compaction with this token came to before.
async fn committed_before(session: &Session, conversation: &ConversationId, token: &str) -> Result<Committed, Trouble> {
    let row = session.query_opt(BEFORE, &[&conversation.as_str(), &token.as_bytes()]).await?;
    let made = row.as_ref().map(rows::epoch).transpose()?;
    Ok(made.map_or(Committed::NotBegun, Committed::Before))
}

/// The epoch that follows the standing one, from a compaction's row; none if it keeps that one.
fn next(row: &Row, standing: &EpochRow, at: Timestamp) -> Result<Option<EpochRow>, Trouble> {
    let Some(cause) = row.try_get(1)? else { return Ok(None) };
    Ok(Some(EpochRow {
        conversation: standing.conversation.clone(),
        number: standing.number + 1,
        cause: rows::cause(cause)?,
        opened_at: at,
        digest: rows::digest(row.try_get(2)?)?,
        body: rows::digest(row.try_get(3)?)?,
        cwd: rows::text(row.try_get(4)?)?,
        machine: row.try_get::<_, Option<&[u8]>>(5)?.map(rows::text).transpose()?,
        model: row.try_get::<_, Option<&[u8]>>(6)?.map(rows::text).transpose()?,
    }))
}

const BEGUN: &str = "SELECT 1 FROM compactions WHERE conversation = $1 AND token = $2";

/// Whether a commit came to that answer: what it forgets is forgotten, and what it appends is there.
pub(super) async fn is_committed(
    session: &Session,
    conversation: &ConversationId,
    token: &str,
    committed: &Committed,
) -> Result<bool, Trouble> {
    if session.query_opt(BEGUN, &[&conversation.as_str(), &token.as_bytes()]).await?.is_some() {
        return Ok(false);
    }
    match committed {
        Committed::Done(epoch) => has(session, epoch).await,
        Committed::Before(_) | Committed::MovedOn(_) | Committed::NotBegun => Ok(true),
    }
}

/// Forgets a compaction.
pub(super) async fn abort(
    session: &Session,
    conversation: &ConversationId,
    token: &str,
) -> Result<Written<()>, Trouble> {
    session.query(FORGET, &[&conversation.as_str(), &token.as_bytes()]).await?;
    Ok(Written::Commit(()))
}
