//! How a browser gets in, stays in, and leaves.
//!
//! 1. Whoever has the token makes a link. Its code goes to the page in the address, which takes it out of there at once.
//! 2. The page exchanges the code, once, for a session of its own origin, which it sends as `Authorization: Bearer …`.
//! 3. While it is used, the page renews it.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use super::json;
use crate::Shared;
use crate::body::Short;
use crate::guard::Proof;
use crate::problem::{Answer, Problem, ProblemDocument};
use crate::said::SessionBody;
use crate::session::{self, Session};

/// A link for a browser.
#[derive(Serialize, ToSchema)]
pub(super) struct LinkDocument {
    /// It works once, for 15 minutes, under the name that the request came under.
    path: String,
}

/// Make a link that opens the page in a browser
#[utoipa::path(post, path = "/links", tag = "server", responses((status = 201, body = LinkDocument),
    (status = 403, body = ProblemDocument), (status = 503, body = ProblemDocument)))]
pub(super) async fn link(State(server): State<Arc<Shared>>, Extension(proof): Extension<Proof>) -> Answer {
    if !matches!(proof, Proof::Token) {
        return Err(Problem::forbidden("link", "A link is made for whoever has the token"));
    }
    let code = server.guard.token.link().map_err(|error| Problem::busy(error.message()))?;
    let mut response = json(&LinkDocument { path: format!("/?code={code}") });
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}

/// A session of the page.
#[derive(Serialize, ToSchema)]
pub(super) struct SessionDocument {
    /// What the page sends as `Authorization: Bearer …`.
    session: String,
    /// When it ends, unless it is renewed.
    #[schema(format = DateTime)]
    ends: String,
}

/// Exchange the code of a link for a session
///
/// It is for the page: `Origin` must be there, and the session counts under that origin alone.
#[utoipa::path(post, path = "/sessions", operation_id = "begin_session", tag = "server", security(()), request_body = SessionBody, responses(
    (status = 201, body = SessionDocument), (status = 400, body = ProblemDocument),
    (status = 403, body = ProblemDocument, description = "The link was opened before, or is too old, or no page asks"),
    (status = 413, body = ProblemDocument), (status = 415, body = ProblemDocument)))]
pub(super) async fn begin(
    State(server): State<Arc<Shared>>,
    Extension(proof): Extension<Proof>,
    Short(body): Short<SessionBody>,
) -> Answer {
    let Proof::Open(Some(origin)) = proof else {
        let problem = Problem::forbidden("session", "A session is for a page, whose browser sends an Origin header");
        return Err(problem.hint("programs send the token"));
    };
    if !server.guard.token.open(&body.code) {
        let problem = Problem::forbidden("link", "This link was opened before, or is too old");
        return Err(problem.hint("start the server again, or POST /links with the token, to get another one"));
    }
    let session = Session::begin(origin, session::now()).map_err(|error| Problem::busy(error.message()))?;
    Ok(document(&server, &session))
}

/// Renew the session that the request shows
///
/// It counts for twelve hours from now, and no longer than a day in all.
#[utoipa::path(post, path = "/sessions/renewal", operation_id = "renew_session", tag = "server", responses(
    (status = 201, body = SessionDocument), (status = 403, body = ProblemDocument, description = "It shows none")))]
pub(super) async fn renew(State(server): State<Arc<Shared>>, Extension(proof): Extension<Proof>) -> Answer {
    Ok(document(&server, &shown(proof)?.renewed(session::now())))
}

/// End the session that the request shows
#[utoipa::path(delete, path = "/sessions", operation_id = "end_session", tag = "server", responses(
    (status = 204, description = "It counts no more"), (status = 403, body = ProblemDocument, description = "It shows none")))]
pub(super) async fn end(State(server): State<Arc<Shared>>, Extension(proof): Extension<Proof>) -> Answer {
    server.guard.ended.add(&shown(proof)?, session::now());
    Ok(StatusCode::NO_CONTENT.into_response())
}

fn shown(proof: Proof) -> Answer<Session> {
    match proof {
        Proof::Session(session) => Ok(session),
        Proof::Token | Proof::Open(_) => {
            let problem = Problem::forbidden("session", "The request shows no session");
            Err(problem.hint("the token is replaced by a new one in its file, and ends all sessions then"))
        }
    }
}

fn document(server: &Shared, session: &Session) -> Response {
    // No session ends beyond the years that can be written.
    let ends = i64::try_from(session.ends).ok().and_then(|ends| Timestamp::from_second(ends).ok()).unwrap_or_default();
    let value = session.value(&server.guard.token);
    let mut response = json(&SessionDocument { session: value, ends: ends.to_string() });
    *response.status_mut() = StatusCode::CREATED;
    response
}
