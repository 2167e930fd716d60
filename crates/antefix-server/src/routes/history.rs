//! Every template that was saved.

use std::sync::Arc;

use antefix::Ask;
use antefix::freeze::template::{SavedTemplate, TemplateEntry, TemplateRow};
use antefix::text::Digest;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::json;
use super::system_prompt::{author, changed, expected};
use crate::body::{Asked, Fields};
use crate::bounds;
use crate::context::new_ask;
use crate::names::DialectName;
use crate::problem::{Answer, Problem, ProblemDocument};
use crate::said::LabelBody;
use crate::{Shared, work};

/// A saved template in a list.
#[derive(Serialize, ToSchema)]
struct ListedTemplate<'t> {
    number: u64,
    digest: String,
    #[schema(value_type = DialectName)]
    dialect: &'static str,
    bytes: u64,
    saved_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'t str>,
}

impl<'t> ListedTemplate<'t> {
    fn new(row: &'t TemplateRow) -> ListedTemplate<'t> {
        ListedTemplate {
            number: row.number,
            digest: row.digest.to_string(),
            dialect: row.dialect.name(),
            bytes: row.bytes,
            saved_at: row.at.to_string(),
            author: row.author.as_deref(),
            label: row.label.as_deref(),
        }
    }
}

/// A deletion in a list: from its number on the layout's own text applied, until somebody saved again.
#[derive(Serialize, ToSchema)]
struct DeletionOf<'t> {
    number: u64,
    deleted_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<&'t str>,
}

/// Saved templates, the last one first.
#[derive(Serialize, ToSchema)]
pub(super) struct History<'t> {
    templates: Vec<ListedTemplate<'t>>,
    /// When the template was deleted, the last time first; numbers are in the same series.
    deletions: Vec<DeletionOf<'t>>,
    /// What to ask for as `before` to get the next ones; none if there are no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
}

/// A saved template.
#[derive(Serialize, ToSchema)]
pub(super) struct SavedDocument<'t> {
    #[serde(flatten)]
    listed: ListedTemplate<'t>,
    template: &'t str,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct Page {
    /// Only those with lower numbers.
    before: Option<u64>,
    /// How many at most: 1 to 200, 50 if not said.
    limit: Option<usize>,
}

/// The templates that were saved, the last one first
#[utoipa::path(get, path = "/system-prompt/history", operation_id = "history", tag = "template", params(Page), responses(
    (status = 200, body = History<'static>), (status = 400, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn list(State(server): State<Arc<Shared>>, Asked(page): Asked<Page>) -> Answer {
    work::read(server, move |server| {
        let limit = bounds::limit(page.limit)?;
        let before = page.before.map(bounds::number).transpose()?;
        let mut entries = server.first_project()?.template_history(&Ask::new(), before, limit + 1)?;
        let more = entries.len() > limit;
        entries.truncate(limit);
        let next = entries.last().filter(|_| more).map(TemplateEntry::number);
        let templates = entries.iter().filter_map(TemplateEntry::saved).map(ListedTemplate::new).collect();
        let deletions = entries.iter().filter(|entry| entry.saved().is_none()).map(|entry| DeletionOf {
            number: entry.number(),
            deleted_at: entry.at().to_string(),
            author: entry.author(),
        });
        Ok(json(&History { templates, deletions: deletions.collect(), next }))
    })
    .await
}

/// One saved template, by its number or its digest
#[utoipa::path(get, path = "/system-prompt/history/{which}", operation_id = "saved", tag = "template",
    params(("which" = String, Path, description = "A number, or `sha256:…`")), responses(
    (status = 200, body = SavedDocument<'static>), (status = 404, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn one(State(server): State<Arc<Shared>>, Path(which): Path<String>) -> Answer {
    work::read(server, move |server| {
        let saved = find(server, &which)?;
        Ok(json(&SavedDocument { listed: ListedTemplate::new(&saved.row), template: &saved.text }))
    })
    .await
}

fn find(server: &Shared, which: &str) -> Answer<SavedTemplate> {
    let (project, ask) = (server.first_project()?, Ask::new());
    let found = match (Digest::parse(which), which.parse()) {
        (Some(digest), _) => project.saved_template_with(&ask, digest)?,
        (None, Ok(number)) => project.saved_template(&ask, number)?,
        (None, Err(_)) => None,
    };
    found.ok_or_else(|| Problem::not_found("No such template was saved").hint("GET /system-prompt/history lists them"))
}

/// Give a saved template a label, or take it away
#[utoipa::path(post, path = "/system-prompt/history/{which}/labels", tag = "template", request_body = LabelBody,
    params(("which" = String, Path, description = "A number, or `sha256:…`")), responses(
    (status = 200, body = ListedTemplate<'static>), (status = 400, body = ProblemDocument), (status = 404, body = ProblemDocument),
    (status = 503, body = ProblemDocument)))]
pub(super) async fn label(
    State(server): State<Arc<Shared>>,
    Path(which): Path<String>,
    Fields(body): Fields<LabelBody>,
) -> Answer {
    let missing = || Problem::bad("Field 'label' is required: a text, or null to take the label away");
    let label = body.label.as_ref().ok_or_else(missing)?;
    let label = label.as_deref().map(bounds::label).transpose()?;
    work::write(server, move |server| {
        let number = find(server, &which)?.row.number;
        let row = server.keeper()?.store().label_template(number, label.as_deref())?;
        let row = row.ok_or_else(|| Problem::not_found("No such template was saved"))?;
        Ok(json(&ListedTemplate::new(&row)))
    })
    .await
}

/// Save an old template anew
#[utoipa::path(post, path = "/system-prompt/history/{which}/rollback", tag = "template",
    params(("which" = String, Path, description = "A number, or `sha256:…`"),
        ("if-match" = Option<String>, Header, description = "The ETag of the template that is to be replaced"),
        ("antefix-author" = Option<String>, Header, description = "Who does it, for the history")),
    responses((status = 200, body = super::system_prompt::TemplateDocument<'static>), (status = 400, body = ProblemDocument), (status = 404, body = ProblemDocument),
    (status = 412, body = ProblemDocument), (status = 422, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn roll_back(
    State(server): State<Arc<Shared>>,
    Path(which): Path<String>,
    headers: HeaderMap,
) -> Answer {
    let (condition, author) = (expected(&headers)?, author(&headers)?);
    work::write(server, move |server| {
        let saved = find(server, &which)?;
        let (project, dialect) = (server.first_project()?, saved.row.dialect);
        let done = project.save_template(&new_ask(), dialect, saved.text, author.as_deref(), &condition);
        changed(server, done, &condition)
    })
    .await
}
