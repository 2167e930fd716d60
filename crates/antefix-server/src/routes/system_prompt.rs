//! The template that everybody shares.

use std::sync::Arc;

use antefix::document::{self, Variables};
use antefix::project::{CurrentTemplate, TemplateChoice, TemplateCondition, TemplateFrom, TemplateOutcome};
use antefix::text::Digest;
use antefix::{Ask, ErrorKind};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{Wanted, json};
use crate::body::Sent;
use crate::bounds;
use crate::context::new_ask;
use crate::names::{DialectName, FromName};
use crate::problem::{Answer, Problem, ProblemDocument};
use crate::said;
use crate::{Shared, work};

/// The template that applies.
#[derive(Serialize, ToSchema)]
pub(super) struct TemplateDocument<'t> {
    /// The text of the layout's editable section, which is the whole prompt in the layout `dispatch`.
    template: &'t str,
    #[schema(value_type = DialectName)]
    dialect: &'static str,
    /// Of dialect and text; the ETag is made of it.
    digest: String,
    /// The layout that it belongs to: the name of a built-in one, or the path of its file.
    layout: &'t str,
    /// `saved`, or `layout` if nobody saved any, or `unreachable` if what was saved cannot be asked for and this is the
    /// layout's own.
    #[schema(value_type = FromName)]
    from: &'static str,
    /// Its number in the history, if it was saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    saved_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    author: Option<&'t str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'t str>,
}

impl<'t> TemplateDocument<'t> {
    fn new(current: &'t CurrentTemplate) -> TemplateDocument<'t> {
        let row = current.row.as_ref();
        TemplateDocument {
            template: &current.text,
            dialect: current.dialect.name(),
            digest: current.digest.to_string(),
            layout: &current.layout,
            from: match current.from {
                TemplateFrom::Saved => "saved",
                TemplateFrom::Layout => "layout",
                TemplateFrom::Unreachable => "unreachable",
            },
            number: row.map(|row| row.number),
            saved_at: row.map(|row| row.at.to_string()),
            author: row.and_then(|row| row.author.as_deref()),
            label: row.and_then(|row| row.label.as_deref()),
        }
    }
}

/// The template as an answer, with its ETag.
pub(super) fn answer(current: &CurrentTemplate, wanted: &Wanted) -> Response {
    wanted.tagged(json(&TemplateDocument::new(current)), current.digest)
}

/// The template that applies
///
/// What was saved last, else the layout's own text.
#[utoipa::path(get, path = "/system-prompt", operation_id = "template", tag = "template", responses(
    (status = 200, body = TemplateDocument<'static>), (status = 304, description = "It is the one of If-None-Match")))]
pub(super) async fn get(State(server): State<Arc<Shared>>, wanted: Wanted) -> Answer {
    work::read(server, move |server| Ok(answer(&server.first_project()?.template(&Ask::new())?, &wanted))).await
}

/// A template to save.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the body is read by hand, because its mistakes have words of their own")]
pub(super) struct TemplateBody {
    template: String,
    /// If not said, that of the layout.
    #[schema(value_type = Option<DialectName>)]
    dialect: Option<String>,
    /// What was read with the template may be sent back with it. This and what follows changes nothing.
    #[schema(value_type = Option<Value>)]
    digest: Option<Value>,
    #[schema(value_type = Option<Value>)]
    layout: Option<Value>,
    #[schema(value_type = Option<Value>)]
    from: Option<Value>,
    #[schema(value_type = Option<Value>)]
    number: Option<Value>,
    #[schema(value_type = Option<Value>)]
    saved_at: Option<Value>,
    #[schema(value_type = Option<Value>)]
    author: Option<Value>,
    #[schema(value_type = Option<Value>)]
    label: Option<Value>,
}

/// Save a template
///
/// New conversations open with it at once; others keep their bytes until they are renewed or compacted. With `If-Match`
/// it is saved only if what applies is still what its author has seen. The same template again is not saved twice.
#[utoipa::path(put, path = "/system-prompt", operation_id = "save_template", tag = "template", request_body = TemplateBody,
    params(("if-match" = Option<String>, Header, description = "The ETag of the template that was edited"),
        ("if-none-match" = Option<String>, Header, description = "An ETag of a template that must not be replaced; `*`: save only if nothing is saved"),
        ("antefix-author" = Option<String>, Header, description = "Who saves it, for the history")),
    responses((status = 200, body = TemplateDocument<'static>),
        (status = 400, body = ProblemDocument, description = "No JSON object with the field `template`"),
        (status = 412, body = ProblemDocument, description = "Somebody else saved meanwhile"),
        (status = 413, body = ProblemDocument, description = "Too large"),
        (status = 415, body = ProblemDocument, description = "No JSON"),
        (status = 422, body = ProblemDocument, description = "The template cannot be parsed"),
        (status = 503, body = ProblemDocument, description = "The store cannot be reached")))]
pub(super) async fn put(State(server): State<Arc<Shared>>, headers: HeaderMap, Sent(body): Sent) -> Answer {
    let (template, dialect) = said::template(&body)?;
    let (condition, author) = (expected(&headers)?, author(&headers)?);
    work::write(server, move |server| {
        let (project, ask) = (server.first_project()?, new_ask());
        let dialect = match dialect {
            Some(dialect) => dialect,
            None => project.own_template(&ask)?.dialect,
        };
        let saved = project.save_template(&ask, dialect, template, author.as_deref(), &condition);
        changed(server, saved, &condition)
    })
    .await
}

/// Delete the saved template
///
/// The layout's own text applies again, and is the answer. What was saved stays in the history. Without a saved template
/// nothing changes.
#[utoipa::path(delete, path = "/system-prompt", operation_id = "delete_template", tag = "template",
    params(("if-match" = Option<String>, Header, description = "The ETag of the template that is to be deleted"),
        ("antefix-author" = Option<String>, Header, description = "Who deletes it, for the history")),
    responses((status = 200, body = TemplateDocument<'static>), (status = 400, body = ProblemDocument),
        (status = 412, body = ProblemDocument, description = "Somebody else saved meanwhile"),
        (status = 503, body = ProblemDocument, description = "The store cannot be reached")))]
