//! Rows as SQLite keeps them, and back.

use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::fault::Failure;
use crate::freeze::store::{AmendmentRow, Bundle, EpochRow};
use crate::freeze::{Cause, ConversationId};
use crate::stores::failpoint;
use crate::text::Digest;

/// What an epoch has beside its conversation and its number, in this order everywhere.
pub(super) const EPOCH: &str = "cause, opened_at, digest, body, cwd, machine, model";

/// Reads an epoch whose number is in column `at`, with the columns of [`EPOCH`] behind it.
pub(super) fn epoch(row: &Row<'_>, at: usize, conversation: &ConversationId) -> rusqlite::Result<EpochRow> {
    Ok(EpochRow {
        conversation: conversation.clone(),
        number: row.get::<_, Number>(at)?.0,
        cause: row.get::<_, Named>(at + 1)?.0,
        opened_at: row.get::<_, Micros>(at + 2)?.0,
        digest: row.get::<_, Hash>(at + 3)?.0,
        body: row.get::<_, Hash>(at + 4)?.0,
        cwd: row.get(at + 5)?,
        machine: row.get(at + 6)?,
        model: row.get(at + 7)?,
    })
}

/// Reads an amendment whose number is in column `at`, with time and body behind it.
pub(super) fn amendment(
    row: &Row<'_>,
    at: usize,
    conversation: &ConversationId,
    epoch: u64,
) -> rusqlite::Result<AmendmentRow> {
    Ok(AmendmentRow {
        conversation: conversation.clone(),
        epoch,
        number: row.get::<_, Number>(at)?.0,
        at: row.get::<_, Micros>(at + 1)?.0,
        body: row.get::<_, Hash>(at + 2)?.0,
    })
}

/// The standing epoch, without anything around it.
pub(super) fn last_epoch(connection: &Connection, id: &ConversationId) -> Result<Option<EpochRow>, Failure> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT number, {EPOCH} FROM epochs JOIN heads USING (head) WHERE conversation = ?1 ORDER BY number DESC LIMIT 1"
    ))?;
    Ok(statement.query_row([id.as_str()], |row| epoch(row, 0, id)).optional()?)
}

/// The last amendment of an epoch.
pub(super) fn last_amendment(
    connection: &Connection,
    id: &ConversationId,
    epoch: u64,
) -> Result<Option<AmendmentRow>, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT number, at, body FROM amendments WHERE conversation = ?1 AND epoch = ?2 ORDER BY number DESC LIMIT 1",
    )?;
    Ok(statement.query_row(params![id.as_str(), Number(epoch)], |row| amendment(row, 0, id, epoch)).optional()?)
}

/// Writes an epoch. Its primary key lets nobody write it twice.
pub(super) fn insert_epoch(connection: &Connection, row: &EpochRow) -> Result<(), Failure> {
    let head = match find_head(connection, row)? {
        Some(head) => head,
        None => insert_head(connection, row)?,
    };
    failpoint::reach("a head is there")?;
    connection
        .prepare_cached(
            "INSERT INTO epochs (conversation, number, cause, opened_at, head) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            row.conversation.as_str(),
            Number(row.number),
            row.cause.name(),
            Micros(row.opened_at),
            head
        ])?;
    failpoint::reach("an epoch is written")?;
    Ok(())
}

/// What another epoch has in common with this one.
fn find_head(connection: &Connection, row: &EpochRow) -> Result<Option<i64>, Failure> {
    let mut statement = connection.prepare_cached(
        "SELECT head FROM heads WHERE digest = ?1 AND body = ?2 AND cwd = ?3 AND machine IS ?4 AND model IS ?5",
    )?;
    let found = statement.query_row(head(row), |row| row.get(0));
    Ok(found.optional()?)
}

fn insert_head(connection: &Connection, row: &EpochRow) -> Result<i64, Failure> {
    let mut statement = connection
        .prepare_cached("INSERT INTO heads (digest, body, cwd, machine, model) VALUES (?1, ?2, ?3, ?4, ?5)")?;
    Ok(statement.insert(head(row))?)
}

fn head(row: &EpochRow) -> (Hash, Hash, &str, Option<&str>, Option<&str>) {
    (Hash(row.digest), Hash(row.body), &row.cwd, row.machine.as_deref(), row.model.as_deref())
}

/// Writes what of a bundle is not there yet.
pub(super) fn keep(connection: &Connection, bundle: &Bundle) -> Result<(), Failure> {
    let body = Digest::of(&bundle.body);
    let mut text = connection
        .prepare_cached("INSERT INTO texts (digest, text) VALUES (?1, ?2) ON CONFLICT (digest) DO NOTHING")?;
    let mut part =
        connection.prepare_cached("INSERT INTO parts (body, part) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?;
    text.execute(params![Hash(body), bundle.body.as_ref()])?;
    failpoint::reach("a body is written")?;
    for (digest, content) in &bundle.parts {
        text.execute(params![Hash(*digest), content.as_ref()])?;
        part.execute(params![Hash(body), Hash(*digest)])?;
        failpoint::reach("a part is written")?;
    }
    Ok(())
}

/// A text by its digest.
pub(super) fn text(connection: &Connection, digest: Digest) -> Result<Option<Arc<str>>, Failure> {
    let mut statement = connection.prepare_cached("SELECT text FROM texts WHERE digest = ?1")?;
    Ok(statement.query_row([Hash(digest)], |row| Ok(Arc::from(row.get_ref(0)?.as_str()?))).optional()?)
}

/// A number that counts. None of ours is as large as what SQLite cannot hold: asked for one, it finds nothing.
pub(super) struct Number(pub(super) u64);

impl ToSql for Number {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(i64::try_from(self.0).unwrap_or(i64::MAX).into())
    }
}

impl FromSql for Number {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Number> {
        let number = value.as_i64()?;
        u64::try_from(number).map(Number).map_err(|_| FromSqlError::OutOfRange(number))
    }
}

/// Microseconds since 1970.
pub(super) struct Micros(pub(super) Timestamp);

impl ToSql for Micros {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.as_microsecond().into())
    }
}

impl FromSql for Micros {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Micros> {
        let micros = value.as_i64()?;
        Timestamp::from_microsecond(micros).map(Micros).map_err(|_| FromSqlError::OutOfRange(micros))
    }
}

/// The 32 bytes of a digest.
pub(super) struct Hash(pub(super) Digest);

impl ToSql for Hash {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.0.bytes().as_slice().into())
    }
}

impl FromSql for Hash {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Hash> {
        let bytes = value.as_blob()?;
        let size = FromSqlError::InvalidBlobSize { expected_size: 32, blob_size: bytes.len() };
        bytes.try_into().map(|bytes| Hash(Digest::from_bytes(bytes))).map_err(|_| size)
    }
}

/// A cause by its name.
pub(super) struct Named(pub(super) Cause);

impl FromSql for Named {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Named> {
        Cause::parse(value.as_str()?).map(Named).ok_or(FromSqlError::InvalidType)
    }
}
