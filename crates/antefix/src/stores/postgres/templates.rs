//! Saved templates.

use tokio_postgres::Row;

use super::PostgresStore;
use super::fault::Trouble;
use super::rows::{self, asked};
use super::session::Session;
use super::work::{Turn, Written};
use crate::compose::Dialect;
use crate::freeze::{Appended, SavedTemplate, StoreResult, TemplateRow, Templates, template_digest};
use crate::stores::memory::check_template;
use crate::text::Digest;

/// What a template's row has beside its text.
macro_rules! columns {
    () => {
        "number, digest, dialect, octet_length(text)::bigint, at, author, label"
    };
}

const LAST: &str = concat!("SELECT ", columns!(), " FROM templates ORDER BY number DESC LIMIT 1");
const ONE: &str = concat!("SELECT ", columns!(), ", text FROM templates WHERE number = $1");
const PAGE: &str = concat!("SELECT ", columns!(), " FROM templates WHERE number < $1 ORDER BY number DESC LIMIT $2");
const WITH: &str =
    concat!("SELECT ", columns!(), ", text FROM templates WHERE digest = $1 ORDER BY number DESC LIMIT 1");
const SAVE: &str = "\
    INSERT INTO templates (number, digest, dialect, at, author, label, text) VALUES ($1, $2, $3, $4, $5, $6, $7) \
    ON CONFLICT DO NOTHING";
const SAVED: &str = "SELECT 1 FROM templates WHERE number = $1 AND digest = $2 AND at = $3";
const LABEL: &str = concat!("UPDATE templates SET label = $2 WHERE number = $1 RETURNING ", columns!());

impl PostgresStore {
    fn templates_turn(&self) -> Turn {
        Turn::of_schema(&self.pool.address.schema, "templates")
    }
}

impl Templates for PostgresStore {
    fn last_template(&self) -> StoreResult<Option<TemplateRow>> {
        self.read(async |session| last(session).await)
    }

    fn template(&self, number: u64) -> StoreResult<Option<SavedTemplate>> {
        self.read(async |session| session.query_opt(ONE, &[&asked(number)]).await?.as_ref().map(whole).transpose())
    }

    fn templates(&self, before: Option<u64>, limit: usize) -> StoreResult<Vec<TemplateRow>> {
        let (before, limit) = (asked(before.unwrap_or(u64::MAX)), asked(limit as u64));
        self.read(async |session| session.query(PAGE, &[&before, &limit]).await?.iter().map(known).collect())
    }

    fn template_with(&self, digest: Digest) -> StoreResult<Option<SavedTemplate>> {
        self.read(async |session| {
            let row = session.query_opt(WITH, &[&digest.bytes().as_slice()]).await?;
            row.as_ref().map(whole).transpose()
        })
    }

    fn save_template(&self, template: &SavedTemplate) -> StoreResult<Appended<TemplateRow>> {
        self.write(
            self.templates_turn(),
            async |session, _| save(session, template).await,
            async |session, _, _| {
                let row = &template.row;
                let digest = row.digest.bytes().as_slice();
                Ok(session.query_opt(SAVED, &[&asked(row.number), &digest, &row.at.to_string()]).await?.is_some())
            },
        )
    }

    fn label_template(&self, number: u64, label: Option<&str>) -> StoreResult<Option<TemplateRow>> {
        // Labeling twice is labeling once.
        let label = label.map(str::as_bytes);
        self.write(
            self.templates_turn(),
            async |session, _| {
                let row = session.query_opt(LABEL, &[&asked(number), &label]).await?;
                Ok(match row.as_ref().map(known).transpose()? {
                    Some(row) => Written::Commit(Some(row)),
                    None => Written::Nothing(None),
                })
            },
            async |_, _, _| Ok(false),
        )
    }
}

async fn last(session: &Session) -> Result<Option<TemplateRow>, Trouble> {
    session.query_opt(LAST, &[]).await?.as_ref().map(known).transpose()
}

async fn save(session: &Session, template: &SavedTemplate) -> Result<Written<Appended<TemplateRow>>, Trouble> {
    let row = &template.row;
    let last = last(session).await?;
    if let Some(last) = last.as_ref().filter(|last| last.number >= row.number) {
        return Ok(Written::Nothing(Appended::Lost(last.clone())));
    }
    check_template(row, last.map_or(0, |last| last.number))?;
    let inserted = session
        .execute(
            SAVE,
            &[
                &asked(row.number),
                &row.digest.bytes().as_slice(),
                &row.dialect.name(),
                &row.at.to_string(),
                &row.author.as_deref().map(str::as_bytes),
                &row.label.as_deref().map(str::as_bytes),
                &template.text.as_bytes(),
            ],
        )
        .await?;
    if inserted == 1 {
        return Ok(Written::Commit(Appended::Won));
    }
    // All who save take turns, so only somebody who does not keep to that can have been faster.
    match self::last(session).await? {
        Some(last) => Ok(Written::Nothing(Appended::Lost(last))),
        None => Err(Trouble::corrupt("a template was neither saved nor there")),
    }
}

fn known(row: &Row) -> Result<TemplateRow, Trouble> {
    let dialect: &str = row.try_get(2)?;
    let named = |column| row.try_get::<_, Option<&[u8]>>(column)?.map(rows::text).transpose();
    Ok(TemplateRow {
        number: rows::number(row.try_get(0)?)?,
        digest: rows::digest(row.try_get(1)?)?,
        dialect: Dialect::parse(dialect)
            .ok_or_else(|| Trouble::corrupt(&format!("there is no dialect {dialect:?}")))?,
        bytes: rows::number(row.try_get(3)?)?,
        at: rows::timestamp(row.try_get(4)?)?,
        author: named(5)?,
        label: named(6)?,
    })
}

fn whole(row: &Row) -> Result<SavedTemplate, Trouble> {
    let template = SavedTemplate { row: known(row)?, text: rows::shared_text(row.try_get(7)?)? };
    if template_digest(template.row.dialect, &template.text) == template.row.digest {
        return Ok(template);
    }
    Err(Trouble::corrupt(&format!("the template {} is not what was saved", template.row.number)))
}
