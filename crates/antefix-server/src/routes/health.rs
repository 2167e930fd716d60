//! Whether the server is alive, whether it can work, and what it counted.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::text;
use crate::problem::{Answer, Problem, ProblemDocument};
use crate::{Shared, work};

/// Whether the server runs
#[utoipa::path(get, path = "/healthz", tag = "server", security(()), responses((status = 200, body = String, content_type = "text/plain")))]
pub(super) async fn alive() -> Response {
    text("ok\n")
}

/// Whether the server can work: its store answers
#[utoipa::path(get, path = "/readyz", tag = "server", security(()), responses((status = 200, body = String, content_type = "text/plain"),
    (status = 503, body = ProblemDocument)))]
pub(super) async fn ready(State(server): State<Arc<Shared>>) -> Answer {
    let asked = work::read(server, |server| {
        let store = server.keeper()?.store();
        store.ready()?;
        Ok(store.templates(None, None, 1)?)
    })
    .await;
    // Whoever asks has shown no token, and where the store is concerns nobody else.
    let unready = |problem: Problem| {
        let (code, why) = reason(problem.code());
        let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, code, why);
        problem.retry(1).hint("a request with the token, such as GET /conversations, says why")
    };
    asked.map(|_| text("ok\n")).map_err(unready)
}

/// Why the server cannot work, without a name of anything.
fn reason(code: &'static str) -> (&'static str, &'static str) {
    let why = match code {
        "displaced" => "The files of the store were moved, removed, replaced or linked",
        "out-of-descriptors" => "Out of file descriptors",
        "out-of-memory" => "Out of memory",
        "newer-schema" => "A newer antefix has changed the store",
        "corrupt" => "The store is damaged",
        "full" => "The store is full",
        "busy" => "The store is held by others, or too much is going on",
        _ => return ("unreachable", "The store does not answer"),
    };
    (code, why)
}

/// What the server counted, for Prometheus
#[utoipa::path(get, path = "/metrics", tag = "server", responses((status = 200, body = String, content_type = "text/plain")))]
pub(super) async fn metrics(State(server): State<Arc<Shared>>) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], server.metrics.print()).into_response()
}
