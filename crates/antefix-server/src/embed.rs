//! Which pages of others may show the page in a frame.
//!
//! 1. Nobody may, unless whoever runs the server named the origin. A browser holds others to that (`frame-ancestors`).
//! 2. Beyond this machine an origin must be `https`, for anybody on the way could frame the page with a plain one.
//! 3. The frame itself asks as the page always does, for its own origin and with a session of its own: what the host page asks is
//!    refused as before.

use antefix::{Error, ErrorKind, Result};
use axum::http::{HeaderMap, HeaderValue, Method, Uri};

use crate::origins::Origin;

/// The page that may be framed; nothing else of the server may.
const PAGE: &str = "/";

/// The origins whose pages may show the page in a frame.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Embedding {
    origins: Vec<String>,
}

impl Embedding {
    /// Reads origins such as `https://app.example`.
    pub(crate) fn parse(named: &[String]) -> Result<Embedding> {
        let origins = named.iter().map(|name| {
            let origin = Origin::parse(name).and_then(|origin| match origin.is_private() {
                true => Ok(origin.to_string()),
                false => Err("beyond this machine it must be https"),
            });
            origin.map_err(|why| {
                let error =
                    Error::new(ErrorKind::Input, format!("`{name}` is not an origin that may embed the page: {why}"));
                error.with_hint("--embed-origin takes an origin such as https://app.example or http://localhost:3000")
            })
        });
        Ok(Embedding { origins: origins.collect::<Result<_>>()? })
    }

    /// Whether a browser loads the page into a frame. Whose frame it is, a request does not say; the policy of the answer does
    /// the rest.
    pub(crate) fn is_framing(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> bool {
        let is = |name: &str, values: &[&[u8]]| {
            let mut sent = headers.get_all(name).iter();
            let only = (sent.next(), sent.next());
            matches!(only, (Some(value), None) if values.contains(&value.as_bytes()))
        };
        !self.origins.is_empty()
            && matches!(*method, Method::GET | Method::HEAD)
            && uri.path() == PAGE
            && is("sec-fetch-mode", &[b"navigate"])
            && is("sec-fetch-dest", &[b"iframe", b"frame"])
    }

    /// The policy of an answer: `policy` forbids all frames, and the page's allows those that were named.
    pub(crate) fn policy(&self, uri: &Uri, policy: &HeaderValue) -> HeaderValue {
        if self.origins.is_empty() || uri.path() != PAGE {
            return policy.clone();
        }
        let allowed = format!("frame-ancestors {}", self.origins.join(" "));
        let text = policy.to_str().unwrap_or_default().replace("frame-ancestors 'none'", &allowed);
        // An origin has no character that a header cannot have.
        HeaderValue::from_str(&text).unwrap_or_else(|_| policy.clone())
    }
}
