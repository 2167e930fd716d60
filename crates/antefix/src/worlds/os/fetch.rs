//! Asking a server once, over HTTP or HTTPS.
//!
//! 1. One deadline holds for looking up the name, connecting, the handshake, the head and the body: a server that sends a
//!    byte a second gains nothing by it.
//! 2. A body that ends before its announced length is an error, not a shorter body.
//! 3. Nothing is followed, remembered or unpacked: no redirects, no cookies, no compression.
//! 4. Variables such as `HTTPS_PROXY` are not obeyed: a text that says who an agent is comes from where the user says
//!    and by no other way. Certificates are checked against the system's store.

use std::error::Error as _;
use std::io::{self, Read};
use std::time::{Duration, Instant};

use ureq::Agent;
use ureq::config::Config;
use ureq::http::{HeaderMap, header};
use ureq::tls::{RootCerts, TlsConfig};

use crate::discover::world::{Answer, ReasonCode, Request, Response};

/// How we introduce ourselves.
const USER_AGENT: &str = concat!("antefix/", env!("CARGO_PKG_VERSION"));

/// Asks a server once.
pub(super) fn fetch(request: &Request) -> Answer<Response> {
    let start = Instant::now();
    match ask(request) {
        Ok(mut response) => {
            response.took = start.elapsed();
            Answer::Present(response)
        }
        Err(error) => failure(&error, request.time_limit),
    }
}

fn ask(request: &Request) -> Result<Response, ureq::Error> {
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let config: Config = Agent::config_builder()
        .timeout_global(Some(request.time_limit))
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .proxy(None)
        .user_agent(USER_AGENT)
        .tls_config(tls)
        .build();
    let mut asked = Agent::new_with_config(config)
        .get(&request.address)
        .header(header::ACCEPT, request.accept)
        .header(header::ACCEPT_ENCODING, "identity");
    if let Some(bearer) = &request.bearer {
        asked = asked.header(header::AUTHORIZATION, format!("Bearer {}", bearer.0));
    }
    let (head, body) = asked.call()?.into_parts();
    let mut response = Response {
        status: head.status.as_u16(),
        content_type: text(&head.headers, &header::CONTENT_TYPE),
        content_encoding: text(&head.headers, &header::CONTENT_ENCODING),
        location: text(&head.headers, &header::LOCATION),
        ..Response::default()
    };
    if response.status == 200 {
        // One byte more than wanted shows whether there is more.
        let limit = u64::try_from(request.size_limit).unwrap_or(u64::MAX).saturating_add(1);
        body.into_reader().take(limit).read_to_end(&mut response.body)?;
        response.more = response.body.len() > request.size_limit;
        response.body.truncate(request.size_limit);
    }
    Ok(response)
}

/// A header as text. One that is not visible ASCII is ignored.
fn text(headers: &HeaderMap, name: &header::HeaderName) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

/// What it means that there is no answer. The words are the system's; none of them repeats what was sent.
fn failure(error: &ureq::Error, limit: Duration) -> Answer<Response> {
    let within = match error {
        ureq::Error::Io(error) => Some(error),
        _ => None,
    };
    let late = matches!(error, ureq::Error::Timeout(_))
        || within.is_some_and(|error| {
            let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
            error.kind() == io::ErrorKind::TimedOut || matches!(inner, Some(ureq::Error::Timeout(_)))
        });
    if late {
        return Answer::unavailable(ReasonCode::TimedOut, format!("over {} s", limit.as_secs_f64()));
    }
    if within.is_some_and(|error| error.kind() == io::ErrorKind::UnexpectedEof) {
        return Answer::unavailable(ReasonCode::Failed, "the answer broke off");
    }
    if matches!(error, ureq::Error::Protocol(_)) {
        return Answer::unavailable(ReasonCode::Failed, "it is not HTTP");
    }
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    Answer::unavailable(ReasonCode::Failed, format!("{error}{cause}"))
}
