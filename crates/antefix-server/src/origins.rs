//! The origins under which the server is reached.
//!
//! 1. A name alone is reached by plain HTTP, which is all that this server speaks: `prompts.example` is the origin
//!    `http://prompts.example`, with the server's port and without.
//! 2. `https://prompts.example` says that a proxy in front speaks TLS under that name, and passes the `Host` header on. Nobody
//!    else can have a page there that is ours, so without these words no page of an `https` origin is answered.
//! 3. The names of this machine, with the server's port, are always among them.

use antefix::{Error, ErrorKind, Result};

use crate::listen::Address;

/// The names that this machine has for itself.
const HERE: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// How a page is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    Https,
}

/// An origin as browsers write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    scheme: Scheme,
    /// The name, and the port if it is not the scheme's own.
    host: String,
}

impl Origin {
    /// Reads `https://app.example:8443`, and nothing that would say more in a policy: no path, no pattern, no user.
    pub(crate) fn parse(text: &str) -> std::result::Result<Origin, &'static str> {
        let text = text.to_ascii_lowercase();
        let (scheme, host) = text.split_once("://").ok_or("it has no scheme")?;
        let scheme = match scheme {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => return Err("its scheme must be https"),
        };
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
            _ => (host, None),
        };
        if port.is_some_and(|port| port.parse::<u16>().is_err() || port.starts_with('+')) {
            return Err("its port is not a number");
        }
        let is_address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).is_some_and(is_version_6);
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-.".contains(&byte);
        if !is_address && (name.is_empty() || !name.bytes().all(is_plain)) {
            return Err("a name has letters, digits, hyphens and dots alone, and nothing follows it but a port");
        }
        Ok(Origin { scheme, host: host.to_owned() })
    }

    /// Whether it is on this machine, or is reached by TLS.
    pub(crate) fn is_private(&self) -> bool {
        let is_here =
            |name: &&str| self.host.strip_prefix(*name).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'));
        self.scheme == Scheme::Https || HERE.iter().any(is_here)
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let scheme = match self.scheme {
            Scheme::Http => "http",
            Scheme::Https => "https",
        };
        write!(f, "{scheme}://{}", self.host)
    }
}

fn is_version_6(text: &str) -> bool {
    text.parse::<std::net::Ipv6Addr>().is_ok()
}

/// The origins of a server.
#[derive(Debug)]
pub(crate) struct Origins(Vec<Origin>);

impl Origins {
    /// Those of a server that listens at an address, and those that its operator named.
    pub(crate) fn new(named: &[String], at: &Address) -> Result<Origins> {
        let http = |host: String| Origin { scheme: Scheme::Http, host };
        let port = match at {
            Address::Port(at) => Some(at.port()),
            // What clients of a socket write as the name is up to them; most write `localhost`.
            Address::Socket(_) => None,
        };
        let mut origins: Vec<Origin> = match port {
            Some(port) => HERE.iter().map(|name| http(format!("{name}:{port}"))).collect(),
            None => vec![http("localhost".to_owned())],
        };
        if let Address::Port(at) = at
            && at.ip().is_loopback()
        {
            origins.push(http(at.to_string()));
        }
        for name in named {
            let text = if name.contains("://") { name.clone() } else { format!("http://{name}") };
            let origin = Origin::parse(&text).map_err(|why| {
                let error = Error::new(ErrorKind::Input, format!("`{name}` is not a name of a server: {why}"));
                error.with_hint("--host takes a name such as prompts.example, or https://prompts.example if a proxy in front speaks TLS")
            })?;
            let has_port = origin.host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
            // A name without a port is meant as browsers write it, with and without ours.
            if let (Some(port), false, false) = (port, has_port, name.contains("://")) {
                origins.push(http(format!("{}:{port}", origin.host)));
            }
            origins.push(origin);
        }
        Ok(Origins(origins))
    }

    /// Whether requests may come under a name.
    pub(crate) fn has_host(&self, host: &str) -> bool {
        self.0.iter().any(|origin| origin.host == host)
    }

    /// The origin that a header names, if it is one of these.
    pub(crate) fn named(&self, text: &str) -> Option<&Origin> {
        let named = Origin::parse(text).ok()?;
        self.0.iter().find(|origin| **origin == named)
    }

    /// Whether a header names an origin that would be one of these if it were reached with TLS, or without.
    pub(crate) fn is_ours_by_another_scheme(&self, text: &str) -> bool {
        Origin::parse(text).is_ok_and(|named| self.has_host(&named.host))
    }

    /// Those under a name: one, or two where a name is reached with TLS and without.
    pub(crate) fn under(&self, host: &str) -> impl Iterator<Item = &Origin> {
        self.0.iter().filter(move |origin| origin.host == host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_a_scheme_a_name_and_perhaps_a_port() {
        let good = [
            ("https://app.example", "https://app.example", true),
            ("HTTPS://App.Example:8443", "https://app.example:8443", true),
            ("http://localhost:3000", "http://localhost:3000", true),
            ("http://127.0.0.1:3000", "http://127.0.0.1:3000", true),
            ("http://[::1]:3000", "http://[::1]:3000", true),
            ("https://[2001:db8::1]", "https://[2001:db8::1]", true),
            ("http://app.example", "http://app.example", false),
            ("http://localhost.example", "http://localhost.example", false),
        ];
        for (text, expected, is_private) in good {
            let origin = Origin::parse(text).unwrap();
            assert_eq!((origin.to_string().as_str(), origin.is_private()), (expected, is_private), "{text}");
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
            "data://x",
            "javascript:alert(1)",
        ];
        for text in bad {
            assert!(Origin::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_name_is_reached_by_plain_http_unless_tls_was_named() {
        let at = Address::parse("127.0.0.1:7777").unwrap();
        let named = ["plain.example", "https://tls.example", "other.example:80"].map(str::to_owned);
        let origins = Origins::new(&named, &at).unwrap();
        for host in ["localhost:7777", "[::1]:7777", "plain.example", "plain.example:7777", "tls.example"] {
            assert!(origins.has_host(host), "{host}");
        }
        for host in ["localhost", "tls.example:7777", "evil.example", "other.example", ""] {
            assert!(!origins.has_host(host), "{host}");
        }
        for origin in ["http://localhost:7777", "http://plain.example", "https://tls.example", "HTTPS://TLS.example"] {
            assert!(origins.named(origin).is_some(), "{origin}");
        }
        for origin in ["https://localhost:7777", "https://plain.example", "http://tls.example", "null", ""] {
            assert!(origins.named(origin).is_none(), "{origin}");
        }
        assert!(Origins::new(&["https://x/y".to_owned()], &at).is_err());
        assert!(Origins::new(&["two words".to_owned()], &at).is_err());
    }
}
