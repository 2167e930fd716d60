//! Passwords in URLs: `scheme://user:password@host`.
//!
//! 1. The host begins behind the last `@` before the path, as browsers have it, so that a password with an `@` in it is
//!    covered as a whole.
//! 2. Fewer than eight characters, a user's own name, and the passwords that documentation and templates write are
//!    none.
//! 3. An image that is pinned, `docker://name:tag@sha256:…`, is not a password.

use std::ops::Range;

use super::MARKER_START;
use super::token::is_monotonous;

/// The password of the URL whose scheme ends at `colon`.
pub(super) fn password(text: &str, colon: usize) -> Option<Range<usize>> {
    let has_scheme = text[..colon].ends_with(|c: char| c.is_ascii_alphanumeric());
    let rest = text[colon..].strip_prefix("://").filter(|_| has_scheme)?;
    // A path begins with a slash, and so does what follows the next scheme: no byte is searched for two URLs.
    let authority = &rest[..rest.find(ends_authority).unwrap_or(rest.len())];
    let (login, host) = authority.rsplit_once('@')?;
    let (user, password) = login.split_once(':')?;
    let pinned = host.starts_with("sha256:") || host.starts_with("sha512:");
    if host.is_empty() || pinned || login.contains(MARKER_START) || user == password || is_placeholder(password) {
        return None;
    }
    let end = colon + "://".len() + login.len();
    Some(end - password.len()..end)
}

fn ends_authority(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '/' | '?' | '#' | '\\' | '"' | '\'' | '`' | '<' | '>')
}

/// Whether nobody logs in with this.
fn is_placeholder(password: &str) -> bool {
    const SHORTEST: usize = 8;
    const WORDS: &[&str] = &[
        "password",
        "passphrase",
        "changeme",
        "changeit",
        "changethis",
        "replaceme",
        "mypassword",
        "dbpassword",
        "userpassword",
        "testpassword",
        "secretpassword",
        "mysecretpassword",
        "supersecret",
        "supersecretpassword",
    ];
    let word: String = password.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_lowercase()).collect();
    let capitals = password.bytes().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'-'));
    let mut characters = password.chars();
    let first = characters.next();
    password.chars().take(SHORTEST).count() < SHORTEST
        || is_template(password)
        || capitals
        || characters.all(|c| Some(c) == first)
        || is_monotonous(password.as_bytes())
        || WORDS.contains(&word.as_str())
        || word.starts_with("your")
        || ["example", "placeholder", "redacted"].iter().any(|name| word.contains(name))
}

/// Whether something else is to be filled in: `$X`, `${X}`, `{{ x }}`, `{x}`, `%X%`, `[x]`.
fn is_template(password: &str) -> bool {
    let around = |open: char, close: char| password.starts_with(open) && password.ends_with(close);
    password.starts_with('$')
        || ["${", "$(", "{{", "#{"].iter().any(|open| password.contains(open))
        || around('{', '}')
        || around('%', '%')
        || around('[', ']')
        || around('(', ')')
}
