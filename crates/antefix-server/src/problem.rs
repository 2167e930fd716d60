//! What went wrong, as RFC 9457 has it, with a sentence under `error` for whoever knows no problem documents.

use antefix::{ErrorKind, Fault};
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use antefix::document::Finding;

use crate::context::outside;

/// A problem document.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProblemDocument {
    /// What to branch on: `urn:antefix:` and a word.
    r#type: String,
    /// The status in words.
    title: &'static str,
    status: u16,
    /// What is wrong, for people.
    error: String,
    /// More about this very case.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// Findings as `antefix check --json` prints them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Object>)]
    diagnostics: Vec<Value>,
}

/// Why a request was not done. It stands in many results, so it is small.
#[derive(Debug)]
pub(crate) struct Problem(Box<Said>);

#[derive(Debug)]
struct Said {
    status: StatusCode,
    code: &'static str,
    error: String,
    detail: Option<String>,
    hint: Option<String>,
    diagnostics: Vec<Value>,
    retry: Option<u32>,
}

/// What a handler returns.
pub(crate) type Answer<T = Response> = Result<T, Problem>;

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &'static str, error: impl Into<String>) -> Problem {
        let (error, diagnostics) = (error.into(), Vec::new());
        Problem(Box::new(Said { status, code, error, detail: None, hint: None, diagnostics, retry: None }))
    }

    pub(crate) fn bad(error: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "bad-request", error)
    }

    pub(crate) fn not_found(error: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, "not-found", error)
    }

    pub(crate) fn forbidden(code: &'static str, error: impl Into<String>) -> Problem {
        Problem::new(StatusCode::FORBIDDEN, code, error)
    }

    /// Too much is going on.
    pub(crate) fn busy(error: impl Into<String>) -> Problem {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", error).retry(1)
    }

    #[must_use]
    pub(crate) fn detail(mut self, detail: impl Into<String>) -> Problem {
        self.0.detail = Some(detail.into());
        self
    }

    #[must_use]
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.0.hint = Some(hint.into());
        self
    }

    /// Worth trying again after so many seconds.
    #[must_use]
    pub(crate) fn retry(mut self, seconds: u32) -> Problem {
        self.0.retry = Some(seconds);
        self
    }

    /// What to branch on.
    pub(crate) fn code(&self) -> &'static str {
        self.0.code
    }

    /// What is wrong, for people.
    pub(crate) fn error(&self) -> &str {
        &self.0.error
    }

    /// The same problem in other words, the words it had being its detail.
    #[must_use]
    pub(crate) fn called(mut self, error: impl Into<String>) -> Problem {
        self.0.detail = Some(std::mem::replace(&mut self.0.error, error.into()));
        self
    }
}

/// A document as a value. Documents are made of strings and numbers only.
fn value(document: impl Serialize) -> Value {
    serde_json::to_value(document).unwrap_or_default()
}

impl From<antefix::Error> for Problem {
    fn from(error: antefix::Error) -> Problem {
        if error.kind() == ErrorKind::Outside {
            return outside();
        }
        let (status, code) = match error.kind() {
            ErrorKind::Conversation => (StatusCode::NOT_FOUND, "not-found"),
            ErrorKind::Conflict => (StatusCode::CONFLICT, "conflict"),
            // What could not be asked for may be there a little later.
            ErrorKind::Refused => (StatusCode::SERVICE_UNAVAILABLE, "refused"),
            ErrorKind::Store(fault) => (of_fault(fault), fault.name()),
            // Nothing is wrong with the request.
            ErrorKind::Machine => (StatusCode::SERVICE_UNAVAILABLE, "machine"),
            // Nobody waits for this answer.
            ErrorKind::Stopped => (StatusCode::SERVICE_UNAVAILABLE, "busy"),
            ErrorKind::Models => (StatusCode::INTERNAL_SERVER_ERROR, "models"),
            _ => (StatusCode::UNPROCESSABLE_ENTITY, "invalid"),
        };
        let mut problem = Problem::new(status, code, error.message());
        problem.0.hint = error.hint().map(str::to_owned);
        if status == StatusCode::UNPROCESSABLE_ENTITY {
            problem.0.diagnostics.push(value(Finding::of_error(&error)));
        }
        match error.kind() {
            kind if kind.passes() => problem.retry(1),
            // Somebody has to put the files back first.
            ErrorKind::Store(Fault::Displaced) => problem.retry(10),
            ErrorKind::Refused | ErrorKind::Conflict | ErrorKind::Stopped => problem.retry(1),
            _ => problem,
        }
    }
}

fn of_fault(fault: Fault) -> StatusCode {
    match fault {
        Fault::Busy | Fault::Unreachable | Fault::ReadOnly => StatusCode::SERVICE_UNAVAILABLE,
        Fault::Displaced | Fault::Descriptors | Fault::Memory => StatusCode::SERVICE_UNAVAILABLE,
        Fault::Full => StatusCode::INSUFFICIENT_STORAGE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl From<antefix::freeze::StoreError> for Problem {
    fn from(error: antefix::freeze::StoreError) -> Problem {
        antefix::Error::from(error).into()
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Said { status, code, error, detail, hint, diagnostics, retry } = *self.0;
        let document = ProblemDocument {
            r#type: format!("urn:antefix:{code}"),
            title: status.canonical_reason().unwrap_or_default(),
            status: status.as_u16(),
            error,
            detail,
            hint,
            diagnostics,
        };
        let mut response = (status, Json(document)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = retry {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"antefix\""));
        }
        response
    }
}
