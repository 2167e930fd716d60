//! Saved templates.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::SqliteStore;
use super::fault::Failure;
use super::rows::{Hash, Micros, Number};
use crate::compose::Dialect;
use crate::error::Fault;
use crate::freeze::{Appended, SavedTemplate, StoreError, StoreResult, TemplateRow, Templates, template_digest};
use crate::stores::memory::check_template;
use crate::text::Digest;

/// What a template's row has beside its text.
const ROW: &str = "number, digest, dialect, octet_length(text), at, author, label";

impl Templates for SqliteStore {
    fn last_template(&self) -> StoreResult<Option<TemplateRow>> {
        self.read(last)
    }

    fn template(&self, number: u64) -> StoreResult<Option<SavedTemplate>> {
        self.read(|connection| {
            let mut statement =
                connection.prepare_cached(&format!("SELECT {ROW}, text FROM templates WHERE number = ?1"))?;
            statement.query_row([Number(number)], whole).optional()?.map(sound).transpose()
        })
    }

    fn templates(&self, before: Option<u64>, limit: usize) -> StoreResult<Vec<TemplateRow>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {ROW} FROM templates WHERE number < ?1 ORDER BY number DESC LIMIT ?2"
            ))?;
            let limits = params![Number(before.unwrap_or(u64::MAX)), Number(limit as u64)];
            Ok(statement.query_map(limits, known)?.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn template_with(&self, digest: Digest) -> StoreResult<Option<SavedTemplate>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {ROW}, text FROM templates WHERE digest = ?1 ORDER BY number DESC LIMIT 1"
            ))?;
            statement.query_row([Hash(digest)], whole).optional()?.map(sound).transpose()
        })
    }

    fn save_template(&self, template: &SavedTemplate) -> StoreResult<Appended<TemplateRow>> {
        self.write(|connection| {
            let row = &template.row;
            let last = last(connection)?;
            if let Some(last) = last.as_ref().filter(|last| last.number >= row.number) {
                return Ok(Appended::Lost(last.clone()));
            }
            check_template(row, last.map_or(0, |last| last.number))?;
            connection
                .prepare_cached(
                    "INSERT INTO templates (number, digest, dialect, at, author, label, text) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                )?
                .execute(params![
                    Number(row.number),
                    Hash(row.digest),
                    row.dialect.name(),
                    Micros(row.at),
                    row.author,
                    row.label,
                    template.text.as_ref(),
                ])?;
            Ok(Appended::Won)
        })
    }

    fn label_template(&self, number: u64, label: Option<&str>) -> StoreResult<Option<TemplateRow>> {
        self.write(|connection| {
            let mut statement = connection
                .prepare_cached(&format!("UPDATE templates SET label = ?2 WHERE number = ?1 RETURNING {ROW}"))?;
            Ok(statement.query_row(params![Number(number), label], known).optional()?)
        })
    }
}

fn last(connection: &Connection) -> Result<Option<TemplateRow>, Failure> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {ROW} FROM templates ORDER BY number DESC LIMIT 1"))?;
    Ok(statement.query_row([], known).optional()?)
}

fn known(row: &Row<'_>) -> rusqlite::Result<TemplateRow> {
    Ok(TemplateRow {
        number: row.get::<_, Number>(0)?.0,
        digest: row.get::<_, Hash>(1)?.0,
        dialect: row.get::<_, Spelled>(2)?.0,
        bytes: row.get::<_, Number>(3)?.0,
        at: row.get::<_, Micros>(4)?.0,
        author: row.get(5)?,
        label: row.get(6)?,
    })
}

fn whole(row: &Row<'_>) -> rusqlite::Result<SavedTemplate> {
    Ok(SavedTemplate { row: known(row)?, text: row.get_ref(7)?.as_str()?.into() })
}

/// A template that has the digest that it was saved with.
fn sound(template: SavedTemplate) -> Result<SavedTemplate, Failure> {
    let row = &template.row;
    if template_digest(row.dialect, &template.text) == row.digest {
        return Ok(template);
    }
    let message = format!("is damaged: the template {} is not what was saved", row.number);
    Err(StoreError::new(Fault::Corrupt, message).into())
}

/// A dialect by its name.
struct Spelled(Dialect);

impl FromSql for Spelled {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Spelled> {
        Dialect::parse(value.as_str()?).map(Spelled).ok_or(FromSqlError::InvalidType)
    }
}
