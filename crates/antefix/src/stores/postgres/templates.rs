//! Saved templates.

use tokio_postgres::Row;

use super::PostgresStore;
use super::fault::Trouble;
use super::rows::{self, asked};
use super::session::{Parameter, Session};
use super::work::{Turn, Written};
use crate::compose::Dialect;
use crate::freeze::store::{Appended, StoreResult};
use crate::freeze::template::{
    SavedTemplate, TemplateDeletion, TemplateEntry, TemplateRow, Templates, template_digest,
};
use crate::stores::memory::check_template;
use crate::text::Digest;

/// What an entry has beside its text.
macro_rules! columns {
    () => {
        "number, layout, at, author, digest, dialect, octet_length(text)::bigint, label"
    };
}

const LAST: &str = concat!("SELECT ", columns!(), " FROM templates ORDER BY number DESC LIMIT 1");
const LAST_OF_LAYOUT: &str =
    concat!("SELECT ", columns!(), " FROM templates WHERE layout = $1 ORDER BY number DESC LIMIT 1");
const ONE: &str = concat!("SELECT ", columns!(), ", text FROM templates WHERE number = $1 AND text IS NOT NULL");
const PAGE: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM templates WHERE ($1::bytea IS NULL OR layout = $1) AND number < $2 ORDER BY number DESC LIMIT $3"
);
const WITH: &str = concat!(
    "SELECT ",
    columns!(),
    ", text FROM templates WHERE layout = $1 AND digest = $2 ORDER BY number DESC LIMIT 1"
);
const APPEND: &str = "\
    INSERT INTO templates (number, layout, at, author, digest, dialect, label, text) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING";
const APPENDED: &str = "\
    SELECT 1 FROM templates WHERE number = $1 AND layout = $2 AND at = $3 AND digest IS NOT DISTINCT FROM $4";
const LABEL: &str =
    concat!("UPDATE templates SET label = $2 WHERE number = $1 AND text IS NOT NULL RETURNING ", columns!());

impl PostgresStore {
    fn templates_turn(&self) -> Turn {
        Turn::of_schema(&self.pool.address.schema, "templates")
    }

    /// Writes an entry behind the last one of all layouts, unless another one has its number.
    fn append_template(&self, entry: &TemplateEntry, text: Option<&str>) -> StoreResult<Appended<TemplateEntry>> {
        self.write(
            self.templates_turn(),
            async |session, _| append(session, entry, text).await,
            async |session, _, _| is_appended(session, entry).await,
        )
    }
}

impl Templates for PostgresStore {
    fn last_template(&self, layout: &str) -> StoreResult<Option<TemplateEntry>> {
        let layout = layout.as_bytes();
        self.read(async |session| session.query_opt(LAST_OF_LAYOUT, &[&layout]).await?.as_ref().map(entry).transpose())
    }

    fn template(&self, number: u64) -> StoreResult<Option<SavedTemplate>> {
        self.read(async |session| {
            session.query_opt(ONE, &[&asked(number)]).await?.as_ref().map(saved_template).transpose()
        })
    }

    fn templates(&self, layout: Option<&str>, before: Option<u64>, limit: usize) -> StoreResult<Vec<TemplateEntry>> {
        let (layout, before) = (layout.map(str::as_bytes), asked(before.unwrap_or(u64::MAX)));
        let limit = asked(limit as u64);
        self.read(async |session| session.query(PAGE, &[&layout, &before, &limit]).await?.iter().map(entry).collect())
    }

    fn template_with(&self, layout: &str, digest: Digest) -> StoreResult<Option<SavedTemplate>> {
        self.read(async |session| {
            let row = session.query_opt(WITH, &[&layout.as_bytes(), &digest.bytes().as_slice()]).await?;
            row.as_ref().map(saved_template).transpose()
        })
    }

    fn save_template(&self, template: &SavedTemplate) -> StoreResult<Appended<TemplateEntry>> {
        self.append_template(&TemplateEntry::Saved(template.row.clone()), Some(&template.text))
    }

    fn delete_template(&self, deletion: &TemplateDeletion) -> StoreResult<Appended<TemplateEntry>> {
        self.append_template(&TemplateEntry::Deleted(deletion.clone()), None)
    }

