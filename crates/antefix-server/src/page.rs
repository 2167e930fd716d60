//! The page: files that come with the program, as `cargo xtask web` made them.
//!
//! 1. The page itself is asked for anew each time; what it names, it names with a digest, and a browser may keep that
//!    forever.
//! 2. Each file is there compressed as well, for whoever takes it so.

use std::sync::LazyLock;

use antefix::text::Digest;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

/// A file of the page.
struct File {
    path: &'static str,
    kind: &'static str,
    text: &'static str,
    compressed: &'static [u8],
}

macro_rules! file {
    ($path:literal, $kind:literal, $name:literal) => {
        File {
            path: $path,
            kind: concat!($kind, "; charset=utf-8"),
            text: include_str!(concat!("../web/dist/", $name)),
            compressed: include_bytes!(concat!("../web/dist/", $name, ".gz")),
        }
    };
}

const FILES: [File; 3] = [
    file!("/", "text/html", "index.html"),
    file!("/page.css", "text/css", "page.css"),
    file!("/page.js", "text/javascript", "page.js"),
];

/// What each file is known by.
static TAGS: LazyLock<[String; 3]> = LazyLock::new(|| FILES.map(|file| format!("\"{}\"", Digest::of(file.text))));

/// Whether the page has a file there.
pub(crate) fn is_file(path: &str) -> bool {
    FILES.iter().any(|file| file.path == path)
}

/// The file there, if the page has one.
pub(crate) fn file(uri: &Uri, headers: &HeaderMap) -> Option<Response> {
    let number = FILES.iter().position(|file| file.path == uri.path())?;
    let (file, tag) = (FILES.get(number)?, TAGS.get(number)?);
    let says = |name: header::HeaderName, what: &str| {
        let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
        values
            .flat_map(|value| value.split(','))
            .any(|value| value.split(';').next().unwrap_or_default().trim() == what)
    };
    let mut response = if says(header::IF_NONE_MATCH, tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else if says(header::ACCEPT_ENCODING, "gzip") {
        ([(header::CONTENT_ENCODING, "gzip")], file.compressed).into_response()
    } else {
        file.text.into_response()
    };
    let own = response.headers_mut();
    own.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.kind));
    own.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if let Ok(tag) = HeaderValue::from_str(tag) {
        own.insert(header::ETAG, tag);
    }
    let kept = if uri.query().is_some_and(|query| query.starts_with("v=")) {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    own.insert(header::CACHE_CONTROL, HeaderValue::from_static(kept));
    Some(response)
}
