//! The template that everybody shares.

use std::sync::Arc;

use antefix::compose::Dialect;
use antefix::text::Digest;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{Wanted, json};
use crate::document::{self, Variables};
use crate::http::body::Sent;
use crate::http::bounds;
use crate::http::names::{DialectName, FromName};
use crate::http::problem::{Answer, Problem, ProblemDocument};
use crate::http::template::{Current, Expected, From};
use crate::http::{Server, work};

/// The template that counts.
#[derive(Serialize, ToSchema)]
pub(super) struct TemplateDocument<'t> {
    /// The empty text means: no system prompt.
    template: &'t str,
    #[schema(value_type = DialectName)]
    dialect: &'static str,
    /// Of dialect and text; the ETag is made of it.
    digest: String,
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
    fn new(current: &'t Current) -> TemplateDocument<'t> {
        let row = current.row.as_ref();
        TemplateDocument {
            template: &current.text,
            dialect: current.dialect.name(),
            digest: current.digest.to_string(),
            from: match current.from {
                From::Saved => "saved",
                From::Layout => "layout",
                From::Unreachable => "unreachable",
            },
            number: row.map(|row| row.number),
            saved_at: row.map(|row| row.at.to_string()),
            author: row.and_then(|row| row.author.as_deref()),
            label: row.and_then(|row| row.label.as_deref()),
        }
    }
}

/// The template as an answer, with its ETag.
pub(super) fn answer(current: &Current, wanted: &Wanted) -> Response {
    wanted.tagged(json(&TemplateDocument::new(current)), current.digest)
}

/// The template that counts
///
/// What was saved last, else the layout's own text.
#[utoipa::path(get, path = "/system-prompt", operation_id = "template", tag = "template", responses(
    (status = 200, body = TemplateDocument<'static>), (status = 304, description = "It is the one of If-None-Match")))]
pub(super) async fn get(State(server): State<Arc<Server>>, wanted: Wanted) -> Answer {
    work::read(server, move |server| Ok(answer(&server.current()?, &wanted))).await
}

/// A template to save.
#[derive(Deserialize, ToSchema)]
#[expect(dead_code, reason = "the body is read by hand, because its mistakes have words of their own")]
pub(super) struct TemplateBody {
    template: String,
    /// If not said, that of the layout.
    #[schema(value_type = Option<DialectName>)]
    dialect: Option<String>,
}

/// Save a template
///
/// New conversations open with it at once; others keep their bytes until they are renewed or compacted. With `If-Match`
/// it is saved only if what counts is still what its author has seen. The same template again is not saved twice.
#[utoipa::path(put, path = "/system-prompt", operation_id = "save_template", tag = "template", request_body = TemplateBody,
    params(("if-match" = Option<String>, Header, description = "The ETag of the template that was edited"),
        ("if-none-match" = Option<String>, Header, description = "An ETag of a template that must not be replaced"),
        ("antefix-author" = Option<String>, Header, description = "Who saves it, for the history")),
    responses((status = 200, body = TemplateDocument<'static>),
        (status = 400, body = ProblemDocument, description = "No JSON object with the field `template`"),
        (status = 412, body = ProblemDocument, description = "Somebody else saved meanwhile"),
        (status = 413, body = ProblemDocument, description = "Too large"),
        (status = 415, body = ProblemDocument, description = "No JSON"),
        (status = 422, body = ProblemDocument, description = "The template cannot be parsed"),
        (status = 503, body = ProblemDocument, description = "The store cannot be reached")))]
pub(super) async fn put(State(server): State<Arc<Server>>, headers: HeaderMap, Sent(body): Sent) -> Answer {
    let (template, dialect) = fields(&body)?;
    let (expected, author) = (expected(&headers)?, author(&headers)?);
    work::compose(server, move |server| {
        let dialect = match dialect {
            Some(dialect) => dialect,
            None => server.own_template(None)?.0,
        };
        let template: Arc<str> = template.into();
        server.check_template(dialect, &template)?;
        let current = server.save(dialect, &template, author, &expected)?;
        server.metrics.templates_saved.add(1);
        Ok(answer(&current, &Wanted::default()))
    })
    .await
}

/// The fields of a body, with the words that clients know for their mistakes.
fn fields(body: &Value) -> Answer<(String, Option<Dialect>)> {
    if !body.is_object() && !body.is_array() {
        return Err(Problem::bad("Request body must be a JSON object"));
    }
    let Some(template) = body.get("template").and_then(Value::as_str) else {
        return Err(Problem::bad("Field 'template' is required and must be a string"));
    };
    let dialect = match body.get("dialect") {
        None | Some(Value::Null) => None,
        Some(dialect) => Some(dialect.as_str().and_then(Dialect::parse).ok_or_else(unknown_dialect)?),
    };
    Ok((template.to_owned(), dialect))
}

pub(super) fn unknown_dialect() -> Problem {
    Problem::bad("Field 'dialect' must be 'bracket', 'jinja' or 'plain'")
}

/// What `If-Match` says, or else `If-None-Match`.
pub(super) fn expected(headers: &HeaderMap) -> Answer<Expected> {
    Ok(match condition(headers, &header::IF_MATCH)? {
        Condition::Any => Expected::Anything,
        Condition::These(digests) => Expected::Digests(digests),
        Condition::None => match condition(headers, &header::IF_NONE_MATCH)? {
            Condition::Any => Expected::Nothing,
            Condition::These(digests) => Expected::Others(digests),
            Condition::None => Expected::Anything,
        },
    })
}

/// What a header with ETags names.
enum Condition {
    None,
    /// `*`
    Any,
    These(Vec<Digest>),
}

fn condition(headers: &HeaderMap, name: &HeaderName) -> Answer<Condition> {
    let mut digests = Vec::new();
    for value in headers.get_all(name) {
        let value = value.to_str().map_err(|_| Problem::bad(format!("{name} is no list of ETags")))?;
        for tag in value.split(',').map(str::trim) {
            if tag == "*" {
                return Ok(Condition::Any);
            }
            // A tag of somebody else's matches nothing, and is none the less a condition.
            digests.extend(tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')).and_then(Digest::parse));
        }
    }
    Ok(if headers.contains_key(name) { Condition::These(digests) } else { Condition::None })
}

/// Who saves, if they say so.
pub(super) fn author(headers: &HeaderMap) -> Answer<Option<String>> {
    let Some(value) = headers.get("antefix-author") else { return Ok(None) };
    bounds::author(value.as_bytes()).map(Some)
}

/// The variables that a template may use
#[utoipa::path(get, path = "/system-prompt/variables", tag = "template", responses((status = 200, body = Variables)))]
pub(super) async fn variables() -> Response {
    json(&document::variables())
}
