//! How requests are read: bodies, ids, and what stands behind the question mark.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use antefix::freeze::ConversationId;
use axum::extract::{FromRequest, FromRequestParts, Query, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Shared;
use crate::problem::Problem;
use crate::said::fields;

/// How long a client may take to send its body.
const PATIENCE: Duration = Duration::from_secs(15);

/// A body of JSON, whatever is in it.
pub(crate) struct Sent(pub(crate) Value);

impl FromRequest<Arc<Shared>> for Sent {
    type Rejection = Problem;

    async fn from_request(request: Request, server: &Arc<Shared>) -> Result<Sent, Problem> {
        let bytes = bytes(request, server, server.limits.body).await?;
        let invalid = |error: serde_json::Error| Problem::bad("Invalid JSON body").detail(error.to_string());
        serde_json::from_slice(&bytes).map(Sent).map_err(invalid)
    }
}

/// A body of JSON that is an object with these fields and no others; none at all is an empty object.
pub(crate) struct Fields<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Arc<Shared>> for Fields<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, server: &Arc<Shared>) -> Result<Fields<T>, Problem> {
        let bytes = bytes(request, server, server.limits.body).await?;
        fields(if bytes.is_empty() { b"{}" } else { &bytes }).map(Fields)
    }
}

/// Such a body before it is read, for work that reads it on the thread that uses it: what one thread makes of it and another one
/// drops, piece by piece, makes both wait for each other in the allocator.
pub(crate) struct Unread<T>(Vec<u8>, PhantomData<fn() -> T>);

impl<T: DeserializeOwned> FromRequest<Arc<Shared>> for Unread<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, server: &Arc<Shared>) -> Result<Unread<T>, Problem> {
        Ok(Unread(bytes(request, server, server.limits.body).await?, PhantomData))
    }
}

impl<T: DeserializeOwned> Unread<T> {
    /// Reads it. Its bytes are gone with that: what was made of them takes enough.
    pub(crate) fn fields(self) -> Result<T, Problem> {
        fields(if self.0.is_empty() { b"{}" } else { &self.0 })
    }
}

/// The most bytes of a body that anybody may send, whom nothing has proven yet.
const SHORT: usize = 1024;

/// The same of at most a kilobyte, from whoever comes.
pub(crate) struct Short<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Arc<Shared>> for Short<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, server: &Arc<Shared>) -> Result<Short<T>, Problem> {
        fields(&bytes(request, server, SHORT.min(server.limits.body)).await?).map(Short)
    }
}

/// A body of JSON values, one a line.
pub(crate) struct Lines(pub(crate) String);

impl FromRequest<Arc<Shared>> for Lines {
    type Rejection = Problem;

    async fn from_request(request: Request, server: &Arc<Shared>) -> Result<Lines, Problem> {
        if !matches!(content_type(request.headers()), Kind::Lines) {
            let problem = Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not-json", "The body must be JSON lines");
            return Err(problem.hint("send `Content-Type: application/jsonl`"));
        }
        let bytes = read(request, server, server.limits.body).await?;
        let text = String::from_utf8(bytes).map_err(|_| Problem::bad("The body is not UTF-8"))?;
        Ok(Lines(text))
    }
}

async fn bytes(request: Request, server: &Shared, limit: usize) -> Result<Vec<u8>, Problem> {
    let kind = content_type(request.headers());
    let bytes = read(request, server, limit).await?;
    match kind {
        Kind::Json => {
            // Lines are read one by one, and become rows: no more than their bytes.
            server.bodies.weigh(&bytes).await?;
            Ok(bytes)
        }
        Kind::None if bytes.is_empty() => Ok(bytes),
        Kind::None | Kind::Lines | Kind::Other => {
            let problem = Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not-json", "The body must be JSON");
            Err(problem.hint("send `Content-Type: application/json`"))
        }
    }
}

async fn read(request: Request, server: &Shared, limit: usize) -> Result<Vec<u8>, Problem> {
    let read = tokio::time::timeout(PATIENCE, server.bodies.read(request.into_body(), limit)).await;
    let slow = || Problem::new(StatusCode::REQUEST_TIMEOUT, "slow", "The body took too long");
    read.map_err(|_| slow())?
}

/// What a body says that it is.
enum Kind {
    Json,
    Lines,
    None,
    Other,
}

fn content_type(headers: &HeaderMap) -> Kind {
    let Some(value) = headers.get(header::CONTENT_TYPE) else { return Kind::None };
    let essence = value.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    let is = |kind: &str| essence.eq_ignore_ascii_case(kind);
    match () {
        () if is("application/json") => Kind::Json,
        () if is("application/jsonl") || is("application/x-ndjson") => Kind::Lines,
        () => Kind::Other,
    }
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
