//! The page: files that come with the program.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

/// A file of the page.
struct File {
    path: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

const FILES: [File; 2] = [
    File { path: "/", kind: "text/html; charset=utf-8", bytes: include_bytes!("page/index.html") },
    File { path: "/page.css", kind: "text/css; charset=utf-8", bytes: include_bytes!("page/page.css") },
];

/// Whether the page has a file there.
pub(super) fn is_file(path: &str) -> bool {
    FILES.iter().any(|file| file.path == path)
}

/// The file there, if the page has one.
pub(super) fn file(path: &str) -> Option<Response> {
    let file = FILES.iter().find(|file| file.path == path)?;
    let mut response = file.bytes.into_response();
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(file.kind));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Some(response)
}
