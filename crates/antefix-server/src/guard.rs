//! Who may ask.
//!
//! 1. A request must come under a name that is ours, whoever it resolves to: a page of somebody else's whose name leads
//!    here gets nothing.
//! 2. A request that a browser sends for another origin is refused, whatever it carries. No answer has a header for CORS.
//! 3. Everything but the page, the two health checks and the description of the API wants the token, or a browser's cookie.
//!    A frame of a page that may embed ours is let in to the page itself, and gets a cookie for frames: see [`crate::embed`].
//! 4. A change that comes with a cookie must prove that it comes from the page, with the header `Antefix-Csrf`.

use axum::http::{HeaderMap, Method, StatusCode, Uri, header};

use crate::embed::Embedding;
use crate::listen::Address;
use crate::problem::Problem;
use crate::token::Token;

/// The header that proves that a change comes from the page.
pub(crate) const CSRF: &str = "antefix-csrf";

/// What may be read without a token: nothing that anybody wrote.
const OPEN: [&str; 3] = ["/healthz", "/readyz", "/openapi.json"];

/// What a request must be like.
pub(crate) struct Guard {
    pub(crate) token: Token,
    /// Under which names, with their ports.
    hosts: Vec<String>,
    cookie: String,
    pub(crate) embedding: Embedding,
}

/// Where a browser shows the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// In a window of its own.
    Alone,
    /// In a frame of another page.
    Framed,
}

/// How a request was proven.
#[derive(Clone)]
pub(crate) enum Proof {
    Token,
    Cookie(String),
    /// It needs none.
    Open,
}

impl Guard {
    pub(crate) fn new(token: Token, named: &[String], embedding: Embedding, at: &Address) -> Guard {
        let Address::Port(at) = at else {
            // What clients of a socket write as the name is up to them; most write this.
            let hosts = named.iter().map(|name| name.to_ascii_lowercase()).chain(["localhost".to_owned()]).collect();
            return Guard { token, hosts, cookie: "antefix_socket".to_owned(), embedding };
        };
        let port = at.port();
        let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "[::1]"].map(|name| format!("{name}:{port}")).into();
        if at.ip().is_loopback() {
            hosts.push(at.to_string());
        }
        for name in named {
            let name = name.to_ascii_lowercase();
            // A name without a port is meant as browsers write it, with and without ours.
            if name.rsplit_once(':').is_none_or(|(_, port)| port.parse::<u16>().is_err()) {
                hosts.push(format!("{name}:{port}"));
            }
            hosts.push(name);
        }
        Guard { token, hosts, cookie: format!("antefix_{port}"), embedding }
    }

    /// The header that gives a browser its cookie.
    pub(crate) fn set_cookie(&self, shown: Shown) -> String {
        let age = super::token::COOKIE.as_secs();
        let common = format!("={}; Path=/; Max-Age={age}; HttpOnly", self.token.cookie());
        match shown {
            Shown::Alone => format!("{}{common}; SameSite=Strict", self.cookie),
            // A strict one is not sent from a frame of another site. This one belongs to the pair of the two sites: a browser
            // sends it from no other site's frames, and without encryption from this machine alone.
            Shown::Framed => format!("{}{common}; SameSite=None; Secure; Partitioned", self.framed_cookie()),
        }
    }

    /// Where the browser that asks for the page shows it.
    pub(crate) fn shown(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Shown {
        if self.embedding.is_framing(method, uri, headers) { Shown::Framed } else { Shown::Alone }
    }

    fn framed_cookie(&self) -> String {
        format!("{}_framed", self.cookie)
    }

    /// Lets a request pass, or says why not.
    pub(crate) fn check(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<Proof, Problem> {
        self.check_host(uri, headers)?;
        self.check_origin(self.shown(method, uri, headers), headers)?;
        let proof = self.proof(uri, headers)?;
        let changes = !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
        if let (Proof::Cookie(cookie), true) = (&proof, changes) {
            let sent = one(headers, CSRF).unwrap_or_default();
            if !self.token.is_csrf(cookie, sent) {
                let problem = Problem::forbidden("csrf", "A change from a browser needs the header Antefix-Csrf");
                return Err(problem.hint("GET /about tells its value"));
            }
        }
        Ok(proof)
    }

    fn check_host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
        let mut named = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (named.next(), named.next()) else {
            return Err(Problem::bad("A request needs one Host header"));
        };
        let host = host.to_str().unwrap_or_default().to_ascii_lowercase();
        let asked = uri.authority().map(|authority| authority.as_str().to_ascii_lowercase());
        let known = |name: &str| self.hosts.iter().any(|host| host == name);
        if !known(&host) || asked.is_some_and(|asked| !known(&asked)) {
            let problem = Problem::forbidden("host", "This server does not answer under that name");
            return Err(problem.hint("name it with --host, if it is yours"));
        }
        Ok(())
    }

    fn check_origin(&self, shown: Shown, headers: &HeaderMap) -> Result<(), Problem> {
        let foreign = || Problem::forbidden("origin", "Pages of other origins are not answered");
        for origin in headers.get_all(header::ORIGIN) {
            let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
            let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            if !host.is_some_and(|host| self.hosts.iter().any(|known| known == host)) {
                return Err(foreign());
            }
        }
        for site in headers.get_all("sec-fetch-site") {
            // Another port of this machine is the same site, and somebody else.
            if !matches!(site.as_bytes(), b"same-origin" | b"none") && shown == Shown::Alone {
                return Err(foreign());
            }
        }
        Ok(())
    }

    fn proof(&self, uri: &Uri, headers: &HeaderMap) -> Result<Proof, Problem> {
        let refused = |hint: &str| {
            let problem = Problem::new(StatusCode::UNAUTHORIZED, "token", "A token is needed");
            Err(problem.hint(hint.to_owned()))
        };
        if let Some(sent) = one(headers, header::AUTHORIZATION.as_str()) {
            let token = sent.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
            return match token {
                Some((_, token)) if self.token.is(token.trim()) => Ok(Proof::Token),
                _ => refused("send `Authorization: Bearer …` with the token of the server's token file"),
            };
        }
        if let Some(cookie) = self.cookie_of(headers) {
            return Ok(Proof::Cookie(cookie.to_owned()));
        }
        if OPEN.contains(&uri.path()) || super::page::is_file(uri.path()) {
            return Ok(Proof::Open);
        }
        refused(
            "send `Authorization: Bearer …` with the token of the server's token file, or open the link that it printed",
        )
    }

    /// A cookie of ours that still counts.
    fn cookie_of<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str> {
        let pairs = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = pairs.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        let framed = (self.embedding != Embedding::default()).then(|| self.framed_cookie());
        let is_ours = |name: &str| name == self.cookie || framed.as_deref() == Some(name);
        pairs.find(|(name, value)| is_ours(name) && self.token.is_cookie(value)).map(|(_, value)| value)
    }
}

/// The value of a header that is there once.
fn one<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() { Some("") } else { Some(value.to_str().unwrap_or_default()) }
}
