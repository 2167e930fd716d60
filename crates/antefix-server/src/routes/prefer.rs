//! How much of an answer a client wants: `Prefer` of RFC 7240.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;

/// How much of an answer a client wants. A preference that nobody knows is not an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prefers {
    /// All of it, which is the rule.
    All,
    /// `return=minimal`: nothing that it has already.
    Minimal,
}

impl<S: Send + Sync> FromRequestParts<S> for Prefers {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Prefers, Infallible> {
        Ok(Prefers::read(&parts.headers))
    }
}

impl Prefers {
    /// Of preferences that are there twice, the first counts.
    fn read(headers: &HeaderMap) -> Prefers {
        let values = headers.get_all("prefer").into_iter().filter_map(|value| value.to_str().ok());
        let preferences = values.flat_map(|value| value.split(','));
        // What is behind a semicolon are parameters.
        let mut named = preferences.filter_map(|preference| preference.split(';').next()?.split_once('='));
        let wanted = named.find(|(name, _)| name.trim().eq_ignore_ascii_case("return"));
        match wanted.map(|(_, value)| value.trim().trim_matches('"')) {
            Some("minimal") => Prefers::Minimal,
            _ => Prefers::All,
        }
    }
}

/// Says of an answer that what was preferred is done.
pub(super) fn minimal(mut response: Response) -> Response {
    let applied = HeaderValue::from_static("return=minimal");
    response.headers_mut().insert(HeaderName::from_static("preference-applied"), applied);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preference_is_read_as_rfc_7240_writes_it() {
        for (sent, wanted) in [
            (&[][..], Prefers::All),
            (&["return=minimal"], Prefers::Minimal),
            (&["Return = \"minimal\"; now=\"yes\""], Prefers::Minimal),
            (&["respond-async, wait=10", "handling=lenient, return=minimal"], Prefers::Minimal),
            (&["return=representation"], Prefers::All),
            (&["return=representation, return=minimal"], Prefers::All),
            (&["return=minimal, return=representation"], Prefers::Minimal),
            (&["return", "minimal", "return=", "returns=minimal"], Prefers::All),
        ] {
            let mut headers = HeaderMap::new();
            for value in sent {
                headers.append("prefer", HeaderValue::from_static(value));
            }
            assert_eq!(Prefers::read(&headers), wanted, "{sent:?}");
        }
    }
}