pub(super) async fn delete(State(server): State<Arc<Shared>>, headers: HeaderMap) -> Answer {
    let (condition, author) = (expected(&headers)?, author(&headers)?);
    work::write(server, move |server| {
        let deleted = server.first_project()?.delete_template(&Ask::new(), author.as_deref(), &condition);
        changed(server, deleted, &condition)
    })
    .await
}

/// The answer to whoever saved or deleted a template.
pub(super) fn changed(
    server: &Shared,
    outcome: antefix::Result<TemplateOutcome>,
    condition: &TemplateCondition,
) -> Answer {
    match outcome {
        Ok(TemplateOutcome::Done(current)) => {
            server.metrics.templates_saved.add(1);
            Ok(answer(&current, &Wanted::default()))
        }
        Ok(TemplateOutcome::Refused(current)) => Err(refusal(condition, &current)),
        Err(error) if error.kind() == ErrorKind::Limit && error.place().is_none() => {
            Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", error.message()))
        }
        // What clients of the first server of this kind know.
        Err(error) if error.kind().passes() => Err(Problem::from(error).called("System prompt service not available")),
        Err(error) => Err(error.into()),
    }
}

fn refusal(condition: &TemplateCondition, current: &CurrentTemplate) -> Problem {
    let error = match condition.broken_by(current) {
        Some(TemplateCondition::NoneOf(_) | TemplateCondition::NotSaved) => "There is a template already",
        _ => "Somebody else saved the template meanwhile",
    };
    let problem = Problem::new(StatusCode::PRECONDITION_FAILED, "conflict", error);
    let problem = match &current.row {
        Some(row) => problem.detail(format!("template {} applies now, {}", row.number, row.digest)),
        None => problem.detail("the layout's own text applies"),
    };
    problem.hint("GET /system-prompt, compare, and save again with its ETag")
}

/// What `If-Match` and `If-None-Match` say; with both, both must hold. Before anything is saved `If-Match: *` holds, because
/// the layout's text can be read here, and so does `If-None-Match: *`, because there is nothing that would be overwritten.
pub(super) fn expected(headers: &HeaderMap) -> Answer<TemplateCondition> {
    let matches = tags(headers, &header::IF_MATCH)?.map(|tags| match tags {
        Tags::Any => TemplateCondition::Anything,
        Tags::These(digests) => TemplateCondition::OneOf(digests),
    });
    let differs = tags(headers, &header::IF_NONE_MATCH)?.map(|tags| match tags {
        Tags::Any => TemplateCondition::NotSaved,
        Tags::These(digests) => TemplateCondition::NoneOf(digests),
    });
    Ok(TemplateCondition::All(matches.into_iter().chain(differs).collect()))
}

/// What a header with ETags names.
enum Tags {
    /// `*`
    Any,
    These(Vec<Digest>),
}

/// The ETags of a header; none if there is no such header. One that names no tag was meant to be a condition, and is refused.
fn tags(headers: &HeaderMap, name: &HeaderName) -> Answer<Option<Tags>> {
    if !headers.contains_key(name) {
        return Ok(None);
    }
    let (mut named, mut digests) = (0, Vec::new());
    for value in headers.get_all(name) {
        let value = value.to_str().map_err(|_| Problem::bad(format!("{name} is not a list of ETags")))?;
        for tag in value.split(',').map(str::trim).filter(|tag| !tag.is_empty()) {
            if tag == "*" {
                return Ok(Some(Tags::Any));
            }
            named += 1;
            let quoted = tag.strip_prefix("W/").unwrap_or(tag).strip_prefix('"').and_then(|tag| tag.strip_suffix('"'));
            let Some(quoted) = quoted else {
                let problem = Problem::bad(format!("{name} is not a list of ETags"));
                return Err(problem.hint("an ETag is in quotes, as the header of GET /system-prompt has it"));
            };
            // A tag of somebody else's, or a weak one, matches nothing, and is none the less a condition.
            digests.extend(Digest::parse(quoted).filter(|_| !tag.starts_with("W/")));
        }
    }
    match named {
        0 => Err(Problem::bad(format!("{name} names no ETag")).hint("leave the header out to save in any case")),
        _ => Ok(Some(Tags::These(digests))),
    }
}

/// Who saves, if they say so.
pub(super) fn author(headers: &HeaderMap) -> Answer<Option<String>> {
    let Some(value) = headers.get("antefix-author") else { return Ok(None) };
    bounds::author(value.as_bytes()).map(Some)
}

/// The variables that a template may use
///
/// Without those that the layout hides from templates.
#[utoipa::path(get, path = "/system-prompt/variables", tag = "template", responses((status = 200, body = Variables)))]
pub(super) async fn variables(State(server): State<Arc<Shared>>) -> Answer {
    work::read(server, move |server| {
        let own = Ask::new().template(TemplateChoice::Own);
        // What is wrong with a layout that cannot be read is the answer to GET /system-prompt.
        let hidden = server.first_project().and_then(|project| project.hidden_facts(&own)).unwrap_or_default();
        Ok(json(&document::variables(&hidden)))
    })
    .await
}
