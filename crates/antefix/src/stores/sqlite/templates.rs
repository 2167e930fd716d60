//! Saved templates.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::SqliteStore;
use super::fault::Failure;
use super::rows::{Hash, Micros, Number};
use crate::compose::Dialect;
use crate::error::Fault;
use crate::freeze::store::{Appended, StoreError, StoreResult};
use crate::freeze::template::{
    SavedTemplate, TemplateDeletion, TemplateEntry, TemplateRow, Templates, template_digest,
};
use crate::stores::failpoint;
use crate::stores::memory::check_template;
use crate::text::Digest;

/// What an entry has beside its text.
const ENTRY: &str = "number, layout, at, author, digest, dialect, octet_length(text), label";

impl Templates for SqliteStore {
    fn last_template(&self, layout: &str) -> StoreResult<Option<TemplateEntry>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {ENTRY} FROM templates WHERE layout = ?1 ORDER BY number DESC LIMIT 1"
            ))?;
            Ok(statement.query_row([layout], entry).optional()?)
        })
    }

    fn template(&self, number: u64) -> StoreResult<Option<SavedTemplate>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {ENTRY}, text FROM templates WHERE number = ?1 AND text IS NOT NULL"
            ))?;
            statement.query_row([Number(number)], saved_template).optional()?.map(sound).transpose()
        })
    }

    fn templates(&self, layout: Option<&str>, before: Option<u64>, limit: usize) -> StoreResult<Vec<TemplateEntry>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {ENTRY} FROM templates WHERE (?1 IS NULL OR layout = ?1) AND number < ?2 \
                 ORDER BY number DESC LIMIT ?3"
            ))?;
            let limits = params![layout, Number(before.unwrap_or(u64::MAX)), Number(limit as u64)];
            Ok(statement.query_map(limits, entry)?.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn template_with(&self, layout: &str, digest: Digest) -> StoreResult<Option<SavedTemplate>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {ENTRY}, text FROM templates WHERE digest = ?1 AND layout = ?2 ORDER BY number DESC LIMIT 1"
            ))?;
            statement.query_row(params![Hash(digest), layout], saved_template).optional()?.map(sound).transpose()
        })
    }

    fn save_template(&self, template: &SavedTemplate) -> StoreResult<Appended<TemplateEntry>> {
        let entry = TemplateEntry::Saved(template.row.clone());
        self.write(|connection| append(connection, &entry, Some(&template.text)))
    }

    fn delete_template(&self, deletion: &TemplateDeletion) -> StoreResult<Appended<TemplateEntry>> {
        let entry = TemplateEntry::Deleted(deletion.clone());
        self.write(|connection| append(connection, &entry, None))
    }

    fn label_template(&self, number: u64, label: Option<&str>) -> StoreResult<Option<TemplateRow>> {
        self.write(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "UPDATE templates SET label = ?2 WHERE number = ?1 AND text IS NOT NULL RETURNING {ENTRY}"
            ))?;
            let labeled = statement.query_row(params![Number(number), label], entry).optional()?;
            Ok(labeled.and_then(TemplateEntry::into_saved))
        })
    }
}

/// Writes an entry behind the last one of all layouts, unless another one has its number.
fn append(
    connection: &Connection,
    entry: &TemplateEntry,
    text: Option<&str>,
) -> Result<Appended<TemplateEntry>, Failure> {
    let last = last(connection)?;
    if let Some(last) = last.as_ref().filter(|last| last.number() >= entry.number()) {
        return Ok(Appended::Lost(last.clone()));
    }
    check_template(entry.number(), last.map_or(0, |last| last.number()))?;
    let saved = entry.saved();
    connection
        .prepare_cached(
            "INSERT INTO templates (number, layout, at, author, digest, dialect, label, text) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            Number(entry.number()),
            entry.layout(),
            Micros(entry.at()),
            entry.author(),
            saved.map(|row| Hash(row.digest)),
            saved.map(|row| row.dialect.name()),
            saved.and_then(|row| row.label.as_deref()),
            text,
        ])?;
    failpoint::reach("a template is written")?;
    Ok(Appended::Won)
}

/// The last entry of all layouts.
fn last(connection: &Connection) -> Result<Option<TemplateEntry>, Failure> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {ENTRY} FROM templates ORDER BY number DESC LIMIT 1"))?;
    Ok(statement.query_row([], entry).optional()?)
}

fn entry(row: &Row<'_>) -> rusqlite::Result<TemplateEntry> {
    Ok(match row.get_ref(4)? {
        ValueRef::Null => TemplateEntry::Deleted(TemplateDeletion {
            number: row.get::<_, Number>(0)?.0,
            layout: row.get(1)?,
            at: row.get::<_, Micros>(2)?.0,
            author: row.get(3)?,
        }),
        _ => TemplateEntry::Saved(saved(row)?),
    })
}

fn saved(row: &Row<'_>) -> rusqlite::Result<TemplateRow> {
    Ok(TemplateRow {
        number: row.get::<_, Number>(0)?.0,
        layout: row.get(1)?,
        at: row.get::<_, Micros>(2)?.0,
        author: row.get(3)?,
        digest: row.get::<_, Hash>(4)?.0,
        dialect: row.get::<_, Spelled>(5)?.0,
        bytes: row.get::<_, Number>(6)?.0,
        label: row.get(7)?,
    })
}

fn saved_template(row: &Row<'_>) -> rusqlite::Result<SavedTemplate> {
    Ok(SavedTemplate { row: saved(row)?, text: row.get_ref(8)?.as_str()?.into() })
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
