//! Secrets that have a well-known shape: tokens, private keys, passwords in URLs.
//!
//! 1. A secret is recognized by its shape alone: a prefix that its issuer chose, or the name that is written before it, an
//!    alphabet and a length. There is no guessing by entropy, so that digests, identifiers and images in base64 are left
//!    alone.
//! 2. A token is a whole word. A longer identifier that contains one is none.
//! 3. Placeholders are not secrets: one character repeated, characters that count up, words, `EXAMPLE`, and in URLs the
//!    passwords of documentation and of templates.
//! 4. Of a URL only the password is a finding, and of a named secret only what is behind the name, so that a redacted text
//!    still says who connects to what.
//! 5. Findings are in order and disjoint, and a text in which each one became its [`marker`] has no findings.
//! 6. The time is linear in the text, and so is the memory: a list of findings is at most about twice as large.
//!
//! The shapes are those that issuers document and that the public rules of gitleaks (MIT) agree on. This module does
//! not know what becomes of a finding, and it never asks an issuer whether a token works.
//!
//! ```
//! use antefix::discover::secrets;
//!
//! let text = "DATABASE=postgres://app:tr0ub4dor@db/app";
//! let found = secrets::find(text);
//! assert_eq!(found[0].rule, "url-credentials");
//! assert_eq!(&text[found[0].range.clone()], "tr0ub4dor");
//! assert_eq!(secrets::marker(found[0].rule), "[redacted:url-credentials]");
//! ```

mod beginnings;
mod block;
mod literals;
mod middle;
mod names;
mod parts;
mod shapes;
mod token;
mod url;

#[cfg(test)]
mod properties;
#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

use std::ops::Range;

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// The kebab-case name of its shape, such as `github-pat`.
    pub rule: &'static str,
}

/// Whether a text may have a secret at all. If not, no part of it has one.
pub(super) fn may_be_in(text: &str) -> bool {
    literals::may_be_in(text)
}

/// All secrets of a text. There is no limit to them, because what is left out of the list would be stored and sent.
pub fn find(text: &str) -> Vec<Secret> {
    if may_be_in(text) { find_everywhere(text) } else { Vec::new() }
}

fn find_everywhere(text: &str) -> Vec<Secret> {
    let mut scan = Scan { text, password: None, no_jwt_before: 0 };
    let mut ahead = ahead(text.as_bytes()).into_iter().peekable();
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        while ahead.next_if(|secret| secret.range.start < at).is_some() {}
        // Most bytes begin nothing. Inside a URL with a password, each one may be where that begins.
        if scan.password.is_none() {
            at =
                beginnings::next(text.as_bytes(), at).min(ahead.peek().map_or(text.len(), |secret| secret.range.start));
            if at == text.len() {
                break;
            }
        }
        let here = scan.password(at).or_else(|| ahead.next_if(|secret| secret.range.start == at));
        match here.or_else(|| scan.secret(at)) {
            Some(secret) => {
                at = secret.range.end;
                found.push(secret);
            }
            None => at += 1,
        }
    }
    found
}

/// The secrets that are known by what is before them or in them, by where they begin. Another one may begin sooner, and reach
/// into them.
fn ahead(bytes: &[u8]) -> Vec<Secret> {
    let mut all = names::all(bytes);
    let with = |rule| move |range| Secret { range, rule };
    all.extend(middle::all(bytes, middle::AZURE, middle::azure).map(with("azure-client-secret")));
    all.extend(middle::all(bytes, middle::ATLAS, middle::terraform).map(with("terraform-token")));
    all.sort_by_key(|secret| secret.range.start);
    all
}

/// What is in a text instead of a secret, such as `[redacted:github-pat]`.
pub fn marker(rule: &str) -> String {
    format!("{MARKER_START}{rule}]")
}

/// Where markers are in a text, as far as their rules are known.
pub(crate) fn markers(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    text.match_indices(MARKER_START).filter_map(|(start, begin)| {
        let rule = text[start + begin.len()..].split(']').next()?;
        let known =
            !rule.is_empty() && rule.bytes().all(|byte| byte.is_ascii_lowercase() || b"-0123456789".contains(&byte));
        known.then_some((start..start + begin.len() + rule.len() + 1, rule))
    })
}

/// How a marker begins. What touches one is not looked at again: it was judged together with what the marker replaced.
const MARKER_START: &str = "[redacted:";

struct Scan<'t> {
    text: &'t str,
    /// The password of the URL that the scan is in, if it has one and has not come to it.
    password: Option<Range<usize>>,
    /// Where the run of characters ends that can begin no JWT, so that a run is walked through once.
    no_jwt_before: usize,
}

impl Scan<'_> {
    /// The password that begins at an offset. Positions come in order, and never lie within a secret found before.
    fn password(&mut self, at: usize) -> Option<Secret> {
        let password =
            self.password.take_if(|password| password.start <= at).filter(|password| password.start == at)?;
        // A token that is used as a password is named for what it is.
        let token = self.token(at).filter(|token| token.range == password);
        Some(token.unwrap_or(Secret { range: password, rule: "url-credentials" }))
    }

    /// The token or the key that begins at an offset.
    fn secret(&mut self, at: usize) -> Option<Secret> {
        let bytes = self.text.as_bytes();
        match bytes[at] {
            b':' => {
                if let Some(password) = url::password(self.text, at) {
                    self.password = Some(password);
                }
                None
            }
            b'-' => block::end(bytes, at).map(|end| Secret { range: at..end, rule: "private-key" }),
            _ => self.token(at),
        }
    }

    fn token(&mut self, at: usize) -> Option<Secret> {
        let bytes = self.text.as_bytes();
        if !token::begins_word(bytes, at) {
            return None;
        }
        let secret = |rule| move |end| Secret { range: at..end, rule };
        match bytes[at] {
            b'0'..=b'9' => return parts::telegram(bytes, at).map(secret("telegram-bot-token")),
            b'S' if bytes[at..].starts_with(b"SG.") => return parts::sendgrid(bytes, at).map(secret("sendgrid")),
            b'e' if at >= self.no_jwt_before => match parts::jwt(bytes, at) {
                parts::Jwt::Token { end } => return Some(secret("jwt")(end)),
                parts::Jwt::None { until } => self.no_jwt_before = until,
            },
            _ => {}
        }
        token::beginning_with(bytes[at]).find_map(|shape| shape.end(bytes, at).map(secret(shape.rule)))
    }
}
