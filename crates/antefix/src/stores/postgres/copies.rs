//! Ledgers from elsewhere, and the end of one.
//!
//! 1. An import is one transaction. It takes turns with every other writer of each of its conversations, in one order, so that
//!    two imports cannot wait for each other in a circle.
//! 2. All texts are written before all rows, in the order of their digests, as every writer does.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::fault::Trouble;
use super::insertions;
use super::ledger::{self, insert, insert_amendment, write_parts, write_texts};
use super::memories::write_memory;
use super::rows::{self, EPOCH_COLUMNS, epoch_columns};
use super::session::Session;
use super::sweep::delete_unnamed_of;
use super::uses;
use super::work::{TAKE_TURN, Turn, Written};
use crate::freeze::ConversationId;
use crate::freeze::copy::{Copied, Lacking, LedgerCopy, LedgerRow, LedgerThere};
use crate::freeze::store::{AmendmentRow, Deletable, Deleted, EpochRow};
use crate::text::Digest;

/// How long an import may take.
pub(super) const IMPORTING: Duration = Duration::from_secs(300);

/// Writes what is lacking of copies.
pub(super) async fn import(
    session: &Session,
    schema: &str,
    copies: &[LedgerCopy],
    id: &str,
) -> Result<Written<Copied>, Trouble> {
    let turns: BTreeSet<i64> =
        copies.iter().map(|copy| Turn::of_conversation(schema, &copy.conversation).key()).collect();
    for turn in turns {
        session.query(TAKE_TURN, &[&turn]).await?;
    }
    let there = there_of_all(session, copies).await?;
    let mut all = Vec::new();
    for (copy, there) in copies.iter().zip(&there) {
        match copy.lacking(there) {
            Ok(lacking) => all.push((&copy.conversation, lacking)),
            Err(parted) => return Ok(Written::Nothing(Copied::Parted(parted))),
        }
    }
    let copied = Copied::Done(all.iter().map(|(_, lacking)| lacking.counted()).collect());
    if all.iter().all(|(_, lacking)| lacking.is_nothing()) {
        return Ok(Written::Nothing(copied));
    }
    write_all_texts(session, all.iter().map(|(_, lacking)| lacking)).await?;
    for (conversation, lacking) in &all {
        write(session, conversation, lacking, id).await?;
    }
    Ok(Written::Commit(copied))
}

/// Whether nothing is lacking of copies.
pub(super) async fn is_imported(session: &Session, copies: &[LedgerCopy]) -> Result<bool, Trouble> {
    let there = there_of_all(session, copies).await?;
    let is_there = |(copy, there): (&LedgerCopy, &LedgerThere)| copy.lacking(there).is_ok_and(|one| one.is_nothing());
    Ok(copies.iter().zip(&there).all(is_there))
}

/// Every text once, and then what each body names.
async fn write_all_texts<'l>(
    session: &Session,
    all: impl Iterator<Item = &'l Lacking<'l>> + Clone,
) -> Result<(), Trouble> {
    let mut texts: BTreeMap<Digest, &str> = BTreeMap::new();
    let mut parts: BTreeMap<Digest, BTreeSet<Digest>> = BTreeMap::new();
    for bundle in all.flat_map(Lacking::bundles) {
        let body = Digest::of(&bundle.body);
        texts.insert(body, &bundle.body);
        texts.extend(bundle.parts.iter().map(|(digest, text)| (*digest, &**text)));
        parts.entry(body).or_default().extend(bundle.parts.keys());
    }
    write_texts(session, &texts).await?;
    for (body, parts) in &parts {
        write_parts(session, *body, parts.iter()).await?;
    }
    Ok(())
}

async fn write(
    session: &Session,
    conversation: &ConversationId,
    lacking: &Lacking<'_>,
    id: &str,
) -> Result<(), Trouble> {
    for (row, _) in lacking.rows {
        let is_written = match row {
            LedgerRow::Epoch(row) => insert(session, row).await?,
            LedgerRow::Amendment(row) => insert_amendment(session, row).await?,
        };
        if !is_written {
            return Err(Trouble::corrupt("a row is there that nobody who takes turns has written"));
        }
    }
    if let Some(memory) = lacking.memory {
        write_memory(session, conversation, Digest::of(&memory.body)).await?;
    }
    for insertion in lacking.numbered(insertions::last(session, conversation).await?) {
        insertions::insert(session, conversation, &insertion, id).await?;
    }
    Ok(())
}

