//! What requests say: bodies, ids, and the context that many of them share.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use antefix::discover::tools::Tools;
use antefix::discover::{Given, catalog};
use antefix::freeze::ConversationId;
use antefix::text::FactName;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Query, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::ToSchema;

use crate::Shared;
use crate::problem::Problem;

/// How long a client may take to send its body.
const PATIENCE: Duration = Duration::from_secs(15);

/// A body of JSON, whatever is in it.
pub(crate) struct Sent(pub(crate) Value);

impl FromRequest<Arc<Shared>> for Sent {
    type Rejection = Problem;

    async fn from_request(request: Request, server: &Arc<Shared>) -> Result<Sent, Problem> {
        let bytes = bytes(request, server.limits.body).await?;
        let invalid = |error: serde_json::Error| Problem::bad("Invalid JSON body").detail(error.to_string());
        serde_json::from_slice(&bytes).map(Sent).map_err(invalid)
    }
}

/// A body that says that it is JSON, as it came.
pub(crate) struct Unread(pub(crate) Bytes);

impl FromRequest<Arc<Shared>> for Unread {
    type Rejection = Problem;

    async fn from_request(request: Request, server: &Arc<Shared>) -> Result<Unread, Problem> {
        bytes(request, server.limits.body).await.map(Unread)
    }
}

impl Unread {
    /// Reads an object with these fields; no body at all is an empty object.
    pub(crate) fn fields<T: DeserializeOwned>(&self) -> Result<T, Problem> {
        let Unread(bytes) = self;
        let text: &[u8] = if bytes.is_empty() { b"{}" } else { bytes };
        let invalid = |error: serde_json::Error| Problem::bad("Invalid JSON body").detail(error.to_string());
        let value: Value = serde_json::from_slice(text).map_err(invalid)?;
        if !value.is_object() {
            return Err(Problem::bad("Request body must be a JSON object"));
        }
        fields(&value).map_err(|error| {
            let field = culprit::<T>(&value).filter(|_| !error.starts_with('`'));
            let field = field.map(|field| format!("`{field}`: ")).unwrap_or_default();
            Problem::bad(format!("The body has a field that cannot be read: {field}{error}"))
        })
    }
}

/// Reads a value, and names the field that cannot be read.
fn fields<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(|error| match error.path().to_string().as_str() {
        // The whole of it.
        "." => error.inner().to_string(),
        path => format!("`{path}`: {}", error.inner()),
    })
}

/// The field without which the others can be read. Where one struct is a part of another, serde does not know it.
fn culprit<T: DeserializeOwned>(body: &Value) -> Option<&str> {
    // No body has more fields, and each is tried.
    const FIELDS: usize = 16;
    let object = body.as_object().filter(|object| object.len() <= FIELDS)?;
    let without = |name: &String| {
        let mut rest = object.clone();
        rest.remove(name);
        Value::Object(rest)
    };
    object.keys().find(|name| T::deserialize(without(name)).is_ok()).map(String::as_str)
}

/// A body of JSON that is an object with these fields; none at all is an empty object.
pub(crate) struct Fields<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Arc<Shared>> for Fields<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, server: &Arc<Shared>) -> Result<Fields<T>, Problem> {
        Unread::from_request(request, server).await?.fields().map(Fields)
    }
}

async fn bytes(request: Request, limit: usize) -> Result<Bytes, Problem> {
    let kind = content_type(request.headers());
    let reading = axum::body::to_bytes(request.into_body(), limit);
    let read = tokio::time::timeout(PATIENCE, reading).await;
    let read = read.map_err(|_| Problem::new(StatusCode::REQUEST_TIMEOUT, "slow", "The body took too long"))?;
    let bytes = read.map_err(|error| {
        use std::error::Error as _;
        if error.source().is_some_and(|source| source.to_string() == "length limit exceeded") {
            let message = format!("The body is larger than {limit} bytes");
            return Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", message);
        }
        Problem::bad("The body ended too soon")
    })?;
    match kind {
        Kind::Json => Ok(bytes),
        Kind::None if bytes.is_empty() => Ok(bytes),
        Kind::None | Kind::Other => {
            let problem = Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not-json", "The body must be JSON");
            Err(problem.hint("send `Content-Type: application/json`"))
        }
    }
}

/// What a body says that it is.
enum Kind {
    Json,
    None,
    Other,
}

fn content_type(headers: &HeaderMap) -> Kind {
    let Some(value) = headers.get(header::CONTENT_TYPE) else { return Kind::None };
    let essence = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") { Kind::Json } else { Kind::Other }
}

/// A conversation's id, from the path.
pub(crate) struct Id(pub(crate) ConversationId);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Id, Problem> {
        let params = RawPathParams::from_request_parts(parts, state).await;
        let params = params.map_err(|rejection| Problem::bad(rejection.body_text()))?;
        let id = params.iter().find(|(name, _)| *name == "id").map(|(_, id)| id).unwrap_or_default();
        ConversationId::parse(id).map(Id).map_err(|error| {
            let problem = Problem::bad(error.message());
            match error.hint() {
                Some(hint) => problem.hint(hint),
                None => problem,
            }
        })
    }
}

/// What stands behind the question mark.
pub(crate) struct Asked<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Asked<T>, Problem> {
        let query = Query::<T>::from_request_parts(parts, state).await;
        query.map(|Query(asked)| Asked(asked)).map_err(|rejection| Problem::bad(rejection.body_text()))
    }
}

/// For what to compose. What a conversation was told before need not be said again.
#[derive(Default, Deserialize, ToSchema)]
pub(crate) struct Context {
    /// The working directory, under one of the server's roots; relative ones are from the first root. Without it a
    /// conversation stays where it is, and a new one works in the first root.
    pub(crate) cwd: Option<String>,
    /// The model's name.
    pub(crate) model: Option<String>,
    /// The machine that the conversation works on, if there are several.
    pub(crate) machine: Option<String>,
    /// The agent's tools: names, or objects with a `name`. An empty list says that there are none.
    #[schema(value_type = Option<Vec<Value>>)]
    pub(crate) tools: Option<Tools>,
    /// A built-in layout by its name.
    pub(crate) layout: Option<String>,
    /// The clock, in RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub(crate) now: Option<jiff::Timestamp>,
    /// Facts that are answered by hand, such as `{"git:branch": "main"}`: a text, a list of texts or of objects of texts,
    /// null if there is none, or `{"unavailable": "why"}`.
    #[schema(value_type = Option<BTreeMap<String, Value>>)]
    pub(crate) set: Option<BTreeMap<String, Given>>,
}

impl Context {
    /// The facts that are answered by hand.
    pub(crate) fn facts(&mut self) -> Result<BTreeMap<FactName, Given>, Problem> {
        let set = self.set.take().into_iter().flatten().map(|(name, value)| {
            let fact = FactName::parse(name.as_str())
                .filter(|fact| matches!(catalog::lookup(fact), catalog::Lookup::Known(_)));
            let unknown = || Problem::bad(format!("The catalog has no `{name}`")).hint("GET /system-prompt/variables");
            fact.map(|fact| (fact, value)).ok_or_else(unknown)
        });
        set.collect()
    }
}

/// Fields that nobody knows. A misspelled one must not be left out silently.
pub(crate) type Unknown = BTreeMap<String, Value>;

/// Refuses them.
pub(crate) fn refuse(unknown: &Unknown) -> Result<(), Problem> {
    match unknown.keys().next() {
        None => Ok(()),
        Some(name) => Err(Problem::bad(format!("There is no field '{}' here", name.escape_debug()))),
    }
}
