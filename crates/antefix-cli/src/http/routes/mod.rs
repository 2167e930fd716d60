//! The routes, and what is around each of them.

mod about;
mod breakpoints;
mod conversations;
mod epochs;
mod health;
mod history;
mod offers;
mod preview;
mod renewals;
mod system_prompt;
mod turns;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use antefix::freeze::Epoch;
use axum::Router;
use axum::body::{Bytes, HttpBody};
use axum::extract::{MatchedPath, RawPathParams, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::log::Line;
use super::problem::Problem;
use super::{Server, guard, openapi};
use crate::document;

/// Everything that the server answers.
pub(super) fn all(server: Arc<Server>) -> Router {
    let (router, _) = described().split_for_parts();
    router
        .route("/openapi.json", axum::routing::get(openapi::answer))
        .fallback(async || Problem::not_found("Not found"))
        .method_not_allowed_fallback(async || {
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method", "This route does not have that method")
        })
        .layer(middleware::from_fn_with_state(Arc::clone(&server), guard::check))
        .layer(middleware::from_fn_with_state(Arc::clone(&server), around))
        .with_state(server)
}

/// The routes with their descriptions.
pub(super) fn described() -> OpenApiRouter<Arc<Server>> {
    OpenApiRouter::with_openapi(openapi::base())
        .routes(routes!(system_prompt::get, system_prompt::put))
        .routes(routes!(system_prompt::variables))
        .routes(routes!(offers::templates))
        .routes(routes!(offers::files))
        .routes(routes!(preview::post))
        .routes(routes!(history::list))
        .routes(routes!(history::one))
        .routes(routes!(history::label))
        .routes(routes!(history::roll_back))
        .routes(routes!(conversations::list))
        .routes(routes!(conversations::one))
        .routes(routes!(conversations::system_prompt))
        .routes(routes!(turns::post))
        .routes(routes!(turns::message))
        .routes(routes!(epochs::list))
        .routes(routes!(epochs::one))
        .routes(routes!(epochs::tokens))
        .routes(routes!(epochs::diff))
        .routes(routes!(renewals::drift))
        .routes(routes!(renewals::renew))
        .routes(routes!(renewals::begin))
        .routes(routes!(renewals::end))
        .routes(routes!(about::about))
        .routes(routes!(about::layouts))
        .routes(routes!(about::models))
        .routes(routes!(about::roots))
        .routes(routes!(about::link))
        .routes(routes!(health::alive))
        .routes(routes!(health::ready))
        .routes(routes!(health::metrics))
        .route("/", axum::routing::get(about::page))
        .route("/page.css", axum::routing::get(about::page))
        .route("/page.js", axum::routing::get(about::page))
}

/// What the log says of an answer beside its status.
#[derive(Clone, Default)]
struct Noted {
    epoch: Option<u64>,
    digest: Option<String>,
}

/// The time, the line in the log, the counts, and the headers that every answer has.
async fn around(
    State(server): State<Arc<Server>>,
    path: Option<MatchedPath>,
    params: RawPathParams,
    request: Request,
    next: Next,
) -> Response {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let id = format!("{:x}-{:x}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let begun = Instant::now();
    let method = request.method().clone();
    let route = path.as_ref().map_or("", MatchedPath::as_str);
    let conversation = params.iter().find(|(name, _)| *name == "id").map(|(_, value)| value.to_owned());
    let bytes_in = request.body().size_hint().exact();
    let mut response = next.run(request).await;
    secure(response.headers_mut());
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("antefix-request", id);
    }
    let (status, took) = (response.status(), begun.elapsed());
    let noted = response.extensions_mut().remove::<Noted>().unwrap_or_default();
    let line = Line {
        at: jiff::Timestamp::now().to_string(),
        request: &id,
        method: method.as_str(),
        route,
        conversation: conversation.as_deref(),
        status: status.as_u16(),
        ms: (took.as_secs_f64() * 1e6).round() / 1e3,
        bytes_in: bytes_in.filter(|bytes| *bytes > 0),
        bytes_out: response.body().size_hint().exact(),
        epoch: noted.epoch,
        digest: noted.digest.as_deref(),
    };
    server.log.request(&line, status);
    // Methods that nobody knows would be labels without end.
    let method = if status == StatusCode::METHOD_NOT_ALLOWED { "other" } else { method.as_str() };
    let labels = [("route", route), ("method", method), ("status", status.as_str())];
    server.metrics.add("antefix_requests_total", &labels, 1);
    server.metrics.took("antefix_request_seconds", &[("route", route)], took);
    response
}

/// No page of anybody's can do anything with an answer, and nothing that it says is ever run.
const SECURE: [(HeaderName, &str); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; \
         form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

fn secure(headers: &mut HeaderMap) {
    for (name, value) in SECURE {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

/// A document as the commands print it.
fn json(document: &impl Serialize) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], document::print(document)).into_response()
}

const PLAIN: &str = "text/plain; charset=utf-8";

/// A text.
fn text(text: &str) -> Response {
    ([(header::CONTENT_TYPE, PLAIN)], text.to_owned()).into_response()
}

/// The prefix of an epoch as it is in memory: many connections send the same bytes.
fn prefix(epoch: Arc<Epoch>) -> Response {
    struct Prefix(Arc<Epoch>);
    impl AsRef<[u8]> for Prefix {
        fn as_ref(&self) -> &[u8] {
            self.0.text().as_bytes()
        }
    }
    ([(header::CONTENT_TYPE, PLAIN)], Bytes::from_owner(Prefix(epoch))).into_response()
}

/// An answer that a client may keep as long as it asks whether it still holds.
fn tagged(mut response: Response, tag: &str, headers: &HeaderMap) -> Response {
    let tag = format!("\"{tag}\"");
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut known = known.flat_map(|value| value.split(',')).map(str::trim);
    if known.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag) {
        response = StatusCode::NOT_MODIFIED.into_response();
    }
    let own = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        own.insert(header::ETAG, tag);
    }
    own.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    own.insert(header::VARY, HeaderValue::from_static("accept"));
    response
}

/// Whether a client would rather have the text alone.
fn wants_text(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut accepted =
        accepted.flat_map(|value| value.split(',')).map(|kind| kind.split(';').next().unwrap_or(kind).trim());
    accepted
        .find(|kind| matches!(*kind, "text/plain" | "application/json" | "*/*"))
        .is_some_and(|kind| kind == "text/plain")
}