async fn there_of_all(session: &Session, copies: &[LedgerCopy]) -> Result<Vec<LedgerThere>, Trouble> {
    let mut all = Vec::with_capacity(copies.len());
    for copy in copies {
        all.push(there(session, &copy.conversation).await?);
    }
    Ok(all)
}

const ALL: &str = concat!(
    "SELECT ",
    epoch_columns!("e"),
    ", a.number, a.at, a.body FROM epochs e \
     LEFT JOIN amendments a ON a.conversation = e.conversation AND a.epoch = e.number \
     WHERE e.conversation = $1 ORDER BY e.number, a.number"
);

/// What there is of a conversation.
async fn there(session: &Session, conversation: &ConversationId) -> Result<LedgerThere, Trouble> {
    let mut epochs: Vec<(EpochRow, Vec<AmendmentRow>)> = Vec::new();
    for row in session.query(ALL, &[&conversation.as_str()]).await? {
        let epoch = rows::epoch(&row)?;
        let amendment = rows::amendment(&row, EPOCH_COLUMNS, &epoch)?;
        if epochs.last().is_none_or(|(last, _)| last.number != epoch.number) {
            epochs.push((epoch, Vec::new()));
        }
        if let Some((_, amendments)) = epochs.last_mut() {
            amendments.extend(amendment);
        }
    }
    let messages = insertions::ever(session, conversation).await?;
    let said = ledger::standing(session, conversation).await?.and_then(|standing| standing.said);
    Ok(LedgerThere { messages, said, ..LedgerThere::new(epochs) })
}

const BODIES: &str = "\
    SELECT body FROM epochs WHERE conversation = $1 UNION SELECT body FROM amendments WHERE conversation = $1 \
    UNION SELECT body FROM compactions WHERE conversation = $1 AND body IS NOT NULL \
    UNION SELECT body FROM memories WHERE conversation = $1";

/// The rows of a conversation. Those that name others come before them.
const DELETE_EPOCHS: &str = "DELETE FROM epochs WHERE conversation = $1";
const DELETE_BEFORE: [&str; 1] = ["DELETE FROM amendments WHERE conversation = $1"];
const DELETE_BESIDE: [&str; 5] = [
    "DELETE FROM messages WHERE conversation = $1",
    "DELETE FROM compactions WHERE conversation = $1",
    "DELETE FROM memories WHERE conversation = $1",
    "DELETE FROM uses WHERE conversation = $1",
    "DELETE FROM commits WHERE conversation = $1",
];

/// Deletes all rows of a conversation, and the texts that nobody else names.
pub(super) async fn delete(
    session: &Session,
    conversation: &ConversationId,
    which: Deletable,
) -> Result<Written<Option<Deleted>>, Trouble> {
    if let Deletable::UnusedSince(since) = which
        && uses::last_use(session, conversation).await?.is_some_and(|last| last >= since)
    {
        return Ok(Written::Nothing(None));
    }
    let id = conversation.as_str();
    let rows = session.query(BODIES, &[&id]).await?;
    let bodies = rows.iter().map(|row| row.try_get(0)).collect::<Result<Vec<&[u8]>, _>>()?;
    let mut deleted = 0;
    for table in DELETE_BEFORE.iter().chain(&DELETE_BESIDE) {
        deleted += session.execute(table, &[&id]).await?;
    }
    let epochs = session.execute(DELETE_EPOCHS, &[&id]).await?;
    if deleted + epochs == 0 {
        return Ok(Written::Nothing(None));
    }
    let swept = delete_unnamed_of(session, &bodies).await?;
    Ok(Written::Commit(Some(Deleted { epochs, swept })))
}

/// Whether nothing is left of a conversation.
pub(super) async fn is_deleted(session: &Session, conversation: &ConversationId) -> Result<bool, Trouble> {
    Ok(there(session, conversation).await?.rows.is_empty() && insertions::ever(session, conversation).await?.is_empty())
}