    fn label_template(&self, number: u64, label: Option<&str>) -> StoreResult<Option<TemplateRow>> {
        // Labeling twice is labeling once.
        let label = label.map(str::as_bytes);
        self.write(
            self.templates_turn(),
            async |session, _| {
                let row = session.query_opt(LABEL, &[&asked(number), &label]).await?;
                Ok(match row.as_ref().map(saved).transpose()? {
                    Some(row) => Written::Commit(Some(row)),
                    None => Written::Nothing(None),
                })
            },
            async |_, _, _| Ok(false),
        )
    }
}

async fn append(
    session: &Session,
    entry: &TemplateEntry,
    text: Option<&str>,
) -> Result<Written<Appended<TemplateEntry>>, Trouble> {
    let last = last(session).await?;
    if let Some(last) = last.as_ref().filter(|last| last.number() >= entry.number()) {
        return Ok(Written::Nothing(Appended::Lost(last.clone())));
    }
    check_template(entry.number(), last.map_or(0, |last| last.number()))?;
    let saved = entry.saved();
    let parameters: [Parameter<'_>; 8] = [
        &asked(entry.number()),
        &entry.layout().as_bytes(),
        &entry.at().to_string(),
        &entry.author().map(str::as_bytes),
        &saved.map(|row| row.digest.bytes().as_slice()),
        &saved.map(|row| row.dialect.name()),
        &saved.and_then(|row| row.label.as_deref()).map(str::as_bytes),
        &text.map(str::as_bytes),
    ];
    if session.execute(APPEND, &parameters).await? == 1 {
        return Ok(Written::Commit(Appended::Won));
    }
    // All who save and delete take turns, so only somebody who does not keep to that can have been faster.
    match self::last(session).await? {
        Some(last) => Ok(Written::Nothing(Appended::Lost(last))),
        None => Err(Trouble::corrupt("a template was neither saved nor there")),
    }
}

/// Whether an entry is in the history.
async fn is_appended(session: &Session, entry: &TemplateEntry) -> Result<bool, Trouble> {
    let digest = entry.saved().map(|row| row.digest.bytes().as_slice());
    let (number, layout, at) = (asked(entry.number()), entry.layout().as_bytes(), entry.at().to_string());
    Ok(session.query_opt(APPENDED, &[&number, &layout, &at, &digest]).await?.is_some())
}

/// The last entry of all layouts.
async fn last(session: &Session) -> Result<Option<TemplateEntry>, Trouble> {
    session.query_opt(LAST, &[]).await?.as_ref().map(entry).transpose()
}

fn entry(row: &Row) -> Result<TemplateEntry, Trouble> {
    if row.try_get::<_, Option<&[u8]>>(4)?.is_some() {
        return Ok(TemplateEntry::Saved(saved(row)?));
    }
    Ok(TemplateEntry::Deleted(TemplateDeletion {
        number: rows::number(row.try_get(0)?)?,
        layout: rows::text(row.try_get(1)?)?,
        at: rows::timestamp(row.try_get(2)?)?,
        author: optional(row, 3)?,
    }))
}

fn saved(row: &Row) -> Result<TemplateRow, Trouble> {
    let dialect: &str = row.try_get(5)?;
    Ok(TemplateRow {
        number: rows::number(row.try_get(0)?)?,
        layout: rows::text(row.try_get(1)?)?,
        at: rows::timestamp(row.try_get(2)?)?,
        author: optional(row, 3)?,
        digest: rows::digest(row.try_get(4)?)?,
        dialect: Dialect::parse(dialect)
            .ok_or_else(|| Trouble::corrupt(&format!("there is no dialect {dialect:?}")))?,
        bytes: rows::number(row.try_get(6)?)?,
        label: optional(row, 7)?,
    })
}

/// A text that may be missing.
fn optional(row: &Row, column: usize) -> Result<Option<String>, Trouble> {
    row.try_get::<_, Option<&[u8]>>(column)?.map(rows::text).transpose()
}

fn saved_template(row: &Row) -> Result<SavedTemplate, Trouble> {
    let template = SavedTemplate { row: saved(row)?, text: rows::shared_text(row.try_get(8)?)? };
    if template_digest(template.row.dialect, &template.text) == template.row.digest {
        return Ok(template);
    }
    Err(Trouble::corrupt(&format!("the template {} is not what was saved", template.row.number)))
}
