//! What conversations remember, the latest of each.

use super::fault::Trouble;
use super::ledger::{keep, last};
use super::session::Session;
use super::work::Written;
use crate::error::Fault;
use crate::freeze::ConversationId;
use crate::freeze::store::{Bundle, StoreError};
use crate::stores::memory::no_conversation;
use crate::text::Digest;

const IS_REMEMBERED: &str = "SELECT 1 FROM memories WHERE conversation = $1 AND body = $2";

/// Whether a conversation remembers this body.
pub(super) async fn is_remembered(
    session: &Session,
    conversation: &ConversationId,
    body: Digest,
) -> Result<bool, Trouble> {
    Ok(session.query_opt(IS_REMEMBERED, &[&conversation.as_str(), &body.bytes().as_slice()]).await?.is_some())
}

const REMEMBER: &str = "\
    INSERT INTO memories (conversation, body) VALUES ($1, $2) \
    ON CONFLICT (conversation) DO UPDATE SET body = excluded.body";

/// Remembers a body in the place of the one before.
pub(super) async fn remember(
    session: &Session,
    conversation: &ConversationId,
    said: &Bundle,
    body: Digest,
) -> Result<Written<()>, Trouble> {
    if is_remembered(session, conversation, body).await? {
        return Ok(Written::Nothing(()));
    }
    if last(session, conversation).await?.is_none() {
        let message = format!("the store {}", no_conversation(conversation));
        return Err(StoreError::new(Fault::Failed, message).into());
    }
    keep(session, said).await?;
    write_memory(session, conversation, body).await?;
    Ok(Written::Commit(()))
}

/// Writes the row of what is remembered.
pub(super) async fn write_memory(
    session: &Session,
    conversation: &ConversationId,
    body: Digest,
) -> Result<(), Trouble> {
    session.execute(REMEMBER, &[&conversation.as_str(), &body.bytes().as_slice()]).await?;
    Ok(())
}
