//! A server that keeps a text.
//!
//! | answer | outcome |
//! |---|---|
//! | 200 with `text/plain` or `text/markdown` | the body |
//! | 200 with `application/json`, `{"text": "…"}` | that text |
//! | 200 with `{"text": null}` or `{"text": ""}`, 204, 404 | there is none |
//! | a redirect to the same scheme, host and port | asked again, at most three times within the same time |
//! | everything else | nothing was learned |

use serde::Deserialize;
use serde_json::Value;

use super::{Address, RemoteLimits, decoded, without_nul};
use crate::discover::world::{Answer, Bearer, ReasonCode, Request, Response, World};

/// How often an answer may send us elsewhere on the same server.
const REDIRECTS: usize = 3;

/// Asks the server.
pub(super) fn ask(
    world: &dyn World,
    address: &Address,
    bearer_env: Option<&str>,
    limits: RemoteLimits,
) -> Answer<String> {
    let bearer = match bearer_env.map(|variable| token(world, variable)) {
        None => None,
        Some(Answer::Present(bearer)) => Some(bearer),
        Some(Answer::Absent) => return Answer::Absent,
        Some(Answer::Unavailable(reason)) => return Answer::Unavailable(reason),
    };
    let mut address = address.clone();
    let mut left = limits.time;
    for _ in 0..=REDIRECTS {
        let request = Request {
            address: address.to_string(),
            accept: "text/plain, text/markdown, application/json",
            bearer: bearer.clone(),
            time_limit: left,
            size_limit: limits.bytes,
        };
        let response = match world.fetch(&request) {
            Answer::Present(response) => response,
            Answer::Absent => return Answer::Absent,
            Answer::Unavailable(reason) if reason.code == ReasonCode::TimedOut => return late(limits),
            Answer::Unavailable(reason) => return Answer::Unavailable(reason),
        };
        if !matches!(response.status, 301 | 302 | 303 | 307 | 308) {
            return outcome(response, limits);
        }
        let Some(next) = response.location.as_deref().and_then(|location| address.resolve(location)) else {
            return Answer::unavailable(ReasonCode::Failed, "it leads to an address that cannot be read");
        };
        // A token must not go elsewhere, and neither must we: the user named this server and no other.
        if !next.same_origin(&address) {
            return Answer::unavailable(ReasonCode::Failed, format!("it leads to another server, {}", next.label()));
        }
        address = next;
        left = left.saturating_sub(response.took);
        if left.is_zero() {
            return late(limits);
        }
    }
    Answer::unavailable(ReasonCode::Failed, format!("it leads on more than {REDIRECTS} times"))
}

/// What the user allowed, and not what was left of it after a redirect.
fn late(limits: RemoteLimits) -> Answer<String> {
    Answer::unavailable(ReasonCode::TimedOut, format!("over {} s", limits.time.as_secs_f64()))
}

/// The token in a variable. It is never shown.
fn token(world: &dyn World, variable: &str) -> Answer<Bearer> {
    let failed = |what: &str| Answer::unavailable(ReasonCode::Failed, format!("the token: {variable} {what}"));
    match world.env(variable) {
        Answer::Present(token) if !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic()) => {
            Answer::Present(Bearer(token))
        }
        Answer::Present(_) => failed("is empty, or has characters that no header may have"),
        // The server was not asked, so nothing is known of the text.
        Answer::Absent => failed("is not set"),
        Answer::Unavailable(reason) => Answer::Unavailable(reason),
    }
}

fn outcome(response: Response, limits: RemoteLimits) -> Answer<String> {
    let failed = |what: String| Answer::unavailable(ReasonCode::Failed, what);
    match response.status {
        200 => {}
        204 | 404 => return Answer::Absent,
        status @ (401 | 403) => return Answer::unavailable(ReasonCode::NotPermitted, format!("status {status}")),
        status => return failed(format!("status {status}")),
    }
    if let Some(encoding) = response.content_encoding.filter(|encoding| !encoding.eq_ignore_ascii_case("identity")) {
        return failed(format!("it is compressed ({})", shown(&encoding)));
    }
    let Some(form) = response.content_type.as_deref().and_then(form) else {
        let content_type = response.content_type.as_deref().map_or_else(|| "none".to_owned(), shown);
        return failed(format!("its content type is {content_type}, and not UTF-8 text or JSON"));
    };
    if response.more {
        return failed(format!("it has more than {} bytes", limits.bytes));
    }
    decoded(response.body).and_then(|body| match form {
        // Where a connection broke before the body, nothing is known.
        Form::Text if body.trim().is_empty() => {
            failed("it is empty; 204 and {\"text\": null} say that there is none".to_owned())
        }
        Form::Text => Answer::Present(body),
        Form::Json => json(&body),
    })
}

/// What the user did not write is reported in one short line.
fn shown(header: &str) -> String {
    header.chars().filter(|c| !c.is_control()).take(60).collect()
}

/// How a body is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Text,
    Json,
}

/// The form that a content type stands for, if we can read it.
fn form(content_type: &str) -> Option<Form> {
    let mut parts = content_type.split(';').map(str::trim);
    let form = match parts.next()?.to_ascii_lowercase().as_str() {
        "text/plain" | "text/markdown" => Form::Text,
        "application/json" => Form::Json,
        _ => return None,
    };
    let readable = |parameter: &str| match parameter.split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
            let charset = value.trim().trim_matches('"');
            charset.eq_ignore_ascii_case("utf-8") || charset.eq_ignore_ascii_case("us-ascii")
        }
        _ => true,
    };
    parts.all(readable).then_some(form)
}

/// `{"text": "…"}`, or `{"text": null}` for none. What else is there is the server's own affair.
fn json(body: &str) -> Answer<String> {
    #[derive(Deserialize)]
    struct Body {
        text: Value,
    }
    // A list of one text would be read as well, by its position.
    let is_map = body.trim_start().starts_with('{');
    match serde_json::from_str::<Body>(body).map(|kept| kept.text) {
        Ok(Value::String(text)) if is_map => without_nul(text),
        Ok(Value::Null) if is_map => Answer::Absent,
        Ok(_) | Err(_) => Answer::unavailable(ReasonCode::Failed, "its JSON is not {\"text\": \"…\"}"),
    }
}
