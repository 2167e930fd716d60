//! Which pages of others may show the page in a frame.
//!
//! 1. Nobody may, unless whoever runs the server named the origin. A browser holds others to that (`frame-ancestors`).
//! 2. An origin is a scheme, a name and perhaps a port: no path, no pattern, nothing that would say more in a policy. Beyond this
//!    machine it must be `https`, for anybody on the way could frame the page with a plain one.
//! 3. The frame itself asks as the page always does, for its own origin: what the host page asks is refused as before.

use antefix::{Error, ErrorKind, Result};
use axum::http::{HeaderMap, HeaderValue, Method, Uri};

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
            origin(name).map_err(|why| {
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

/// An origin as browsers write it.
fn origin(text: &str) -> std::result::Result<String, &'static str> {
    let text = text.to_ascii_lowercase();
    let (scheme, host) = text.split_once("://").ok_or("it has no scheme")?;
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    };
    if port.is_some_and(|port| port.parse::<u16>().is_err() || port.starts_with('+')) {
        return Err("its port is not a number");
    }
    let is_address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).is_some_and(is_version_6);
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
    if !is_address && !is_name {
        return Err("after the scheme it must have a name and perhaps a port, and nothing else");
    }
    let is_here = matches!(name, "localhost" | "127.0.0.1" | "[::1]");
    match scheme {
        "https" => Ok(text),
        "http" if is_here => Ok(text),
        "http" => Err("beyond this machine it must be https"),
        _ => Err("its scheme must be https"),
    }
}

fn is_version_6(text: &str) -> bool {
    text.parse::<std::net::Ipv6Addr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_a_scheme_a_name_and_perhaps_a_port() {
        let good = [
            ("https://app.example", "https://app.example"),
            ("HTTPS://App.Example:8443", "https://app.example:8443"),
            ("http://localhost:3000", "http://localhost:3000"),
            ("http://127.0.0.1:3000", "http://127.0.0.1:3000"),
            ("http://[::1]:3000", "http://[::1]:3000"),
            ("https://[2001:db8::1]", "https://[2001:db8::1]"),
        ];
        for (text, expected) in good {
            assert_eq!(origin(text).as_deref(), Ok(expected), "{text}");
        }
        let bad = [
            "",
            "*",
            "null",
            "app.example",
            "https://",
            "https://*.example",
            "https://app.example/",
            "https://app.example/x",
            "https://app.example?x",
            "https://ada@app.example",
            "https://app.example:",
            "https://app.example:x",
            "https://app.example:+1",
            "https://app.example:99999",
            "https://app.example 'self'",
            "https://app.example; script-src *",
            "https://app.example,https://b.example",
            "https://app.example\r\nx: y",
            "https://\u{fc}.example",
            "https://[::1",
            "http://app.example",
            "http://localhost.example",
            "data://x",
            "javascript:alert(1)",
        ];
        for text in bad {
            assert!(origin(text).is_err(), "{text}");
        }
    }
}
