//! The routes, and what is around each of them.

mod about;
mod agents;
mod breakpoints;
mod carry;
mod check;
mod conversations;
mod epochs;
mod health;
mod history;
mod offers;
mod prefer;
mod preview;
mod renewals;
mod sessions;
mod system_prompt;
mod trust;
mod turns;
mod why;

use std::convert::Infallible;
use std::fmt::{Display, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use antefix::freeze::Epoch;
use antefix::text::Digest;
use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use percent_encoding::percent_decode_str;
use serde::Serialize;
use tower::Service;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answers::Standing;
use crate::embed::Embedding;
use crate::log::{Line, Shown};
use crate::problem::Problem;
use crate::{Shared, bodies, openapi, panics};
use antefix::document;

/// Everything that the server answers.
pub(super) struct Routes {
    server: Arc<Shared>,
    router: Router,
    /// The paths of the routes, by which requests are logged and counted.
    paths: matchit::Router<String>,
}

/// The paths of all routes.
pub(super) fn paths() -> Vec<String> {
    let described = described().into_openapi().paths.paths.into_keys();
    described.chain(PAGE.map(str::to_owned)).chain([DESCRIPTION.to_owned()]).collect()
}

/// Where the description is.
const DESCRIPTION: &str = "/openapi.json";

/// Where the files of the page are.
const PAGE: [&str; 3] = ["/", "/page.css", "/page.js"];

impl Routes {
    pub(super) fn new(server: &Arc<Shared>) -> Routes {
        let (router, _) = described().split_for_parts();
        let router = router
            .route(DESCRIPTION, axum::routing::get(openapi::answer))
            .fallback(async || Problem::not_found("Not found"))
            .method_not_allowed_fallback(async || {
                Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method", "This route does not have that method")
            })
            .with_state(Arc::clone(server));
        let mut known = matchit::Router::new();
        for path in paths() {
            // Two that say the same would not have got into the router.
            let _ = known.insert(path.clone(), path);
        }
        Routes { server: Arc::clone(server), router, paths: known }
    }

    /// Answers a request, if it may be answered: with the line in the log, the counts, and the headers of every answer.
    ///
    /// This is one function around the router, and no layers in it: those make an answer that stands half as dear again.
    pub(super) async fn answer(&self, mut request: Request) -> Response {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        static PROCESS: LazyLock<u32> = LazyLock::new(std::process::id);
        let begun = Instant::now();
        let id = format!("{:x}-{:x}", *PROCESS, COUNT.fetch_add(1, Ordering::Relaxed));
        let (server, uri) = (&*self.server, request.uri().clone());
        let method = request.method().clone();
        let bytes_in = request.body().size_hint().exact();
        let mut response = match server.guard.check(&method, &uri, request.headers()) {
            Ok(proof) => {
                request.extensions_mut().insert(proof);
                match bodies::holding(panics::caught(self.router.clone().call(request))).await {
                    Some(Ok(response)) => server.answers.hold(response).await,
                    None => panics::problem().into_response(),
                }
            }
            Err(problem) => problem.into_response(),
        };
        secure(response.headers_mut(), &id, &server.guard.embedding, &uri);
        let (status, took) = (response.status(), begun.elapsed());
        let matched = self.paths.at(uri.path()).ok();
        let route = matched.as_ref().map_or("", |matched| matched.value.as_str());
        let conversation = matched.as_ref().and_then(|matched| matched.params.get("id"));
        let conversation = conversation.map(|id| percent_decode_str(id).decode_utf8_lossy());
        let noted = response.extensions_mut().remove::<Noted>();
        let line = Line {
            at: Shown(Timestamp::now()),
            request: &id,
            method: method.as_str(),
            route,
            conversation: conversation.as_deref(),
            status: status.as_u16(),
            ms: (took.as_secs_f64() * 1e6).round() / 1e3,
            bytes_in: bytes_in.filter(|bytes| *bytes > 0),
            bytes_out: response.body().size_hint().exact(),
            epoch: noted.map(|noted| noted.epoch),
            digest: noted.map(|noted| Shown(noted.digest)),
        };
        server.log.request(&line, status);
        server.metrics.request(route, label(&method, status), status.as_u16(), took);
        response
    }
}

/// The methods that are counted by their names. Those that nobody knows would be labels without end.
const METHODS: [&str; 6] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"];

fn label(method: &Method, status: StatusCode) -> &'static str {
    let known = METHODS.into_iter().find(|known| *known == method.as_str());
    known.filter(|_| status != StatusCode::METHOD_NOT_ALLOWED).unwrap_or("other")
}

