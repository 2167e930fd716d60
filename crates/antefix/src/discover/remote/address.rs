//! Addresses of servers, read strictly.
//!
//! 1. `https`, or `http` on this machine: anything else on the way could forge what an agent is told it is.
//! 2. No user or password: they would be shown with the address.
//! 3. What two readers could read in two ways is refused: backslashes, blanks, control characters, anything that is not
//!    ASCII.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

/// An address that may be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    scheme: Scheme,
    /// In lower case; a number of version six in brackets.
    host: String,
    port: u16,
    /// Path and query, from the first slash on.
    path: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Http,
    Https,
}

impl Scheme {
    fn name(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
        }
    }

    fn port(self) -> u16 {
        match self {
            Scheme::Http => 80,
            Scheme::Https => 443,
        }
    }
}

impl Address {
    /// Reads an address.
    ///
    /// ```
    /// # use antefix::discover::remote::Address;
    /// assert_eq!(Address::parse("https://Memory.example:443/core")?.to_string(), "https://memory.example/core");
    /// assert!(Address::parse("http://127.0.0.1:8080/core").is_ok());
    /// assert!(Address::parse("http://memory.example/core").is_err());
    /// # Ok::<(), String>(())
    /// ```
    pub fn parse(text: &str) -> Result<Address, String> {
        let invalid = |what: &str| Err(format!("the address {what}"));
        if text.bytes().any(|byte| !byte.is_ascii_graphic() || byte == b'\\') {
            return invalid("has a character that no address has");
        }
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => (Scheme::Https, rest),
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => (Scheme::Http, rest),
            _ => return invalid("does not begin with https://"),
        };
        let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if authority.contains('@') {
            return invalid("has a user in it: name a variable with the token instead, `bearer_env`");
        }
        let (host, port) = match authority.rfind(':').filter(|colon| !authority[*colon..].contains(']')) {
            Some(colon) => (&authority[..colon], Some(&authority[colon + 1..])),
            None => (authority, None),
        };
        let Some(port) = port.map_or(Some(scheme.port()), number) else { return invalid("has no valid port") };
        if !is_host(host) {
            return invalid("has no valid host");
        }
        let host = host.to_ascii_lowercase();
        if scheme == Scheme::Http && !is_this_machine(&host) {
            return invalid("is plain http, which anyone on the way can forge: use https, or a server on this machine");
        }
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        Ok(Address { scheme, host, port, path })
    }

    /// Where a redirect leads. None if that may not be asked at all.
    pub(super) fn resolve(&self, location: &str) -> Option<Address> {
        let location = location.trim();
        if location.contains("://") && !location.starts_with(['/', '?']) {
            return Address::parse(location).ok();
        }
        if let Some(rest) = location.strip_prefix("//") {
            return Address::parse(&format!("{}://{rest}", self.scheme.name())).ok();
        }
        let path = self.path.split_once('?').map_or(self.path.as_str(), |(path, _)| path);
        let path = match location.chars().next()? {
            '/' => location.to_owned(),
            '?' => format!("{path}{location}"),
            // `mailto:` and its like.
            _ if location.split('/').next()?.contains(':') => return None,
            _ => format!("{}{location}", &path[..=path.rfind('/')?]),
        };
        Address::parse(&format!("{}{}", self.origin(), without_dots(&path))).ok()
    }

    /// Whether both are the same server: scheme, host and port.
    pub(super) fn same_origin(&self, other: &Address) -> bool {
        (self.scheme, &self.host, self.port) == (other.scheme, &other.host, other.port)
    }

    /// The address for people, without its query.
    pub(super) fn label(&self) -> String {
        let path = self.path.split_once('?').map_or(self.path.as_str(), |(path, _)| path);
        format!("{}{path}", self.origin())
    }

    fn origin(&self) -> String {
        let Address { scheme, host, port, .. } = self;
        match *port == scheme.port() {
            true => format!("{}://{host}", scheme.name()),
            false => format!("{}://{host}:{port}", scheme.name()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin(), self.path)
    }
}

/// A path without `.` and `..`: what a server makes of them is not known, and a wrong path would say that there is no text.
fn without_dots(path: &str) -> String {
    let end = path.find(['?', '#']).unwrap_or(path.len());
    let mut parts: Vec<&str> = Vec::new();
    for part in path[..end].split('/').skip(1) {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}{}", parts.join("/"), &path[end..])
}

fn number(text: &str) -> Option<u16> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten().filter(|port| *port > 0)
}

fn is_host(host: &str) -> bool {
    if let Some(number) = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        return number.parse::<Ipv6Addr>().is_ok();
    }
    !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
}

/// Whether a host is this machine by its name alone. Other spellings of such numbers are not known here, and refused.
fn is_this_machine(host: &str) -> bool {
    let six = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).and_then(|host| host.parse().ok());
    host == "localhost"
        || host.parse().is_ok_and(|four: Ipv4Addr| four.is_loopback())
        || six.is_some_and(|six: Ipv6Addr| six.is_loopback())
}
