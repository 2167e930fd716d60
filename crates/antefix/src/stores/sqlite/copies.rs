//! Ledgers from elsewhere.
//!
//! What is lacking is found and written under one lock, in one transaction.

use rusqlite::{Connection, params};

use super::fault::Failure;
use super::insertions;
use super::rows::{self, Hash, Micros, Number};
use super::store::{insert_amendment, keep_memory, memory};
use crate::freeze::ConversationId;
use crate::freeze::copy::{Copied, Lacking, LedgerCopy, LedgerRow, LedgerThere};
use crate::freeze::store::{AmendmentRow, EpochRow};

/// Writes what is lacking of copies.
pub(super) fn import(connection: &Connection, copies: &[LedgerCopy]) -> Result<Copied, Failure> {
    let mut all = Vec::new();
    for copy in copies {
        match copy.lacking(&there(connection, &copy.conversation)?) {
            Ok(lacking) => all.push((&copy.conversation, lacking)),
            Err(parted) => return Ok(Copied::Parted(parted)),
        }
    }
    for (conversation, lacking) in &all {
        write(connection, conversation, lacking)?;
    }
    Ok(Copied::Done(all.iter().map(|(_, lacking)| lacking.counted()).collect()))
}

fn write(connection: &Connection, conversation: &ConversationId, lacking: &Lacking<'_>) -> Result<(), Failure> {
    for (row, bundle) in lacking.rows {
        rows::keep(connection, bundle)?;
        match row {
            LedgerRow::Epoch(row) => rows::insert_epoch(connection, row)?,
            LedgerRow::Amendment(row) => insert_amendment(connection, row)?,
        }
    }
    if let Some(memory) = lacking.memory {
        keep_memory(connection, conversation, memory)?;
    }
    for insertion in lacking.numbered(insertions::last(connection, conversation)?) {
        insertions::insert(connection, conversation, &insertion)?;
    }
    Ok(())
}

/// What there is of a conversation.
fn there(connection: &Connection, id: &ConversationId) -> Result<LedgerThere, Failure> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT number, {} FROM epochs JOIN heads USING (head) WHERE conversation = ?1 ORDER BY number",
        rows::EPOCH
    ))?;
    let epochs = statement.query_map([id.as_str()], |row| rows::epoch(row, 0, id))?;
    let mut of_epoch = connection.prepare_cached(
        "SELECT number, at, body FROM amendments WHERE conversation = ?1 AND epoch = ?2 ORDER BY number",
    )?;
    let mut found: Vec<(EpochRow, Vec<AmendmentRow>)> = Vec::new();
    for epoch in epochs {
        let epoch = epoch?;
        let number = epoch.number;
        let amendments =
            of_epoch.query_map(params![id.as_str(), Number(number)], |row| rows::amendment(row, 0, id, number))?;
        found.push((epoch, amendments.collect::<rusqlite::Result<_>>()?));
    }
    let mut statement = connection.prepare_cached("SELECT at, text FROM messages WHERE conversation = ?1")?;
    let messages = statement.query_map([id.as_str()], |row| Ok((row.get::<_, Micros>(0)?.0, row.get(1)?)))?;
    Ok(LedgerThere {
        messages: messages.collect::<rusqlite::Result<_>>()?,
        said: memory(connection, id)?,
        ..LedgerThere::new(found)
    })
}

/// The tables in which a conversation has rows. Those that name others come before them.
const TABLES: [&str; 7] = ["amendments", "epochs", "messages", "compactions", "memories", "uses", "commits"];

/// Deletes all rows of a conversation, and answers with the bodies that they named and how many epochs there were; none if
/// there was no row.
pub(super) fn delete(connection: &Connection, id: &ConversationId) -> Result<Option<(Vec<Hash>, u64)>, Failure> {
    let mut bodies = connection.prepare_cached(
        "SELECT body FROM heads JOIN epochs USING (head) WHERE conversation = ?1 \
         UNION SELECT body FROM amendments WHERE conversation = ?1 \
         UNION SELECT body FROM compactions WHERE conversation = ?1 AND body IS NOT NULL \
         UNION SELECT body FROM memories WHERE conversation = ?1",
    )?;
    let bodies = bodies.query_map([id.as_str()], |row| row.get(0))?.collect::<rusqlite::Result<Vec<Hash>>>()?;
    let (mut rows, mut epochs) = (0, 0);
    for table in TABLES {
        let deleted = connection
            .prepare_cached(&format!("DELETE FROM {table} WHERE conversation = ?1"))?
            .execute([id.as_str()])? as u64;
        rows += deleted;
        if table == "epochs" {
            epochs = deleted;
        }
    }
    Ok((rows > 0).then_some((bodies, epochs)))
}
