//! From rows of tables to rows of ledgers.

use std::sync::Arc;

use jiff::Timestamp;
use tokio_postgres::Row;

use super::fault::Trouble;
use crate::freeze::store::{AmendmentRow, EpochRow};
use crate::freeze::{Cause, ConversationId, Insertion, InsertionKind, Pauses, Taken};
use crate::text::Digest;

/// The columns that [`epoch`] reads, from a table with the given name.
macro_rules! epoch_columns {
    ($table:literal) => {
        concat!(
            $table,
            ".conversation, ",
            $table,
            ".number, ",
            $table,
            ".cause, ",
            $table,
            ".opened_at, ",
            $table,
            ".digest, ",
            $table,
            ".body, ",
            $table,
            ".cwd, ",
            $table,
            ".machine, ",
            $table,
            ".model"
        )
    };
}
pub(super) use epoch_columns;

/// How many columns an epoch has.
pub(super) const EPOCH_COLUMNS: usize = 9;

/// An epoch, from the first columns of a row.
pub(super) fn epoch(row: &Row) -> Result<EpochRow, Trouble> {
    Ok(EpochRow {
        conversation: conversation(row.try_get(0)?)?,
        number: number(row.try_get(1)?)?,
        cause: cause(row.try_get(2)?)?,
        opened_at: timestamp(row.try_get(3)?)?,
        digest: digest(row.try_get(4)?)?,
        body: digest(row.try_get(5)?)?,
        cwd: text(row.try_get(6)?)?,
        machine: row.try_get::<_, Option<&[u8]>>(7)?.map(text).transpose()?,
        model: row.try_get::<_, Option<&[u8]>>(8)?.map(text).transpose()?,
    })
}

/// An amendment of an epoch, from number, instant and body behind `first`; none if they are null.
pub(super) fn amendment(row: &Row, first: usize, epoch: &EpochRow) -> Result<Option<AmendmentRow>, Trouble> {
    let Some(count) = row.try_get(first)? else { return Ok(None) };
    Ok(Some(AmendmentRow {
        conversation: epoch.conversation.clone(),
        epoch: epoch.number,
        number: number(count)?,
        at: timestamp(row.try_get(first + 1)?)?,
        body: digest(row.try_get(first + 2)?)?,
    }))
}

/// An insertion, from number, instant, text, files of a touch, whether it was taken, turn and place.
pub(super) fn insertion(row: &Row) -> Result<Insertion, Trouble> {
    let touched = row.try_get::<_, Option<&[u8]>>(3)?.map(text).transpose()?;
    let taken = match row.try_get::<_, bool>(4)? {
        false => None,
        true => Some(Taken {
            turn: row.try_get::<_, Option<&[u8]>>(5)?.map(text).transpose()?,
            place: row.try_get::<_, Option<i64>>(6)?.map(number).transpose()?,
        }),
    };
    Ok(Insertion {
        number: number(row.try_get(0)?)?,
        kind: InsertionKind::parse(touched.as_deref()).map_err(|error| Trouble::corrupt(&error.to_string()))?,
        at: timestamp(row.try_get(1)?)?,
        text: text(row.try_get(2)?)?,
        taken,
    })
}

pub(super) fn conversation(id: &str) -> Result<ConversationId, Trouble> {
    ConversationId::parse(id).map_err(|error| Trouble::corrupt(&error.to_string()))
}

pub(super) fn number(number: i64) -> Result<u64, Trouble> {
    u64::try_from(number).map_err(|_| Trouble::corrupt(&format!("there is a number {number}")))
}

pub(super) fn cause(name: &str) -> Result<Cause, Trouble> {
    Cause::parse(name).ok_or_else(|| Trouble::corrupt(&format!("there is no cause {name:?}")))
}

pub(super) fn timestamp(text: &str) -> Result<Timestamp, Trouble> {
    text.parse().map_err(|_| Trouble::corrupt(&format!("{text:?} is not a time")))
}

/// The pauses of a conversation, in a column that may be missing.
pub(super) fn pauses(text: Option<&str>) -> Result<Pauses, Trouble> {
    let text = text.unwrap_or_default();
    Pauses::parse(text).ok_or_else(|| Trouble::corrupt(&format!("{text:?} are not pauses")))
}

pub(super) fn digest(bytes: &[u8]) -> Result<Digest, Trouble> {
    let bytes = bytes.try_into().map_err(|_| Trouble::corrupt("a digest has not 32 bytes"))?;
    Ok(Digest::from_bytes(bytes))
}

pub(super) fn text(bytes: &[u8]) -> Result<String, Trouble> {
    String::from_utf8(bytes.to_vec()).map_err(|_| Trouble::corrupt("a text is not UTF-8"))
}

pub(super) fn shared_text(bytes: &[u8]) -> Result<Arc<str>, Trouble> {
    let text = std::str::from_utf8(bytes).map_err(|_| Trouble::corrupt("a text is not UTF-8"))?;
    Ok(text.into())
}

/// A number for a question. One that no row can have is the highest that one can.
pub(super) fn asked(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
