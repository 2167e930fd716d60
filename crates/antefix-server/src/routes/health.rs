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
    let asked = work::read(server, |server| Ok(server.keeper()?.store().templates(None, None, 1)?)).await;
    // Whoever asks has shown no token, and where the store is concerns nobody else.
    let unready = |_| {
        let problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unreachable", "The store does not answer");
        problem.retry(1).hint("a request with the token, such as GET /conversations, says why")
    };
    asked.map(|_| text("ok\n")).map_err(unready)
}

/// What the server counted, for Prometheus
#[utoipa::path(get, path = "/metrics", tag = "server", responses((status = 200, body = String, content_type = "text/plain")))]
pub(super) async fn metrics(State(server): State<Arc<Shared>>) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], server.metrics.print()).into_response()
}