/// The routes with their descriptions.
pub(super) fn described() -> OpenApiRouter<Arc<Shared>> {
    OpenApiRouter::with_openapi(openapi::base())
        .routes(routes!(system_prompt::get, system_prompt::put, system_prompt::delete))
        .routes(routes!(system_prompt::variables))
        .routes(routes!(offers::templates))
        .routes(routes!(offers::files))
        .routes(routes!(preview::post))
        .routes(routes!(history::list))
        .routes(routes!(history::one))
        .routes(routes!(history::label))
        .routes(routes!(history::roll_back))
        .routes(routes!(conversations::list))
        .routes(routes!(conversations::one, carry::delete))
        .routes(routes!(carry::export))
        .routes(routes!(carry::import))
        .routes(routes!(carry::gc))
        .routes(routes!(conversations::system_prompt))
        .routes(routes!(turns::post))
        .routes(routes!(turns::message))
        .routes(routes!(turns::touch))
        .routes(routes!(epochs::list))
        .routes(routes!(epochs::one))
        .routes(routes!(epochs::tokens))
        .routes(routes!(epochs::diff))
        .routes(routes!(renewals::drift))
        .routes(routes!(renewals::renew))
        .routes(routes!(renewals::begin))
        .routes(routes!(renewals::end))
        .routes(routes!(why::post))
        .routes(routes!(why::requests))
        .routes(routes!(check::post))
        .routes(routes!(check::request))
        .routes(routes!(agents::all))
        .routes(routes!(agents::one))
        .routes(routes!(agents::diff))
        .routes(routes!(trust::get))
        .routes(routes!(about::about))
        .routes(routes!(about::layouts))
        .routes(routes!(about::models))
        .routes(routes!(about::roots))
        .routes(routes!(sessions::link))
        .routes(routes!(sessions::begin, sessions::end))
        .routes(routes!(sessions::renew))
        .routes(routes!(health::alive))
        .routes(routes!(health::ready))
        .routes(routes!(health::metrics))
        .route(PAGE[0], axum::routing::get(about::page))
        .route(PAGE[1], axum::routing::get(about::page))
        .route(PAGE[2], axum::routing::get(about::page))
}

/// What the log says of an answer beside its status.
#[derive(Clone, Copy)]
struct Noted {
    epoch: u64,
    digest: Digest,
}

fn noted(mut response: Response, epoch: u64, digest: Digest) -> Response {
    response.extensions_mut().insert(Noted { epoch, digest });
    response
}

/// No page of anybody's can do anything with an answer, and nothing that it says is ever run.
static SECURE: LazyLock<[(HeaderName, HeaderValue); 5]> = LazyLock::new(|| {
    [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; \
             form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ]
    .map(|(name, value)| (name, HeaderValue::from_static(value)))
});

/// The headers that every answer has.
fn secure(headers: &mut HeaderMap, id: &str, embedding: &Embedding, uri: &Uri) {
    for (name, value) in &*SECURE {
        headers.insert(name, value.clone());
    }
    if let Some(policy) = headers.get_mut(header::CONTENT_SECURITY_POLICY) {
        *policy = embedding.policy(uri, policy);
    }
    if let Ok(id) = HeaderValue::from_str(id) {
        headers.insert("antefix-request", id);
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

/// A document as the commands print it.
fn json(document: &impl Serialize) -> Response {
    written(document::print(document))
}

/// The same, once it is printed.
fn written(document: String) -> Response {
    of_kind("application/json", document)
}

/// As many headers as an answer has, those of hyper included.
const HEADERS: usize = 16;

/// An answer of some kind, with room for all headers.
fn of_kind(kind: &'static str, body: impl Into<Body>) -> Response {
    let mut headers = HeaderMap::with_capacity(HEADERS);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    let mut response = Response::new(body.into());
    *response.headers_mut() = headers;
    response
}

const PLAIN: &str = "text/plain; charset=utf-8";

/// A text.
fn text(text: &str) -> Response {
    of_kind(PLAIN, text.to_owned())
}

/// The prefix of an epoch as it is in memory: many connections send the same bytes.
fn prefix(epoch: Arc<Epoch>) -> Response {
    struct Prefix(Arc<Epoch>);
    impl AsRef<[u8]> for Prefix {
        fn as_ref(&self) -> &[u8] {
            self.0.text().as_bytes()
        }
    }
    let mut response = of_kind(PLAIN, Bytes::from_owner(Prefix(epoch)));
    response.extensions_mut().insert(Standing);
    response
}

/// In which form a client wants an answer, and which answers it has already.
#[derive(Default)]
struct Wanted {
    /// Whether it would rather have the text alone.
    text: bool,
    /// The tags of `If-None-Match`, as they stand there.
    known: Vec<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for Wanted {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Wanted, Infallible> {
        let listed = |name: HeaderName| {
            let values = parts.headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
            values.flat_map(|value| value.split(','))
        };
        let mut accepted = listed(header::ACCEPT).map(|kind| kind.split(';').next().unwrap_or(kind).trim());
        let text = accepted
            .find(|kind| matches!(*kind, "text/plain" | "application/json" | "*/*"))
            .is_some_and(|kind| kind == "text/plain");
        let known = listed(header::IF_NONE_MATCH).map(|tag| tag.trim().to_owned()).collect();
        Ok(Wanted { text, known })
    }
}

/// As many bytes as most tags have.
const TAG: usize = 96;

impl Wanted {
    /// An answer that a client may keep as long as it asks whether it still holds.
    fn tagged(&self, mut response: Response, tag: impl Display) -> Response {
        let mut quoted = String::with_capacity(TAG);
        // Writing to a text does not fail.
        let _ = write!(quoted, "\"{tag}\"");
        if self.known.iter().any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == quoted) {
            response = StatusCode::NOT_MODIFIED.into_response();
        }
        let own = response.headers_mut();
        if let Ok(tag) = HeaderValue::from_str(&quoted) {
            own.insert(header::ETAG, tag);
        }
        own.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
        own.insert(header::VARY, HeaderValue::from_static("accept"));
        response
    }
}
