//! What requests say: bodies, ids, and the context that many of them share.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use antefix::discover::tools::Tools;
use antefix::discover::{Given, catalog};
use antefix::freeze::ConversationId;
use antefix::text::FactName;
use axum::extract::{FromRequest, FromRequestParts, Query, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::RawValue;

use crate::Shared;
use crate::problem::Problem;

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

fn fields<T: DeserializeOwned>(text: &[u8]) -> Result<T, Problem> {
    let invalid = |error: &serde_json::Error| Problem::bad("Invalid JSON body").detail(error.to_string());
    if text.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        serde_json::from_slice::<IgnoredAny>(text).map_err(|error| invalid(&error))?;
        return Err(Problem::bad("Request body must be a JSON object"));
    }
    // Where it is wrong is asked for only if it is: to keep track of that takes as long as a third of reading.
    serde_json::from_slice(text).or_else(|_| tracked(text))
}

/// The same, with the field at which the body is wrong.
fn tracked<T: DeserializeOwned>(text: &[u8]) -> Result<T, Problem> {
    let invalid = |error: &serde_json::Error| Problem::bad("Invalid JSON body").detail(error.to_string());
    let mut reader = serde_json::Deserializer::from_slice(text);
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|error| match error.inner().classify() {
        Category::Data => unreadable(&error.path().to_string(), error.inner()),
        _ => invalid(error.inner()),
    })?;
    reader.end().map_err(|error| invalid(&error))?;
    Ok(read)
}

/// What is wrong with a field. A misspelled one must not be left out silently.
fn unreadable(path: &str, error: &serde_json::Error) -> Problem {
    let error = error.to_string();
    // Where in the text it is helps nobody: the field has a name.
    let error = error.rsplit_once(" at line ").map_or(error.as_str(), |(error, _)| error);
    if let Some(name) = error.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next()) {
        return Problem::bad(format!("There is no field '{}' here", name.escape_debug()));
    }
    let path = if path == "." { String::new() } else { format!("`{path}`: ") };
    Problem::bad(format!("The body has a field that cannot be read: {path}{error}"))
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
        Kind::Json => Ok(bytes),
        Kind::None if bytes.is_empty() => Ok(bytes),
        Kind::None | Kind::Lines | Kind::Other => {
            let problem = Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not-json", "The body must be JSON");
            Err(problem.hint("send `Content-Type: application/json`"))
        }
    }
}

async fn read(request: Request, server: &Shared, limit: usize) -> Result<Vec<u8>, Problem> {
    let read = tokio::time::timeout(PATIENCE, server.bodies.read(request.into_body(), limit)).await;
    read.map_err(|_| Problem::new(StatusCode::REQUEST_TIMEOUT, "slow", "The body took too long"))?
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

/// A whole number of a body, also written as `3.0`: to JSON Schema the two are one number.
#[derive(Clone, Copy, serde::Deserialize)]
#[serde(try_from = "serde_json::Number")]
pub(crate) struct Whole(pub(crate) u64);

impl TryFrom<serde_json::Number> for Whole {
    type Error = String;

    fn try_from(number: serde_json::Number) -> Result<Whole, String> {
        // Beyond this a number with a point need not be the one that was written.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        let written = number.as_f64().filter(|number| number.fract() == 0.0 && (0.0..=EXACT).contains(number));
        let whole = number.as_u64().or(written.map(|number| number as u64));
        whole.map(Whole).ok_or_else(|| format!("{number} is not a whole number from 0 on"))
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
#[derive(Default)]
pub(crate) struct Context {
    pub(crate) cwd: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) machine: Option<String>,
    pub(crate) tools: Option<Box<RawValue>>,
    pub(crate) layout: Option<String>,
    pub(crate) now: Option<jiff::Timestamp>,
    pub(crate) set: Option<BTreeMap<String, Given>>,
}

/// Declares a body that says for what to compose, besides fields of its own. serde's `flatten` would read each body several
/// times, and could not say which field is wrong.
macro_rules! context_body {
    ($(#[$about:meta])* $name:ident { $($(#[$meta:meta])* $field:ident: $kind:ty,)* }) => {
        $(#[$about])*
        #[derive(serde::Deserialize, utoipa::ToSchema)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name {
            $($(#[$meta])* $field: $kind,)*
            /// The working directory, under one of the server's roots; relative ones are from the first root. Without it a
            /// conversation stays where it is, and a new one works in the first root.
            cwd: Option<String>,
            /// The model's name.
            model: Option<String>,
            /// The machine that the conversation works on, if there are several.
            machine: Option<String>,
            /// The agent's tools: names, or objects with a `name`. An empty list says that there are none.
            #[schema(value_type = Option<Vec<serde_json::Value>>)]
            tools: Option<Box<serde_json::value::RawValue>>,
            /// A built-in layout by its name.
            layout: Option<String>,
            /// The clock, in RFC 3339.
            #[schema(value_type = Option<String>, format = DateTime)]
            now: Option<jiff::Timestamp>,
            /// Facts that are answered by hand, such as `{"git:branch": "main"}`: a text, a list of texts or of objects of
            /// texts, null if there is none, or `{"unavailable": "why"}`.
            #[schema(value_type = Option<std::collections::BTreeMap<String, serde_json::Value>>)]
            set: Option<std::collections::BTreeMap<String, antefix::discover::Given>>,
        }

        impl $name {
            /// Takes what it says about the context.
            fn context(&mut self) -> crate::body::Context {
                crate::body::Context {
                    cwd: self.cwd.take(),
                    model: self.model.take(),
                    machine: self.machine.take(),
                    tools: self.tools.take(),
                    layout: self.layout.take(),
                    now: self.now.take(),
                    set: self.set.take(),
                }
            }
        }
    };
}
pub(crate) use context_body;

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

/// How many lists of tools are remembered.
const LISTS: usize = 64;

/// The tools that were sent lately, by their text: an agent sends the same ones with every turn, and reading them anew would
/// take longer than all else of it.
#[derive(Default)]
pub(crate) struct RecentTools(Mutex<VecDeque<(Box<RawValue>, Tools)>>);

impl RecentTools {
    /// The tools in a text.
    pub(crate) fn read(&self, text: Box<RawValue>) -> Result<Tools, Problem> {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = recent.iter().position(|(known, _)| known.get() == text.get())
            && let Some(found) = recent.remove(number)
        {
            let tools = found.1.clone();
            recent.push_front(found);
            return Ok(tools);
        }
        drop(recent);
        let mut reader = serde_json::Deserializer::from_str(text.get());
        let tools: Tools = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let path = error.path().to_string();
            let path = if path == "." { "tools".to_owned() } else { format!("tools{path}") };
            unreadable(&path, error.inner())
        })?;
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        recent.push_front((text, tools.clone()));
        recent.truncate(LISTS);
        Ok(tools)
    }
}
