//! Who may ask.
//!
//! 1. A request must come under a name that is ours, whoever it resolves to: a page of somebody else's whose name leads
//!    here gets nothing.
//! 2. A request that a browser sends for another origin is refused, whatever it carries. No answer has a header for CORS.
//! 3. Everything but the page, the two health checks, the description of the API and the exchange of a link's code wants the token,
//!    or a session that the page has under this very origin. Nothing that a browser sends by itself proves anything.
//! 4. A frame of a page that may embed ours is let in to the page itself: see [`crate::embed`].

use axum::http::{HeaderMap, Method, StatusCode, Uri, header};

use crate::embed::Embedding;
use crate::listen::Address;
use crate::origins::{Origin, Origins};
use crate::problem::Problem;
use crate::session::{self, Ended, Session};
use crate::token::Token;

/// What may be read without a token: nothing that anybody wrote.
const OPEN: [&str; 3] = ["/healthz", "/readyz", "/openapi.json"];

/// Where a page gets its session; the code of a link is the proof.
pub(crate) const SESSIONS: &str = "/sessions";

/// What an operator may have forgotten.
const ANOTHER_SCHEME: &str = "name it with --host https://NAME, if a proxy in front speaks TLS";

/// What a request must be like.
pub(crate) struct Guard {
    pub(crate) token: Token,
    pub(crate) ended: Ended,
    origins: Origins,
    pub(crate) embedding: Embedding,
}

/// Where a browser shows the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// In a window of its own.
    Alone,
    /// In a frame of another page.
    Framed,
}

/// How a request was proven.
#[derive(Clone)]
pub(crate) enum Proof {
    Token,
    Session(Session),
    /// It needs none. A page of this origin asks, if one does.
    Open(Option<Origin>),
}

impl Guard {
    pub(crate) fn new(token: Token, named: &[String], embedding: Embedding, at: &Address) -> antefix::Result<Guard> {
        Ok(Guard { token, ended: Ended::default(), origins: Origins::new(named, at)?, embedding })
    }

    /// Lets a request pass, or says why not.
    pub(crate) fn check(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<Proof, Problem> {
        let host = self.check_host(uri, headers)?;
        let is_framed = self.embedding.is_framing(method, uri, headers);
        let origin = self.check_origin(if is_framed { Shown::Framed } else { Shown::Alone }, headers)?;
        self.proof(method, uri, headers, &host, origin)
    }

    /// The name that a request came under.
    fn check_host(&self, uri: &Uri, headers: &HeaderMap) -> Result<String, Problem> {
        let mut named = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (named.next(), named.next()) else {
            return Err(Problem::bad("A request needs one Host header"));
        };
        let host = host.to_str().unwrap_or_default().to_ascii_lowercase();
        let asked = uri.authority().map(|authority| authority.as_str().to_ascii_lowercase());
        if !self.origins.has_host(&host) || asked.is_some_and(|asked| !self.origins.has_host(&asked)) {
            let problem = Problem::forbidden("host", "This server does not answer under that name");
            return Err(problem.hint("name it with --host, if it is yours"));
        }
        Ok(host)
    }

    /// The origin of the page that asks, if a page does and its browser says so.
    fn check_origin(&self, shown: Shown, headers: &HeaderMap) -> Result<Option<Origin>, Problem> {
        let foreign = || Problem::forbidden("origin", "Pages of other origins are not answered");
        let mut own = None;
        for origin in headers.get_all(header::ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            let Some(named) = self.origins.named(origin) else {
                let is_ours = self.origins.is_ours_by_another_scheme(origin);
                return Err(if is_ours { foreign().hint(ANOTHER_SCHEME) } else { foreign() });
            };
            // Two that differ are not one.
            if own.replace(named).is_some_and(|before| before != named) {
                return Err(foreign());
            }
        }
        for site in headers.get_all("sec-fetch-site") {
            // Another port of this machine is the same site, and somebody else.
            if !matches!(site.as_bytes(), b"same-origin" | b"none") && shown == Shown::Alone {
                return Err(foreign());
            }
        }
        Ok(own.cloned())
    }

    fn proof(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
        host: &str,
        origin: Option<Origin>,
    ) -> Result<Proof, Problem> {
        let refused = |hint: &str| {
            let problem = Problem::new(StatusCode::UNAUTHORIZED, "token", "A token is needed");
            Err(problem.hint(hint.to_owned()))
        };
        if let Some(sent) = one(headers, header::AUTHORIZATION.as_str()) {
            let sent = sent.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
            let Some(sent) = sent.map(|(_, value)| value.trim()) else {
                return refused("send `Authorization: Bearer …` with the token of the server's token file");
            };
            return match self.token.is(sent) {
                true => Ok(Proof::Token),
                false => match self.session(sent, host, origin.as_ref()) {
                    Some(session) => Ok(Proof::Session(session)),
                    None => refused("send `Authorization: Bearer …` with the token of the server's token file"),
                },
            };
        }
        let is_exchange = *method == Method::POST && uri.path() == SESSIONS;
        if is_exchange || OPEN.contains(&uri.path()) || super::page::is_file(uri.path()) {
            return Ok(Proof::Open(origin));
        }
        refused(
            "send `Authorization: Bearer …` with the token of the server's token file, or open the link that it printed",
        )
    }

    /// The session that a page shows. Browsers leave `Origin` out of a page's own GET, so that the name that it came under must do.
    fn session(&self, value: &str, host: &str, origin: Option<&Origin>) -> Option<Session> {
        let is_its_own = |own: &&Origin| origin.is_none_or(|origin| origin == *own);
        let mut own = self.origins.under(host).filter(is_its_own);
        let now = session::now();
        own.find_map(|own| Session::read(value, own, &self.token, now)).filter(|session| !self.ended.has(session))
    }
}

/// The value of a header that is there once.
fn one<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() { Some("") } else { Some(value.to_str().unwrap_or_default()) }
}
